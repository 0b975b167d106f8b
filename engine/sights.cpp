#include "engine/sights.h"

#include <algorithm>

namespace marchland::engine {
namespace {

/// Larger than what rounding can do to a squared distance: six roundings of at most 2^-24 each.
constexpr double kGuard = 1.0 / (1 << 19);

double squared(std::int32_t size_mm) {
    const double size = size_mm;
    return size * size;
}

/// Of a circle inside the enter range. A sector has none: less than any distance.
double squared_radius_inside(const View& view) {
    switch (view.shape) {
        case Shape::circle:
            return squared(view.radius_mm);
        case Shape::rectangle:
            return squared(std::min(view.radius_mm, view.half_y_mm));
        default:
            return -1;
    }
}

/// Of a circle around the leave range.
double squared_radius_around(const View& view) {
    const double along_x = squared(view.leave_radius_mm);
    return view.shape == Shape::rectangle ? along_x + squared(view.leave_half_y_mm) : along_x;
}

}  // namespace

Sight sight_of(const Entity& watcher) {
    const View& view = watcher.view;
    if (view.shape == Shape::none) {
        return {};
    }
    return {.radius_mm = view.radius_mm,
            .reach_mm = leave_reach_mm(view),
            .enter_max = static_cast<float>(squared_radius_inside(view) * (1 - kGuard)),
            .leave_min = static_cast<float>(squared_radius_around(view) * (1 + kGuard)),
            .layers_seen = watcher.layers_seen,
            .is_circle = view.shape == Shape::circle};
}

void SightColumns::load(std::span<const Sight> sights, std::span<const Slot> slots) {
    blocks_.resize((slots.size() + kLanesMax - 1) / kLanesMax);
    for (std::size_t first = 0; first < slots.size(); first += kLanesMax) {
        Block& block = blocks_[first / kLanesMax];
        const std::size_t count = std::min(slots.size() - first, kLanesMax);
        for (std::size_t lane = 0; lane < count; ++lane) {
            const Sight& sight = sights[to_number(slots[first + lane])];
            block.enter_max[lane] = sight.enter_max;
            block.leave_min[lane] = sight.leave_min;
            block.layers_seen[lane] = sight.layers_seen;
        }
        std::fill(block.layers_seen.begin() + static_cast<std::ptrdiff_t>(count),
                  block.layers_seen.end(), kNoLayers);
    }
}

}  // namespace marchland::engine
