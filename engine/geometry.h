#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

namespace marchland::engine {

/// A point in the zone's frame, in millimetres. A flat zone carries z along and never asks for it.
struct Position {
    std::int32_t x = 0;
    std::int32_t y = 0;
    std::int32_t z = 0;

    friend bool operator==(const Position&, const Position&) = default;
};

/// A short way, in millimetres on each axis; as a velocity, that of each tick.
struct Step {
    static constexpr std::int32_t kMaxMm = 32'767;  ///< either way

    std::int16_t x = 0;
    std::int16_t y = 0;
    std::int16_t z = 0;

    friend bool operator==(const Step&, const Step&) = default;
};

/// Is a step enough from here to there?
constexpr bool is_a_step(Position from, Position to) {
    const auto is_short = [](std::int32_t a, std::int32_t b) {
        const std::int64_t way = std::int64_t{b} - a;
        return way >= -Step::kMaxMm && way <= Step::kMaxMm;
    };
    return is_short(from.x, to.x) && is_short(from.y, to.y) && is_short(from.z, to.z);
}
/// Nothing where it is longer than a step.
constexpr std::optional<Step> step_between(Position from, Position to) {
    if (!is_a_step(from, to)) {
        return std::nullopt;
    }
    return Step{static_cast<std::int16_t>(to.x - from.x), static_cast<std::int16_t>(to.y - from.y),
                static_cast<std::int16_t>(to.z - from.z)};
}

constexpr std::int32_t clamped_to_int32(std::int64_t value) {
    using Limits = std::numeric_limits<std::int32_t>;
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, Limits::min(), Limits::max()));
}

/// So many steps further: exact, but that it ends where int32 does.
constexpr Position after_steps(Position at, Step step, std::uint64_t count) {
    const auto times = static_cast<std::int64_t>(std::min(count, std::uint64_t{1} << 32U));
    const auto along = [times](std::int32_t from, std::int16_t each) {
        return clamped_to_int32(from + times * each);
    };
    return {along(at.x, step.x), along(at.y, step.y), along(at.z, step.z)};
}

/// Does distance mean the plane (x, y) or space (x, y, z)? One answer for a whole zone.
enum class Dimensions : std::uint8_t { two = 2, three = 3 };

/// An axis-aligned rectangle on the map, both ends inclusive, in millimetres. Wider than int32 so
/// that a view's rectangle may reach beyond the edge of the largest world without wrapping.
struct Rect {
    std::int64_t min_x = 0;
    std::int64_t min_y = 0;
    std::int64_t max_x = 0;
    std::int64_t max_y = 0;

    friend bool operator==(const Rect&, const Rect&) = default;

    [[nodiscard]] constexpr bool contains(Position p) const {
        return p.x >= min_x && p.x <= max_x && p.y >= min_y && p.y <= max_y;
    }
    [[nodiscard]] constexpr bool is_empty() const { return min_x > max_x || min_y > max_y; }
    [[nodiscard]] constexpr Rect grown_by(std::int64_t margin_mm) const {
        return {min_x - margin_mm, min_y - margin_mm, max_x + margin_mm, max_y + margin_mm};
    }
    [[nodiscard]] constexpr bool touches(const Rect& other) const {
        return min_x <= other.max_x && other.min_x <= max_x && min_y <= other.max_y &&
               other.min_y <= max_y;
    }
    /// Empty where there is none.
    [[nodiscard]] constexpr Rect common_part(const Rect& other) const {
        return {std::max(min_x, other.min_x), std::max(min_y, other.min_y),
                std::min(max_x, other.max_x), std::min(max_y, other.max_y)};
    }
};

/// Where int32 positions can be.
inline constexpr Rect kInt32Plane{
    std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::min(),
    std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::max()};

/// The rectangle of all points at most so far from `center` along x, and along y.
constexpr Rect rect_around(Position center, std::int64_t half_x_mm, std::int64_t half_y_mm) {
    return {center.x - half_x_mm, center.y - half_y_mm, center.x + half_x_mm, center.y + half_y_mm};
}

/// The rectangle of all points at most `radius_mm` from `center` along each axis.
constexpr Rect square_around(Position center, std::int64_t radius_mm) {
    return rect_around(center, radius_mm, radius_mm);
}

/// The square of the distance between two points, exact for every pair of int32 points: what the
/// nearest are sorted by. A difference needs 32 bits, so its square 64 and the sum of three 66.
__extension__ using SquaredDistance = unsigned __int128;

constexpr SquaredDistance squared_distance(Position a, Position b, Dimensions dimensions) {
    const auto square_of = [](std::int64_t difference) {
        const auto size = static_cast<std::uint64_t>(difference < 0 ? -difference : difference);
        return SquaredDistance{size * size};
    };
    const SquaredDistance in_plane = square_of(std::int64_t{a.x} - std::int64_t{b.x}) +
                                     square_of(std::int64_t{a.y} - std::int64_t{b.y});
    return dimensions == Dimensions::two
               ? in_plane
               : in_plane + square_of(std::int64_t{a.z} - std::int64_t{b.z});
}

/// Is the distance between a and b at most radius_mm? Exact for every pair of int32 points, the
/// bound inclusive (d² <= R²). radius_mm is not negative.
constexpr bool is_within(Position a, Position b, std::int32_t radius_mm, Dimensions dimensions) {
    const auto radius = static_cast<std::uint64_t>(radius_mm);
    return squared_distance(a, b, dimensions) <= radius * radius;
}

}  // namespace marchland::engine
