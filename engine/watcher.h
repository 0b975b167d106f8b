#pragma once

#include "engine/ids.h"
#include "engine/visible_set.h"

#include <vector>

namespace marchland::engine {

/// What one Space keeps for a watcher, whose frames are built there: a VisibleSet in which each
/// member carries the slot where it stood last. So a frame finds what its watcher knows without
/// asking a hash table, and in the order of the ids without sorting.
struct Watcher {
    struct Sighting {
        Known known;
        Slot slot{};  ///< may be stale: ask EntityStore::holds
        /// While a frame is built: told to leave, and soon to be forgotten.
        bool is_leaving = false;
    };

    std::vector<Sighting> sightings;  ///< strictly ascending id
    Tick synced_tick = kNever;        ///< as in VisibleSet
    Tick framed_tick = kNever;        ///< of the last frame that was built here
    bool is_watching = false;
};

}  // namespace marchland::engine
