#include "net/transport/tcp_transport.h"

#include <boost/asio/error.hpp>

#include <utility>

namespace marchland::net {

using boost::system::error_code;

void TcpTransport::async_read(std::span<std::byte> space, std::shared_ptr<TransportUser> user) {
    socket_.await_readable();
    space_ = space;
    reader_ = std::move(user);
}

void TcpTransport::on_readable() {
    error_code error;
    const std::size_t bytes = socket_.read(space_, error);
    if (error == boost::asio::error::would_block) {
        socket_.await_readable();
        return;
    }
    std::exchange(reader_, nullptr)->on_read(error, bytes, bytes);
}

void TcpTransport::async_wait_writable(std::shared_ptr<TransportUser> user) {
    socket_.await_writable();
    writer_ = std::move(user);
}

void TcpTransport::on_writable() {
    std::exchange(writer_, nullptr)->on_writable({});
}

void TcpTransport::close() {
    socket_.close();
    // They hold this: whoever calls holds them.
    reader_.reset();
    writer_.reset();
}

void TcpTransport::reset() {
    socket_.reset();
    close();
}

}  // namespace marchland::net
