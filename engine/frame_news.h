#pragma once

#include "engine/entity.h"
#include "engine/frame.h"
#include "engine/scene.h"
#include "engine/visible_set.h"
#include "engine/watcher.h"

#include <cstdint>
#include <span>
#include <vector>

namespace marchland::engine {

/// Adds to a frame what those in it tell beside where they are: states that changed, and events. Who
/// is told (docs/visibility.md):
///
///   it stays           its state, and its events since the last frame
///   it enters          its events of this tick; its state is in the enter
///   it is gone         its events since the last frame: its last words
///   the watcher is named in an event since the last frame, wherever its source is
///
/// Threads  One at a time. The Scene is only read.
/// Cost     A comparison where nothing is new; else O(what the watcher knows), and the sorting of what
///          is told. Where ticks missed news of a shard, all that was told since the last that did
///          not is looked at again: beside that a search for each source, among those heard in these
///          ticks, and the sorting of these.
class FrameNews {
public:
    /// What the watcher knows after the frame: bit i is for slots[i], in ascending id.
    struct KnownNow {
        std::span<const Slot> slots;
        const std::uint64_t* now = nullptr;
        const std::uint64_t* was = nullptr;  ///< before the frame
    };

    /// To a frame of a watcher that had been told all up to the end of its synced_tick. `gone`: of those
    /// that leave it, the ones that left the zone. The frame's new lists are scratch memory, valid
    /// until the next call.
    void add(const Scene& scene, Frame& frame, Watcher& watcher, const KnownNow& known,
             bool complete, std::span<const Known> gone);

private:
    void put_into(Frame& frame);
    struct Found {
        EventTold told;
        Tick birth = kNever;
        std::uint32_t number = 0;
    };
    void look_around(const Scene& scene, const KnownNow& known, Tick told_until);
    void look_for_own_name(const Scene& scene, Slot slot, Tick told_until);
    void tell_life(const Scene& scene, const Known& source, Tick after);
    void tell_log(const Known& source, const EventLog& log, Tick after);
    void tell_named(const Known& source, const KeptEvent& event);
    void keep_in_mind(std::vector<Heard>& heard_before) const;
    void note_heard(const Known& source, bool is_named, const KeptEvent& event);

    std::vector<Slot> states_;
    std::vector<Found> found_;
    std::vector<EventTold> events_;
    bool lost_ = false;
    std::span<const Heard> heard_;  ///< in frames that did not know all: not to be told again
    std::vector<Heard> heard_now_;  ///< of the frame that is being built
};

}  // namespace marchland::engine
