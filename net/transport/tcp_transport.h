#pragma once

#include "net/transport/transport.h"

#include <memory>
#include <span>
#include <string>
#include <utility>

namespace marchland::net {

/// Plain TCP: the client's bytes are those of the socket, and what is sent goes there as it is.
class TcpTransport final : public Transport, private IoSocket::User {
public:
    /// See SocketIo::adopt.
    TcpTransport(SocketIo& sockets, boost::asio::ip::tcp::socket socket,
                 const boost::asio::ip::tcp::endpoint& from)
        : socket_(sockets.adopt(std::move(socket), from, *this)) {}

    void async_read(std::span<std::byte> space, std::shared_ptr<TransportUser> user) override;
    bool send(const Buffers& buffers, std::shared_ptr<TransportUser> user,
              boost::system::error_code& error) override;
    void shut_down() override { socket_->shut_down(); }
    void close() override;
    void reset() override;
    [[nodiscard]] bool has_unread() const override { return socket_->has_unread(); }
    [[nodiscard]] std::size_t memory_bytes() const override { return socket_->memory_bytes(); }
    [[nodiscard]] std::string peer() const override { return socket_->peer(); }

private:
    void on_readable() override;
    void on_sent(const boost::system::error_code& error) override { sender_->on_sent(error); }

    const std::unique_ptr<IoSocket> socket_;
    std::span<std::byte> space_;  ///< where reader_ wants it
    std::shared_ptr<TransportUser> reader_;
    TransportUser* sender_ = nullptr;  ///< of the last send; the socket holds it
};

}  // namespace marchland::net
