#include "shards/zone_options.h"

#include "engine/frame/frame_limits.h"

#include <algorithm>
#include <cstdint>

namespace marchland::shards {

namespace {

std::uint32_t item_bytes_max(const ZoneOptions& options) {
    using engine::FrameCost;
    const auto enter_max =
        FrameCost::kEnter + static_cast<std::int64_t>(engine::packed_bytes_max(options.slots));
    return static_cast<std::uint32_t>(std::max(FrameCost::kItemMax, enter_max));
}

}  // namespace

std::uint32_t frame_bytes_min(const ZoneOptions& options) {
    return item_bytes_max(options) + engine::CrowdLimits::kFrameBytesMin + 1;
}

std::uint32_t without_last_item(std::uint32_t bytes_max, const ZoneOptions& options) {
    return bytes_max < frame_bytes_min(options) ? bytes_max : bytes_max - item_bytes_max(options);
}

engine::CrowdLimits crowd_limits(const ZoneOptions& options) {
    engine::CrowdLimits limits = options.crowd;
    limits.frame_bytes_max = without_last_item(limits.frame_bytes_max, options);
    if (limits.has_budget() && options.client_bytes_per_second_max != 0) {
        limits.watcher_bytes_per_tick =
            std::max(1U, options.client_bytes_per_second_max / options.tick_rate_hz);
    }
    return limits;
}

}  // namespace marchland::shards
