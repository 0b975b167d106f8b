#include "tools/bots/stop_signals.h"

#include <cerrno>
#include <csignal>
#include <system_error>
#include <sys/signalfd.h>

namespace marchland::bots {

StopSignals::StopSignals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    if (sigprocmask(SIG_BLOCK, &set, nullptr) != 0) {
        throw std::system_error(errno, std::generic_category(), "sigprocmask");
    }
    signals_ = Descriptor(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
    if (!signals_.is_open()) {
        throw std::system_error(errno, std::generic_category(), "signalfd");
    }
}

bool StopSignals::take() {
    signalfd_siginfo info{};
    return read(signals_.fd(), &info, sizeof info) == static_cast<ssize_t>(sizeof info);
}

}  // namespace marchland::bots
