#pragma once

#include "engine/geometry.h"

namespace marchland::engine::testing {

/// Wide enough for the square of any distance between two int32 points.
__extension__ using Wide = __int128;

/// d², by the textbook.
inline Wide square_by_the_textbook(Position a, Position b, Dimensions dimensions) {
    const Wide dx = Wide{a.x} - b.x;
    const Wide dy = Wide{a.y} - b.y;
    const Wide dz = dimensions == Dimensions::three ? Wide{a.z} - b.z : Wide{0};
    return dx * dx + dy * dy + dz * dz;
}

/// d² <= R², by the textbook.
inline bool is_within_by_the_textbook(Position a, Position b, std::int32_t radius_mm,
                                      Dimensions dimensions) {
    return square_by_the_textbook(a, b, dimensions) <= Wide{radius_mm} * radius_mm;
}

}  // namespace marchland::engine::testing
