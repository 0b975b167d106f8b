#include "net/quantum.h"

#include "engine/assert.h"

#include <algorithm>
#include <limits>

namespace marchland::net {

namespace {

std::int64_t multiple_below(std::int64_t value, std::int64_t quantum) {
    const std::int64_t rest = value % quantum;
    return value - rest - (rest < 0 ? quantum : 0);
}

}  // namespace

std::int32_t nearest_multiple(std::int32_t value, std::int32_t quantum_mm, std::int64_t min,
                              std::int64_t max) {
    const std::int64_t quantum = quantum_mm;
    const std::int64_t lowest = -multiple_below(-min, quantum);
    const std::int64_t highest = multiple_below(max, quantum);
    MARCHLAND_ASSERT(quantum > 0 && lowest <= highest);
    const std::int64_t nearest = multiple_below(value + quantum / 2, quantum);
    return static_cast<std::int32_t>(std::clamp(nearest, lowest, highest));
}

engine::Position on_grid(engine::Position wanted, std::int32_t quantum_mm,
                         const engine::Rect& world) {
    if (quantum_mm == 1) {
        return wanted;
    }
    using Limits = std::numeric_limits<std::int32_t>;
    return {nearest_multiple(wanted.x, quantum_mm, world.min_x, world.max_x),
            nearest_multiple(wanted.y, quantum_mm, world.min_y, world.max_y),
            nearest_multiple(wanted.z, quantum_mm, Limits::min(), Limits::max())};
}

engine::Step on_grid(engine::Step wanted, std::int32_t quantum_mm) {
    constexpr std::int32_t kMax = engine::Step::kMaxMm;
    const auto along = [quantum_mm](std::int16_t mm) {
        return static_cast<std::int16_t>(nearest_multiple(mm, quantum_mm, -kMax, kMax));
    };
    return {along(wanted.x), along(wanted.y), along(wanted.z)};
}

engine::Position nearest_inside(engine::Position wanted, const engine::Rect& world) {
    const auto within = [](std::int32_t value, std::int64_t min, std::int64_t max) {
        return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, min, max));
    };
    return {within(wanted.x, world.min_x, world.max_x), within(wanted.y, world.min_y, world.max_y),
            wanted.z};
}

}  // namespace marchland::net
