#include "tests/engine/textbook_view.h"

#include "tests/engine/exact_distance.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

namespace marchland::engine::testing {
namespace {

struct Offset {
    Wide x;
    Wide y;
};

bool is_at_most(std::int32_t a, std::int32_t b, std::int32_t limit_mm) {
    return std::llabs(static_cast<long long>(a) - b) <= limit_mm;
}

Wide cross(Direction a, Offset b) {
    return a.x * b.y - a.y * b.x;
}

/// Between the ray of `first` and that of `last`, which is at most a quarter turn further on.
bool is_in_slice(std::int64_t first, std::int64_t last, Offset d) {
    const Direction from = direction_by_the_textbook(static_cast<Angle>(first));
    const Direction to = direction_by_the_textbook(static_cast<Angle>(last));
    const bool is_ahead = from.x * d.x + from.y * d.y >= 0;
    return is_ahead && cross(from, d) >= 0 && cross(to, d) <= 0;
}

bool is_in_sector(Angle facing, Angle half_opening, Offset d) {
    constexpr std::int64_t kSlice = 8'000;  // no even part of a turn: slices meet anywhere
    const std::int64_t end = std::int64_t{facing} + half_opening;
    for (std::int64_t at = std::int64_t{facing} - half_opening; at <= end; at += kSlice) {
        if (is_in_slice(at, std::min(at + kSlice, end), d)) {
            return true;
        }
    }
    return false;
}

}  // namespace

Direction direction_by_the_textbook(Angle angle) {
    const double turns = angle / 65'536.0;
    const double radians = 2 * std::numbers::pi * turns;
    const double length = 1'073'741'824.0;
    return {static_cast<std::int32_t>(std::llround(length * std::cos(radians))),
            static_cast<std::int32_t>(std::llround(length * std::sin(radians)))};
}

bool is_in_view_by_the_textbook(const View& view, bool leave, Position from, Angle facing,
                                Position at, Dimensions dimensions) {
    const std::int32_t radius = leave ? view.leave_radius_mm : view.radius_mm;
    const std::int32_t half_y = leave ? view.leave_half_y_mm : view.half_y_mm;
    const std::int32_t half_z = leave ? view.leave_half_z_mm : view.half_z_mm;
    const Angle half_opening = leave ? view.leave_half_opening : view.half_opening;
    const Offset d{Wide{at.x} - from.x, Wide{at.y} - from.y};
    switch (view.shape) {
        case Shape::none:
            return false;
        case Shape::circle:
            return is_within_by_the_textbook(from, at, radius, dimensions);
        case Shape::rectangle:
            return is_at_most(at.x, from.x, radius) && is_at_most(at.y, from.y, half_y) &&
                   (dimensions == Dimensions::two || is_at_most(at.z, from.z, half_z));
        case Shape::sector:
            return is_within_by_the_textbook(from, at, radius, dimensions) &&
                   is_in_sector(facing, half_opening, d);
        case Shape::cylinder:
            return is_within_by_the_textbook(from, at, radius, Dimensions::two) &&
                   is_at_most(at.z, from.z, half_z);
    }
    return false;
}

}  // namespace marchland::engine::testing
