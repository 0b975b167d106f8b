#include "engine/view_bounds.h"

#include "engine/assert.h"

#include <algorithm>

namespace marchland::engine {

Wedge::Wedge(Angle facing, Angle half_opening)
    : facing_(direction_of(facing)),
      right_(direction_of(static_cast<Angle>(facing - half_opening))),
      left_(direction_of(static_cast<Angle>(facing + half_opening))),
      is_wide_(half_opening > kQuarterTurn) {
    MARCHLAND_ASSERT(half_opening <= kHalfTurn);
}

namespace {

bool is_beside(std::int32_t from, std::int32_t at, std::int32_t half_mm) {
    const std::int64_t difference = std::int64_t{at} - from;
    return -std::int64_t{half_mm} <= difference && difference <= half_mm;
}

/// How far the end of an edge lies along one axis, at most: an edge's vector is less than one part
/// in 2^29 longer or shorter than 2^30, which makes less than 4 mm of the largest radius.
std::int64_t along_axis(std::int32_t radius_mm, std::int32_t direction) {
    constexpr std::int64_t kSlackMm = 5;
    const std::int64_t ahead = (std::int64_t{radius_mm} * direction) >> 30U;
    return std::clamp<std::int64_t>(ahead + kSlackMm, 0, radius_mm);
}

}  // namespace

ViewBounds::ViewBounds(const Entity& watcher, Dimensions dimensions)
    : from_(watcher.position), shape_(watcher.view.shape), dimensions_(dimensions) {
    const View& view = watcher.view;
    enter_ = {view.radius_mm, view.half_y_mm, view.half_z_mm, {}};
    leave_ = {view.leave_radius_mm, view.leave_half_y_mm, view.leave_half_z_mm, {}};
    if (shape_ == Shape::sector) {
        enter_.wedge = Wedge(watcher.facing, view.half_opening);
        leave_.wedge = Wedge(watcher.facing, view.leave_half_opening);
    }
}

bool ViewBounds::holds_in_shape(const Range& range, Position at) const {
    switch (shape_) {
        case Shape::none:
            return false;
        case Shape::circle:
            return is_within(from_, at, range.radius_mm, dimensions_);
        case Shape::rectangle:
            return is_beside(from_.x, at.x, range.radius_mm) &&
                   is_beside(from_.y, at.y, range.half_y_mm) &&
                   (dimensions_ == Dimensions::two || is_beside(from_.z, at.z, range.half_z_mm));
        case Shape::sector:
            return is_within(from_, at, range.radius_mm, dimensions_) &&
                   range.wedge.contains(std::int64_t{at.x} - from_.x, std::int64_t{at.y} - from_.y);
        case Shape::cylinder:
            return is_within(from_, at, range.radius_mm, Dimensions::two) &&
                   is_beside(from_.z, at.z, range.half_z_mm);
    }
    return false;
}

Rect ViewBounds::enter_bounds() const {
    if (shape_ == Shape::rectangle) {
        return rect_around(from_, enter_.radius_mm, enter_.half_y_mm);
    }
    return shape_ == Shape::sector ? bounds_of_sector() : square_around(from_, enter_.radius_mm);
}

/// A sector reaches furthest along an axis where it holds the axis itself, else at an edge's end or
/// at its point.
Rect ViewBounds::bounds_of_sector() const {
    const std::int32_t radius = enter_.radius_mm;
    const Direction left = enter_.wedge.left();
    const Direction right = enter_.wedge.right();
    const auto reach = [&](std::int32_t x, std::int32_t y) -> std::int64_t {
        if (enter_.wedge.contains(x, y)) {
            return radius;
        }
        return std::max(along_axis(radius, left.x * x + left.y * y),
                        along_axis(radius, right.x * x + right.y * y));
    };
    return {from_.x - reach(-1, 0), from_.y - reach(0, -1), from_.x + reach(1, 0),
            from_.y + reach(0, 1)};
}

}  // namespace marchland::engine
