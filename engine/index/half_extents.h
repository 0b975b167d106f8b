#pragma once

#include <cstdint>

namespace marchland::engine {

/// How far something reaches from its middle along each axis, to both sides, in millimetres: a box
/// around a position. Never negative; a flat zone does not ask for z.
struct HalfExtents {
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::int32_t z = 0;

    friend bool operator==(const HalfExtents&, const HalfExtents&) = default;
};

}  // namespace marchland::engine
