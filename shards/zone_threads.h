#pragma once

#include "shards/zone.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace marchland::shards {

/// Runs a zone in real time: one thread per shard, all ticking on one fixed clock.
///
/// Tick t is due at start + t / tick_rate_hz, whatever the ticks before it took: no drift. A shard
/// that overruns goes on with the tick that is due by then; the others wait for it at the gate, at
/// most border_wait_ms_max.
///
/// Life     start() once; stop() by the owner's thread, or by the destructor.
/// Errors   A shard thread that throws stops all of them; `on_failure` is then called once, on that
///          thread, with what it said. It may not call stop().
class ZoneThreads {
public:
    using OnFailure = std::function<void(const std::string& what)>;

    ZoneThreads(Zone& zone, OnFailure on_failure);
    ZoneThreads(const ZoneThreads&) = delete;
    ZoneThreads& operator=(const ZoneThreads&) = delete;
    ~ZoneThreads();

    void start();
    /// Lets each shard finish its tick, then joins the threads.
    void stop();

private:
    using Clock = std::chrono::steady_clock;

    void run(Shard& shard);
    void run_ticks(Shard& shard);
    void run_tick(Shard& shard, engine::Tick tick);
    void ask_to_stop();
    /// False when the threads are to stop.
    bool sleep_until(Clock::time_point due);
    [[nodiscard]] Clock::duration gate_wait_max() const;
    [[nodiscard]] Clock::time_point due_time(engine::Tick tick) const;
    [[nodiscard]] engine::Tick tick_due_at(Clock::time_point time) const;

    Zone& zone_;
    const OnFailure on_failure_;
    Clock::time_point start_;
    std::vector<std::thread> threads_;
    std::atomic<bool> has_failed_{false};

    std::mutex stop_mutex_;  ///< guards is_stopping_, so that a sleeping shard can be woken
    std::condition_variable stop_changed_;
    bool is_stopping_ = false;
};

}  // namespace marchland::shards
