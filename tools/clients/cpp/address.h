#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>
#include <sys/socket.h>

namespace marchland::client {

/// HOST:PORT as the command line has it; an IPv6 address stands in brackets, as in [::1]:7777.
struct HostPort {
    std::string host;
    std::string port;
};

std::optional<HostPort> parse_host_port(std::string_view text);

/// Where a Transfer leads, and how that zone is spoken to.
struct Endpoint {
    HostPort at;
    bool keeps_tls = false;  ///< as the zone that it comes from has it: is_tls does not count
    bool is_tls = false;
    bool is_web_socket = false;
};

/// The first of the addresses, with a blank between two: HOST:PORT, which is TCP, or that with
/// tcp://, tls://, ws:// or wss:// before it; a path behind it does not count.
std::optional<Endpoint> parse_transfer_address(std::string_view text);

/// Where to connect to, ready for connect(2).
struct Address {
    sockaddr_storage storage{};
    socklen_t bytes = 0;
};

/// The port, of either family.
std::uint16_t port_of(const Address& address);

/// Asks the resolver: at least one address, in its order. The string says why there is none.
std::variant<std::vector<Address>, std::string> resolve(const HostPort& where);

}  // namespace marchland::client
