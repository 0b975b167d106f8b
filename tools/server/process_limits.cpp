#include "tools/server/process_limits.h"

#include <fstream>
#include <unistd.h>

namespace marchland::server {

std::uint64_t descriptors_needed(std::size_t connections_max, std::uint32_t io_threads) {
    // Standard streams, the listener, the connection that is accepted only to be told `full`.
    constexpr std::uint64_t kOwn = 32;
    // An event loop: epoll, its wake-up and its timer.
    constexpr std::uint64_t kEachThread = 3;
    return connections_max + kOwn + kEachThread * io_threads;
}

std::uint64_t resident_bytes() {
    // proc(5): statm counts pages; the second number is what is resident.
    std::uint64_t size_pages = 0;
    std::uint64_t resident_pages = 0;
    std::ifstream("/proc/self/statm") >> size_pages >> resident_pages;
    return resident_pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace marchland::server
