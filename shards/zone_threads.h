#pragma once

#include "shards/zone.h"

#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace marchland::shards {

/// Runs a zone in real time: one thread per shard, all ticking on one fixed clock.
///
/// Tick t is due at start + t / tick_rate_hz, whatever the ticks before it took: no drift. A shard
/// that overruns goes on with the tick that is due then; the others wait for it at the gate, at
/// most border_wait_ms_max.
///
/// Life     start() once, stop() once or by the destructor; both from the owner's thread.
/// Errors   A shard thread that throws stops all of them; `on_failure` is then called once, on that
///          thread, with what it said.
class ZoneThreads {
public:
    using OnFailure = std::function<void(const std::string& what)>;

    ZoneThreads(Zone& zone, OnFailure on_failure);
    ~ZoneThreads();

    void start();
    /// Lets each shard finish its tick, then joins the threads.
    void stop();

private:
    Zone& zone_;
    OnFailure on_failure_;
    std::vector<std::jthread> threads_;
};

}  // namespace marchland::shards
