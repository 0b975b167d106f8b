#include "tools/process/stop_signals.h"

#include "engine/assert.h"

#include <cerrno>
#include <poll.h>
#include <pthread.h>
#include <signal.h>  // the POSIX part: the signal sets
#include <system_error>
#include <vector>
#include <sys/signalfd.h>

namespace marchland::process {

namespace {

sigset_t stop_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

/// Whose default is to end the process, though nobody who sends one to a server means that. A
/// handler that somebody has set, such as a profiler's, stays.
void ignore_what_ends_nothing() {
    std::vector<int> numbers{SIGPIPE,   SIGXFSZ, SIGUSR1, SIGUSR2,   SIGALRM,
                             SIGVTALRM, SIGPROF, SIGPOLL, SIGSTKFLT, SIGPWR};
    for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) {
        numbers.push_back(number);
    }
    for (const int number : numbers) {
        struct sigaction now {};
        MARCHLAND_ASSERT(sigaction(number, nullptr, &now) == 0);
        if (now.sa_handler == SIG_DFL) {
            MARCHLAND_ASSERT(signal(number, SIG_IGN) != SIG_ERR);
        }
    }
}

}  // namespace

StopSignals::StopSignals(std::initializer_list<int> others) {
    sigset_t set = stop_signals();
    for (const int other : others) {
        sigaddset(&set, other);
    }
    MARCHLAND_ASSERT(pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0);
    ignore_what_ends_nothing();
    signals_ = Descriptor(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
    if (!signals_.is_open()) {
        throw std::system_error(errno, std::generic_category(), "signalfd");
    }
}

int StopSignals::take() {
    signalfd_siginfo info{};
    const bool is_taken = read(signals_.fd(), &info, sizeof info) == ssize_t{sizeof info};
    return is_taken ? static_cast<int>(info.ssi_signo) : 0;
}

int StopSignals::wait_for(std::chrono::milliseconds timeout) {
    pollfd wanted{signals_.fd(), POLLIN, 0};
    // EINTR: the process was stopped and went on (Ctrl-Z, fg), which is no reason to end.
    const int count = poll(&wanted, 1, static_cast<int>(timeout.count()));
    MARCHLAND_ASSERT(count >= 0 || errno == EINTR);
    return count > 0 ? take() : 0;
}

void StopSignals::let_next_one_kill() {
    const sigset_t set = stop_signals();
    MARCHLAND_ASSERT(pthread_sigmask(SIG_UNBLOCK, &set, nullptr) == 0);
}

}  // namespace marchland::process
