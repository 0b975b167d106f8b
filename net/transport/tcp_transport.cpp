#include "net/transport/tcp_transport.h"

#include <boost/asio/error.hpp>

#include <utility>

namespace marchland::net {

using boost::system::error_code;

void TcpTransport::async_read(std::span<std::byte> space, std::shared_ptr<TransportUser> user) {
    space_ = space;
    reader_ = std::move(user);
    socket_->await_readable();
}

void TcpTransport::on_readable() {
    error_code error;
    const std::size_t bytes = socket_->read(space_, error);
    if (error == boost::asio::error::would_block) {
        socket_->await_readable();
        return;
    }
    std::exchange(reader_, nullptr)->on_read(error, bytes, bytes);
}

bool TcpTransport::send(const Buffers& buffers, std::shared_ptr<TransportUser> user,
                        error_code& error) {
    sender_ = user.get();
    return socket_->send(buffers, std::move(user), error);
}

void TcpTransport::close() {
    socket_->close();
    reader_.reset();  // it holds this: whoever calls holds it, too
}

void TcpTransport::reset() {
    socket_->reset();
    close();
}

}  // namespace marchland::net
