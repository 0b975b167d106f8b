#include "engine/frame_builder.h"

#include "engine/assert.h"
#include "engine/visibility.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace marchland::engine {
namespace {

bool is_lower(const Known& a, const Known& b) {
    return a.id < b.id;
}

/// Near enough by the watcher's view or by the entity's own range, layers aside.
bool is_in_leave_range(const Outlook& outlook, const Entity& entity, Dimensions dimensions) {
    return !outlook.is_blind() &&
           (outlook.goes_on_at(entity.position) ||
            (is_beacon(entity.notify) && goes_on_notifying(outlook.watcher(), entity, dimensions)));
}

}  // namespace

void FrameBuilder::make_room(std::size_t members) {
    const std::size_t words = (members + 63) / 64;
    if (now_.size() < words) {
        for (std::vector<std::uint64_t>* const bits :
             {&enter_, &leave_, &now_, &moved_, &new_, &could_see_}) {
            bits->resize(words);
        }
    }
    if (enters_.size() < 64 * words + Candidates::kRoom) {
        enters_.resize(64 * words + Candidates::kRoom);
        moves_.resize(64 * words + Candidates::kRoom);
    }
}

void FrameBuilder::open(const Scene& scene, std::span<const Target> targets,
                        const InterestCell& cell, Position corner) {
    // Heights are taken from that of one of them.
    corner.z = targets[to_number(cell.watchers.front().slot)].z;
    candidates_.load(targets, cell.slots, corner, scene.dimensions, scene.now);
    make_room(cell.slots.size());
}

Frame FrameBuilder::build(const Scene& scene, InterestCell& cell, std::size_t row, bool complete) {
    lost_.clear();
    if (!cell.orphans.empty()) {
        find_orphans_again(scene, cell, row);
    }
    Watcher& watcher = cell.watchers[row];
    return build_frame(scene, watcher, {cell.slots, watcher.self, cell.known_of(row)}, complete);
}

/// Those that are members again, and live the life that was known, are known members; the others are
/// lost.
void FrameBuilder::find_orphans_again(const Scene& scene, InterestCell& cell, std::size_t row) {
    const Slot slot = cell.watchers[row].slot;
    std::uint64_t* const known = cell.known_of(row);
    std::erase_if(cell.orphans, [&](const Orphan& orphan) {
        if (orphan.watcher != slot) {
            return false;
        }
        const auto at = std::lower_bound(cell.ids.begin(), cell.ids.end(), orphan.known.id);
        const auto place = static_cast<std::size_t>(at - cell.ids.begin());
        if (at != cell.ids.end() && *at == orphan.known.id &&
            scene.entities.at(cell.slots[place]).birth == orphan.known.birth) {
            known[place / 64] |= std::uint64_t{1} << (place % 64);
        } else {
            lost_.push_back(orphan.known);
        }
        return true;
    });
    std::sort(lost_.begin(), lost_.end(), is_lower);
}

Frame FrameBuilder::build(const Scene& scene, std::span<const Target> targets, LooseWatcher& loose,
                          bool complete) {
    gather_candidates(scene, loose);
    const Slot slot = loose.watcher.slot;
    candidates_.load(targets, own_slots_, scene.entities.at(slot).position, scene.dimensions,
                     scene.now);
    make_room(own_slots_.size());
    const auto self = std::find(own_slots_.begin(), own_slots_.end(), slot) - own_slots_.begin();
    const Frame frame =
        build_frame(scene, loose.watcher,
                    {own_slots_, static_cast<std::uint32_t>(self), own_known_.data()}, complete);
    loose.known.clear();
    for (std::size_t word = 0; word < candidates_.words(); ++word) {
        for (std::uint64_t left = own_known_[word]; left != 0; left &= left - 1) {
            const Slot seen =
                own_slots_[64 * word + static_cast<std::size_t>(std::countr_zero(left))];
            const Entity& entity = scene.entities.at(seen);
            loose.known.push_back({{entity.id, entity.birth}, seen});
        }
    }
    return frame;
}

/// What is in the enter range, what shows itself from afar, what is known, and the watcher itself. Fills
/// own_slots_, own_known_ and lost_.
void FrameBuilder::gather_candidates(const Scene& scene, const LooseWatcher& loose) {
    const Slot slot = loose.watcher.slot;
    const Outlook outlook(scene.entities.at(slot), scene.dimensions);
    found_.clear();
    if (!outlook.is_blind()) {
        scene.index.up_to_date(scene.entities).query(outlook.enter_bounds(), found_);
        scene.beacons.visit_near(scene.entities.at(slot).position,
                                 [this](Slot beacon) { found_.push_back(beacon); });
    }
    found_.push_back(slot);
    lost_.clear();
    for (const KnownEntity& known : loose.known) {
        const std::optional<Slot> at = scene.entities.holds(known.slot, known.known.id)
                                           ? std::optional(known.slot)
                                           : scene.entities.find(known.known.id);
        if (at && scene.entities.at(*at).birth == known.known.birth) {
            found_.push_back(*at);
        } else {
            lost_.push_back(known.known);
        }
    }
    sorted_.clear();
    for (const Slot found : found_) {
        sorted_.emplace_back(scene.entities.at(found).id, found);
    }
    std::sort(sorted_.begin(), sorted_.end());
    sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
    own_slots_.clear();
    own_known_.assign((sorted_.size() + 63) / 64, 0);
    auto known = loose.known.begin();
    for (const auto& [id, found] : sorted_) {
        while (known != loose.known.end() && known->known.id < id) {
            ++known;
        }
        const std::size_t place = own_slots_.size();
        if (known != loose.known.end() && known->known.id == id &&
            known->known.birth == scene.entities.at(found).birth) {
            own_known_[place / 64] |= std::uint64_t{1} << (place % 64);
        }
        own_slots_.push_back(found);
    }
}

Frame FrameBuilder::build_frame(const Scene& scene, Watcher& watcher, const Members& members,
                                bool complete) {
    const Slot slot = watcher.slot;
    const std::size_t words = candidates_.words();
    const Tick synced = watcher.synced_tick;
    const std::uint64_t* const was = members.known;

    test(scene, watcher, members);
    for (std::size_t word = 0; word < words; ++word) {
        now_[word] = enter_[word] | (was[word] & leave_[word]);
    }
    now_[members.self / 64] &= ~(std::uint64_t{1} << (members.self % 64));

    Frame frame;
    frame.tick = scene.now;
    frame.watcher = slot;
    if (limits_.has_cap()) {
        std::copy_n(now_.begin(), words, could_see_.begin());
        frame.is_capped =
            limits_.keep_nearest(scene, watcher, candidates_, members.slots, was, now_.data());
    }

    const bool follows = synced + 1 == scene.now;
    std::uint64_t any_leaves = 0;
    for (std::size_t word = 0; word < words; ++word) {
        const std::uint64_t stays = now_[word] & was[word];
        enter_[word] = now_[word] & ~was[word];
        leave_[word] = stays;
        moved_[word] = follows ? stays & candidates_.moved(word)
                               : moved_since(scene, members, word, stays, synced);
        any_leaves |= was[word] & ~now_[word];
    }
    leaves_.clear();
    gone_.clear();
    if (any_leaves != 0 || !lost_.empty()) {
        list_leaves(scene, Outlook(scene.entities.at(slot), scene.dimensions), members,
                    frame.is_capped);
    }
    frame.follows_last_tick = follows;
    frame.is_keyframe = watcher.keyframe_due || limits_.are_too_many(leaves_.size());
    watcher.keyframe_due = false;
    fill(scene, frame, watcher, members, complete);
    if (watcher.past == Watcher::Past::forgotten) {
        frame.events_lost = true;
        watcher.past = Watcher::Past::known;
    }
    watcher.framed_tick = scene.now;
    if (complete) {
        watcher.synced_tick = scene.now;
    }
    return frame;
}

/// With what is new: leaves_, gone_, enter_, leave_ (who stays) and moved_. Or with all that is seen.
void FrameBuilder::fill(const Scene& scene, Frame& frame, Watcher& watcher, const Members& members,
                        bool complete) {
    const std::size_t words = candidates_.words();
    news_.find(scene, watcher, members.slots, leave_.data(), gone_);
    if (frame.is_keyframe) {
        std::copy_n(now_.begin(), words, enter_.begin());
        std::fill_n(leave_.begin(), words, 0);
        std::fill_n(moved_.begin(), words, 0);
        news_.drop_states();
    } else {
        frame.leaves = leaves_;
    }
    const FrameLimits::Stayed stayed{members.slots, leave_.data(), moved_.data(),
                                     watcher.synced_tick};
    Room room = limits_.begin_frame(scene, frame);
    if (limits_.may_hold_back()) {
        limits_.take_stale(scene, frame, stayed, room);
    }
    news_.take(scene, room);
    frame.is_filling = !limits_.take_enters(scene, frame, members.slots, enter_.data(), room);
    std::uint64_t any_enters = 0;
    std::uint64_t* const was = members.known;
    for (std::size_t word = 0; word < words; ++word) {
        any_enters |= enter_[word];
        now_[word] = leave_[word] | enter_[word];
        new_[word] = enter_[word] & ~was[word];
    }
    if (any_enters != 0) {
        frame.enters = {enters_.data(),
                        Candidates::list(members.slots, enter_.data(), enters_.data())};
        news_.take_entered(scene, members.slots, new_.data(), room);
    }
    if (limits_.may_hold_back()) {
        limits_.take_moves(scene, frame, stayed, room, complete);
    } else {
        frame.moves = {moves_.data(),
                       Candidates::list(members.slots, moved_.data(), moves_.data())};
    }
    news_.finish(scene, frame, watcher, complete);
    FrameLimits::charge(scene, frame, room);
    std::copy_n(now_.begin(), words, was);
}

/// Fills enter_ and leave_.
void FrameBuilder::test(const Scene& scene, const Watcher& watcher, const Members& members) {
    if (watcher.shape == Shape::none) {
        std::fill_n(enter_.begin(), candidates_.words(), 0);
        std::fill_n(leave_.begin(), candidates_.words(), 0);
        return;
    }
    const bool is_circle = watcher.shape == Shape::circle;
    candidates_.test({candidates_.place_of(members.self), is_circle ? watcher.radius_mm : -1,
                      is_circle ? watcher.leave_radius_mm : -1, watcher.layers_seen},
                     enter_.data(), leave_.data());
    if (!is_circle) {
        test_shape(scene, scene.entities.at(watcher.slot), members.slots);
    }
}

/// Of all shapes but circles: exactly, one by one, those in a square around the leave range.
void FrameBuilder::test_shape(const Scene& scene, const Entity& self, std::span<const Slot> slots) {
    const Outlook outlook(self, scene.dimensions);
    const Rect around = square_around(self.position, leave_reach_mm(self.view));
    for (std::size_t place = 0; place < slots.size(); ++place) {
        if (!candidates_.is_about_in(around, place)) {
            continue;
        }
        const Entity& entity = scene.entities.at(slots[place]);
        if (!around.contains(entity.position) || !shares_layer(self, entity)) {
            continue;
        }
        const std::uint64_t bit = std::uint64_t{1} << (place % 64);
        if (outlook.begins_at(entity.position)) {
            enter_[place / 64] |= bit;
        }
        if (outlook.goes_on_at(entity.position)) {
            leave_[place / 64] |= bit;
        }
    }
}

std::uint64_t FrameBuilder::moved_since(const Scene& scene, const Members& members,
                                        std::size_t word, std::uint64_t of, Tick synced) const {
    const Tick ticks = scene.now - synced;
    const bool is_counted = ticks <= Candidates::kStillTicksMax;
    std::uint64_t moved = 0;
    for (; of != 0; of &= of - 1) {
        const auto bit = static_cast<std::size_t>(std::countr_zero(of));
        const std::size_t place = 64 * word + bit;
        const bool has_moved = is_counted
                                   ? candidates_.still_ticks(place) < ticks
                                   : scene.entities.at(members.slots[place]).moved_tick > synced;
        moved |= std::uint64_t{has_moved} << bit;
    }
    return moved;
}

/// Both those that are lost and those that are candidates still are in ascending id.
void FrameBuilder::list_leaves(const Scene& scene, const Outlook& outlook, const Members& members,
                               bool is_capped) {
    auto lost = lost_.begin();
    const auto add = [&](const Known& known, LeaveReason reason) {
        leaves_.push_back({known.id, reason});
        if (reason == LeaveReason::gone) {
            gone_.push_back(known);
        }
    };
    const auto add_lost = [&]() {
        const std::optional<Slot> slot = scene.entities.find(lost->id);
        add(*lost, reason_of(scene, outlook, *lost, slot ? &scene.entities.at(*slot) : nullptr));
        ++lost;
    };
    for (std::size_t word = 0; word < candidates_.words(); ++word) {
        for (std::uint64_t left = members.known[word] & ~now_[word]; left != 0; left &= left - 1) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(left));
            const Entity& entity = scene.entities.at(members.slots[64 * word + bit]);
            const Known known{entity.id, entity.birth};
            while (lost != lost_.end() && lost->id < known.id) {
                add_lost();
            }
            const bool is_over_cap = is_capped && (could_see_[word] >> bit & 1U) != 0;
            add(known,
                is_over_cap ? LeaveReason::capped : reason_of(scene, outlook, known, &entity));
        }
    }
    while (lost != lost_.end()) {
        add_lost();
    }
}

/// Why is one that was known no longer seen? `entity`: who bears the id now; null: nobody here.
LeaveReason FrameBuilder::reason_of(const Scene& scene, const Outlook& outlook, const Known& known,
                                    const Entity* entity) const {
    const bool lives_again = entity != nullptr && entity->birth != known.birth;
    if (lives_again || scene.departures.contains({known.id, known.birth})) {
        return LeaveReason::gone;
    }
    return entity != nullptr && is_in_leave_range(outlook, *entity, scene.dimensions)
               ? LeaveReason::hidden
               : LeaveReason::out_of_range;
}

}  // namespace marchland::engine
