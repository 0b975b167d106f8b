#pragma once

#include "net/transport/layer.h"
#include "net/transport/web_socket_stream.h"
#include "net/transport/web_socket_upgrade.h"

#include <string>

namespace marchland::net {

/// The server's end of a WebSocket: an HTTP request that is upgraded, then binary messages.
///
/// Out, each message of the protocol, its length prefix included, is a binary message of one frame.
/// In, what binary messages carry is the client's stream, wherever one message ends and the next
/// begins: fragments may be of any size.
///
/// Source  RFC 6455.
class WebSocketLayer final : public Layer {
public:
    /// `rule` outlives the layer.
    explicit WebSocketLayer(const OriginRule& rule) : rule_(rule) {}

    void take(std::span<const std::byte> below, Bytes& up, Bytes& down) override;
    void wrap(std::span<const std::byte> bytes, Bytes& down) override;
    void end(Bytes& down) override;
    [[nodiscard]] State state() const override { return state_; }
    [[nodiscard]] std::string failure() const override { return failure_; }

private:
    /// How many of the bytes belong to the request.
    std::size_t take_request(std::span<const std::byte> below, Bytes& down);

    const OriginRule& rule_;
    std::string request_;  ///< while opening
    WebSocketStream stream_{WebSocketEnd::server};
    State state_ = State::opening;
    std::string failure_;
};

}  // namespace marchland::net
