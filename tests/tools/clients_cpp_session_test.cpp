#include "net/encode_client.h"
#include "tools/clients/cpp/client.h"
#include "tools/clients/cpp/service.h"
#include "tests/net/test_client.h"
#include "tests/tools/played_server.h"
#include "tests/tools/server_process.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <pthread.h>
#include <string>
#include <thread>
#include <vector>

namespace marchland::client {
namespace {

constexpr std::size_t kTooMuchAtOnce = std::size_t{8} << 20U;  ///< for a kernel

Client join(PlayedServer& server, const SessionOptions& options = {},
            const Client::OnFrame& on_frame = {},
            const net::Welcome& welcome = resumable_welcome(1)) {
    auto joined =
        meanwhile([&] { return Client::join(server.addresses(), {}, on_frame, options); });
    let_in(server, welcome);
    return std::get<Client>(joined.get());
}

}  // namespace

TEST(Session, PingsWhenItReceivesNothingHoweverMuchItSends) {
    PlayedServer server;
    SessionOptions options;
    options.ping_after = 100ms;
    options.silence_max = 3s;
    options.resume = false;
    Client client = join(server, options);
    const auto pinged = meanwhile([&] { return server.receive_next<net::Ping>().has_value(); });
    const auto problem = serve_until(client, [&] {
        client.move({});
        return is_done(pinged);
    });
    EXPECT_FALSE(problem) << problem->text;
}

TEST(Session, BeginsAWorldWhereAPlayerIsSentAlsoWhenThatZoneResumesIt) {
    PlayedServer first;
    PlayedServer second;
    Client client = join(first);
    first.say_frame(1'000, {}, {2, 3});
    first.say(net::Transfer{"127.0.0.1:" + second.port()});
    first.close();
    auto problem =
        meanwhile([&] { return serve_until(client, [&] { return client.welcome().resumed; }); });
    net::Welcome welcome = resumable_welcome(7);
    welcome.resumed = true;
    welcome.tick = 5;
    EXPECT_TRUE(let_in(second, welcome).resume_token.empty());
    ASSERT_FALSE(problem.get());
    EXPECT_EQ(client.world().self(), engine::EntityId{7});
    EXPECT_TRUE(client.world().seen().empty());
    second.say_frame(6, {}, {2});
    EXPECT_FALSE(serve_until(client, [&] { return client.world().tick() == 6; }));
}

TEST(Session, KeepsItsWorldOverAResumeWhereTheZoneHasItsQuantumAndSlotsStill) {
    PlayedServer server;
    SessionOptions options;
    options.retry = 1ms;
    bool is_back = false;
    options.on_resumed = [&] { is_back = true; };
    net::Welcome welcome = resumable_welcome(1);
    Client client = join(server, options, {}, welcome);
    welcome.resumed = true;
    client.move({40, 0, 0});
    /// Of the world after a resume; before it, `known`.
    const auto tick_when_back = [&](engine::Tick known) {
        server.say_frame(known, {}, {}, true);
        EXPECT_FALSE(serve_until(client, [&] { return client.world().tick() == known; }));
        server.close();
        is_back = false;
        auto problem = meanwhile([&] { return serve_until(client, [&] { return is_back; }); });
        let_in(server, welcome);
        EXPECT_FALSE(problem.get());
        return client.world().tick();
    };
    EXPECT_EQ(tick_when_back(2), 2U);
    welcome.quantum_mm = 20;
    EXPECT_EQ(tick_when_back(3), engine::kNever);
    welcome.slots = {{"health"}};
    EXPECT_EQ(tick_when_back(4), engine::kNever);
    EXPECT_EQ(client.position(), (engine::Position{40, 0, 0}));
}

TEST(Session, GoesWhereItIsSentAlsoWhenThatZoneIsFullAtFirst) {
    PlayedServer first;
    PlayedServer second;
    SessionOptions options;
    options.retry = 10ms;
    int lost = 0;
    int transferred = 0;
    int resumed = 0;
    options.on_lost = [&](const Problem&) { ++lost; };
    options.on_transferred = [&] { ++transferred; };
    options.on_resumed = [&] { ++resumed; };
    Client client = join(first, options);
    first.say(net::Transfer{"tcp://127.0.0.1:" + second.port() + "/ ws://127.0.0.1:1"});
    first.close();
    auto problem = meanwhile([&] { return serve_until(client, [&] { return transferred == 1; }); });
    second.accept();
    second.receive_next<net::Hello>();
    second.say(net::ErrorMessage{net::ErrorCode::full, "as many as it may"});
    second.close();
    let_in(second, resumable_welcome(7));
    ASSERT_FALSE(problem.get());
    EXPECT_EQ(client.world().self(), engine::EntityId{7});
    EXPECT_EQ(lost, 0);
    EXPECT_EQ(resumed, 0);
}

TEST(Session, SaysForItsResumptionHowAZoneWithoutASchemeWasSpokenTo) {
    PlayedServer first;
    PlayedServer second;
    Client client = join(first);
    first.say(net::Transfer{"127.0.0.1:" + second.port()});
    first.close();
    auto problem = meanwhile([&] {
        return serve_until(client, [&] { return client.welcome().entity == engine::EntityId{7}; });
    });
    let_in(second, resumable_welcome(7));
    ASSERT_FALSE(problem.get());
    EXPECT_EQ(client.resumption().address, "tcp://127.0.0.1:" + second.port());
}

TEST(Session, DoesNotGoOnWhereItIsSentAndMayNotBe) {
    PlayedServer first;
    PlayedServer second;
    Client client = join(first);
    first.say(net::Transfer{"127.0.0.1:" + second.port()});
    first.close();
    auto problem = meanwhile([&] { return serve_until(client, [] { return false; }); });
    second.accept();
    second.receive_next<net::Hello>();
    second.say(net::ErrorMessage{net::ErrorCode::unauthorized, "no token"});
    second.close();
    const auto end = problem.get();
    ASSERT_TRUE(end);
    EXPECT_EQ(end->code, net::ErrorCode::unauthorized);
}

TEST(Session, IsNotLostToSignals) {
    static std::atomic<int> signals;
    signals = 0;
    struct sigaction counted {};
    struct sigaction before {};
    counted.sa_handler = [](int) { ++signals; };
    sigaction(SIGUSR1, &counted, &before);
    PlayedServer server;
    std::promise<pthread_t> thread;
    std::promise<void> may_end;  // as long as signals may go to it
    std::atomic<bool> is_over = false;
    auto joined = meanwhile([&] {
        thread.set_value(pthread_self());
        auto client = Client::join(server.addresses(), {});
        is_over = true;
        may_end.get_future().wait();
        return client;
    });
    const pthread_t whom = thread.get_future().get();
    server.accept();
    ASSERT_TRUE(server.receive_next<net::Hello>());
    // It waits for the Welcome from the second one on, if not before.
    for (int i = 1; i <= 10; ++i) {
        pthread_kill(whom, SIGUSR1);
        while (signals < i && !is_over) {
            std::this_thread::yield();
        }
    }
    EXPECT_FALSE(is_over);
    server.say(resumable_welcome(1));
    may_end.set_value();
    EXPECT_TRUE(std::holds_alternative<Client>(joined.get()));
    sigaction(SIGUSR1, &before, nullptr);
}

TEST(Session, IsNotSilentWhileThereIsSomethingToRead) {
    PlayedServer server;
    SessionOptions options;
    options.silence_max = 0ms;
    options.resume = false;
    Client client = join(server, options);
    server.say_frame(2, {}, {});
    pollfd wanted{client.fd(), POLLIN, 0};
    ASSERT_EQ(poll(&wanted, 1, 20'000), 1);
    EXPECT_FALSE(client.serve(0ms));
    EXPECT_EQ(client.world().tick(), 2U);
    EXPECT_TRUE(client.serve(0ms)) << "by now it is";
}

TEST(Session, IsLeftByACallbackOnceThatHasReturned) {
    PlayedServer server;
    Client* self = nullptr;
    std::vector<engine::Tick> ticks;
    Client client = join(server, {}, [&](const net::FrameMessage& frame, const auto&, const auto&) {
        ticks.push_back(frame.tick);
        self->leave();
    });
    self = &client;
    auto left = meanwhile([&] {
        const bool is_said = server.receive_next<net::LeaveZone>().has_value();
        server.say_frame(4, {}, {});
        server.close();
        return is_said;
    });
    server.say_frame(2, {}, {});
    server.say_frame(3, {}, {});
    const auto problem = serve_until(client, [] { return false; });
    EXPECT_TRUE(left.get());
    EXPECT_EQ(problem->text, "left");
    EXPECT_EQ(ticks, (std::vector<engine::Tick>{2, 3, 4})) << "what was on its way comes";
    EXPECT_EQ(client.fd(), -1);
    EXPECT_EQ(client.serve(0ms)->text, "left");
}

TEST(Session, IsNotResumedWhenItWasLeftMeanwhile) {
    for (const bool is_in_callback : {false, true}) {
        PlayedServer server;
        Client* self = nullptr;
        SessionOptions options;
        bool is_lost = false;
        options.on_lost = [&](const Problem&) {
            is_lost = true;
            if (is_in_callback) {
                self->leave();
            }
        };
        Client client = join(server, options);
        self = &client;
        server.close();
        const auto problem = serve_until(client, [&] { return is_lost; });
        EXPECT_EQ(problem.has_value(), is_in_callback);
        client.leave();
        EXPECT_EQ(client.serve(10ms)->text, "left");
        EXPECT_FALSE(server.is_called());
    }
}

TEST(Session, DoesNotGoWhereItIsSentWhenItLeaves) {
    PlayedServer first;
    PlayedServer second;
    Client client = join(first);
    first.say(net::Transfer{"127.0.0.1:" + second.port()});
    first.say_frame(2, {}, {});
    ASSERT_FALSE(serve_until(client, [&] { return client.world().tick() == 2; }));
    first.close();
    client.leave();
    EXPECT_EQ(client.serve(10ms)->text, "left");
    EXPECT_FALSE(second.is_called());
}

TEST(Session, SendsTheRestOfAMessageWithoutAnother) {
    PlayedServer server(16'384);
    SessionOptions options;
    options.ping_after = 1h;
    Client client = join(server, options);
    ASSERT_TRUE(client.send(net::SendMessage{1, 7, std::vector<std::byte>(kTooMuchAtOnce)}));
    const auto is_whole = meanwhile([&] {
        std::size_t taken = 0;
        while (taken < kTooMuchAtOnce) {
            taken += server.receive_bytes().size();
        }
        return true;
    });
    EXPECT_FALSE(serve_until(client, [&] { return is_done(is_whole); }));
}

namespace {

/// Before its LeaveZone, a message.
bool says_before_it_leaves(PlayedServer& server) {
    bool is_any = false;
    for (auto message = server.receive();
         message && !std::holds_alternative<net::LeaveZone>(*message); message = server.receive()) {
        is_any = is_any || std::holds_alternative<net::SendMessage>(*message);
    }
    server.close();
    return is_any;
}

}  // namespace

TEST(Session, HasSaidWhenItLeavesEveryMessageThatItTook) {
    PlayedServer server;
    net::Welcome welcome = resumable_welcome(1);
    welcome.messages = {2, 100};
    Client client = join(server, {}, {}, welcome);
    EXPECT_TRUE(client.say(7, {}));
    EXPECT_TRUE(client.say(7, {}));
    server.say(net::Pong{server.receive_next<net::Ping>().value().nonce});
    server.say_frame(2, {}, {});
    ASSERT_FALSE(serve_until(client, [&] { return client.world().tick() == 2; }));
    const bool is_taken = client.say(8, {});  // only where the second was over already
    auto is_said = meanwhile([&] { return says_before_it_leaves(server); });
    client.leave();
    EXPECT_EQ(is_said.get(), is_taken);
}

TEST(Session, StepsWithoutTheWayOfAJump) {
    PlayedServer server;
    net::Welcome welcome = resumable_welcome(1);
    welcome.prediction_error_mm = 50;
    welcome.prediction_ms_max = 1'000;
    Client client = join(server, {}, {}, welcome);
    const auto step_to = [&](std::int32_t x) {
        EXPECT_TRUE(client.step({x, 0, 0})) << x;
        return server.receive_next<net::Move>().value().velocity.x;
    };
    EXPECT_EQ(step_to(0), 0);
    EXPECT_EQ(step_to(70), 70);
    server.say_correction(2, {9'000, 0, 0});
    ASSERT_FALSE(serve_until(client, [&] { return client.position().x == 9'000; }));
    EXPECT_EQ(step_to(9'070), 0);
    client.move({4'000, 0, 0});
    EXPECT_EQ(server.receive_next<net::Move>().value().velocity.x, 0);
    EXPECT_EQ(step_to(4'070), 70);
}

TEST(Session, SaysItsViewAgainUntilAPongConfirmsItAndItsFrameRateOnEachConnection) {
    PlayedServer server;
    SessionOptions options;
    options.retry = 1ms;
    bool is_back = false;
    options.on_resumed = [&] { is_back = true; };
    Client client = join(server, options);
    net::Ping ping;
    const auto show = [&](std::uint32_t radius_mm) {
        net::SetView wanted;
        wanted.view.radius_mm = wanted.view.leave_radius_mm = radius_mm;
        return client.send(wanted);
    };
    const auto said_when_back = [&] {
        server.close();
        is_back = false;
        auto problem = meanwhile([&] { return serve_until(client, [&] { return is_back; }); });
        let_in(server, resumable_welcome(1));
        EXPECT_FALSE(problem.get());
        EXPECT_TRUE(client.send(net::KeyframeRequest{}));
        std::string said;
        for (auto message = server.receive();
             message && !std::holds_alternative<net::KeyframeRequest>(*message);
             message = server.receive()) {
            if (const auto* const view = std::get_if<net::SetView>(&*message)) {
                said += "view " + std::to_string(view->view.radius_mm) + " ";
            } else if (const auto* const rate = std::get_if<net::SetFrameRate>(&*message)) {
                said += "rate " + std::to_string(rate->frames_hz) + " ";
            } else if (std::holds_alternative<net::Ping>(*message)) {
                ping = std::get<net::Ping>(*message);
            }
        }
        return said;
    };
    EXPECT_TRUE(show(20));
    EXPECT_TRUE(client.send(net::SetFrameRate{2}));
    EXPECT_EQ(said_when_back(), "view 20 rate 2 ");
    server.say(net::Pong{ping.nonce});
    server.say_frame(2, {}, {});
    ASSERT_FALSE(serve_until(client, [&] { return client.world().tick() == 2; }));
    EXPECT_EQ(said_when_back(), "rate 2 ");
    server.close();
    ASSERT_FALSE(serve_until(client, [&] { return client.fd() < 0; }));
    EXPECT_FALSE(show(30));
    EXPECT_FALSE(show(40));
    EXPECT_FALSE(client.send(net::SetFrameRate{0}));
    EXPECT_EQ(said_when_back(), "view 40 ");
}

TEST(Session, WaitsAfterAConnectionThatWasResumedAndDidNotLast) {
    PlayedServer server;
    SessionOptions options;
    options.retry = 1h;
    int resumed = 0;
    options.on_resumed = [&] { ++resumed; };
    Client client = join(server, options);
    server.close();
    auto problem = meanwhile([&] { return serve_until(client, [&] { return resumed == 1; }); });
    let_in(server, resumable_welcome(1));  // the first attempt, at once
    ASSERT_FALSE(problem.get());
    server.close();
    ASSERT_FALSE(serve_until(client, [&] { return client.fd() < 0; }));
    EXPECT_FALSE(client.serve(100ms));
    EXPECT_FALSE(server.is_called());
}

namespace {

/// Says so much that the next message has to wait until the server reads.
void fill_kernel(Client& client) {
    net::MessageTo one;
    one.payload.resize(1'000);
    net::SendMessages much;
    much.messages.assign(100, one);
    while (client.send(much)) {
    }
}

net::SetView view_of(std::uint32_t radius_mm) {
    net::SetView wanted;
    wanted.view.radius_mm = wanted.view.leave_radius_mm = radius_mm;
    return wanted;
}

}  // namespace

TEST(Session, SaysAViewThatWaitsAlsoWhereAPongOfNoPingComes) {
    PlayedServer server(16'384);
    SessionOptions options;
    options.retry = 1ms;
    bool is_back = false;
    options.on_resumed = [&] { is_back = true; };
    Client client = join(server, options);
    ASSERT_TRUE(client.send(net::SendMessage{1, 7, std::vector<std::byte>(kTooMuchAtOnce)}));
    EXPECT_FALSE(client.send(view_of(20)));
    server.say(net::Pong{(std::uint64_t{1} << 61U) | 1U});
    server.say_frame(2, {}, {});
    ASSERT_FALSE(serve_until(client, [&] { return client.world().tick() == 2; }));
    server.close();
    auto problem = meanwhile([&] { return serve_until(client, [&] { return is_back; }); });
    let_in(server, resumable_welcome(1));
    ASSERT_FALSE(problem.get());
    EXPECT_TRUE(client.send(net::KeyframeRequest{}));
    EXPECT_TRUE(std::holds_alternative<net::SetView>(server.receive().value()));
}

TEST(Session, WaitsUntilAViewIsSafeThatWaitsForTheKernel) {
    PlayedServer server(16'384);
    Client client = join(server);
    fill_kernel(client);
    (void)client.send(view_of(20));
    (void)client.send(net::SetFrameRate{2});
    auto is_safe = meanwhile([&] { return client.wait_until_safe(20s); });
    std::this_thread::sleep_for(100ms);  // it is to ask before there is room
    std::string said;
    constexpr std::uint64_t kAsked = std::uint64_t{1} << 62U;
    std::uint64_t nonce = 0;
    while (nonce < kAsked) {
        const auto message = server.receive().value();
        if (const auto* const ping = std::get_if<net::Ping>(&message)) {
            nonce = ping->nonce;
        }
        said += std::holds_alternative<net::SetView>(message)        ? "view "
                : std::holds_alternative<net::SetFrameRate>(message) ? "rate "
                                                                     : "";
    }
    EXPECT_EQ(said, "view rate ");
    server.say(net::Pong{nonce, 10, 12});
    EXPECT_TRUE(is_safe.get());
}

TEST(Session, HasSaidWhenItLeavesAMessageThatWaitsForTheKernel) {
    PlayedServer server(16'384);
    net::Welcome welcome = resumable_welcome(1);
    welcome.messages = {2, 100};
    Client client = join(server, {}, {}, welcome);
    fill_kernel(client);
    EXPECT_TRUE(client.say(7, {}));
    auto is_said = meanwhile([&] { return says_before_it_leaves(server); });
    client.leave();
    EXPECT_TRUE(is_said.get());
}

namespace {

/// To where a WebSocket client is sent: what it says first.
std::string first_bytes_where_sent(const std::string& scheme, bool keeps_name) {
    server::ServerProcess first({"--config", std::string(MARCHLAND_CONFIG_DIR) + "/demo.toml",
                                 "--port", "0", "--websocket-port", "0"});
    const std::uint16_t port = first.wait_for_port();
    tests::TestClient service(port);
    service.send(net::ServiceHello{});
    service.receive_one<net::ServiceWelcome>();
    SessionOptions options;
    options.way.is_web_socket = true;
    options.way.server_name = "first.example";
    options.keeps_server_name = keeps_name;
    options.resume = false;
    const auto addresses = resolve({"127.0.0.1", std::to_string(first.wait_for_web_socket_port())});
    auto joined = Client::join(std::get<0>(addresses), {}, {}, options);
    auto& client = std::get<Client>(joined);
    PlayedServer second;
    net::TransferPlayer transfer;
    transfer.entity = client.welcome().entity;
    transfer.address = scheme + "localhost:" + second.port();
    service.send(transfer);
    auto problem = meanwhile([&] { return serve_until(client, [] { return false; }); });
    second.accept();
    const auto bytes = second.receive_bytes();
    std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    second.close();
    EXPECT_TRUE(problem.get());
    return text;
}

}  // namespace

TEST(Session, AsksForTheHostWhereItIsSent) {
    for (const bool keeps_name : {false, true}) {
        const std::string request = first_bytes_where_sent("ws://", keeps_name);
        const std::string host = keeps_name ? "first.example" : "localhost";
        EXPECT_NE(request.find("Host: " + host + "\r\n"), std::string::npos) << request;
    }
}

TEST(Session, SpeaksTcpWhereItIsSentToAHostAndAPortAlone) {
    EXPECT_NE(first_bytes_where_sent("", false).substr(0, 4), "GET ");
}

namespace {

constexpr std::uint32_t kBytesMax = 10'000;

/// The next connection's ServiceHello is answered.
void let_service_in(PlayedServer& server, const std::vector<net::SpawnedOne>& entities = {},
                    bool is_resumed = false, std::uint32_t quantum_mm = 10) {
    server.accept();
    ASSERT_TRUE(server.receive_next<net::ServiceHello>());
    net::ServiceWelcome welcome;
    welcome.resume_token = {std::byte{1}};
    welcome.resume_grace_ms = 3'600'000;
    welcome.message_bytes_max = kBytesMax;
    welcome.resumed = is_resumed || !entities.empty();
    welcome.quantum_mm = quantum_mm;
    welcome.world_min = {-443'000, -443'000, 0};
    welcome.world_max = {443'000, 443'000, 0};
    welcome.entities = entities;
    server.say(welcome);
}

Service join_service(PlayedServer& server, const SessionOptions& options = {}) {
    auto joined =
        meanwhile([&] { return Service::join(server.addresses(), "wolves", {}, options); });
    let_service_in(server);
    return std::get<Service>(joined.get());
}

}  // namespace

TEST(ServiceSession, SaysMuchInMessagesThatTheServerTakes) {
    PlayedServer server;
    Service service = join_service(server);
    net::SendMessages all;
    for (std::uint16_t kind = 0; kind < 30; ++kind) {
        net::MessageTo message;
        message.to_everybody = true;
        message.kind = kind;
        message.payload.resize(1'024);
        all.messages.push_back(message);
        service.say(message);
    }
    ASSERT_FALSE(service.serve(0ms));
    net::SendMessages received;
    while (received.messages.size() < all.messages.size()) {
        const auto part = server.receive_next<net::SendMessages>().value().messages;
        flatbuffers::FlatBufferBuilder builder;
        const std::size_t bytes = net::encode(builder, net::SendMessages{part}).size() - 4;
        EXPECT_LE(bytes, kBytesMax) << part.size();
        received.messages.insert(received.messages.end(), part.begin(), part.end());
    }
    EXPECT_EQ(received, all);
}

TEST(ServiceSession, DoesNotSendWhatIsTooLong) {
    PlayedServer server;
    Service service = join_service(server);
    const engine::EntityId player{5};
    net::MessageTo message;
    message.to.assign(1'025, player);
    EXPECT_FALSE(service.say(message));
    message.to = {player};
    message.payload.resize(1'025);
    EXPECT_FALSE(service.say(message));
    net::TransferPlayer transfer{player, "there", "", std::vector<std::byte>(1'025)};
    EXPECT_FALSE(service.send_to_zone(transfer));
    net::AdmitPlayer refused;
    refused.refusal = std::string(257, 'a');
    EXPECT_FALSE(service.admit(refused));

    message.to.assign(1'024, player);
    message.payload.resize(1'024);
    EXPECT_TRUE(service.say(message));
    refused.refusal = std::string(256, 'a');
    EXPECT_TRUE(service.admit(refused));
    ASSERT_FALSE(service.serve(0ms));
    EXPECT_EQ(server.receive().value(), net::ClientMessage(net::SendMessages{{message}}));
    EXPECT_EQ(server.receive().value(), net::ClientMessage(refused));
}

TEST(ServiceSession, RemovesBeforeItSpawnsAndBehindLastWords) {
    PlayedServer server;
    Service service = join_service(server);
    const Service::Ref first = service.spawn({});
    ASSERT_FALSE(service.serve(0ms));
    ASSERT_TRUE(server.receive_next<net::Spawn>());
    const engine::EntityId id{17};
    server.say(net::Spawned{{{id, first}}});
    ASSERT_FALSE(serve_until(service, [&] { return service.entity_of(first).has_value(); }));
    service.despawn(service.spawn({}));
    service.spawn({});
    service.despawn(first);
    net::MessageTo words;
    words.to_viewers_of = id;
    service.say(words);
    ASSERT_FALSE(service.serve(0ms));
    EXPECT_EQ(server.receive().value(), net::ClientMessage(net::SendMessages{{words}}));
    EXPECT_EQ(server.receive().value(), net::ClientMessage(net::Despawn{{id}}));
    EXPECT_EQ(server.receive_next<net::Spawn>().value().entities.size(), 1U);
}

TEST(ServiceSession, LearnsAfterAResumeWhoLeftMeanwhileAndOfNobodyTwice) {
    PlayedServer server;
    int resumed = 0;
    SessionOptions options;
    options.on_resumed = [&] { ++resumed; };
    std::vector<std::string> received;
    const auto on_message = [&](const net::ServerMessage& message, Service::Ref, const SeenWorld*) {
        if (const auto* const joined = std::get_if<net::PlayerJoined>(&message)) {
            received.push_back("joined " + std::to_string(to_number(joined->entity)));
        } else if (const auto* const left = std::get_if<net::PlayerLeft>(&message)) {
            EXPECT_EQ(left->reason, net::PlayerLeftReason::while_away);
            received.push_back("left " + std::to_string(to_number(left->entity)));
        } else if (const auto* const back = std::get_if<net::PlayerBack>(&message)) {
            received.push_back("back " + std::to_string(to_number(back->entity)));
        }
    };
    auto joined =
        meanwhile([&] { return Service::join(server.addresses(), "wolves", on_message, options); });
    let_service_in(server);
    auto service = std::get<Service>(joined.get());
    const auto say_players = [&](std::initializer_list<std::uint64_t> ids) {
        for (const std::uint64_t id : ids) {
            net::PlayerJoined player;
            player.entity = engine::EntityId{id};
            server.say(player);
        }
        server.say(net::PlayersListed{});
    };
    say_players({1, 2, 3});
    server.say(net::PlayerAway{engine::EntityId{3}, 10'000});
    server.close();
    auto problem = meanwhile([&] { return serve_until(service, [&] { return resumed == 1; }); });
    let_service_in(server, {}, true);
    ASSERT_FALSE(problem.get());
    say_players({1, 3, 4});
    ASSERT_FALSE(
        serve_until(service, [&] { return !service.players().contains(engine::EntityId{2}); }));
    EXPECT_EQ(received, (std::vector<std::string>{"joined 1", "joined 2", "joined 3", "joined 4",
                                                  "left 2", "back 3"}));
    EXPECT_EQ(service.players().size(), 3U);
}

TEST(ServiceSession, KeepsTheNewestOfWhatWaitsForAConnection) {
    PlayedServer server;
    int resumed = 0;
    SessionOptions options;
    options.on_resumed = [&] { ++resumed; };
    Service service = join_service(server, options);
    service.cut();
    constexpr std::uint16_t kSaid = 2'000;
    for (std::uint16_t kind = 0; kind < kSaid; ++kind) {
        net::MessageTo message;
        message.to_everybody = true;
        message.kind = kind;
        message.payload.resize(1'024);
        service.say(message);
    }
    EXPECT_GT(service.dropped(), kSaid / 2U);
    EXPECT_LT(service.dropped(), kSaid * 3U / 4U);
    auto problem = meanwhile([&] { return serve_until(service, [&] { return resumed == 1; }); });
    let_service_in(server, {}, true);
    EXPECT_EQ(server.receive_next<net::SendMessages>().value().messages.at(0).kind,
              service.dropped());
    ASSERT_FALSE(problem.get());
}

TEST(ServiceSession, SendsMessagesAndTransfersInTheOrderInWhichTheyAreAskedForAlsoWhenItLeaves) {
    PlayedServer server;
    Service service = join_service(server);
    const auto say = [&](std::uint16_t kind) {
        net::MessageTo message;
        message.to_everybody = true;
        message.kind = kind;
        service.say(message);
    };
    const auto send_to_zone = [&](const char* address) {
        net::TransferPlayer transfer;
        transfer.entity = engine::EntityId{5};
        transfer.address = address;
        service.send_to_zone(transfer);
    };
    send_to_zone("a");
    say(1);
    say(2);
    send_to_zone("b");
    say(3);
    auto said = meanwhile([&] {
        std::string all;
        for (auto message = server.receive(); message; message = server.receive()) {
            if (const auto* const messages = std::get_if<net::SendMessages>(&*message)) {
                for (const net::MessageTo& one : messages->messages) {
                    all += std::to_string(one.kind);
                }
            } else if (const auto* const transfer = std::get_if<net::TransferPlayer>(&*message)) {
                all += transfer->address;
            } else if (std::holds_alternative<net::LeaveZone>(*message)) {
                all += " leaves";
                break;
            }
        }
        server.close();
        return all;
    });
    service.leave();
    EXPECT_EQ(said.get(), "a12b3 leaves");
}

TEST(ServiceSession, RemovesBeforeItLetsIn) {
    PlayedServer server;
    Service service = join_service(server);
    service.remove_player(engine::EntityId{5});
    service.admit({});
    ASSERT_FALSE(service.serve(0ms));
    EXPECT_TRUE(std::holds_alternative<net::Despawn>(server.receive().value()));
    EXPECT_TRUE(std::holds_alternative<net::AdmitPlayer>(server.receive().value()));
}

TEST(ServiceSession, WaitsUntilWhatWaitsForAnIdIsSafeToo) {
    PlayedServer server;
    Service service = join_service(server);
    const Service::Ref ref = service.spawn({});
    ASSERT_FALSE(service.serve(0ms));
    service.move(ref, {1'000, 0, 0});
    auto is_safe = meanwhile([&] { return service.wait_until_safe(20s); });
    EXPECT_TRUE(std::holds_alternative<net::Spawn>(server.receive().value()));
    server.say(net::Spawned{{{engine::EntityId{17}, ref}}});
    EXPECT_TRUE(std::holds_alternative<net::MoveMany>(server.receive().value()));
    server.say(net::Pong{server.receive_next<net::Ping>().value().nonce, 10, 12});
    EXPECT_TRUE(is_safe.get());
}

TEST(ServiceSession, EndsWherePositionsOfOneTickNeverDo) {
    PlayedServer server;
    Service service = join_service(server);
    constexpr std::uint64_t kInPart = 65'536;
    auto said = meanwhile([&] {
        for (std::uint64_t part = 0; part <= 16; ++part) {
            net::Positions some;
            some.tick = 5;
            some.has_more = true;
            for (std::uint64_t i = 1; i <= kInPart; ++i) {
                some.players.push_back({engine::EntityId{part * kInPart + i}, {}});
            }
            server.say(some);
        }
    });
    const auto end = serve_until(service, [] { return false; });
    ASSERT_TRUE(end);
    EXPECT_NE(end->text.find("players in one tick"), std::string::npos) << end->text;
}

TEST(ServiceSession, MovesToTheNearestMultipleOfTheQuantum) {
    PlayedServer server;
    Service service = join_service(server);
    const Service::Ref ref = service.spawn({});
    ASSERT_FALSE(service.serve(0ms));
    server.say(net::Spawned{{{engine::EntityId{17}, ref}}});
    ASSERT_FALSE(serve_until(service, [&] { return service.entity_of(ref).has_value(); }));
    service.move(ref, {1'239, -1'239, 0});
    ASSERT_FALSE(service.serve(0ms));
    const auto moves = server.receive_next<net::MoveMany>().value().moves;
    ASSERT_EQ(moves.size(), 1U);
    EXPECT_EQ(moves[0].x, 124);
    EXPECT_EQ(moves[0].y, -124);
}

TEST(ServiceSession, KeepsAWatchersWorldOverAResumeWhereTheZoneHasItsQuantumStill) {
    PlayedServer server;
    SessionOptions options;
    options.retry = 1ms;
    bool is_back = false;
    options.on_resumed = [&] { is_back = true; };
    Service service = join_service(server, options);
    net::SpawnOne owl;
    owl.watches = true;
    const net::SpawnedOne one{engine::EntityId{17}, service.spawn(owl)};
    ASSERT_FALSE(service.serve(0ms));
    server.say(net::Spawned{{one}});
    server.say_frame(2, {}, {}, false, {}, 17);
    const auto tick = [&] {
        const SeenWorld* const world = service.world_of(one.ref);
        return world == nullptr ? engine::kNever : world->tick();
    };
    ASSERT_FALSE(serve_until(service, [&] { return tick() == 2; }));
    const auto resume_with = [&](std::uint32_t quantum_mm) {
        server.close();
        is_back = false;
        auto problem = meanwhile([&] { return serve_until(service, [&] { return is_back; }); });
        let_service_in(server, {one}, true, quantum_mm);
        EXPECT_FALSE(problem.get());
    };
    resume_with(10);
    EXPECT_EQ(tick(), 2U);
    resume_with(20);
    EXPECT_NE(service.world_of(one.ref), nullptr);
    EXPECT_EQ(tick(), engine::kNever);
}

TEST(ServiceSession, SaysAgainWhatGoesWhenTheServerHasNotReadIt) {
    PlayedServer server;
    int resumed = 0;
    SessionOptions options;
    options.on_resumed = [&] { ++resumed; };
    Service service = join_service(server, options);
    const Service::Ref stays = service.spawn({});
    const Service::Ref goes = service.spawn({});
    const Service::Ref goes_later = service.spawn({});
    const net::SpawnedOne one{engine::EntityId{17}, stays};
    const net::SpawnedOne other{engine::EntityId{18}, goes};
    const net::SpawnedOne third{engine::EntityId{19}, goes_later};
    ASSERT_FALSE(service.serve(0ms));
    server.say(net::Spawned{{one, other, third}});
    ASSERT_FALSE(serve_until(service, [&] { return service.entity_of(goes_later).has_value(); }));
    service.despawn(goes);
    ASSERT_FALSE(service.serve(0ms));
    server.close();
    service.despawn(goes_later);
    auto problem = meanwhile([&] { return serve_until(service, [&] { return resumed == 1; }); });
    let_service_in(server, {one, other, third});
    EXPECT_FALSE(problem.get());
    EXPECT_EQ(server.receive_next<net::Despawn>(),
              (net::Despawn{{engine::EntityId{18}, engine::EntityId{19}}}));
    EXPECT_EQ(service.entity_of(stays), engine::EntityId{17});
}

}  // namespace marchland::client
