#pragma once

#include "engine/frame/frame.h"
#include "engine/frame/frame_limits.h"
#include "engine/frame/known_set.h"
#include "engine/frame/world.h"
#include "engine/sweep/watcher.h"

#include <cstdint>
#include <span>
#include <vector>

namespace marchland::engine {

/// Adds to a frame what it sends of states (docs/visibility.md, "States"): of those who enter, of
/// those who stay, and of the watcher itself. Of each a slot is owed until it is sent; it is sent
/// in a frame in which the watcher is in its audience, and that has room. What is owed still is
/// Owed, beside the known set.
///
/// Threads  One at a time. The World is only read.
/// Cost     A comparison, inline, where the zone has no slots. Else open() reads a number of each
///          candidate, once for a cell; then a comparison where no state changed and nothing is
///          owed, a number for each entity that changed in this tick, or, for a watcher that missed
///          ticks or is owed something, one for each that it knows.
class FrameStates {
public:
    /// `slots`: the candidates of the watchers whose frames follow.
    void open(const World& world, std::span<const Slot> slots);
    /// What is owed of those that stay, and of the watcher itself. `stayed`: bit i is for slots[i],
    /// in ascending id.
    void find(const World& world, const Frame& frame, const Watcher& watcher,
              std::span<const Slot> slots, const std::uint64_t* stayed) {
        if (!are_none_) {
            find_owed(world, frame, watcher, slots, stayed);
        }
    }
    /// As far as it fits.
    void take(const World& world, Room& room) {
        if (!are_none_) {
            take_found(world, room);
        }
    }
    /// Writes what the frame sends of states, which is scratch memory, valid until the next call,
    /// and what is owed from now on. Its enters are written.
    void finish(const World& world, Frame& frame, Watcher& watcher, bool complete) {
        if (!are_none_) {
            give(world, frame, watcher, complete);
        }
    }

private:
    struct Found {
        Slot slot{};
        StateMask owed = 0;
        StateMask sent = 0;         ///< of these; later: and there was room
        StateMask owed_before = 0;  ///< of these, before this frame
        Tick since = kNever;        ///< Owed::since
    };
    void find_owed(const World& world, const Frame& frame, const Watcher& watcher,
                   std::span<const Slot> slots, const std::uint64_t* stayed);
    void take_found(const World& world, Room& room);
    void give(const World& world, Frame& frame, Watcher& watcher, bool complete);
    void add(const World& world, const Watcher& watcher, Slot slot, StateMask changed,
             const Owed* owed);
    void find_all(const World& world, const Watcher& watcher, std::span<const Slot> slots,
                  const std::uint64_t* stayed);
    void owe_of_enters(const World& world, Frame& frame);

    bool are_none_ = true;                    ///< the zone has no slots
    bool is_any_new_ = false;                 ///< some state changed in this tick
    std::vector<std::uint64_t> changed_now_;  ///< of those that may be seen
    std::vector<Found> found_;
    std::vector<StateSent> sent_;
    std::vector<StateMask> entered_;
    std::vector<Owed> owed_;
};

}  // namespace marchland::engine
