#include "net/entrance.h"

#include "net/transport/layered_transport.h"
#include "net/transport/tcp_transport.h"
#include "net/transport/tls_context.h"
#include "net/transport/tls_layer.h"
#include "net/transport/web_socket_layer.h"

#include <utility>

namespace marchland::net {

std::unique_ptr<Transport> make_transport(const Entrance& entrance,
                                          boost::asio::ip::tcp::socket socket,
                                          const boost::asio::ip::tcp::endpoint& from,
                                          SocketIo& sockets, HandshakeTurns& turns,
                                          HandshakeTurns::Address address) {
    std::vector<std::unique_ptr<Layer>> layers;
    if (entrance.tls != nullptr) {
        auto layer = std::make_unique<TlsLayer>(entrance.tls->current());
        layer->take_turns();
        layers.push_back(std::move(layer));
    }
    if (entrance.origins != nullptr) {
        layers.push_back(std::make_unique<WebSocketLayer>(*entrance.origins));
    }
    if (layers.empty()) {
        return std::make_unique<TcpTransport>(sockets, std::move(socket), from);
    }
    auto transport =
        std::make_unique<LayeredTransport>(sockets, std::move(socket), std::move(layers), from);
    transport->take_turns(turns, address);
    return transport;
}

}  // namespace marchland::net
