#include "engine/sweep.h"

#include "engine/assert.h"

#include <algorithm>
#include <cstdlib>

namespace marchland::engine {
namespace {

/// Ticks until the width of the cells is considered again.
constexpr Tick kFitTicks = 16;
/// Ticks without a sweep after one in which too many jumped.
constexpr Tick kRestTicks = 8;
/// Cells are wide enough for all but one watcher in this many.
constexpr std::size_t kFarSightedShare = 8;

}  // namespace

void Sweep::begin_tick(const EntityStore& entities, Tick last) {
    if (is_on_) {
        vicinities_.begin_tick();
        if (!is_settled_ && !vicinities_.settle(entities, rows_, last)) {
            is_on_ = false;
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

void Sweep::settle_later(Slot slot) {
    note_change();
    rows_.settle_later(slot);
}

void Sweep::prepare(const Scene& scene, std::span<const Slot> asked) {
    if (!is_flat_ || scene.now < resting_until_) {
        return;
    }
    if (is_on_ && !is_settled_ && !vicinities_.settle(scene.entities, rows_, scene.now)) {
        is_on_ = false;
        resting_until_ = scene.now + kRestTicks;
        return;
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
        const View& view = scene.entities.at(slot).view;
        if (view.shape == Shape::circle && view.leave_radius_mm <= Vicinities::kEdgeMaxMm) {
            radii_.push_back(view.leave_radius_mm);
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

bool Sweep::take(const Scene& scene, Slot slot, const Watcher& watcher) {
    const View& view = scene.entities.at(slot).view;
    const bool was_told_all = watcher.synced_tick + 1 == scene.now &&
                              watcher.framed_tick == watcher.synced_tick &&
                              trusted_tick_ == watcher.synced_tick;
    if (!is_on_ || !was_told_all || view.shape != Shape::circle ||
        view.leave_radius_mm > vicinities_.edge_mm()) {
        return false;
    }
    const Rows::Row& row = rows_.at(slot);
    const auto is_jump = [&](std::int32_t from, std::int32_t to) {
        return std::abs(std::int64_t{from} - to) > vicinities_.edge_mm();
    };
    if (row.is_unsettled || is_jump(row.x_before, row.x) || is_jump(row.y_before, row.y)) {
        return false;
    }
    const Vicinities::Number number =
        vicinities_.around(slot, scene.entities, scene.index, scene.now);
    group_of_.resize(std::max(group_of_.size(), vicinities_.size()), kNone);
    next_.resize(scene.entities.slot_count());
    if (group_of_[number] == kNone) {
        group_of_[number] = static_cast<std::uint32_t>(groups_.size());
        groups_.push_back({number, kNone});
    }
    Group& group = groups_[group_of_[number]];
    next_[to_number(slot)] = group.first;
    group.first = to_number(slot);
    return true;
}

void Sweep::build(const Scene& scene, std::span<Watcher> watchers,
                  const std::function<void(const Frame&)>& sink) {
    for (const Group& group : groups_) {
        group_of_[group.vicinity] = kNone;
        build_group(scene, group, watchers, sink);
    }
    groups_.clear();
    built_tick_ = scene.now;
    is_changed_since_build_ = false;
}

void Sweep::build_group(const Scene& scene, const Group& group, std::span<Watcher> watchers,
                        const std::function<void(const Frame&)>& sink) {
    const Vicinities::Vicinity& vicinity = vicinities_.at(group.vicinity);
    const bool few_changed = vicinities_.few_changed();
    const bool is_quiet = few_changed && vicinity.active_tick != scene.now;
    bool some_moved = false;
    if (few_changed && !is_quiet) {
        frames_.load(scene, rows_, vicinities_, group.vicinity, SweepFrames::Load::changed);
    }
    for (std::uint32_t at = group.first; at != kNone; at = next_[at]) {
        const Slot slot{at};
        if (!few_changed || rows_.at(slot).is_changed) {
            some_moved = true;
        } else if (is_quiet) {
            sink(SweepFrames::unchanged(scene, slot, watchers[at]));
        } else {
            sink(frames_.build(scene, rows_, vicinities_, slot, watchers[at]));
        }
    }
    if (!some_moved) {
        return;
    }
    frames_.load(scene, rows_, vicinities_, group.vicinity, SweepFrames::Load::all);
    for (std::uint32_t at = group.first; at != kNone; at = next_[at]) {
        const Slot slot{at};
        if (!few_changed || rows_.at(slot).is_changed) {
            sink(frames_.build(scene, rows_, vicinities_, slot, watchers[at]));
        }
    }
}

}  // namespace marchland::engine
