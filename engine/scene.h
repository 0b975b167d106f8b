#pragma once

#include "engine/beacons.h"
#include "engine/deferred_index.h"
#include "engine/departures.h"
#include "engine/entity_store.h"
#include "engine/geometry.h"
#include "engine/news.h"
#include "engine/visible_set.h"

#include <span>
#include <vector>

namespace marchland::engine {

/// All that a frame is made from, at the end of one tick.
struct Scene {
    const EntityStore& entities;
    DeferredIndex& index;
    const Beacons& beacons;  ///< the entities with a notification range
    const Departures& departures;
    const News& news;
    // By slot of those that watch; whoever builds a watcher's frame writes its own.
    std::span<std::vector<Heard>> heard;  ///< VisibleSet::heard
    std::span<Waiting> waiting;           ///< VisibleSet::waiting; empty where there are no limits
    Dimensions dimensions;
    Tick now;
    std::uint32_t ring_slowdown = 1;    ///< Space::slow_rings
    std::uint32_t frame_bytes_max = 0;  ///< Space::lower_budgets; 0: as CrowdLimits say
    Tick forgotten_before = kNever;     ///< Space::forgotten_before
};

}  // namespace marchland::engine
