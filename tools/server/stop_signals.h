#pragma once

#include <chrono>
#include <optional>

namespace marchland::server {

/// SIGINT and SIGTERM as values to wait for, instead of handlers that may interrupt anything.
///
/// Life     Made first of all, since a thread inherits which signals are blocked: then no thread but
///          the one that waits ever meets one. Also ignores SIGPIPE: a log whose reader is gone must
///          not end the server.
/// Threads  The thread that made it.
class StopSignals {
public:
    StopSignals();

    /// The number of the signal that came, or nothing after `timeout`.
    std::optional<int> wait_for(std::chrono::nanoseconds timeout);

    /// From now on a signal ends the process at once: the second Ctrl-C of somebody who has lost
    /// patience with an orderly stop.
    void let_next_one_kill();
};

}  // namespace marchland::server
