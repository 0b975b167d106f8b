#pragma once

#include "engine/entity.h"
#include "engine/ids.h"

#include <cstdint>
#include <limits>

namespace marchland::engine {

/// How far somebody sees, and what. The bounds are squared distances, with a guard band between them
/// and the true ones: what float arithmetic may get wrong is between the two.
///
/// Of any other shape than a circle in the plane, the bounds are those of a circle (ball) inside the
/// enter range and of one around the leave range: much may lie between the two. A Lens tells more. One that sees nothing sees no layers here.
struct Sight {
    static constexpr std::int32_t kNoReach = std::numeric_limits<std::int32_t>::max();

    std::int32_t radius_mm = 0;        ///< of a circle in the plane
    std::int32_t reach_mm = kNoReach;  ///< leave_reach_mm; of a circle its leave radius
    float enter_max = 0;               ///< up to this: in the enter range for certain
    float leave_min = 0;               ///< above this: outside the leave range for certain
    LayerMask layers_seen = kNoLayers;
    bool is_circle = false;  ///< in the plane
};

Sight sight_of(const Entity& watcher, Dimensions dimensions);

}  // namespace marchland::engine
