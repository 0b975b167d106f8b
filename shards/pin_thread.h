#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <string>
#include <system_error>
#include <vector>

namespace marchland::shards {

/// Keeps the calling thread on one core from now on: of the first `cores` cores that the process
/// may run on (all of them, if it has fewer), number `turn`, counted round and round. An error
/// value where the system refuses or cannot pin; then nothing has changed.
std::error_code pin_this_thread(std::uint32_t turn, std::uint32_t cores);

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

/// How many cores the process may run on; 1 where the system does not say.
std::uint32_t allowed_cores();

/// For a thread that may have been started by a pinned one, and then is as pinned as that: lets it
/// run on any core that the process may use, unless it was pinned by the call above. The first call
/// in a thread does it, more cost nothing. Where the system refuses, nothing has changed.
void unpin_if_inherited();

/// The calling thread's name, as debuggers, top and perf show it: the first 15 bytes of it.
void name_this_thread(const std::string& name);

}  // namespace marchland::shards
