#include "tests/net/test_service.h"

#include <stdexcept>
#include <utility>

namespace marchland::tests {

net::ServiceWelcome TestService::join(const net::ServiceHello& hello) {
    send(hello);
    return client_.receive_one<net::ServiceWelcome>();
}

void TestService::take_one() {
    net::ServerMessage message = client_.receive().value();
    if (auto* const frame = std::get_if<net::FrameMessage>(&message)) {
        frames_.push_back(std::move(*frame));
    } else if (auto* const joined = std::get_if<net::PlayerJoined>(&message)) {
        notices_.emplace_back(std::move(*joined));
    } else if (const auto* const left = std::get_if<net::PlayerLeft>(&message)) {
        notices_.emplace_back(*left);
    } else if (const auto* const away = std::get_if<net::PlayerAway>(&message)) {
        notices_.emplace_back(*away);
    } else if (auto* const back = std::get_if<net::PlayerBack>(&message)) {
        notices_.emplace_back(std::move(*back));
    } else if (auto* const said = std::get_if<net::PlayerMessage>(&message)) {
        notices_.emplace_back(std::move(*said));
    } else if (auto* const asks = std::get_if<net::PlayerAsks>(&message)) {
        notices_.emplace_back(std::move(*asks));
    } else if (auto* const move = std::get_if<net::PlayerMove>(&message)) {
        notices_.emplace_back(std::move(*move));
    } else if (const auto* const lost = std::get_if<net::MessagesLost>(&message)) {
        notices_.emplace_back(*lost);
    } else if (auto* const positions = std::get_if<net::Positions>(&message)) {
        positions_.push_back(std::move(*positions));
    } else if (const auto* const refused = std::get_if<net::CommandRefused>(&message)) {
        refused_.push_back(*refused);
    } else if (auto* const spawned = std::get_if<net::Spawned>(&message)) {
        spawned_ = std::move(spawned->entities);
        ++answered_spawns_;
    } else if (const auto* const error = std::get_if<net::ErrorMessage>(&message)) {
        throw std::runtime_error("the service is sent away: " + error->text);
    } else {
        pongs_ = std::get<net::Pong>(message).nonce;
    }
}

void TestService::fence() {
    send(net::Ping{++pings_});
    while (pongs_ != pings_) {
        take_one();
    }
}

std::vector<net::FrameMessage> TestService::frames(std::size_t count) {
    while (frames_.size() < count) {
        take_one();
    }
    return std::exchange(frames_, {});
}

std::vector<net::Positions> TestService::positions(std::size_t count) {
    while (positions_.size() < count) {
        take_one();
    }
    return std::exchange(positions_, {});
}

std::vector<TestService::Notice> TestService::notices(std::size_t count) {
    while (notices_.size() < count) {
        take_one();
    }
    return std::exchange(notices_, {});
}

std::vector<net::CommandRefused> TestService::refused() {
    fence();
    return std::exchange(refused_, {});
}

engine::EntityId TestService::spawn(net::SpawnOne one) {
    const std::size_t answered = answered_spawns_;
    send(net::Spawn{{std::move(one)}});
    while (answered_spawns_ == answered) {
        take_one();
    }
    return spawned_.at(0).entity;
}

engine::EntityId TestService::spawn_at(engine::Position position) {
    net::SpawnOne one;
    one.position = position;
    return spawn(one);
}

engine::EntityId TestService::watch_area(engine::Position centre, const engine::View& view) {
    net::SpawnOne one;
    one.position = centre;
    one.layers = {engine::kNoLayers, engine::kDefaultLayer};
    one.view = view;
    one.watches = true;
    return spawn(one);
}

void cut(RunningServer& running, TestService& service) {
    const std::uint64_t before = running.metrics().services;
    service.client().kill();
    if (!eventually([&] { return running.metrics().services < before; })) {
        throw std::runtime_error("the server does not notice");
    }
}

net::ServiceHello hello_again(const net::ServiceWelcome& welcome) {
    net::ServiceHello hello;
    hello.resume_token = welcome.resume_token;
    return hello;
}

std::vector<net::FrameMessage> tick(RunningServer& running,
                                    std::initializer_list<TestService*> services,
                                    std::initializer_list<TestClient*> clients) {
    for (TestService* const service : services) {
        service->fence();
    }
    return running.tick(clients);
}

}  // namespace marchland::tests
