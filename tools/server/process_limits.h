#pragma once

#include <cstddef>
#include <cstdint>

namespace marchland::server {

/// Open files of a server with so many connections: theirs, and what the server itself has open.
std::uint64_t descriptors_needed(std::size_t connections_max, std::uint32_t io_threads);

/// What the process has used since it began.
struct Consumption {
    double cpu_s = 0;  ///< of all threads, user and system
    std::uint64_t resident_bytes_max = 0;
};
Consumption consumption();

}  // namespace marchland::server
