#pragma once

#include "net/transport/layer.h"
#include "net/transport/web_socket_stream.h"

#include <string>

namespace marchland::net {

/// The client's end of a WebSocket: it asks for the upgrade, then sends and takes binary messages. The
/// server's is WebSocketLayer. A client begins: its first take() is of nothing.
///
/// Bounds   The server's answer has at most kUpgradeBytesMax.
/// Source   RFC 6455.
class WebSocketClientLayer final : public Layer {
public:
    explicit WebSocketClientLayer(const std::string& host);

    void take(std::span<const std::byte> below, Bytes& up, Bytes& down) override;
    /// What is wrapped at once is one message.
    void wrap(std::span<const std::byte> bytes, Bytes& down) override;
    void end(Bytes& down) override;
    [[nodiscard]] State state() const override { return state_; }

private:
    /// How many of the bytes belong to the answer.
    std::size_t take_answer(std::span<const std::byte> below);
    [[nodiscard]] bool is_upgraded() const;

    std::string request_;  ///< until it is sent
    std::string key_;
    std::string answer_;  ///< while opening
    WebSocketStream stream_{WebSocketEnd::client};
    State state_ = State::opening;
};

}  // namespace marchland::net
