#pragma once

#include "engine/geometry.h"

#include <compare>
#include <cstdint>

namespace marchland::engine {

/// The square of the distance between two points, exact for every pair of int32 points: what the
/// nearest are sorted by. A difference needs 32 bits, so its square 64 and the sum of three 66.
struct SquaredDistance {
    std::uint32_t overflow = 0;  ///< how often 2^64
    std::uint64_t rest = 0;

    friend auto operator<=>(const SquaredDistance&, const SquaredDistance&) = default;

    constexpr void add_square_of(std::int64_t difference) {
        const auto size = static_cast<std::uint64_t>(difference < 0 ? -difference : difference);
        rest += size * size;
        overflow += rest < size * size ? 1U : 0U;
    }
};

constexpr SquaredDistance squared_distance(Position a, Position b, Dimensions dimensions) {
    SquaredDistance sum;
    sum.add_square_of(std::int64_t{a.x} - std::int64_t{b.x});
    sum.add_square_of(std::int64_t{a.y} - std::int64_t{b.y});
    if (dimensions == Dimensions::three) {
        sum.add_square_of(std::int64_t{a.z} - std::int64_t{b.z});
    }
    return sum;
}

}  // namespace marchland::engine
