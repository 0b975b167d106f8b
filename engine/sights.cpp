#include "engine/sights.h"

#include "engine/guard_band.h"

#include <algorithm>

namespace marchland::engine {
namespace {

double squared(std::int32_t size_mm) {
    const double size = size_mm;
    return size * size;
}

/// Of a circle or ball inside the enter range. A sector has none: less than any distance.
double squared_radius_inside(const View& view, Dimensions dimensions) {
    const bool is_flat = dimensions == Dimensions::two;
    switch (view.shape) {
        case Shape::circle:
            return squared(view.radius_mm);
        case Shape::rectangle: {
            const std::int32_t half_mm = std::min(view.radius_mm, view.half_y_mm);
            return squared(is_flat ? half_mm : std::min(half_mm, view.half_z_mm));
        }
        case Shape::cylinder:
            return squared(std::min(view.radius_mm, view.half_z_mm));
        default:
            return -1;
    }
}

/// Of a circle or ball around the leave range.
double squared_radius_around(const View& view, Dimensions dimensions) {
    double square = squared(view.leave_radius_mm);
    if (view.shape == Shape::rectangle) {
        square += squared(view.leave_half_y_mm);
    }
    const bool has_half_z = view.shape == Shape::rectangle || view.shape == Shape::cylinder;
    if (has_half_z && dimensions == Dimensions::three) {
        square += squared(view.leave_half_z_mm);
    }
    return square;
}

}  // namespace

Sight sight_of(const Entity& watcher, Dimensions dimensions) {
    const View& view = watcher.view;
    if (view.shape == Shape::none) {
        return {};
    }
    return {
        .radius_mm = view.radius_mm,
        // The other lengths of a view count where its shape has them.
        .reach_mm = view.shape == Shape::circle ? view.leave_radius_mm : leave_reach_mm(view),
        .enter_max = static_cast<float>(squared_radius_inside(view, dimensions) * (1 - kGuardBand)),
        .leave_min = static_cast<float>(squared_radius_around(view, dimensions) * (1 + kGuardBand)),
        .layers_seen = watcher.layers_seen,
        .is_circle = view.shape == Shape::circle && dimensions == Dimensions::two};
}

}  // namespace marchland::engine
