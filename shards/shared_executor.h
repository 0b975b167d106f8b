#pragma once

#include "engine/executor.h"

#include <cstddef>
#include <memory>

namespace marchland::shards {

/// Threads that all shards of a zone share for their longest step: a shard with a crowd builds its
/// frames on cores that others leave idle. Whoever runs work here does its part of it, too.
///
/// Threads  run() from any shard's thread, several at a time.
/// Errors   Where the system has no more threads, start() throws. Work that throws: the first
///          exception reaches whoever ran it, once all parts are over.
/// Source   oneTBB's task_arena. It is opaque to ThreadSanitizer, so that a build with that uses
///          plain threads: shared_executor_threads.cpp instead of shared_executor_tbb.cpp.
class SharedExecutor final : public engine::Executor {
public:
    /// Threads that may work here at the same time, those of shards included; 0: one for each core.
    explicit SharedExecutor(std::size_t threads);
    ~SharedExecutor() override;

    /// Makes the threads, which run() would do otherwise: in the middle of a tick, where it is too
    /// late to find that there are none. Waits for them, a second at most.
    void start();

    [[nodiscard]] std::size_t workers() const override { return workers_; }
    void run(std::size_t parts, const Work& work) override;

private:
    struct Threads;

    const std::size_t workers_;
    const std::unique_ptr<Threads> threads_;
};

}  // namespace marchland::shards
