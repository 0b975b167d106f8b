#pragma once

#include "net/server_options.h"

#include <optional>
#include <string_view>

namespace marchland::config {

/// Two entrances that are both on and want one port of one address: the kernel would give it to the first alone.
struct SharedPort {
    std::string_view first;   ///< its key, such as "server.port"
    std::string_view second;  ///< likewise
};

/// Nothing when each has its own. Port 0 is never shared; 0.0.0.0 is every IPv4 address, :: is every address.
std::optional<SharedPort> shared_port(const net::ServerOptions& options);

}  // namespace marchland::config
