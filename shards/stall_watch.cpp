#include "shards/stall_watch.h"

#include <algorithm>
#include <utility>

namespace marchland::shards {

std::optional<StallWatch::Standstill> StallWatch::look(Clock::time_point now,
                                                       const Progress& progress) {
    const Clock::time_point last = std::exchange(last_look_, now).value_or(now);
    const Clock::duration passed = std::min(now - last, 2 * interval());
    std::optional<Standstill> standstill;
    for (std::size_t i = 0; i < running_.size(); ++i) {
        const engine::Tick tick = running_[i].load(std::memory_order_relaxed);
        Seen& seen = seen_[i];
        if (tick == engine::kNever) {
            seen = {};
            continue;
        }
        const std::uint64_t done = progress(static_cast<ShardId>(i));
        if (tick != seen.tick || done != seen.progress) {
            seen = {tick, done, Clock::duration{0}};
            continue;
        }
        seen.stood += passed;
        if (seen.stood >= stall_max_ && !standstill) {
            standstill = Standstill{static_cast<ShardId>(i), tick};
        }
    }
    return standstill;
}

}  // namespace marchland::shards
