// The executor of a ThreadSanitizer build: threads of each run's own, so that every hand-over is
// seen.

#include "shards/shared_executor.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace marchland::shards {

struct SharedExecutor::Threads {};

SharedExecutor::SharedExecutor(std::size_t threads)
    : workers_(
          std::max<std::size_t>(threads != 0 ? threads : std::thread::hardware_concurrency(), 1)) {}

SharedExecutor::~SharedExecutor() = default;

void SharedExecutor::start() {}  // each run has threads of its own

void SharedExecutor::run(std::size_t parts, const Work& work) {
    std::atomic<std::size_t> next{0};
    std::mutex failure_mutex;  // guards failure
    std::exception_ptr failure;
    const auto take_parts = [&](std::size_t worker) {
        try {
            for (std::size_t part = next++; part < parts; part = next++) {
                work(part, worker);
            }
        } catch (...) {
            const std::lock_guard lock(failure_mutex);
            failure = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> threads;
        for (std::size_t worker = 1; worker < std::min(workers_, parts); ++worker) {
            threads.emplace_back(take_parts, worker);
        }
        take_parts(0);
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

}  // namespace marchland::shards
