#pragma once

#include "engine/ids.h"
#include "engine/sightings.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace marchland::engine {

/// What one Space keeps for a watcher, whose frames are built there: a VisibleSet in which each
/// member carries the slot where it stood last. So a frame finds what its watcher knows without
/// asking a hash table, and in the order of the ids without sorting.
///
/// Two cache lines; where little happens to a watcher, its frame asks for the first alone.
struct alignas(64) Watcher {
    Tick synced_tick = kNever;  ///< as in VisibleSet; may be behind: see Sweep::catch_up
    Tick framed_tick = kNever;  ///< of the last frame built here; kNever: it has changed its view
    Tick told_before = kNever;  ///< the last tick in which all were told, when it began to watch
    /// The slots of those known that are between the enter range and the leave range. Kept by the
    /// sweep, to which nothing else tells whether they are known; right while has_band.
    std::vector<Slot> band;
    bool has_band = false;
    bool is_watching = false;
    bool keyframe_due = false;  ///< as in VisibleSet
    /// What happened before it came, and it was not told elsewhere.
    enum class Past : std::uint8_t {
        known,      ///< here: it is told
        untold,     ///< until its first frame here
        unsure,     ///< from then on, until this Space has heard from all others
        forgotten,  ///< in part; its next frame says so
    };
    Past past = Past::known;
    std::uint32_t place = 0;  ///< in the Space's list of its watchers
    Sightings known;
    /// The first tick of which no frame told it, as it came or when it last changed its view.
    Tick owed_from = kNever;

    /// What it knows is not all that the last tick would have shown it.
    void begin_anew() {
        owed_from = std::max(owed_from, framed_tick + 1);
        framed_tick = kNever;
    }
};
static_assert(sizeof(Watcher) == 128);

}  // namespace marchland::engine
