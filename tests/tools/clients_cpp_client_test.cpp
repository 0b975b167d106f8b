#include "tools/clients/cpp/client.h"

#include "net/regular_file.h"
#include "net/transport/tls_layer.h"
#include "tools/clients/cpp/connection.h"
#include "tools/clients/cpp/service.h"
#include "tests/config/test_folder.h"
#include "tests/net/test_client.h"
#include "tests/tools/server_process.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace marchland::client {

// The example of docs/clients.md; a test below compares the two, and another runs it.
// [example]
/// Joins, walks east for `steps` ticks, tells whom it sees, and leaves. Why not, if it cannot.
std::optional<std::string> walk_east(const std::string& host, const std::string& port, int steps) {
    const auto addresses = resolve({host, port});
    if (const auto* problem = std::get_if<std::string>(&addresses)) {
        return *problem;
    }
    net::Hello hello;
    hello.kind = 1;
    auto joined = Client::join(std::get<std::vector<Address>>(addresses), hello);
    if (const auto* problem = std::get_if<Problem>(&joined)) {
        return problem->text;
    }
    auto& client = std::get<Client>(joined);
    const std::chrono::milliseconds tick(1000 / client.welcome().tick_rate_hz);
    for (int step = 0; step < steps; ++step) {
        engine::Position position = client.position();
        position.x += 250;
        client.move(position);
        if (const auto problem = client.serve(tick)) {
            return problem->text;
        }
    }
    for (const auto& [id, seen] : client.world().seen()) {
        std::printf("%llu, of kind %u, is at %d, %d\n",
                    static_cast<unsigned long long>(to_number(id)), unsigned{seen.kind},
                    seen.position.x, seen.position.y);
    }
    client.leave();
    return std::nullopt;
}
// [example]

namespace {

/// A server of the demo's zone, with an address to it.
class Clients : public testing::Test {
protected:
    Client join(engine::Position spawn, std::uint16_t kind = 0, Client::OnFrame on_frame = {},
                SessionOptions options = {}) {
        net::Hello hello;
        hello.spawn = spawn;
        hello.kind = kind;
        auto joined = Client::join(addresses(), hello, std::move(on_frame), std::move(options));
        if (const auto* problem = std::get_if<Problem>(&joined)) {
            throw std::runtime_error(problem->text);
        }
        return std::get<Client>(std::move(joined));
    }

    std::vector<Address> addresses() {
        return std::get<std::vector<Address>>(resolve({"127.0.0.1", port_}));
    }

    /// Serves until it is true; false when the session ended before.
    template <typename Condition>
    static bool serve_until(Client& client, Condition&& is_true) {
        while (!is_true()) {
            if (client.serve(std::chrono::seconds(1))) {
                return false;
            }
        }
        return true;
    }

    static const Seen* seen(const Client& client, const Client& other) {
        const auto found = client.world().seen().find(other.welcome().entity);
        return found == client.world().seen().end() ? nullptr : &found->second;
    }

    server::ServerProcess server_{
        {"--config", std::string(MARCHLAND_CONFIG_DIR) + "/demo.toml", "--port", "0"}};
    const std::string port_ = std::to_string(server_.wait_for_port());
};

}  // namespace

TEST_F(Clients, SeeEachOtherComeMoveAndGo) {
    Client a = join({1000, 0, 0}, 3);
    Client b = join({-1000, 0, 0}, 4);
    ASSERT_TRUE(serve_until(b, [&] { return seen(b, a) != nullptr; }));
    EXPECT_EQ(seen(b, a)->kind, 3);
    EXPECT_EQ(seen(b, a)->position, (engine::Position{1000, 0, 0}));
    a.move({2345, -6, 0});
    ASSERT_TRUE(serve_until(b, [&] {
        return seen(b, a)->position == engine::Position{2345, -6, 0};
    }));
    a.leave();
    ASSERT_TRUE(serve_until(b, [&] { return seen(b, a) == nullptr; }));
}

TEST_F(Clients, SeeWhoStepsWithFewMovesStopWhereItStops) {
    Client a = join({0, 0, 0});
    Client b = join({1000, 1000, 0});
    const auto bound_mm = static_cast<std::int32_t>(a.welcome().prediction_error_mm);
    ASSERT_GT(bound_mm, 0);
    const std::chrono::milliseconds tick(1000 / a.welcome().tick_rate_hz);
    int moves = 0;
    const auto step_to = [&](engine::Position at) {
        const auto deadline = std::chrono::steady_clock::now() + tick;
        moves += a.step(at) ? 1 : 0;
        while (std::chrono::steady_clock::now() < deadline) {
            ASSERT_FALSE(a.serve(std::chrono::milliseconds(5)));
            ASSERT_FALSE(b.serve(std::chrono::milliseconds(0)));
        }
    };
    engine::Position at{0, 0, 0};
    for (int i = 0; i < 60 && !HasFatalFailure(); ++i) {
        at.x += 200;
        step_to(at);
    }
    EXPECT_GT(moves, 2);
    EXPECT_LT(moves, 15) << "of 60";
    const auto has_stopped = [&] {
        const Seen* const shown = seen(b, a);
        return shown != nullptr && shown->velocity == engine::Step{} &&
               std::abs(shown->position.x - at.x) <= 2 * bound_mm && shown->position.y == 0;
    };
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    const auto stand_until = [&](const auto& is_so) {
        while (!is_so() && !HasFatalFailure() && std::chrono::steady_clock::now() < deadline) {
            step_to(at);
        }
        ASSERT_TRUE(is_so());
    };
    stand_until(has_stopped);
    const auto is_drawn_there = [&] {
        const auto place = b.drawing().place_of(a.welcome().entity);
        return place && place->x == seen(b, a)->position.x;
    };
    stand_until(is_drawn_there);
}

TEST(TalkingClient, SaysEachMessageOnceOverAResumeAndIsAnswered) {
    const config::TestFolder folder;
    server::ServerProcess server(
        {"--config", folder.write("zone.toml", "[limits]\nplayer_messages_per_second_max = 4\n"),
         "--port", "0"});
    const std::uint16_t port = server.wait_for_port();
    tests::TestClient service(port);
    service.send(net::ServiceHello{});
    service.send(net::Subscribe{{7}});
    service.receive_one<net::ServiceWelcome>();
    service.fence();

    std::vector<net::MessageDelivered> answers;
    const auto on_frame = [&](const net::FrameMessage& frame, const auto& /*world*/,
                              const auto& /*corrected*/) {
        answers.insert(answers.end(), frame.messages.begin(), frame.messages.end());
    };
    auto joined = Client::join(
        std::get<std::vector<Address>>(resolve({"127.0.0.1", std::to_string(port)})), {}, on_frame);
    auto& client = std::get<Client>(joined);
    const auto bytes = [](std::uint8_t value) { return std::vector<std::byte>{std::byte{value}}; };
    EXPECT_TRUE(client.say(7, bytes(1)));
    EXPECT_FALSE(client.say(7, std::vector<std::byte>(1'025)));
    EXPECT_TRUE(client.say(7, bytes(2)));
    client.cut();  // it cannot know which of them came
    EXPECT_TRUE(client.say(7, bytes(3)));
    EXPECT_TRUE(client.say(8, bytes(4)));
    ASSERT_FALSE(client.serve(std::chrono::seconds(10)));  // resumes
    std::vector<std::vector<std::byte>> said;
    while (said.size() < 3) {
        const net::ServerMessage message = service.receive().value();
        if (const auto* one = std::get_if<net::PlayerMessage>(&message)) {
            EXPECT_EQ(one->entity, client.welcome().entity);
            said.push_back(one->payload);
        }
    }
    EXPECT_EQ(said, (std::vector<std::vector<std::byte>>{bytes(1), bytes(2), bytes(3)}));
    service.send(net::SendMessages{{{{client.welcome().entity}, false, 9, bytes(5)}}});
    while (answers.empty()) {
        ASSERT_FALSE(client.serve(std::chrono::seconds(10)));
    }
    EXPECT_EQ(answers, (std::vector<net::MessageDelivered>{{9, bytes(5)}}));
    // Its pings have confirmed them by the time that there is room for as many again.
    std::size_t more = 0;
    while (more < 4) {
        more += client.say(8, bytes(6)) ? 1 : 0;
        ASSERT_FALSE(client.serve(std::chrono::milliseconds(300)));
    }
}

TEST(SilentClient, IsKeptByItsPings) {
    const config::TestFolder folder;
    server::ServerProcess server({"--config",
                                  folder.write("zone.toml", "[limits]\nidle_timeout_ms = 1000\n"),
                                  "--port", "0"});
    const auto addresses = std::get<std::vector<Address>>(
        resolve({"127.0.0.1", std::to_string(server.wait_for_port())}));
    const auto problem_until_tick = [&](std::chrono::milliseconds ping_after, engine::Tick end) {
        SessionOptions options;
        options.ping_after = ping_after;
        options.resume = false;
        auto joined = Client::join(addresses, {}, {}, options);
        auto& client = std::get<Client>(joined);
        const engine::Tick begin = client.welcome().tick;
        std::optional<Problem> problem;
        while (!problem && client.world().tick() < begin + end) {
            problem = client.serve(std::chrono::seconds(10));
        }
        return problem;
    };
    EXPECT_FALSE(problem_until_tick(std::chrono::milliseconds(100), 60));  // 3 s
    const auto problem = problem_until_tick(std::chrono::seconds(10), 1'000);
    ASSERT_TRUE(problem);
    EXPECT_EQ(problem->of, Problem::Of::server);
    EXPECT_EQ(problem->code, net::ErrorCode::idle_timeout) << problem->text;
}

TEST_F(Clients, StayWhereTheyWentWhenAKeyframeTellsAnEarlierPlace) {
    int keyframes = 0;
    Client a = join({1000, 0, 0}, 0,
                    [&](const net::FrameMessage& frame, const auto& /*world*/,
                        const auto& /*corrected*/) { keyframes += frame.is_keyframe ? 1 : 0; });
    Client b = join({-1000, 0, 0});
    ASSERT_TRUE(a.send(net::KeyframeRequest{}));
    a.move({2000, 0, 0});
    ASSERT_TRUE(serve_until(b, [&] {
        return seen(b, a) && seen(b, a)->position == engine::Position{2000, 0, 0};
    })) << "by then the keyframe is made";
    a.move({3000, 0, 0});
    ASSERT_TRUE(serve_until(a, [&] { return keyframes == 1; }));
    EXPECT_EQ(a.position(), (engine::Position{3000, 0, 0}));
}

TEST_F(Clients, GoOnAsTheSameEntityAfterTheirConnectionIsLost) {
    SessionOptions options;
    options.retry = std::chrono::milliseconds(1);
    Client a = join({1000, 0, 0}, 0, {}, options);
    Client b = join({-1000, 0, 0});
    ASSERT_TRUE(serve_until(a, [&] { return seen(a, b) != nullptr; }));
    for (int round = 1; round <= 5; ++round) {
        const engine::EntityId entity = a.welcome().entity;
        const engine::Tick tick = a.world().tick();
        a.cut();
        ASSERT_TRUE(serve_until(a, [&] { return a.fd() >= 0; }));
        EXPECT_EQ(a.welcome().entity, entity);
        EXPECT_TRUE(a.welcome().resumed);
        ASSERT_TRUE(serve_until(a, [&] { return a.world().tick() > tick; }));
        // Further than the zone's prediction error.
        const engine::Position to_a{1000 + 100 * round, 0, 0};
        const engine::Position to_b{-1000 - 100 * round, 0, 0};
        a.move(to_a);
        b.move(to_b);
        ASSERT_TRUE(serve_until(b, [&] { return seen(b, a) && seen(b, a)->position == to_a; }));
        ASSERT_TRUE(serve_until(a, [&] { return seen(a, b) && seen(a, b)->position == to_b; }));
    }
    EXPECT_EQ(a.world().seen().size(), 1U);
}

namespace {

/// A zone that stops while a client is in it, and may be started again on the same port.
class StoppedZone : public testing::Test {
protected:
    void start(const std::string& settings) {
        server_ = std::make_unique<server::ServerProcess>(
            std::vector<std::string>{"--config", folder_.write("zone.toml", settings).string(),
                                     "--port", std::to_string(port_)});
        port_ = server_->wait_for_port();
    }
    Client join(SessionOptions options) {
        options.on_lost = [this](const Problem& why) { lost_by_ = why.code; };
        const auto addresses = resolve({"127.0.0.1", std::to_string(port_)});
        return std::get<Client>(
            Client::join(std::get<std::vector<Address>>(addresses), {}, {}, options));
    }
    Client join_spread_over(std::chrono::milliseconds time) {
        SessionOptions options;
        options.restart_spread = time;
        return join(options);
    }
    void stop_under(Client& client) {
        lost_by_.reset();
        server_->send_signal(SIGTERM);
        ASSERT_EQ(server_->wait(), 0) << server_->log();
        while (!lost_by_) {
            ASSERT_FALSE(client.serve(std::chrono::seconds(1)));
        }
        EXPECT_EQ(lost_by_, net::ErrorCode::stopping);
    }

    const config::TestFolder folder_;
    std::unique_ptr<server::ServerProcess> server_;
    std::uint16_t port_ = 0;
    std::optional<net::ErrorCode> lost_by_;
};

}  // namespace

TEST_F(StoppedZone, IsWaitedForLongerThanALostConnectionIsWhereItKeepsItsState) {
    const std::string settings = "[state]\nenabled = true\n[limits]\nresume_grace_ms = 1\n";
    start(settings);
    Client client = join_spread_over(std::chrono::milliseconds(0));
    const engine::EntityId entity = client.welcome().entity;
    stop_under(client);
    for (int refused = 0; refused < 2; ++refused) {
        ASSERT_FALSE(client.serve(std::chrono::seconds(10)));
    }
    start(settings);
    while (client.fd() < 0) {
        ASSERT_FALSE(client.serve(std::chrono::seconds(10)));
    }
    EXPECT_TRUE(client.welcome().resumed);
    EXPECT_EQ(client.welcome().entity, entity);
}

TEST_F(StoppedZone, IsNotTriedByAllInOneMomentWhenItStarts) {
    const std::string settings = "[state]\nenabled = true\n";
    start(settings);
    Client client = join_spread_over(std::chrono::hours(24));
    client.cut();
    EXPECT_FALSE(client.serve(std::chrono::seconds(10)));
    EXPECT_GE(client.fd(), 0) << "a lost connection is resumed at once";
    stop_under(client);
    start(settings);
    EXPECT_FALSE(client.serve(std::chrono::milliseconds(300)));
    EXPECT_EQ(client.fd(), -1);
}

TEST_F(StoppedZone, IsWaitedForNoLongerThanTheGraceHoweverLongTheNextWaitWouldBe) {
    start("[limits]\nresume_grace_ms = 1000\n");
    SessionOptions options;
    options.retry = std::chrono::hours(1);
    Client client = join(options);
    stop_under(client);
    EXPECT_FALSE(client.serve(std::chrono::seconds(10))) << "the first attempt";
    const auto problem = client.serve(std::chrono::seconds(10));
    ASSERT_TRUE(problem) << "the last one";
    EXPECT_EQ(problem->of, Problem::Of::network);
}

TEST_F(Clients, SeeWhatAServiceOwnsAlsoAfterItsLineWasCut) {
    std::vector<engine::EntityId> came;
    auto joined =
        Service::join(addresses(), "wolves",
                      [&](const net::ServerMessage& message, Service::Ref /*watcher*/,
                          const SeenWorld* /*world*/) {
                          if (const auto* player = std::get_if<net::PlayerJoined>(&message)) {
                              came.push_back(player->entity);
                          }
                      });
    auto& service = std::get<Service>(joined);
    Client client = join({0, 0, 0});
    net::SpawnOne wolf;
    wolf.kind = 7;
    wolf.position = {1000, 0, 0};
    const Service::Ref ref = service.spawn(wolf);
    const auto serve_service_until = [&](auto&& is_true) {
        while (!is_true()) {
            ASSERT_FALSE(service.serve(std::chrono::seconds(1)));
        }
    };
    serve_service_until([&] { return service.entity_of(ref).has_value() && came.size() == 1; });
    const engine::EntityId entity = *service.entity_of(ref);
    const auto is_at = [&](engine::Position position) {
        const auto found = client.world().seen().find(entity);
        return found != client.world().seen().end() && found->second.position == position;
    };
    ASSERT_TRUE(serve_until(client, [&] { return is_at({1000, 0, 0}); }));

    service.cut();
    service.move(ref, {2000, 5, 0});
    serve_service_until([&] { return service.fd() >= 0; });
    ASSERT_TRUE(serve_until(client, [&] { return is_at({2000, 5, 0}); }));
    EXPECT_EQ(service.entity_of(ref), entity);
    EXPECT_EQ(service.players().size(), 1U);
    EXPECT_EQ(came.size(), 1U);

    service.despawn(ref);
    ASSERT_FALSE(service.serve(std::chrono::milliseconds(0)));
    ASSERT_TRUE(serve_until(client, [&] { return client.world().seen().empty(); }));
    EXPECT_EQ(service.entity_of(ref), std::nullopt);
    service.leave();
}

TEST_F(Clients, KnowTheServersTime) {
    Client client = join({0, 0, 0});
    ASSERT_TRUE(serve_until(client, [&] { return client.world().tick() > 0; }));
    const auto before = client.drawing().server_time();
    EXPECT_GT(before.count(), 0);
    const auto tick = client.world().tick();
    ASSERT_TRUE(
        serve_until(client, [&] { return client.world().tick() > tick; }));  // a second at most
    EXPECT_GT(client.drawing().server_time(), before);
    EXPECT_LT(client.drawing().server_time(), before + std::chrono::seconds(60));
}

TEST_F(Clients, LearnWhyTheyAreNotLetIn) {
    net::Hello hello;
    hello.protocol_major = 9;
    const auto joined = Client::join(addresses(), hello);
    ASSERT_TRUE(std::holds_alternative<Problem>(joined));
    EXPECT_EQ(std::get<Problem>(joined).code, net::ErrorCode::unsupported_version)
        << std::get<Problem>(joined).text;
}

TEST_F(Clients, LearnThatTlsNeedsTheServersName) {
    SessionOptions options;
    WayIn& way = options.way;
    way.tls = std::get<0>(net::make_client_tls({"", true}));
    for (const std::string& name : {std::string(), std::string(256, 'a'), std::string("a\0b", 3)}) {
        way.server_name = name;
        EXPECT_EQ(std::get<std::error_code>(Connection::start(addresses()[0], way)),
                  std::errc::invalid_argument);
        const auto joined = Client::join(addresses(), net::Hello{}, {}, options);
        EXPECT_EQ(std::get<Problem>(joined).text, "cannot connect: Invalid argument");
    }
}

TEST_F(Clients, RunTheExampleOfTheirDocument) {
    EXPECT_EQ(walk_east("127.0.0.1", port_, 5), std::nullopt);
}

TEST(ClientsDocument, HasTheExampleThatIsTestedHere) {
    const auto text_of = [](const std::string& path) {
        return std::get<std::string>(net::read_regular_file(path, 1'000'000));
    };
    const std::string root = std::string(MARCHLAND_CONFIG_DIR) + "/../";
    const std::string source = text_of(root + "tests/tools/clients_cpp_client_test.cpp");
    const std::string mark = "// [example]\n";
    const std::size_t begin = source.find(mark) + mark.size();
    const std::string example = source.substr(begin, source.find(mark, begin) - begin);
    EXPECT_NE(text_of(root + "docs/clients.md").find(example), std::string::npos);
}

}  // namespace marchland::client
