#pragma once

#include "shards/entity_port.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace marchland::bench {

/// Sends nothing, but learns what each shard's tick costs: a shard posts once in each tick that has
/// frames, so the CPU time of its thread between two posts is that of a tick. What others do on the
/// machine does not count, as it would by the clock on the wall.
///
/// Threads  post by the shards' threads, everything else by one other. A mutex guards the lists:
///          it is taken once in a tick, long after the gate, when nobody waits for anybody.
class TickTimesOutlet final : public shards::FrameOutlet {
public:
    /// Each shard's first ticks do not count: in the first of them everybody joins.
    explicit TickTimesOutlet(std::size_t warm_up_ticks) : warm_up_ticks_(warm_up_ticks) {}

    [[nodiscard]] std::uint32_t lane_count() const override { return 1; }
    void post(std::uint32_t lane,
              std::span<const std::shared_ptr<shards::EntityPort>> ports) override;

    /// Until so many shards have counted so many ticks each: true. False when `is_over`, which is
    /// asked ten times a second, says so before.
    bool wait_for_ticks(std::size_t shards, std::size_t ticks,
                        const std::function<bool()>& is_over);

    /// By shard, in no order. For when the shards have stopped.
    [[nodiscard]] std::vector<std::vector<double>> take_tick_ms();

private:
    struct ShardTimes {
        std::size_t posts = 0;
        std::uint64_t last_post_ns = 0;
        std::vector<double> tick_ms;
    };

    const std::size_t warm_up_ticks_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::thread::id, ShardTimes> times_;  ///< guarded by mutex_
};

}  // namespace marchland::bench
