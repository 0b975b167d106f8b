#pragma once

#include "net/transport/handshake_turns.h"
#include "net/transport/layer.h"
#include "net/transport/socket_poll.h"
#include "net/transport/transport.h"

#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace marchland::net {

/// TCP with layers above it: TLS, WebSocket, or WebSocket within TLS.
///
/// A write takes all that it is given, wraps it once, and gives it to the kernel in one call; what
/// the kernel does not take stays here until it does, and nothing more is taken before. While a
/// handshake is under way writes say would_block.
///
/// Bounds   What waits to be sent: one write, its layers' overhead, and kAnswerBytesMax of answers
///          (handshakes, pongs); past them the connection ends: its peer asks and does not read.
///          What waits to be read: what one read of the socket carried.
/// Cost     A write copies what it sends once for each layer. Buffers are kept until trim() finds them empty
///          and large: in the steady state none is allocated here.
class LayeredTransport final : public Transport, private PolledSocket::User {
public:
    static constexpr std::size_t kAnswerBytesMax = std::size_t{32} * 1024;

    /// Layers from the socket up; the rest as of PolledSocket.
    LayeredTransport(SocketPoll& poll, boost::asio::ip::tcp::socket socket,
                     std::vector<std::unique_ptr<Layer>> layers,
                     const boost::asio::ip::tcp::endpoint& from);
    /// The first layer waits there for its turns, as one of this address. The turns outlive it.
    void take_turns(HandshakeTurns& turns, HandshakeTurns::Address address);

    void async_read(std::span<std::byte> space, std::shared_ptr<TransportUser> user) override;
    std::size_t write(const Buffers& buffers, boost::system::error_code& error) override;
    [[nodiscard]] bool is_drained() const override { return sent_bytes_ == down_.size(); }
    void async_wait_writable(std::shared_ptr<TransportUser> user) override;
    void shut_down() override;
    void close() override;
    void reset() override;
    [[nodiscard]] std::chrono::steady_clock::duration waited(
        std::chrono::steady_clock::time_point now) const override;
    [[nodiscard]] bool is_waiting_for_turn() const override { return waits_since_.has_value(); }
    [[nodiscard]] bool has_unread() const override { return socket_.has_unread(); }
    [[nodiscard]] std::string peer() const override { return socket_.peer(); }
    void trim(std::size_t bytes_kept) override;
    [[nodiscard]] std::size_t memory_bytes() const override;
    [[nodiscard]] std::string failure() const override;

private:
    void wait_readable(std::span<std::byte> space, std::shared_ptr<TransportUser> user);
    void on_readable() override;
    void on_writable() override;
    void wait_for_turn(std::span<std::byte> space, std::size_t wire_bytes,
                       std::shared_ptr<TransportUser> user);
    void on_turn(std::span<std::byte> space, std::size_t wire_bytes,
                 const std::shared_ptr<TransportUser>& user);
    void take_in(std::span<const std::byte> from_socket, std::span<std::byte> space,
                 std::size_t wire_bytes, const std::shared_ptr<TransportUser>& user);
    void take(std::span<const std::byte> from_socket);
    void deliver(std::span<std::byte> space, TransportUser& user, std::size_t wire_bytes);
    void tell_open(const boost::system::error_code& error);
    void drain(boost::system::error_code& error);
    void drain_later();
    void wrap(std::span<const std::byte> bytes, std::size_t layers_below);
    [[nodiscard]] Layer::State state() const;

    PolledSocket socket_;
    boost::asio::io_context& io_;
    const std::vector<std::unique_ptr<Layer>> layers_;

    Layer::Bytes up_;  ///< what the session has not read
    std::size_t read_bytes_ = 0;
    Layer::Bytes down_;  ///< what the kernel has not taken, behind what it has
    std::size_t sent_bytes_ = 0;
    std::size_t answer_bytes_ = 0;       ///< of these, what nobody wrote
    std::vector<Layer::Bytes> between_;  ///< above each layer but the last: scratch memory, up
    std::vector<Layer::Bytes> wrapped_;  ///< and down
    std::span<std::byte> space_;         ///< where reader_ wants it
    std::shared_ptr<TransportUser> reader_;
    std::shared_ptr<TransportUser> writer_;
    std::shared_ptr<TransportUser> waits_for_open_;
    bool is_draining_ = false;

    HandshakeTurns* turns_ = nullptr;
    HandshakeTurns::Address address_;
    std::optional<std::chrono::steady_clock::time_point> waits_since_;  ///< for a turn
    std::chrono::steady_clock::duration waited_{};                      ///< for those it had
};

}  // namespace marchland::net
