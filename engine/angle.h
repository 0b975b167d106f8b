#pragma once

#include <cstdint>

namespace marchland::engine {

/// A direction in the plane: 65,536ths of a turn, counter-clockwise from +x. 16,384 is +y; what goes
/// past a turn begins anew, as unsigned numbers do.
using Angle = std::uint16_t;

inline constexpr Angle kQuarterTurn = 1U << 14U;
inline constexpr Angle kHalfTurn = 1U << 15U;

/// The ray on which an angle lies, as a vector about 2^30 long. Edges of sectors are these very
/// vectors, so whether a point is on one is a question of integers.
struct Direction {
    std::int32_t x = 0;
    std::int32_t y = 0;

    friend bool operator==(const Direction&, const Direction&) = default;
};

/// (c, s) with c the integer nearest to 2^30 * cos(2 * pi * angle / 65,536), s that of the sine. No
/// angle's is near a tie (the nearest is 0.00001 off), so any library's double cosine, rounded,
/// gives the same numbers. Symmetric to the last bit: half a turn negates, a quarter turns (c, s)
/// into (-s, c), and multiples of an eighth lie exactly on the axes and the diagonals.
Direction direction_of(Angle angle);

}  // namespace marchland::engine
