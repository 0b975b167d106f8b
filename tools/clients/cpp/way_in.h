#pragma once

#include <memory>
#include <string>
#include <vector>

struct ssl_ctx_st;

namespace marchland::net {
class Layer;
}

namespace marchland::client {

/// How a client speaks to a server: over plain TCP, or in layers above it.
struct WayIn {
    std::shared_ptr<ssl_ctx_st> tls;  ///< net::make_client_tls()'s; null: no TLS
    bool is_web_socket = false;
    /// The server's name as the user knows it: its certificate must be for that, and a WebSocket's
    /// request names it. With TLS 1 to 255 bytes.
    std::string server_name;
};

/// From the socket up; none for plain TCP.
std::vector<std::unique_ptr<net::Layer>> make_layers(const WayIn& way);

}  // namespace marchland::client
