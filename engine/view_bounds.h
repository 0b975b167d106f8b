#pragma once

#include "engine/entity.h"
#include "engine/geometry.h"
#include "engine/wedge.h"

#include <cstdint>

namespace marchland::engine {

/// One watcher's view, set where it stands and turned where it faces: made once for a frame, and
/// then asked about one position after another. Layers and notification ranges are not its business.
///
/// Cost     A comparison of squares for a point; making one of a sector four directions.
/// Life     Shorter than the watcher's record.
/// Errors   None. The view is sound (flaw_of).
class ViewBounds {
public:
    ViewBounds(const Entity& watcher, Dimensions dimensions);

    /// Does the watcher begin to see what is here?
    [[nodiscard]] bool begins_at(Position at) const { return holds(enter_, at); }
    /// Does it go on seeing what is here?
    [[nodiscard]] bool goes_on_at(Position at) const { return holds(leave_, at); }
    [[nodiscard]] bool is_blind() const { return shape_ == Shape::none; }
    [[nodiscard]] const Entity& watcher() const { return watcher_; }

    /// A rectangle of the map around the whole enter range: exact but for a sector's, which may be a
    /// few millimetres too wide. Of one that is not blind.
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

    const Entity& watcher_;
    Position from_;
    Shape shape_;
    Dimensions dimensions_;
    Range enter_;
    Range leave_;
};

}  // namespace marchland::engine
