// The quick ways for a tick in which little happened: whom to ask, and one move alone.

#include "engine/sweep.h"

#include <cstdlib>

namespace marchland::engine {
namespace {

/// Fewer than one in this many changed: it pays to ask whom that concerns.
constexpr std::size_t kConcernedShare = 64;
/// Likewise for watchers that the cells are too narrow for.
constexpr std::size_t kFarSightedShare = 64;

/// May a move have changed what somebody there sees, who looks no further than this along x and y?
bool is_in_reach(Position from, std::int64_t reach_mm, const Entity& mover) {
    const auto is_near = [&](Position at) {
        return std::abs(std::int64_t{at.x} - from.x) <= reach_mm &&
               std::abs(std::int64_t{at.y} - from.y) <= reach_mm;
    };
    return is_near(mover.position) || is_near(mover.previous);
}

}  // namespace

bool Sweep::tell_single_move(const Scene& scene, std::span<Watcher> watchers, Hand& hand,
                             const FrameSink& sink) {
    if (!is_single_move() || !are_far_sighted_few(scene) || !scene.beacons.is_empty() ||
        !scene.entities.is_live(rows_.changed().front())) {
        return false;
    }
    const Slot mover = rows_.changed().front();
    const Vicinities::Number number = vicinities_.around(mover, scene);
    hand.frames.load(rows_, vicinities_, number, SweepFrames::Load::all);
    const bool follows = last_tick_ + 1 == scene.now;
    Looker looker = looker_of(mover);
    looker.follows = follows;
    const bool is_watching =
        to_number(mover) < watchers.size() && watchers[to_number(mover)].is_watching;
    if (is_watching && !far_sighted_.contains(mover)) {
        const Frame frame =
            hand.frames.build(scene, rows_, vicinities_, looker, watchers[to_number(mover)]);
        if (!frame.is_empty()) {
            sink(frame);
        }
    }
    const SweepFrames::Seers seers = hand.frames.who_sees(rows_, sights_, mover);
    for (const Slot slot : seers.surely) {
        if (!far_sighted_.contains(slot)) {
            sink({scene.now, slot, {}, {}, {&mover, 1}, follows});
        }
    }
    for (const Slot slot : seers.unsure) {
        if (far_sighted_.contains(slot)) {
            continue;
        }
        looker = looker_of(slot);
        looker.follows = follows;
        const Frame frame = hand.frames.build_of_one(scene, rows_, vicinities_, looker,
                                                     watchers[to_number(slot)], mover);
        if (!frame.is_empty()) {
            sink(frame);
        }
    }
    tell_far_sighted(scene, watchers, mover, hand, sink);
    // Nobody crossed: there is nothing to settle.
    is_settled_ = true;
    built_tick_ = scene.now;
    is_changed_since_build_ = false;
    note_all_told(scene.now);
    return true;
}

/// Those that the move may concern. The mover itself looks from somewhere else now.
void Sweep::tell_far_sighted(const Scene& scene, std::span<Watcher> watchers, Slot mover,
                             Hand& hand, const FrameSink& sink) {
    const Entity& moved = scene.entities.at(mover);
    for (const Slot slot : far_sighted_.slots()) {
        const Entity& entity = scene.entities.at(slot);
        if (slot != mover && !is_in_reach(entity.position, leave_reach_mm(entity.view), moved)) {
            continue;
        }
        Watcher& watcher = watchers[to_number(slot)];
        catch_up(watcher);
        const Frame frame = hand.general.build(scene, slot, watcher, true);
        if (!frame.is_empty()) {
            sink(frame);
        }
    }
}

bool Sweep::are_far_sighted_few(const Scene& scene) const {
    return far_sighted_.size() * kFarSightedShare <= scene.entities.size();
}

bool Sweep::is_single_move() const {
    if (!is_on_ || rows_.changed().size() != 1 || !are_all_told()) {
        return false;
    }
    const Slot mover = rows_.changed().front();
    const Rows::Row& row = rows_.at(mover);
    const bool has_moved = row.x != row.x_before || row.y != row.y_before;
    return has_moved && row.is_unsettled == 0 && vicinities_.is_at_home(mover, row);
}

std::optional<std::span<const Slot>> Sweep::concerned(const Scene& scene,
                                                      std::span<const Watcher> watchers) {
    const bool are_few = rows_.changed().size() * kConcernedShare < scene.entities.size();
    if (!is_on_ || !are_few || !are_all_told() || !are_far_sighted_few(scene) ||
        !scene.beacons.is_empty()) {
        return std::nullopt;
    }
    changed_cells_.clear();
    vicinities_.list_changed_cells(scene.entities, rows_, changed_cells_);
    vicinities_.settle(scene.entities, rows_, scene.now);
    is_settled_ = true;
    concerned_.clear();
    is_concerned_.resize(scene.entities.slot_count());
    for (const Slot slot : far_sighted_.slots()) {
        is_concerned_[to_number(slot)] = true;
        concerned_.push_back(slot);
    }
    for (const Cell cell : changed_cells_) {
        for (const Slot slot : vicinities_.at(vicinities_.around(cell, scene)).members) {
            const bool is_watching =
                to_number(slot) < watchers.size() && watchers[to_number(slot)].is_watching;
            if (is_watching && !is_concerned_[to_number(slot)]) {
                is_concerned_[to_number(slot)] = true;
                concerned_.push_back(slot);
            }
        }
    }
    for (const Slot slot : concerned_) {
        is_concerned_[to_number(slot)] = false;
    }
    return concerned_;
}

}  // namespace marchland::engine
