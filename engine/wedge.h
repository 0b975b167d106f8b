#pragma once

#include "engine/angle.h"

#include <cstdint>

namespace marchland::engine {

/// The part of the plane between two rays from one point: a sector without its radius.
///
///          left                left  = direction_of(facing + half_opening)
///            \    .            right = direction_of(facing - half_opening)
///             \     facing
///              o -->           With cross(a, b) = a.x * b.y - a.y * b.x, a point d is inside
///             /                  up to half a turn   if cross(right, d) >= 0, cross(d, left) >= 0
///            /                                       and it is not behind: dot(facing, d) >= 0
///          right                 beyond              if cross(right, d) >= 0 or cross(d, left) >= 0
///
/// The edges, which are those integer vectors and no others, and the point itself are inside. Of no
/// opening it is a ray; of half a turn to either side it is the plane.
class Wedge {
public:
    Wedge() = default;
    /// `half_opening` is at most kHalfTurn.
    Wedge(Angle facing, Angle half_opening);

    /// Is (dx, dy), as seen from the point, inside? Each is at most 2^31 - 1 in size; directions are
    /// at most 2^30, so a cross product's halves fit 61 bits, and it 62.
    [[nodiscard]] constexpr bool contains(std::int64_t dx, std::int64_t dy) const {
        const bool is_left_of_right = right_.x * dy >= right_.y * dx;
        const bool is_right_of_left = dx * left_.y >= dy * left_.x;
        if (is_wide_) {
            return is_left_of_right || is_right_of_left;
        }
        return is_left_of_right && is_right_of_left && facing_.x * dx + facing_.y * dy >= 0;
    }

    [[nodiscard]] Direction left() const { return left_; }
    [[nodiscard]] Direction right() const { return right_; }
    [[nodiscard]] Direction facing() const { return facing_; }
    /// More than half a turn.
    [[nodiscard]] bool is_wide() const { return is_wide_; }

private:
    Direction facing_;
    Direction right_;
    Direction left_;
    bool is_wide_ = false;  ///< opens further than half a turn
};

}  // namespace marchland::engine
