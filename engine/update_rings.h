#pragma once

#include "engine/crowd_limits.h"
#include "engine/geometry.h"
#include "engine/ids.h"

#include <algorithm>
#include <cstdint>

namespace marchland::engine {

/// Every how many ticks are moves told at this distance, while rings are so many times slower than usual?
constexpr std::uint32_t ticks_between_updates(const CrowdLimits& limits, std::uint32_t slowdown,
                                              Position watcher, Position entity,
                                              Dimensions dimensions) {
    std::uint32_t every_ticks = 1;
    for (const UpdateRing& ring : limits.rings) {
        if (ring.every_ticks == 0 || is_within(watcher, entity, ring.beyond_mm, dimensions)) {
            break;
        }
        every_ticks = ring.every_ticks * slowdown;
    }
    return limits.frame_bytes_max != 0 ? std::min(every_ticks, limits.stale_ticks_max)
                                       : every_ticks;
}

/// Was one of the last `age_ticks` ticks (`now` is the newest of them) a slot of the entity: one with
/// (tick + id) divisible by every_ticks? So the slots of a crowd are spread over the ticks, and one
/// that passed while the watcher took no frame is made up for in the next.
constexpr bool had_slot(Tick now, EntityId id, std::uint32_t every_ticks, std::uint64_t age_ticks) {
    return (now % every_ticks + to_number(id) % every_ticks) % every_ticks < age_ticks;
}

}  // namespace marchland::engine
