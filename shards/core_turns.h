#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <vector>

namespace marchland::shards {

/// Which core is a thread to be pinned to? The one with the fewest: threads of shards come and go.
///
/// Threads  Any: a mutex guards the counts, taken twice in a thread's life.
class CoreTurns {
public:
    /// `cores`: 1 or more.
    explicit CoreTurns(std::uint32_t cores) : used_(cores, 0) {}

    /// From 0; the lowest of equal ones. Give it back when the thread ends.
    std::uint32_t take() {
        const std::lock_guard lock(mutex_);
        const auto least = std::ranges::min_element(used_);
        ++*least;
        return static_cast<std::uint32_t>(std::distance(used_.begin(), least));
    }
    void give_back(std::uint32_t turn) {
        const std::lock_guard lock(mutex_);
        --used_[turn];
    }

private:
    std::mutex mutex_;
    std::vector<std::size_t> used_;  ///< by core
};

}  // namespace marchland::shards
