#pragma once

#include "engine/ids.h"
#include "engine/sightings.h"

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
    /// What happened since synced_tick, or since its birth, of one that began to watch here.
    enum class Past : std::uint8_t {
        known,      ///< it will be told all
        unsure,     ///< until its first frame in a tick that misses no shard's news
        forgotten,  ///< more is forgotten than it was told; its next frame says so
    };
    Past past = Past::known;
    std::uint32_t place = 0;  ///< in the Space's list of its watchers
    Sightings known;
};
static_assert(sizeof(Watcher) == 128);

}  // namespace marchland::engine
