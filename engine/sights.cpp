#include "engine/sights.h"

#include <algorithm>

namespace marchland::engine {
namespace {

/// Larger than what rounding can do to a squared distance: six roundings of at most 2^-24 each.
constexpr double kGuard = 1.0 / (1 << 19);

}  // namespace

Sight sight_of(const Entity& watcher) {
    if (watcher.view.shape != Shape::circle) {
        return {};
    }
    const double enter = watcher.view.radius_mm;
    const double leave = watcher.view.leave_radius_mm;
    return {watcher.view.radius_mm, watcher.view.leave_radius_mm,
            static_cast<float>(enter * enter * (1 - kGuard)),
            static_cast<float>(leave * leave * (1 + kGuard)), watcher.layers_seen};
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
