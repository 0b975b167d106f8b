#pragma once

#include "engine/entity.h"
#include "engine/geometry.h"
#include "engine/view.h"

#include <cstdint>

namespace marchland::engine {

/// The part of the plane between two rays from one point: a sector without its radius.
///
///          left                left  = direction_of(facing + half_opening)
///            \    .            right = direction_of(facing - half_opening)
///             \     facing
///              o -->           With cross(a, b) = a.x * b.y - a.y * b.x, a point d is inside
///             /               up to half a turn   if cross(right, d) >= 0, cross(d, left) >= 0
///            /                                    and it is not behind: dot(facing, d) >= 0
///          right              beyond              if cross(right, d) >= 0 or cross(d, left) >= 0
///
/// The edges, which are those integer vectors and no others, and the point itself are inside. Of no
/// opening it is a ray; of half a turn to either side it is the plane.
class Wedge {
public:
    Wedge() = default;
    /// `half_opening` is at most kHalfTurn.
    Wedge(Angle facing, Angle half_opening);

    /// Is (dx, dy), as seen from the point, inside? Each is at most 2^31 - 1 in size; directions
    /// are at most 2^30, so a cross product's halves fit 61 bits, and it 62.
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

private:
    Direction facing_;
    Direction right_;
    Direction left_;
    bool is_wide_ = false;  ///< opens further than half a turn
};

// What visibility is made of (docs/visibility.md), besides the watcher's ViewBounds. Who asks about
// an entity and itself gets an answer like any other: that nobody sees itself is for the caller to
// know.

/// Is `entity` in a layer that `watcher` sees?
constexpr bool shares_layer(const Entity& watcher, const Entity& entity) {
    return (watcher.layers_seen & entity.layers) != kNoLayers;
}

/// One watcher's view, set where it stands and turned where it faces, to be asked about one
/// position after another. Layers and notification ranges are not its business.
///
/// Cost     A comparison of squares for a point; making one of a sector four directions.
/// Errors   None. The view is sound (flaw_of).
class ViewBounds {
public:
    ViewBounds(const Entity& watcher, Dimensions dimensions);

    /// Does the watcher begin to see what is here?
    [[nodiscard]] bool begins_at(Position at) const { return holds(enter_, at); }
    /// Does it go on seeing what is here?
    [[nodiscard]] bool goes_on_at(Position at) const { return holds(leave_, at); }
    [[nodiscard]] bool is_blind() const { return shape_ == Shape::none; }

    /// A rectangle of the map around the whole enter range: exact but for a sector's, which may be
    /// a few millimetres too wide. Of one that is not blind.
    [[nodiscard]] Rect enter_bounds() const;

private:
    struct Range {
        std::int32_t radius_mm = 0;
        std::int32_t half_y_mm = 0;
        std::int32_t half_z_mm = 0;
        Wedge wedge;
    };

    [[nodiscard]] bool holds(const Range& range, Position at) const {
        return shape_ == Shape::circle ? is_within(from_, at, range.radius_mm, dimensions_)
                                       : holds_in_shape(range, at);
    }
    [[nodiscard]] bool holds_in_shape(const Range& range, Position at) const;
    [[nodiscard]] Rect bounds_of_sector() const;

    Position from_;
    Shape shape_;
    Dimensions dimensions_;
    Range enter_;
    Range leave_;
};

}  // namespace marchland::engine
