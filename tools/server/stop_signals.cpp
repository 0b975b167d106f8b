#include "tools/server/stop_signals.h"

#include "engine/assert.h"

#include <cerrno>
#include <pthread.h>
#include <signal.h>  // the POSIX part: sigtimedwait and the signal sets
#include <time.h>

namespace marchland::server {

namespace {

sigset_t stop_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

}  // namespace

StopSignals::StopSignals() {
    const sigset_t set = stop_signals();
    MARCHLAND_ASSERT(pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0);
    MARCHLAND_ASSERT(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
}

std::optional<int> StopSignals::wait_for(std::chrono::nanoseconds timeout) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout);
    const timespec wait{seconds.count(), (timeout - seconds).count()};
    const sigset_t set = stop_signals();
    // EINTR: the process was stopped and went on (Ctrl-Z, fg), which is no reason to end.
    const int number = sigtimedwait(&set, nullptr, &wait);
    MARCHLAND_ASSERT(number > 0 || errno == EAGAIN || errno == EINTR);
    return number > 0 ? std::optional(number) : std::nullopt;
}

void StopSignals::let_next_one_kill() {
    const sigset_t set = stop_signals();
    MARCHLAND_ASSERT(pthread_sigmask(SIG_UNBLOCK, &set, nullptr) == 0);
}

}  // namespace marchland::server
