#include "config/shared_port.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>
#include <arpa/inet.h>
#include <netinet/in.h>

namespace marchland::config {

namespace {

struct Wanted {
    std::string_view key;
    std::string address;
    std::uint16_t port = 0;
};

/// Every address as one of IPv6: an IPv4 address as ::ffff:a.b.c.d. What is no address is :: here, and is
/// refused where it is read.
std::array<std::uint8_t, 16> bytes_of(const std::string& address) {
    std::array<std::uint8_t, 16> bytes{};
    if (inet_pton(AF_INET6, address.c_str(), bytes.data()) != 1) {
        inet_pton(AF_INET6, ("::ffff:" + address).c_str(), bytes.data());
    }
    return bytes;
}

bool share_an_address(const std::string& a, const std::string& b) {
    const auto every = bytes_of("::");
    const auto every_v4 = bytes_of("0.0.0.0");
    const auto holds = [&](const auto& wide, const auto& other) {
        const bool is_v4 = std::equal(other.begin(), other.begin() + 12, every_v4.begin());
        return wide == other || wide == every || (wide == every_v4 && is_v4);
    };
    return holds(bytes_of(a), bytes_of(b)) || holds(bytes_of(b), bytes_of(a));
}

}  // namespace

std::optional<SharedPort> shared_port(const net::ServerOptions& options) {
    std::vector<Wanted> all{{"server.port", options.address, options.port}};
    if (options.web_socket.is_on) {
        all.push_back({"websocket.port", options.web_socket.address, options.web_socket.port});
    }
    if (options.admin.is_on) {
        all.push_back({"admin.port", options.admin.address, options.admin.port});
    }
    for (std::size_t second = 1; second < all.size(); ++second) {
        for (std::size_t first = 0; first < second; ++first) {
            if (all[first].port != 0 && all[first].port == all[second].port &&
                share_an_address(all[first].address, all[second].address)) {
                return SharedPort{all[first].key, all[second].key};
            }
        }
    }
    return std::nullopt;
}

}  // namespace marchland::config
