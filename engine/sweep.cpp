#include "engine/sweep.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace marchland::engine {
namespace {

/// Ticks until the width of the cells is considered again.
constexpr Tick kFitTicks = 16;
/// Cells are wide enough for all but one watcher in this many.
constexpr std::size_t kFarSightedShare = 8;

}  // namespace

void Sweep::begin_tick(const EntityStore& entities, Tick last) {
    if (is_on_) {
        vicinities_.begin_tick();
        if (!is_settled_) {
            vicinities_.settle(entities, rows_, last);
        }
    }
    trusted_tick_ = built_tick_ == last && !is_changed_since_build_ ? last : kNever;
    rows_.begin_tick();
    is_settled_ = true;
}

void Sweep::note_change() {
    is_settled_ = false;
    is_changed_since_build_ = true;
}

void Sweep::insert(Slot slot, const Entity& entity) {
    note_change();
    rows_.insert(slot, entity);
    if (reaches_.size() <= to_number(slot)) {
        reaches_.resize(to_number(slot) + 1);
    }
    set_sight(slot, entity);
}

void Sweep::erase(Slot slot, EntityId id) {
    note_change();
    if (is_on_) {
        vicinities_.erase(slot, id, rows_);
    }
    rows_.settle_later(slot);
}

void Sweep::move(Slot slot, Position to) {
    note_change();
    rows_.move(slot, to);
}

void Sweep::set_layers(Slot slot, LayerMask layers) {
    note_change();
    rows_.set_layers(slot, layers);
}

void Sweep::set_sight(Slot slot, const Entity& entity) {
    const bool is_circle = entity.view.shape == Shape::circle;
    reaches_[to_number(slot)] = {is_circle ? entity.view.leave_radius_mm : kNoCircle,
                                 is_circle ? sight_of(entity) : Sight{}};
}

void Sweep::settle_later(Slot slot) {
    note_change();
    rows_.settle_later(slot);
}

void Sweep::prepare(const Scene& scene, std::span<const Slot> asked) {
    if (!is_flat_) {
        return;
    }
    if (is_on_ && !is_settled_) {
        vicinities_.settle(scene.entities, rows_, scene.now);
    }
    is_settled_ = true;
    if (!is_on_ || scene.now >= fitted_tick_ + kFitTicks) {
        fit(scene, asked);
    }
}

/// Cells that are too narrow leave watchers to FrameBuilder, cells that are too wide make all scans
/// long; a little of either is better than to cut anew.
void Sweep::fit(const Scene& scene, std::span<const Slot> asked) {
    fitted_tick_ = scene.now;
    radii_.clear();
    for (const Slot slot : asked) {
        const std::int32_t radius_mm = reaches_[to_number(slot)].leave_radius_mm;
        if (radius_mm <= Vicinities::kEdgeMaxMm) {
            radii_.push_back(radius_mm);
        }
    }
    if (radii_.empty()) {
        return;
    }
    const auto wanted =
        radii_.end() - 1 - static_cast<std::ptrdiff_t>(radii_.size() / kFarSightedShare);
    std::nth_element(radii_.begin(), wanted, radii_.end());
    const std::int32_t edge_mm = std::max(*wanted, 1);
    const bool fits = edge_mm <= vicinities_.edge_mm() && edge_mm >= vicinities_.edge_mm() / 4 * 3;
    if (!is_on_ || !fits) {
        vicinities_.reset(edge_mm, scene.entities);
        is_on_ = true;
    }
}

bool Sweep::take(const Scene& scene, Slot slot, Watcher& watcher, bool complete) {
    const Reach& reach = reaches_[to_number(slot)];
    if (!is_on_ || reach.leave_radius_mm > vicinities_.edge_mm()) {
        return false;
    }
    const Vicinities::Number number = vicinities_.around(slot, scene);
    group_of_.resize(std::max(group_of_.size(), vicinities_.size()), kNone);
    if (group_of_[number] == kNone) {
        group_of_[number] = static_cast<std::uint32_t>(groups_.size());
        groups_.push_back({number, kNone, kNone});
    }
    Group& group = groups_[group_of_[number]];
    const Rows::Row& row = rows_.at(slot);
    const bool usual = complete && is_usual(scene, row, watcher);
    const bool is_still = usual && vicinities_.few_changed() && row.is_changed == 0;
    std::uint32_t& first = is_still ? group.first_still : group.first_mover;
    lookers_.push_back({slot, row.x, row.y, row.x_before, row.y_before, reach.sight,
                        vicinities_.has_crossed(slot, scene.now), !usual,
                        std::exchange(first, static_cast<std::uint32_t>(lookers_.size()))});
    watcher.framed_tick = scene.now;
    if (usual) {
        watcher.synced_tick = scene.now;
    }
    return true;
}

bool Sweep::is_usual(const Scene& scene, const Rows::Row& row, const Watcher& watcher) const {
    const auto is_jump = [&](std::int32_t from, std::int32_t to) {
        return std::abs(std::int64_t{from} - to) > vicinities_.edge_mm();
    };
    return watcher.synced_tick + 1 == scene.now && watcher.framed_tick == watcher.synced_tick &&
           trusted_tick_ == watcher.synced_tick && row.is_unsettled == 0 &&
           !is_jump(row.x_before, row.x) && !is_jump(row.y_before, row.y) &&
           !watcher.was_near_beacons && !scene.beacons.is_near({row.x, row.y});
}

void Sweep::build(const Scene& scene, std::span<Watcher> watchers, bool complete,
                  FrameBuilder& general, const FrameSink& sink) {
    const Work work{scene, watchers, complete, general, sink};
    for (const Group& group : groups_) {
        group_of_[group.vicinity] = kNone;
        build_still(work, group);
        build_movers(work, group);
    }
    groups_.clear();
    lookers_.clear();
    built_tick_ = scene.now;
    is_changed_since_build_ = false;
}

void Sweep::build_still(const Work& work, const Group& group) {
    const bool is_quiet = vicinities_.at(group.vicinity).active_tick != work.scene.now;
    if (!is_quiet && group.first_still != kNone) {
        frames_.load(rows_, vicinities_, group.vicinity, SweepFrames::Load::changed);
    }
    for (std::uint32_t at = group.first_still; at != kNone; at = lookers_[at].next) {
        const Looker& looker = lookers_[at];
        if (is_quiet) {
            work.sink({work.scene.now, looker.slot, {}, {}, {}, true});
        } else {
            work.sink(frames_.build(work.scene, rows_, vicinities_, looker,
                                    work.watchers[to_number(looker.slot)]));
        }
    }
}

void Sweep::build_movers(const Work& work, const Group& group) {
    if (group.first_mover != kNone) {
        frames_.load(rows_, vicinities_, group.vicinity, SweepFrames::Load::all);
    }
    for (std::uint32_t at = group.first_mover; at != kNone; at = lookers_[at].next) {
        const Looker& looker = lookers_[at];
        if (looker.next != kNone) {
            __builtin_prefetch(&lookers_[looker.next]);
        }
        Watcher& watcher = work.watchers[to_number(looker.slot)];
        work.sink(looker.is_unusual
                      ? work.general.build(work.scene, looker.slot, watcher, work.complete,
                                           frames_.near(looker))
                      : frames_.build(work.scene, rows_, vicinities_, looker, watcher));
    }
}

}  // namespace marchland::engine
