#pragma once

#include "net/transport/transport.h"

#include <boost/asio/ip/tcp.hpp>

namespace marchland::net {

/// Plain TCP: the client's bytes are those of the socket, and a write is one system call.
class TcpTransport final : public Transport {
public:
    /// The socket is connected and does not block. `from`: who is at the other end, for the log.
    TcpTransport(boost::asio::ip::tcp::socket socket, const boost::asio::ip::tcp::endpoint& from)
        : socket_(std::move(socket)), from_(from) {}

    void async_read(std::span<std::byte> space, std::shared_ptr<TransportUser> user) override;
    std::size_t write(const Buffers& buffers, boost::system::error_code& error) override;
    [[nodiscard]] bool is_drained() const override { return true; }
    void async_wait_writable(std::shared_ptr<TransportUser> user) override;
    void shut_down() override;
    void close() override;
    void reset() override;
    [[nodiscard]] bool has_unread() const override;
    [[nodiscard]] std::string peer() const override;

private:
    boost::asio::ip::tcp::socket socket_;
    const boost::asio::ip::tcp::endpoint from_;
};

}  // namespace marchland::net
