#pragma once

#include "net/transport/transport.h"

#include <boost/asio/ip/tcp.hpp>

namespace marchland::net {

/// Plain TCP: the client's bytes are those of the socket, and a write is one system call.
class TcpTransport final : public Transport {
public:
    /// The socket is connected and does not block.
    explicit TcpTransport(boost::asio::ip::tcp::socket socket) : socket_(std::move(socket)) {}

    void async_read(std::span<std::byte> space, std::shared_ptr<TransportUser> user) override;
    std::size_t write(const Buffers& buffers, boost::system::error_code& error) override;
    [[nodiscard]] bool is_drained() const override { return true; }
    void async_wait_writable(std::shared_ptr<TransportUser> user) override;
    void shut_down() override;
    void close() override;
    void reset() override;
    [[nodiscard]] std::string peer() const override;

private:
    boost::asio::ip::tcp::socket socket_;
};

}  // namespace marchland::net
