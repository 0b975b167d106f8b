#include "tools/server/process_limits.h"

#include <sys/resource.h>

namespace marchland::server {

std::uint64_t descriptors_needed(const net::ServerOptions& options) {
    // Standard streams, the listeners, connections that are accepted only to be told `full`.
    constexpr std::uint64_t kOwn = 32;
    // An event loop: epoll, its wake-up and its timer.
    constexpr std::uint64_t kEachThread = 3;
    return options.connections_max + kOwn + options.descriptors_reserved() +
           kEachThread * options.io_threads;
}

Consumption consumption() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    // getrusage(2): ru_maxrss is in kilobytes.
    return {seconds(usage.ru_utime) + seconds(usage.ru_stime),
            static_cast<std::uint64_t>(usage.ru_maxrss) * 1'024};
}

}  // namespace marchland::server
