#pragma once

#include "tests/net/running_server.h"
#include "tests/net/test_client.h"

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace marchland::tests {

/// A service of flesh: a TestClient that keeps what it is sent, by kind.
class TestService {
public:
    /// `receive_buffer_bytes`: as TestClient's.
    explicit TestService(std::uint16_t port, int receive_buffer_bytes = 0)
        : client_(port, receive_buffer_bytes) {}

    net::ServiceWelcome join(const net::ServiceHello& hello = {});
    [[nodiscard]] TestClient& client() { return client_; }
    bool send(const net::ClientMessage& message) { return client_.send(message); }

    /// Returns when the server has handled all that was sent here.
    void fence();
    /// Returns when so many frames came since they were taken last.
    std::vector<net::FrameMessage> frames(std::size_t count);
    /// Returns when so many notices came since they were taken last.
    using Notice =
        std::variant<net::PlayerJoined, net::PlayerLeft, net::PlayerAway, net::PlayerBack,
                     net::PlayerMessage, net::MessagesLost, net::PlayerAsks, net::PlayerMove>;
    std::vector<Notice> notices(std::size_t count);
    /// Returns when so many parts of ticks came since they were taken last.
    std::vector<net::Positions> positions(std::size_t count);
    /// What was refused since this was asked last, up to now.
    std::vector<net::CommandRefused> refused();
    /// Of the newest Spawn that was answered.
    [[nodiscard]] const std::vector<net::SpawnedOne>& spawned() const { return spawned_; }

    /// Throws when it is refused.
    engine::EntityId spawn(net::SpawnOne one);
    engine::EntityId spawn_at(engine::Position position);
    /// An entity that nobody sees and that looks around.
    engine::EntityId watch_area(engine::Position centre, const engine::View& view);

private:
    void take_one();

    TestClient client_;
    std::uint64_t pings_ = 0;
    std::uint64_t pongs_ = 0;
    std::vector<net::FrameMessage> frames_;
    std::vector<Notice> notices_;
    std::vector<net::Positions> positions_;
    std::vector<net::CommandRefused> refused_;
    std::vector<net::SpawnedOne> spawned_;
    std::size_t answered_spawns_ = 0;
};

/// Returns when the server has noticed that the service's line is dead.
void cut(RunningServer& running, TestService& service);
net::ServiceHello hello_again(const net::ServiceWelcome& welcome);

/// One tick that all these sent is part of; the frame of each client, in their order. The services'
/// watchers have theirs, too: see TestService::frames.
std::vector<net::FrameMessage> tick(RunningServer& running,
                                    std::initializer_list<TestService*> services,
                                    std::initializer_list<TestClient*> clients);

}  // namespace marchland::tests
