#pragma once

#include "tools/process/descriptor.h"

#include <chrono>
#include <initializer_list>

namespace marchland::process {

/// SIGINT and SIGTERM, and others that stop nothing, as something to read or to wait for, instead
/// of handlers that may interrupt anything.
///
/// Life     Made before any thread is, since a thread inherits which signals are blocked: then no
///          thread ever meets one. Also ignores what would end a program that nobody wants to end:
///          SIGPIPE (a log whose reader is gone), SIGXFSZ (a file at its limit: the write fails
///          instead), SIGUSR1 and the like.
/// Threads  The thread that made it.
/// Errors   The constructor throws std::system_error when the system has no descriptor left.
class StopSignals {
public:
    /// `others`: signals to receive as well, such as SIGHUP.
    explicit StopSignals(std::initializer_list<int> others = {});

    /// Readable when a signal has come.
    [[nodiscard]] int fd() const { return signals_.fd(); }
    /// Takes one signal and returns its number; 0 when there is none.
    int take();
    /// As take(), after `timeout` at the latest.
    int wait_for(std::chrono::milliseconds timeout);

    /// From now on a signal to stop ends the process at once: the second Ctrl-C of somebody who has
    /// lost patience with an orderly stop.
    void let_next_one_kill();

private:
    Descriptor signals_;
};

}  // namespace marchland::process
