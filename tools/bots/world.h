#pragma once

#include "engine/geometry.h"

#include <algorithm>
#include <cstdint>

namespace marchland::bots {

/// The map as the server's Welcome tells it: a box with both ends inclusive, in millimetres.
struct World {
    engine::Position min;
    engine::Position max;
    engine::Dimensions dimensions = engine::Dimensions::two;

    [[nodiscard]] bool contains(engine::Position p) const {
        return p.x >= min.x && p.x <= max.x && p.y >= min.y && p.y <= max.y && p.z >= min.z &&
               p.z <= max.z;
    }

    /// The point of the world that is nearest to these coordinates.
    [[nodiscard]] engine::Position clamp(std::int64_t x, std::int64_t y, std::int64_t z) const {
        return {static_cast<std::int32_t>(std::clamp<std::int64_t>(x, min.x, max.x)),
                static_cast<std::int32_t>(std::clamp<std::int64_t>(y, min.y, max.y)),
                static_cast<std::int32_t>(std::clamp<std::int64_t>(z, min.z, max.z))};
    }
};

}  // namespace marchland::bots
