#include "engine/frame/frame_states.h"

#include <algorithm>
#include <utility>

namespace marchland::engine {

void FrameStates::open(const World& world, std::span<const Slot> slots) {
    are_none_ = world.audiences.are_none();
    is_any_new_ = !are_none_ && world.state_ticks.newest() == world.now;
    if (!is_any_new_) {
        return;
    }
    changed_now_.assign(words_for(slots.size()), 0);
    for (std::size_t place = 0; place < slots.size(); ++place) {
        const bool is_new = world.state_ticks.of(slots[place]) == world.now;
        changed_now_[place / 64] |= std::uint64_t{is_new} << (place % 64);
    }
}

/// A keyframe's client knows first values only: of those that it is to know the state is in their
/// enters.
void FrameStates::find_owed(const World& world, const Frame& frame, const Watcher& watcher,
                            std::span<const Slot> slots, const std::uint64_t* stayed) {
    found_.clear();
    const Entity& self = world.entities.at(watcher.slot);
    if (frame.is_keyframe) {
        if (self.state != nullptr && world.audiences.are_own_sent()) {
            add(world, watcher, watcher.slot, self.state->not_first(), nullptr);
            found_.back().owed_before = found_.back().owed;
        }
        return;
    }
    const Tick sent_until = watcher.synced_tick;
    const bool has_missed_some =
        !frame.follows_last_tick && world.state_ticks.newest() > sent_until;
    if (watcher.is_owed_state || has_missed_some) {
        find_all(world, watcher, slots, stayed);
        return;
    }
    if (is_any_new_ && frame.follows_last_tick) {
        const auto add_changed = [&](Slot slot) {
            const StatePtr& state = world.entities.at(slot).state;
            add(world, watcher, slot, state->changed_after(sent_until), nullptr);
        };
        for (std::size_t word = 0; word < changed_now_.size(); ++word) {
            const std::uint64_t changed = stayed[word] & changed_now_[word];
            for_each_place(&changed, 1,
                           [&](std::uint32_t bit) { add_changed(slots[64 * word + bit]); });
        }
        if (world.audiences.are_own_sent() && world.state_ticks.of(watcher.slot) > sent_until) {
            add_changed(watcher.slot);
        }
    }
}

/// Of a watcher that missed ticks, or is owed something. Both those that stayed and what is owed
/// are in ascending id.
void FrameStates::find_all(const World& world, const Watcher& watcher, std::span<const Slot> slots,
                           const std::uint64_t* stayed) {
    const std::vector<Owed>& before = world.owed[to_number(watcher.slot)];
    const auto add_changed = [&](Slot slot, const Owed* owed) {
        const bool is_new = world.state_ticks.of(slot) > watcher.synced_tick;
        const StateMask changed =
            is_new ? world.entities.at(slot).state->changed_after(watcher.synced_tick) : 0;
        if (changed != 0 || owed != nullptr) {
            add(world, watcher, slot, changed, owed);
        }
    };
    auto owed = before.begin();
    for_each_place(stayed, words_for(slots.size()), [&](std::uint32_t place) {
        const Slot slot = slots[place];
        if (owed == before.end()) {
            add_changed(slot, nullptr);
            return;
        }
        const EntityId id = world.entities.at(slot).id;
        while (owed != before.end() && owed->id < id) {
            ++owed;
        }
        add_changed(slot, owed != before.end() && owed->id == id ? &*owed : nullptr);
    });
    if (!world.audiences.are_own_sent()) {
        return;
    }
    const EntityId self = world.entities.at(watcher.slot).id;
    const auto own = std::ranges::lower_bound(before, self, {}, &Owed::id);
    add_changed(watcher.slot, own != before.end() && own->id == self ? &*own : nullptr);
}

void FrameStates::add(const World& world, const Watcher& watcher, Slot slot, StateMask changed,
                      const Owed* owed) {
    const StateMask owed_before = owed == nullptr ? StateMask{0} : owed->slots;
    const StateMask all = changed | owed_before;
    const StateMask audience = world.audiences.sent_to(world.entities.at(watcher.slot),
                                                       world.entities.at(slot), world.dimensions);
    const Tick since = owed == nullptr || owed->since == kNever ? world.now : owed->since;
    found_.push_back({slot, all, static_cast<StateMask>(all & audience), owed_before, since});
}

void FrameStates::take_found(const World& world, Room& room) {
    if (!room.is_unlimited()) {
        const auto key = [&](const Found& found) {
            return std::pair(found.since, turn_of(world.entities.at(found.slot).id, world.now));
        };
        std::ranges::sort(found_, {}, key);
    }
    for (Found& found : found_) {
        if (found.sent == 0) {
            found.since = kNever;
        } else if (!room.take(FrameCost::kState +
                              static_cast<std::int64_t>(packed_bytes(
                                  *world.entities.at(found.slot).state, found.sent)))) {
            found.sent = 0;
        }
    }
}

/// Where some shard's batch is missing, what was owed before is owed still, as if there had been no
/// frame; what changed is found again.
void FrameStates::give(const World& world, Frame& frame, Watcher& watcher, bool complete) {
    const auto id_of = [&](const auto& found) { return world.entities.at(found.slot).id; };
    sent_.clear();
    owed_.clear();
    for (const Found& found : found_) {
        if (found.sent != 0) {
            sent_.push_back({found.slot, found.sent});
        } else if (found.since != kNever) {
            frame.is_over_budget = true;
        }
        const auto owed =
            static_cast<StateMask>(complete ? found.owed & ~found.sent : int{found.owed_before});
        if (owed != 0) {
            const bool waits = complete ? found.sent == 0 : found.since < world.now;
            owed_.push_back({id_of(found), owed, waits ? found.since : kNever});
        }
    }
    std::ranges::sort(sent_, {}, id_of);
    owe_of_enters(world, frame);
    std::ranges::sort(owed_, {}, &Owed::id);
    watcher.is_owed_state = !owed_.empty();
    std::vector<Owed>& kept = world.owed[to_number(watcher.slot)];
    if (!owed_.empty() || !kept.empty()) {
        kept.assign(owed_.begin(), owed_.end());
    }
    frame.states = sent_;
}

void FrameStates::owe_of_enters(const World& world, Frame& frame) {
    entered_.clear();
    const Entity& self = world.entities.at(frame.watcher);
    for (const Slot slot : frame.enters) {
        const Entity& entity = world.entities.at(slot);
        entered_.push_back(entity.state == nullptr ? StateMask{0} : entity.state->not_first());
        StateMask& sent = entered_.back();
        if (sent == 0) {
            continue;
        }
        const StateMask audience = world.audiences.sent_to(self, entity, world.dimensions);
        if (const auto owed = static_cast<StateMask>(sent & ~audience)) {
            owed_.push_back({entity.id, owed, kNever});
        }
        sent &= audience;
    }
    frame.entered_states = entered_;
}

}  // namespace marchland::engine
