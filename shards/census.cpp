#include "shards/census.h"

#include <algorithm>
#include <utility>

namespace marchland::shards {

std::optional<std::vector<Counted>> Census::take(const std::function<Roll()>& call,
                                                 std::chrono::milliseconds wait_max) {
    const std::lock_guard asking(asking_mutex_);
    std::unique_lock lock(mutex_);
    Roll roll = call();
    missing_ = std::move(roll.shards);
    counted_.clear();
    from_.store(roll.from, std::memory_order_relaxed);
    const bool is_whole = is_counted_.wait_for(lock, wait_max, [this] { return missing_.empty(); });
    from_.store(kNobodyAsks, std::memory_order_relaxed);
    missing_.clear();
    std::vector<Counted> all = std::exchange(counted_, {});
    if (!is_whole) {
        return std::nullopt;
    }
    std::ranges::sort(all, {}, &Counted::id);
    return all;
}

void Census::put_down(ShardId shard, std::span<const Counted> own) {
    {
        const std::lock_guard lock(mutex_);
        if (std::erase(missing_, shard) == 0) {
            return;
        }
        counted_.insert(counted_.end(), own.begin(), own.end());
    }
    is_counted_.notify_one();
}

}  // namespace marchland::shards
