#include "engine/frame/crowd_limits.h"

namespace marchland::engine {
namespace {

const char* flaw_of_rings(const CrowdLimits& limits) {
    UpdateRing before{-1, 1};
    for (const UpdateRing& ring : limits.rings) {
        if (ring.every_ticks == 0) {
            if (ring.beyond_mm != 0) {
                return "an update ring says how many ticks it waits";
            }
            before.every_ticks = 0;
            continue;
        }
        if (before.every_ticks == 0) {
            return "update rings have no gaps between them";
        }
        if (ring.every_ticks > kRingTicksMax) {
            return "an update ring waits at most 256 ticks";
        }
        if (ring.beyond_mm <= before.beyond_mm || ring.every_ticks <= before.every_ticks) {
            return "each update ring is wider and slower than the one before";
        }
        before = ring;
    }
    return nullptr;
}

}  // namespace

const char* flaw_of(const CrowdLimits& limits) {
    if (limits.sticky_percent > kStickyPercentMax) {
        return "one that is seen may count as at most 90 percent nearer";
    }
    if (limits.stale_ticks_max < 1 || limits.stale_ticks_max > kStaleTicksMax) {
        return "a move waits for 1 to 10000 ticks at most";
    }
    if (limits.has_budget() && limits.frame_bytes_max <= CrowdLimits::kFrameBytesMin) {
        return "a frame with anything in it has more than 64 bytes";
    }
    if (limits.watcher_bytes_per_tick != 0 && !limits.has_budget()) {
        return "a limit for each tick needs one for each frame";
    }
    for (const UpdateRing& ring : limits.rings) {
        if (limits.has_budget() && ring.every_ticks > limits.stale_ticks_max) {
            return "stale_ticks_max is as long as the slowest update ring waits, or longer";
        }
    }
    return flaw_of_rings(limits);
}

}  // namespace marchland::engine
