#include "tools/clients/cpp/way_in.h"

#include "net/transport/tls_layer.h"
#include "net/transport/web_socket_layer.h"

namespace marchland::client {

std::variant<std::shared_ptr<ssl_ctx_st>, std::string> tls_trusting(const std::string& ca_file) {
    return net::make_client_tls({ca_file, false});
}

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
