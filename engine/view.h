#pragma once

#include "engine/geometry.h"

#include <algorithm>
#include <cstdint>

namespace marchland::engine {

/// A direction in the plane: 65,536ths of a turn, counter-clockwise from +x. 16,384 is +y; what
/// goes past a turn begins anew, as unsigned numbers do.
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

enum class Shape : std::uint8_t {
    none,       ///< sees nothing
    circle,     ///< in a zone of three dimensions a sphere
    rectangle,  ///< along the axes; in a zone of three dimensions a box
    sector,     ///< the part of a circle (sphere) between two edges, about where the watcher faces
    cylinder,   ///< upright; only in a zone of three dimensions
};

/// What a watcher sees: whatever is inside the enter range, and whatever it saw at its last frame
/// and is still inside the leave range. The watcher stands in the middle; all bounds are inclusive.
///
///          .-------------.     between the two an entity stays as it was: seen or unseen. So one
///        .'   .-----.     '.   that paces on the bound of the view does not flicker.
///       (    ( enter )leave )
///        '.   '-----'     .'
///          '-------------'
///
///              reads of each range      where a point (dx, dy, dz) from the watcher is inside
///   circle     radius                   dx² + dy² [+ dz²] <= radius²
///   rectangle  radius, half_y, half_z   |dx| <= radius, |dy| <= half_y [, |dz| <= half_z]
///   sector     radius, half_opening     as circle, and in the plane not past an edge: see Wedge
///   cylinder   radius, half_z           dx² + dy² <= radius², |dz| <= half_z
///   [ ] in a zone of three dimensions; a flat one does not look at z.
///
/// Every shape but `none` holds the watcher's own place. No size of an enter range exceeds that of
/// the leave range, be it read or not: flaw_of says what else is asked.
struct View {
    Shape shape = Shape::none;
    /// Of a rectangle: half its length along x.
    std::int32_t radius_mm = 0;
    std::int32_t leave_radius_mm = 0;
    std::int32_t half_y_mm = 0;
    std::int32_t leave_half_y_mm = 0;
    std::int32_t half_z_mm = 0;
    std::int32_t leave_half_z_mm = 0;
    /// Of a sector: to either side of where the watcher faces; half a turn at most, which is a
    /// circle.
    Angle half_opening = 0;
    Angle leave_half_opening = 0;

    friend bool operator==(const View&, const View&) = default;

    static constexpr View circle(std::int32_t radius_mm, std::int32_t leave_radius_mm) {
        View view;
        view.shape = Shape::circle;
        view.radius_mm = radius_mm;
        view.leave_radius_mm = leave_radius_mm;
        return view;
    }
    /// Half lengths. In a zone of three dimensions it is as high as its watcher's own place: see
    /// box.
    static constexpr View rectangle(std::int32_t x_mm, std::int32_t y_mm, std::int32_t leave_x_mm,
                                    std::int32_t leave_y_mm) {
        View view = circle(x_mm, leave_x_mm);
        view.shape = Shape::rectangle;
        view.half_y_mm = y_mm;
        view.leave_half_y_mm = leave_y_mm;
        return view;
    }
    /// Half lengths, taken from a point as from a corner.
    static constexpr View box(Position half, Position leave_half) {
        View view = rectangle(half.x, half.y, leave_half.x, leave_half.y);
        view.half_z_mm = half.z;
        view.leave_half_z_mm = leave_half.z;
        return view;
    }
    static constexpr View sector(std::int32_t radius_mm, std::int32_t leave_radius_mm,
                                 Angle half_opening, Angle leave_half_opening) {
        View view = circle(radius_mm, leave_radius_mm);
        view.shape = Shape::sector;
        view.half_opening = half_opening;
        view.leave_half_opening = leave_half_opening;
        return view;
    }
    static constexpr View cylinder(std::int32_t radius_mm, std::int32_t leave_radius_mm,
                                   std::int32_t half_z_mm, std::int32_t leave_half_z_mm) {
        View view = circle(radius_mm, leave_radius_mm);
        view.shape = Shape::cylinder;
        view.half_z_mm = half_z_mm;
        view.leave_half_z_mm = leave_half_z_mm;
        return view;
    }
};

/// How far from the watcher the leave range reaches at most along x and along y: what bounds who
/// can see whom across the map. z is not asked: no border runs along it.
constexpr std::int32_t leave_reach_mm(const View& view) {
    return std::max(view.leave_radius_mm, view.leave_half_y_mm);
}

/// What is wrong with a view in a zone of these dimensions, as a clause for an error text; nullptr
/// when it is sound.
const char* flaw_of(const View& view, Dimensions dimensions);

/// How far away an entity shows itself, whatever its watchers' views ("a dragon is seen from
/// afar"): whoever watches, shares a layer and is within the radius sees it; who saw it goes on up
/// to the leave radius. Both 0: no further than it is in view, which is most entities' lot.
struct NotifyRange {
    std::int32_t radius_mm = 0;
    std::int32_t leave_radius_mm = 0;

    friend bool operator==(const NotifyRange&, const NotifyRange&) = default;
};

/// Has it a notification range, however short?
constexpr bool is_notify_source(const NotifyRange& range) {
    return range.leave_radius_mm > 0;
}

constexpr bool is_sound(const NotifyRange& range) {
    return 0 <= range.radius_mm && range.radius_mm <= range.leave_radius_mm;
}

}  // namespace marchland::engine
