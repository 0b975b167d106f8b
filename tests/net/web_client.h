#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace marchland::tests {

/// A client that comes in by TLS, WebSocket or both, made of Beast and Asio: an implementation
/// other than the server's own. Blocking; whatever fails throws boost::system::system_error.
class WebClient {
public:
    enum class Way { tls, web_socket, web_socket_tls };

    WebClient(std::uint16_t port, Way way, const std::string& origin = "");
    ~WebClient();

    /// One binary message, in frames of at most `fragment_bytes` (0: one frame); over plain TLS,
    /// bytes.
    void send(std::span<const std::byte> bytes, std::size_t fragment_bytes = 0);
    void send_text(const std::string& text);
    void ping();
    /// One message; over plain TLS, as many bytes as its prefix says.
    std::vector<std::byte> receive();
    /// What a close came with; 0: none.
    [[nodiscard]] int close_code() const;
    void close();
    /// The names in the certificate that the server showed, and in the chain that came with it.
    [[nodiscard]] std::vector<std::string> chain_names() const;
    [[nodiscard]] std::string certificate_name() const { return chain_names().at(0); }

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace marchland::tests
