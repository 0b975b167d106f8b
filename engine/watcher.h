#pragma once

#include "engine/ids.h"
#include "engine/sightings.h"

namespace marchland::engine {

/// What one Space keeps for a watcher, whose frames are built there: a VisibleSet in which each
/// member carries the slot where it stood last. So a frame finds what its watcher knows without
/// asking a hash table, and in the order of the ids without sorting.
struct Watcher {
    Sightings known;
    Tick synced_tick = kNever;  ///< as in VisibleSet
    Tick framed_tick = kNever;  ///< of the last frame that was built here
    bool is_watching = false;
    bool was_near_beacons = false;  ///< when its last frame was built
};

}  // namespace marchland::engine
