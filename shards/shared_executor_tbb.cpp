#include "engine/assert.h"
#include "shards/pin_thread.h"
#include "shards/shared_executor.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace marchland::shards {
namespace {

int concurrency_of(std::size_t threads) {
    const std::size_t wanted = threads != 0 ? threads : std::thread::hardware_concurrency();
    return static_cast<int>(std::clamp<std::size_t>(wanted, 1, 1'024));
}

}  // namespace

struct SharedExecutor::Threads {
    explicit Threads(int concurrency)
        : limit(tbb::global_control::max_allowed_parallelism,
                static_cast<std::size_t>(std::max(concurrency, 2))),
          executor(concurrency) {}
    /// Or oneTBB makes no more threads than there are cores, and reports it.
    tbb::global_control limit;
    tbb::task_arena executor;
};

SharedExecutor::SharedExecutor(std::size_t threads)
    : workers_(static_cast<std::size_t>(concurrency_of(threads))),
      threads_(std::make_unique<Threads>(concurrency_of(threads))) {}

SharedExecutor::~SharedExecutor() = default;

void SharedExecutor::start() {
    // As many parts as threads, each of which lasts until all have begun: so each has its own.
    std::atomic<std::size_t> begun{0};
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    run(workers_, [&](std::size_t, std::size_t) {
        ++begun;
        while (begun < workers_ && std::chrono::steady_clock::now() < end) {
            std::this_thread::yield();
        }
    });
}

void SharedExecutor::run(std::size_t parts, const Work& work) {
    threads_->executor.execute([&] {
        tbb::parallel_for(
            std::size_t{0}, parts,
            [&work, this](std::size_t part) {
                // oneTBB's threads are started by a shard's, and are there for all of them.
                unpin_if_inherited();
                const int worker = tbb::this_task_arena::current_thread_index();
                MARCHLAND_ASSERT(worker >= 0 && static_cast<std::size_t>(worker) < workers_);
                work(part, static_cast<std::size_t>(worker));
            },
            tbb::simple_partitioner());
    });
}

}  // namespace marchland::shards
