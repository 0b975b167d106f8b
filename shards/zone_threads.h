#pragma once

#include "shards/pin_thread.h"
#include "shards/stall_watch.h"
#include "shards/tick_clock.h"
#include "shards/zone.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace marchland::shards {

/// Runs a zone in real time: one thread per shard, all ticking on one fixed clock.
///
/// Tick t is due at start + t / tick_rate_hz, whatever the ticks before it took: no drift. A shard
/// that overruns goes on with the tick that is due by then; the others wait for it at the gate, at
/// most border_wait_ms_max.
///
/// A new layout takes effect in a tick that no shard has begun, the same for all; threads of shards
/// that it adds begin with that tick, those of shards that it retires end when they are drained.
///
/// A shard that stands still in a tick for shard_stall_ms_max has failed, as one that throws; a
/// thread of its own looks after that.
///
/// Life     start() once; stop() or stop_within() by the owner's thread, or stop() by the
///          destructor.
/// Threads  Everything is for the owner's thread.
/// Errors   A shard that fails stops all of them; `on_failure` is then called once, on a thread of
///          the zone's, with what is wrong. It may not call stop().
class ZoneThreads {
public:
    using OnFailure = std::function<void(const std::string& what)>;

    ZoneThreads(Zone& zone, OnFailure on_failure);
    ZoneThreads(const ZoneThreads&) = delete;
    ZoneThreads& operator=(const ZoneThreads&) = delete;
    ~ZoneThreads();

    void start();
    /// Lets each shard finish its tick, then joins the threads. For as long as that takes: a shard
    /// that stands still never ends.
    void stop();
    /// The same, for so long at most. False: a shard is still in its tick. It uses the zone, which
    /// must not be destroyed, nor this: log it and end the process (std::_Exit).
    [[nodiscard]] bool stop_within(std::chrono::milliseconds wait_max);

    /// Between start() and stop(): puts a layout in force that tiles the zone's world and that it
    /// has room for, and returns the tick that it takes effect in. Throws std::system_error when
    /// the system has no thread left: nothing has changed then.
    engine::Tick change_layout(Layout layout);

private:
    using Clock = std::chrono::steady_clock;

    /// A shard's thread. It ends when the zone stops, or when the shard is retired.
    struct Runner {
        std::promise<engine::Tick> first_tick;  ///< kNever: there is nothing to run
        std::promise<void> end;
        std::future<void> ended = end.get_future();
        std::thread thread;
    };

    void launch(Shard& shard);
    void join_ended();
    void run(Shard& shard, engine::Tick first);
    void run_ticks(Shard& shard, engine::Tick first);
    void run_tick(Shard& shard, engine::Tick tick);
    void watch_for_stalls();
    void fail(ShardId shard, const std::string& what);
    void ask_to_stop();
    /// False when the threads are to stop.
    bool sleep_until(Clock::time_point due);
    [[nodiscard]] Clock::duration gate_wait_max() const;

    Zone& zone_;
    const OnFailure on_failure_;
    std::optional<TickClock> clock_;  ///< from start() on
    CoreTurns core_turns_;
    StallWatch stall_watch_;
    std::list<Runner> runners_;
    std::thread watcher_;
    std::atomic<bool> has_failed_{false};

    std::mutex stop_mutex_;  ///< guards is_stopping_, so that a sleeping shard can be woken
    std::condition_variable stop_changed_;
    bool is_stopping_ = false;
};

}  // namespace marchland::shards
