#include "net/transport/tcp_transport.h"

#include "net/transport/tcp_socket.h"

#include <utility>

namespace marchland::net {

namespace asio = boost::asio;
using boost::system::error_code;

void TcpTransport::async_read(std::span<std::byte> space, std::shared_ptr<TransportUser> user) {
    socket_.async_read_some(asio::buffer(space.data(), space.size()),
                            [user = std::move(user)](const error_code& error, std::size_t bytes) {
                                user->on_read(error, bytes, bytes);
                            });
}

/// Mostly one of the two is empty, and `send` of one costs the kernel less than `sendmsg` of a list.
std::size_t TcpTransport::write(const Buffers& buffers, error_code& error) {
    const auto& [first, second] = buffers;
    if (first.size() == 0 || second.size() == 0) {
        return socket_.write_some(first.size() == 0 ? second : first, error);
    }
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
    close_socket(socket_);
}

void TcpTransport::reset() {
    reset_socket(socket_);
}

bool TcpTransport::has_unread() const {
    return net::has_unread(socket_);
}

std::string TcpTransport::peer() const {
    return text_of(from_);
}

}  // namespace marchland::net
