#pragma once

#include "net/transport/handshake_turns.h"
#include "net/transport/layer.h"
#include "net/transport/socket_io.h"

#include <boost/asio/ip/tcp.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace marchland::net {

/// TCP with layers above it: TLS, WebSocket, or WebSocket within TLS.
///
/// What is sent is wrapped once, and goes to the kernel in one piece with what the layers answered
/// by then. While a handshake is under way a send waits for its end.
///
/// Bounds   What waits to be sent: one send, its layers' overhead, and kAnswerBytesMax of answers
///          (handshakes, pongs); past them the connection ends: its peer asks and does not read.
///          What waits to be read: what one read of the socket carried.
/// Cost     A send copies its bytes once for each layer. Buffers are kept until trim() finds them
///          empty and large: in the steady state none is allocated here.
class LayeredTransport final : public Transport, private Transport::User {
public:
    static constexpr std::size_t kAnswerBytesMax = std::size_t{32} * 1024;

    /// Layers from the socket up; the rest as of SocketIo::adopt.
    LayeredTransport(SocketIo& sockets, boost::asio::ip::tcp::socket socket,
                     std::vector<std::unique_ptr<Layer>> layers,
                     const boost::asio::ip::tcp::endpoint& from);
    /// The first layer waits there for its turns, as one of this address. The turns outlive it.
    void take_turns(HandshakeTurns& turns, HandshakeTurns::Address address);

    void await_readable() override;
    Read read(std::span<std::byte> space, boost::system::error_code& error) override;
    bool send(const Buffers& buffers, std::shared_ptr<const void> holder,
              boost::system::error_code& error) override;
    void shut_down() override;
    void close() override;
    void reset() override;
    [[nodiscard]] std::chrono::steady_clock::duration waited(
        std::chrono::steady_clock::time_point now) const override;
    [[nodiscard]] bool is_waiting_for_turn() const override { return waits_since_.has_value(); }
    [[nodiscard]] bool has_unread() const override { return socket_->has_unread(); }
    [[nodiscard]] std::string peer() const override { return socket_->peer(); }
    void trim(std::size_t bytes_kept) override;
    [[nodiscard]] std::size_t memory_bytes() const override;
    [[nodiscard]] std::string failure() const override;

private:
    void on_readable() override;
    void on_sent(const boost::system::error_code& error) override;
    void wait_for_turn();
    void on_turn();
    void take_in(std::span<const std::byte> from_socket);
    void take(std::span<const std::byte> from_socket);
    void send_waiting();
    void wrap(const Buffers& buffers);
    void drain(boost::system::error_code& error);
    void end_sending();
    [[nodiscard]] bool is_drained() const { return sending_.empty() && down_.empty(); }
    void wrap(std::span<const std::byte> bytes, std::size_t layers_below);
    [[nodiscard]] Layer::State state() const;

    const std::unique_ptr<IoSocket> socket_;
    boost::asio::io_context& io_;
    const std::vector<std::unique_ptr<Layer>> layers_;

    Layer::Bytes up_;  ///< what the user has not read
    std::size_t read_bytes_ = 0;
    std::size_t wire_bytes_ = 0;     ///< that came since the user's last read
    boost::system::error_code end_;  ///< of the socket, or met here: nothing more is read
    Layer::Bytes down_;              ///< what is to be sent next
    Layer::Bytes sending_;           ///< what the socket was given
    std::size_t answer_bytes_ = 0;   ///< in down_, what nobody sent
    std::size_t sending_answer_bytes_ = 0;
    bool is_ending_ = false;              ///< once all is sent nothing more follows
    std::vector<Layer::Bytes> between_;   ///< above each layer but the last: scratch memory, up
    std::vector<Layer::Bytes> wrapped_;   ///< and down
    Buffers unwrapped_;                   ///< a send that waits for the handshake's end
    std::shared_ptr<const void> holder_;  ///< while a send is under way
    bool is_in_down_ = false;             ///< what that sends
    bool is_in_sending_ = false;          ///< likewise

    HandshakeTurns* turns_ = nullptr;
    HandshakeTurns::Address address_;
    std::optional<std::chrono::steady_clock::time_point> waits_since_;  ///< for a turn
    std::chrono::steady_clock::duration waited_{};                      ///< for those it had
};

}  // namespace marchland::net
