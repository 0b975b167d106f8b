#include "net/transport/web_socket_stream.h"

namespace marchland::net {

Layer::State WebSocketStream::take(std::span<const std::byte> below, Layer::Bytes& up,
                                   Layer::Bytes& down) {
    Layer::Bytes unsent;  // RFC 6455, 5.5.1: after a Close nothing more is sent, no answer either
    switch (frames_.take(below, up, is_end_sent_ ? unsent : down)) {
        case WebSocketFrames::Result::more:
            return Layer::State::open;
        case WebSocketFrames::Result::closed:
            return Layer::State::ended;
        case WebSocketFrames::Result::failed:
            break;
    }
    return Layer::State::failed;
}

void WebSocketStream::wrap(std::span<const std::byte> message, Layer::Bytes& down) {
    if (!is_end_sent_) {
        append_binary(message, down, own_);
    }
}

void WebSocketStream::end(Layer::Bytes& down) {
    if (!is_end_sent_) {
        append_close(WebSocketClose::normal, down, own_);
        is_end_sent_ = true;
    }
}

}  // namespace marchland::net
