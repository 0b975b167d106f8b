#pragma once

#include "net/transport/socket_poll.h"
#include "net/transport/transport.h"

#include <memory>
#include <span>
#include <string>

namespace marchland::net {

/// Plain TCP: the client's bytes are those of the socket, and a write is one system call.
class TcpTransport final : public Transport, private PolledSocket::User {
public:
    /// See PolledSocket.
    TcpTransport(SocketPoll& poll, boost::asio::ip::tcp::socket socket,
                 const boost::asio::ip::tcp::endpoint& from)
        : socket_(poll, std::move(socket), from, *this) {}

    void async_read(std::span<std::byte> space, std::shared_ptr<TransportUser> user) override;
    std::size_t write(const Buffers& buffers, boost::system::error_code& error) override {
        return socket_.write(buffers, error);
    }
    [[nodiscard]] bool is_drained() const override { return true; }
    void async_wait_writable(std::shared_ptr<TransportUser> user) override;
    void shut_down() override { socket_.shut_down(); }
    void close() override;
    void reset() override;
    [[nodiscard]] bool has_unread() const override { return socket_.has_unread(); }
    [[nodiscard]] std::string peer() const override { return socket_.peer(); }

private:
    void on_readable() override;
    void on_writable() override;

    PolledSocket socket_;
    std::span<std::byte> space_;  ///< where reader_ wants it
    std::shared_ptr<TransportUser> reader_;
    std::shared_ptr<TransportUser> writer_;
};

}  // namespace marchland::net
