#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

struct ssl_ctx_st;

namespace marchland::net {
class Layer;
}

namespace marchland::client {

/// How a client speaks to a server: over plain TCP, or in layers above it.
struct WayIn {
    std::shared_ptr<ssl_ctx_st> tls;  ///< tls_trusting()'s; null: no TLS
    bool is_web_socket = false;
    /// The server's name as the user knows it: its certificate must be for that, and a WebSocket's
    /// request names it. With TLS 1 to 255 bytes.
    std::string server_name;
};

/// What TLS needs, for all connections of a process: the server's certificate must be signed by one
/// of the file (PEM), or, where it is empty, by whom this machine trusts. The text says what is
/// wrong with the file.
std::variant<std::shared_ptr<ssl_ctx_st>, std::string> tls_trusting(const std::string& ca_file);

/// From the socket up; none for plain TCP.
std::vector<std::unique_ptr<net::Layer>> make_layers(const WayIn& way);

}  // namespace marchland::client
