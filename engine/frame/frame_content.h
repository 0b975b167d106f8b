#pragma once

#include "engine/entity.h"
#include "engine/frame/frame.h"
#include "engine/frame/frame_limits.h"
#include "engine/frame/known_set.h"
#include "engine/frame/world.h"
#include "engine/sweep/watcher.h"

#include <cstdint>
#include <span>
#include <vector>

namespace marchland::engine {

/// Adds to a frame the content of those in it: states that changed, and events. Who
/// is sent them (docs/visibility.md):
///
///   it stays           its state, and its events since the last frame
///   it enters          its events of this tick; its state is in the enter
///   it is gone         its events since the last frame: its last content
///   the watcher is named in an event since the last frame, wherever its source is
///
/// Threads  One at a time. The World is only read.
/// Cost     A comparison where nothing is new; else O(what the watcher knows), and the sorting of what
///          is sent. Where ticks missed news of a shard, all that was sent since the last that did
///          not is looked at again: beside that a search for each source, among those sent in these
///          ticks, and the sorting of these.
class FrameContent {
public:
    /// First, for a watcher that had been sent all but what waits up to the end of its synced_tick: what those
    /// tell who stay, who are gone, or who name it. `stayed`: bit i is for slots[i], in ascending id.
    void find(const World& world, const Watcher& watcher, std::span<const Slot> slots,
              const std::uint64_t* stayed, std::span<const Known> gone);
    /// They are in the enters of a keyframe.
    void drop_states() { states_.clear(); }
    /// Events, then states, as far as they fit.
    void take(const World& world, Room& room);
    /// What those tell who enter.
    void take_entered(const World& world, std::span<const Slot> slots, const std::uint64_t* entered,
                      Room& room);
    /// Writes the frame's states and events, which are scratch memory, valid until the next call, and what
    /// waits from now on.
    void finish(const World& world, Frame& frame, Watcher& watcher, bool complete);

private:
    struct Found {
        Known source;
        const KeptEvent* event = nullptr;
        bool is_sent = false;
    };
    struct FoundState {
        Slot slot{};
        Tick since = kNever;  ///< it waits
        bool is_sent = false;
    };
    static bool goes_before(const Found& a, const Found& b);
    void look_around(const World& world, std::span<const Slot> slots, const std::uint64_t* sources,
                     bool are_new);
    void look_for_own_name(const World& world, Slot slot);
    void find_waiting(const World& world, const Waiting& waiting, std::span<const Slot> slots,
                      const std::uint64_t* stayed);
    void send_life(const World& world, const Known& source);
    void add_log(const Known& source, const EventLog& log, Tick after);
    void send_named(const Known& source, const KeptEvent& event);
    void keep_in_mind(std::vector<SentEvents>& sent_events_before) const;
    void note_sent(const Known& source, bool is_named, const KeptEvent& event);
    void keep_waiting(const World& world, Waiting& waiting, bool complete);

    bool is_idle_ = false;  ///< there is nothing to find
    Tick sent_until_ = kNever;
    std::vector<FoundState> states_;  ///< in ascending id
    std::vector<Found> found_;
    std::vector<Slot> frame_states_;
    std::vector<EventDelivered> frame_events_;
    bool lost_ = false;
    std::span<const SentEvents>
        sent_before_;  ///< in frames that did not know all: not to be sent again
    std::vector<SentEvents> sent_events_now_;  ///< of the frame that is being built
    std::vector<Waiting::Event> waited_;  ///< before this frame; its payloads are still pointed at
};

}  // namespace marchland::engine
