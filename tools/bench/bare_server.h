#pragma once

#include "tools/bench/frame_script.h"
#include "tools/bench/send_server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace marchland::bench {

/// What is left of a server when the game is taken out: one thread of Asio that throws away what its
/// clients send, and in each tick writes to each of them the bytes that a script has for it. It knows
/// nobody's limits, state or mind; nothing that sends the same bytes over TCP costs much less.
///
/// Life  The script may be rewritten between ticks, and outlives it.
class BareServer final : public SendServer {
public:
    explicit BareServer(const FrameScript& script);
    ~BareServer() override;

    [[nodiscard]] std::uint16_t port() const override { return port_; }
    void start_tick() override;
    [[nodiscard]] std::uint64_t writes_total() const override;
    [[nodiscard]] std::uint64_t bytes_in_total() const override;

    /// The next tick is the script's first.
    void rewind() { next_tick_ = 0; }
    /// Clients that were let in. Any thread.
    [[nodiscard]] std::size_t clients() const;

private:
    using Socket = boost::asio::ip::tcp::socket;
    /// What was read is thrown away; large enough for what a client sends in a tick.
    struct Client {
        Socket socket;
        std::array<std::byte, 2'048> space;
    };

    void accept();
    void read(Client& client);
    void send(std::size_t tick);

    const FrameScript& script_;
    boost::asio::io_context io_{1};
    boost::asio::ip::tcp::acceptor acceptor_;
    std::uint16_t port_ = 0;
    std::vector<std::unique_ptr<Client>> clients_;  ///< in the order of their coming
    std::size_t next_tick_ = 0;
    std::atomic<std::size_t> client_count_{0};
    std::atomic<std::uint64_t> writes_{0};
    std::atomic<std::uint64_t> bytes_in_{0};
    std::thread thread_;
};

}  // namespace marchland::bench
