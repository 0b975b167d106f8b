#include "net/transport/tcp_socket.h"

#include <spdlog/fmt/fmt.h>

namespace marchland::net {

namespace asio = boost::asio;
using boost::system::error_code;

void close_socket(asio::ip::tcp::socket& socket) {
    error_code ignored;
    socket.close(ignored);
}

void reset_socket(asio::ip::tcp::socket& socket) {
    error_code ignored;
    socket.set_option(asio::socket_base::linger(true, 0), ignored);
    socket.close(ignored);
}

std::string text_of(const asio::ip::tcp::endpoint& endpoint) {
    return fmt::format("{}:{}", endpoint.address().to_string(), endpoint.port());
}

}  // namespace marchland::net
