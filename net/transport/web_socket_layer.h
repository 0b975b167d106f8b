#pragma once

#include "net/transport/layer.h"
#include "net/transport/web_socket_frames.h"
#include "net/transport/web_socket_upgrade.h"

#include <optional>
#include <string>
#include <string_view>

namespace marchland::net {

/// One end of a WebSocket: an HTTP request that is upgraded, then binary messages out, what they
/// carry in, and a Close that ends both.
///
/// In, what binary messages carry is the other end's stream, wherever one message ends and the next
/// begins: fragments may be of any size.
///
/// Bounds   The other end's request, or answer, has at most kUpgradeBytesMax.
/// Source   RFC 6455.
class WebSocketLayer : public Layer {
public:
    void take(std::span<const std::byte> below, Bytes& up, Bytes& down) override;
    /// What is wrapped at once is one message.
    void wrap(std::span<const std::byte> bytes, Bytes& down) override;
    void end(Bytes& down) override;
    [[nodiscard]] State state() const override { return state_; }

protected:
    explicit WebSocketLayer(WebSocketEnd own);

private:
    /// Is the connection upgraded with the other end's HTTP header? Nothing: it is longer than
    /// kUpgradeBytesMax.
    [[nodiscard]] virtual bool accept(std::optional<std::string_view> header, Bytes& down) = 0;
    /// How many of the bytes belong to the header.
    std::size_t take_header(std::span<const std::byte> below, Bytes& down);

    const WebSocketEnd own_;
    WebSocketFrames frames_;
    std::string header_;  ///< while opening
    State state_ = State::opening;
    bool is_end_sent_ = false;
};

/// The server's. Each message of the protocol, its length prefix included, is a binary message of
/// one frame.
class WebSocketServerLayer final : public WebSocketLayer {
public:
    /// `rule` outlives the layer.
    explicit WebSocketServerLayer(const OriginRule& rule)
        : WebSocketLayer(WebSocketEnd::server), rule_(rule) {}

    void wrap(std::span<const std::byte> bytes, Bytes& down) override;
    [[nodiscard]] std::string failure() const override { return failure_; }

private:
    [[nodiscard]] bool accept(std::optional<std::string_view> header, Bytes& down) override;

    const OriginRule& rule_;
    std::string failure_;
};

/// The client's. It begins, and asks for the upgrade: its first take() is of nothing.
class WebSocketClientLayer final : public WebSocketLayer {
public:
    explicit WebSocketClientLayer(const std::string& host);

    void take(std::span<const std::byte> below, Bytes& up, Bytes& down) override;

private:
    [[nodiscard]] bool accept(std::optional<std::string_view> header, Bytes& down) override;

    std::string key_;
    std::string request_;  ///< until it is sent
};

}  // namespace marchland::net
