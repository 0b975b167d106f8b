#pragma once

#include "net/transport/layer.h"
#include "net/transport/web_socket_frames.h"

#include <span>

namespace marchland::net {

/// A WebSocket after its handshake, at either end of it: binary messages out, what they carry in, and a
/// Close that ends both.
///
/// Source  RFC 6455, 5.
class WebSocketStream {
public:
    explicit WebSocketStream(WebSocketEnd own)
        : own_(own),
          frames_(own == WebSocketEnd::client ? WebSocketEnd::server : WebSocketEnd::client) {}

    /// As Layer::take. Returns the state that follows: open, ended or failed, of which the last two are for good.
    [[nodiscard]] Layer::State take(std::span<const std::byte> below, Layer::Bytes& up,
                                    Layer::Bytes& down);
    /// One message; none after end().
    void wrap(std::span<const std::byte> message, Layer::Bytes& down);
    /// A Close, the first time.
    void end(Layer::Bytes& down);

private:
    const WebSocketEnd own_;
    WebSocketFrames frames_;
    bool is_end_sent_ = false;
};

}  // namespace marchland::net
