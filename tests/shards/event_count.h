#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace marchland::tests {

/// Events happen on some threads, and a test waits until enough of them did.
class EventCount {
public:
    /// A limit that only something broken reaches.
    static constexpr std::chrono::seconds kFarTooLong{60};

    void add() {
        {
            const std::lock_guard lock(mutex_);
            ++count_;
        }
        changed_.notify_all();
    }

    /// False when fewer than `count` happened in time.
    [[nodiscard]] bool wait_for(std::size_t count, std::chrono::seconds at_most = kFarTooLong) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, at_most, [&] { return count_ >= count; });
    }

    [[nodiscard]] std::size_t count() {
        const std::lock_guard lock(mutex_);
        return count_;
    }

    /// Guards count_: what is counted happens on other threads.
private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t count_ = 0;
};

}  // namespace marchland::tests
