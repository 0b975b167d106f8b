#include "tools/clients/cpp/way_in.h"

#include "net/transport/tls_layer.h"
#include "net/transport/web_socket_client_layer.h"

namespace marchland::client {

std::vector<std::unique_ptr<net::Layer>> make_layers(const WayIn& way) {
    std::vector<std::unique_ptr<net::Layer>> layers;
    if (way.tls != nullptr) {
        layers.push_back(std::make_unique<net::TlsLayer>(way.tls, way.server_name));
    }
    if (way.is_web_socket) {
        layers.push_back(std::make_unique<net::WebSocketClientLayer>(way.server_name));
    }
    return layers;
}

}  // namespace marchland::client
