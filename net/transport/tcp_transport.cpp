#include "net/transport/tcp_transport.h"

#include <spdlog/fmt/fmt.h>

#include <utility>

namespace marchland::net {

namespace asio = boost::asio;
using boost::system::error_code;

void TcpTransport::async_read(std::span<std::byte> space, std::shared_ptr<TransportUser> user) {
    socket_.async_read_some(asio::buffer(space.data(), space.size()),
                            [user = std::move(user)](const error_code& error, std::size_t bytes) {
                                user->on_read(error, bytes);
                            });
}

std::size_t TcpTransport::write(const Buffers& buffers, error_code& error) {
    return socket_.write_some(buffers, error);
}

void TcpTransport::async_wait_writable(std::shared_ptr<TransportUser> user) {
    socket_.async_wait(
        asio::ip::tcp::socket::wait_write,
        [user = std::move(user)](const error_code& error) { user->on_writable(error); });
}

void TcpTransport::shut_down() {
    error_code ignored;  // not connected any more: the read says so
    socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
}

void TcpTransport::close() {
    error_code ignored;
    socket_.close(ignored);
}

void TcpTransport::reset() {
    error_code ignored;
    socket_.set_option(asio::socket_base::linger(true, 0), ignored);
    close();
}

std::string TcpTransport::peer() const {
    error_code error;
    const auto endpoint = socket_.remote_endpoint(error);
    return error ? "client" : fmt::format("{}:{}", endpoint.address().to_string(), endpoint.port());
}

}  // namespace marchland::net
