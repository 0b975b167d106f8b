#include "tools/bench/zone_tick_times.h"

#include "tools/bench/clocks.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace marchland::bench {

void TickTimesOutlet::post(std::uint32_t, std::span<const std::shared_ptr<shards::EntityPort>>) {
    const std::uint64_t now_ns = thread_cpu_ns();
    {
        const std::lock_guard lock(mutex_);
        ShardTimes& times = times_[std::this_thread::get_id()];
        if (times.posts++ >= warm_up_ticks_ && times.last_post_ns != 0) {
            times.tick_ms.push_back(static_cast<double>(now_ns - times.last_post_ns) / 1e6);
        }
        times.last_post_ns = now_ns;
    }
    changed_.notify_one();
}

bool TickTimesOutlet::wait_for_ticks(std::size_t shards, std::size_t ticks,
                                     const std::function<bool()>& is_over) {
    std::unique_lock lock(mutex_);
    const auto is_complete = [&] {
        return times_.size() >= shards && std::ranges::all_of(times_, [&](const auto& entry) {
                   return entry.second.tick_ms.size() >= ticks;
               });
    };
    while (!changed_.wait_for(lock, std::chrono::milliseconds(100), is_complete)) {
        if (is_over()) return false;
    }
    return true;
}

std::vector<std::vector<double>> TickTimesOutlet::take_tick_ms() {
    const std::lock_guard lock(mutex_);
    std::vector<std::vector<double>> all;
    for (auto& [thread, times] : times_) {
        all.push_back(std::move(times.tick_ms));
    }
    return all;
}

}  // namespace marchland::bench
