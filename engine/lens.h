#pragma once

#include "engine/outlook.h"
#include "engine/view.h"
#include "engine/wedge.h"

#include <cstdint>

namespace marchland::engine {

/// A view of any shape as a scan asks it, at the end of this tick and of the last: the bounds of
/// Outlook in float, each with a guard band between it and the true one. `in`: up to here an entity is
/// in the enter range for certain; `out`: beyond, it is outside the leave range for certain.
struct Lens {
    struct Bound {
        float in = 0;
        float out = 0;
    };
    /// Edges as vectors of about length 1. A point is past an edge for certain, or not past it, when a
    /// product says so by more than `guard`.
    struct Edges {
        float right_x = 0;
        float right_y = 0;
        float left_x = 0;
        float left_y = 0;
        float facing_x = 0;
        float facing_y = 0;
        bool is_wide = false;
    };
    /// Of a sector.
    struct Opening {
        Edges enter;
        Edges leave;
    };

    Shape shape = Shape::none;
    bool has_height = false;
    Bound square;  ///< of the radius
    Bound x;
    Bound y;
    Bound z;
    Opening now;
    Opening before;
    float guard = 0;

    /// Heights are told apart exactly up to here; what is further up or down is anywhere.
    static constexpr std::int32_t kHeightMaxMm = 1 << 30;
    static constexpr bool fits(std::int32_t z) { return -kHeightMaxMm <= z && z <= kHeightMaxMm; }
};

/// Of a watcher whose view was `before` when the last tick ended, and is `now`.
Lens lens_of(const Outlook& now, const Outlook& before, Dimensions dimensions);

}  // namespace marchland::engine
