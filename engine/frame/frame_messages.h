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

/// Adds to a frame the messages of those in it. Who is sent them (docs/visibility.md):
///
///   it stays           its messages since the last frame
///   it enters          its messages of this tick
///   it is gone         its messages since the last frame, its last ones
///
/// Threads  One at a time. The World is only read.
/// Cost     A comparison where nothing is new, inline, for that is most frames; else O(what the
///          watcher knows), and the sorting of what is sent. Where ticks missed a batch of a shard,
///          all that was sent since the last that did not is looked at again: beside that a search
///          for each source, among those sent in these ticks, and the sorting of these.
class FrameMessages {
public:
    /// Called first. Finds the messages of those who stay or are gone that were sent after the
    /// watcher's synced_tick, and those that waited. `stayed`: bit i is for slots[i], in ascending
    /// id.
    void find(const World& world, const Watcher& watcher, std::span<const Slot> slots,
              const std::uint64_t* stayed, std::span<const Known> gone) {
        is_idle_ = world.message_logs.newest_tick() <= watcher.synced_tick &&
                   !watcher.has_sent_messages && !watcher.has_waiting_messages;
        if (!is_idle_) {
            find_messages(world, watcher, slots, stayed, gone);
        }
    }
    /// As far as they fit.
    void take(Room& room) {
        if (!is_idle_) {
            take_from(found_.begin(), room);
        }
    }
    /// The messages of those who enter.
    void take_entered(const World& world, std::span<const Slot> slots, const std::uint64_t* entered,
                      Room& room);
    /// Writes the frame's messages, which are scratch memory, valid until the next call, and what
    /// waits from now on.
    void finish(const World& world, Frame& frame, Watcher& watcher, bool complete) {
        if (!is_idle_) {
            give(world, frame, watcher, complete);
        }
    }

private:
    struct Found {
        Known source;
        const KeptMessage* message = nullptr;
        bool is_sent = false;
    };
    static bool goes_before(const Found& a, const Found& b);
    void find_messages(const World& world, const Watcher& watcher, std::span<const Slot> slots,
                       const std::uint64_t* stayed, std::span<const Known> gone);
    void give(const World& world, Frame& frame, Watcher& watcher, bool complete);
    void look_around(const World& world, std::span<const Slot> slots, const std::uint64_t* sources,
                     bool are_new);
    void take_from(std::vector<Found>::iterator first, Room& room);
    void add_life(const World& world, const Known& source, Tick after);
    void keep_in_mind(std::vector<SentMessages>& sent_messages_before) const;
    void keep_waiting(Waiting& waiting);

    bool is_idle_ = false;  ///< there is nothing to find
    Tick sent_until_ = kNever;
    std::vector<Found> found_;
    std::vector<DeliveredMessage> frame_messages_;
    bool lost_ = false;
    /// In frames that did not know all: not to be sent again.
    std::span<const SentMessages> sent_before_;
    std::vector<SentMessages> sent_messages_now_;  ///< of the frame that is being built
    /// Before this frame; its payloads are still pointed at.
    std::vector<Waiting::Message> waited_;
};

}  // namespace marchland::engine
