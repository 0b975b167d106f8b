#pragma once

#include "shards/lockstep.h"
#include "net/server.h"
#include "tests/net/test_client.h"

#include <atomic>
#include <chrono>
#include <initializer_list>
#include <thread>
#include <vector>

namespace marchland::tests {

/// True as soon as the condition holds; false after twenty seconds.
template <typename Condition>
bool eventually(Condition&& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > deadline) {
            return false;
        }
        std::this_thread::yield();
    }
    return true;
}

/// Options for tests: any free port, no client is too fast, and a heartbeat in every tick, so that
/// every client gets exactly one frame a tick. Sockets as MARCHLAND_TEST_IO says: "epoll", else
/// automatic.
net::ServerOptions patient_server();
shards::ZoneOptions small_zone();

/// A zone of two by two shards, or as many, 1 km wide and ticked by hand, and its server.
class RunningServer {
public:
    explicit RunningServer(const net::ServerOptions& server_options = patient_server(),
                           const shards::ZoneOptions& zone_options = small_zone(),
                           std::uint32_t shards_a_side = 2);
    ~RunningServer();

    /// How often an I/O thread met an exception that is nobody's.
    [[nodiscard]] std::size_t io_failures() const { return io_failures_.load(); }
    [[nodiscard]] std::uint16_t port() const { return server_.port(); }
    [[nodiscard]] net::ServerMetrics metrics() const { return server_.metrics(); }
    [[nodiscard]] net::Server& server() { return server_; }
    [[nodiscard]] shards::Zone& zone() { return zone_; }

    engine::Tick step() { return lockstep_.step(); }

    /// One tick that all that these clients sent is part of; each one's frame, in their order.
    std::vector<net::FrameMessage> tick(std::initializer_list<TestClient*> clients);

    /// Puts `count` motionless entities, each with the largest state, at one place.
    void crowd(engine::Position at, std::size_t count);

private:
    std::atomic<std::size_t> io_failures_{0};
    net::Server server_;
    shards::Zone zone_;
    shards::Lockstep lockstep_;
};

/// Of a running server's zone at one tick a second: nothing but the tick, and what the client's own
/// move is acknowledged with.
net::FrameMessage empty_frame(engine::Tick tick, std::uint32_t move_ack = 0);

/// The client is sent this error (after whatever else is on its way), and the stream ends in order.
void expect_error(TestClient& client, net::ErrorCode code);

}  // namespace marchland::tests
