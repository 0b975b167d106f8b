#include "net/transport/tcp_socket.h"

#include <spdlog/fmt/fmt.h>

#include <cerrno>
#include <sys/socket.h>

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

bool has_unread(const asio::ip::tcp::socket& socket) {
    error_code error;
    return socket.available(error) > 0;
}

bool has_ended(asio::ip::tcp::socket& socket) {
    char byte = 0;
    const ssize_t bytes =
        recv(socket.native_handle(), &byte, sizeof(byte), MSG_PEEK | MSG_DONTWAIT);
    return bytes == 0 || (bytes < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

std::string text_of(const asio::ip::tcp::endpoint& endpoint) {
    return fmt::format("{}:{}", endpoint.address().to_string(), endpoint.port());
}

}  // namespace marchland::net
