#pragma once

#include "net/server_options.h"

#include <cstdint>

namespace marchland::server {

/// Open files of a server with all the connections that it may have: theirs, and what the server itself has open.
std::uint64_t descriptors_needed(const net::ServerOptions& options);

/// What the process has used since it began.
struct Consumption {
    double cpu_s = 0;  ///< of all threads, user and system
    std::uint64_t resident_bytes_max = 0;
};
Consumption consumption();

}  // namespace marchland::server
