#include "engine/crowd_frames.h"

#include "engine/update_rings.h"

#include <algorithm>
#include <iterator>

namespace marchland::engine {
namespace {

/// Whoever has waited so long is due by any measure; more need not be counted.
constexpr Tick kAgeTicksMax = 65'535;

}  // namespace

Frame CrowdFrames::keep_nearest(const Scene& scene, const Frame& whole, Watcher& watcher) {
    Frame told = whole;
    apply_cap(scene, told, watcher);
    return told;
}

Frame CrowdFrames::hold_back(const Scene& scene, const Frame& nearest, Watcher& watcher,
                             Tick told_until, bool complete) {
    Frame told = nearest;
    if (limits_.has_rings() || limits_.has_budget()) {
        std::vector<Sighting>& known = watcher.known.all();
        find_pending(scene, told, known, told_until);
        if (limits_.has_budget()) {
            fit_budget(scene, told, known);
        }
        tell_due(told, known, complete);
    }
    return told;
}

void CrowdFrames::apply_cap(const Scene& scene, Frame& told, Watcher& watcher) {
    told.is_capped = limits_.has_cap() && cap_.is_exceeded();
    if (!told.is_capped || watcher.known.size() <= limits_.visible_max) {
        return;
    }
    std::vector<Sighting>& known = watcher.known.all();
    leave_out(told, known, cap_.left_out(scene, told.watcher, known, told.enters));
    told.leaves = leaves_;
    told.enters = enters_;
    told.moves = moves_;
}

/// Those that enter are told where they are; `told.enters` is in the order of what is known.
void CrowdFrames::find_pending(const Scene& scene, const Frame& told,
                               const std::vector<Sighting>& known, Tick told_until) {
    const Position from = scene.entities.at(told.watcher).position;
    pending_.clear();
    auto enter = told.enters.begin();
    for (std::size_t place = 0; place < known.size(); ++place) {
        const Sighting& sighting = known[place];
        if (enter != told.enters.end() && *enter == sighting.slot) {
            ++enter;
            continue;
        }
        const Entity& entity = scene.entities.at(sighting.slot);
        if (sighting.held_ticks == 0 && entity.moved_tick <= told_until) {
            continue;
        }
        const Tick age =
            std::min<Tick>(sighting.held_ticks + (scene.now - told_until), kAgeTicksMax);
        const std::uint32_t every = ticks_between_updates(limits_, scene.ring_slowdown, from,
                                                          entity.position, scene.dimensions);
        const bool is_due = had_slot(scene.now, entity.id, every, age);
        pending_.push_back({place, static_cast<std::uint32_t>(age), is_due, is_due});
    }
}

void CrowdFrames::fit_budget(const Scene& scene, Frame& told, const std::vector<Sighting>& known) {
    const Position from = scene.entities.at(told.watcher).position;
    due_.clear();
    for (std::size_t i = 0; i < pending_.size(); ++i) {
        const Pending& pending = pending_[i];
        if (pending.is_due) {
            const Sighting& sighting = known[pending.place];
            const Entity& entity = scene.entities.at(sighting.slot);
            const bool is_difference =
                told.follows_last_tick && sighting.held_ticks == 0 && entity.previous_was_told;
            due_.push_back(due_move(i, entity, from, pending.age_ticks, is_difference, limits_,
                                    scene.dimensions));
        }
    }
    const std::size_t chosen = choose(due_, room_for_moves(told, scene.entities, limits_));
    for (const DueMove& waiting : std::span(due_).subspan(chosen)) {
        pending_[waiting.place].is_told = false;
        told.is_over_budget = true;
    }
}

void CrowdFrames::tell_due(Frame& told, std::vector<Sighting>& known, bool complete) {
    moves_.clear();
    were_held_.clear();
    for (const Pending& pending : pending_) {
        Sighting& sighting = known[pending.place];
        if (pending.is_told) {
            moves_.push_back(sighting.slot);
            were_held_.push_back(sighting.held_ticks != 0 ? 1 : 0);
        }
        told.is_slowed = told.is_slowed || !pending.is_due;
        if (complete) {
            sighting.held_ticks = pending.is_told ? 0 : pending.age_ticks;
        }
    }
    told.moves = moves_;
    told.were_held = were_held_;
}

/// `known` and the lists of the frame are in ascending id, and so go by side by side.
void CrowdFrames::leave_out(const Frame& whole, std::vector<Sighting>& known,
                            std::span<const std::size_t> left_out) {
    capped_.clear();
    enters_.clear();
    moves_.clear();
    auto enter = whole.enters.begin();
    auto move = whole.moves.begin();
    auto out = left_out.begin();
    std::size_t kept = 0;
    for (std::size_t place = 0; place < known.size(); ++place) {
        const Slot slot = known[place].slot;
        const bool enters = enter != whole.enters.end() && *enter == slot;
        const bool moves = move != whole.moves.end() && *move == slot;
        enter += enters ? 1 : 0;
        move += moves ? 1 : 0;
        if (out != left_out.end() && *out == place) {
            ++out;
            if (!enters) {
                capped_.push_back({known[place].known.id, LeaveReason::capped});
            }
            continue;
        }
        if (enters) {
            enters_.push_back(slot);
        }
        if (moves) {
            moves_.push_back(slot);
        }
        known[kept++] = known[place];
    }
    known.resize(kept);
    leaves_.clear();
    std::merge(whole.leaves.begin(), whole.leaves.end(), capped_.begin(), capped_.end(),
               std::back_inserter(leaves_),
               [](const Leave& a, const Leave& b) { return a.id < b.id; });
}

}  // namespace marchland::engine
