#include "tests/net/sent_world.h"
#include "tests/net/test_service.h"

#include <gtest/gtest.h>

// A service whose line is cut: what stays, and how it goes on.

namespace marchland::tests {

namespace {

using engine::EntityId;
using engine::Position;
using net::ErrorCode;

using Notices = std::vector<TestService::Notice>;

const engine::View kResumeView = engine::View::circle(50'000, 55'000);

net::ServerOptions two_threads() {
    net::ServerOptions options = patient_server();
    options.io_threads = 2;  // so that a service goes on in another thread than it began in
    return options;
}

}  // namespace

TEST(ServiceResume, FindsItsEntitiesWhereTheyWereAndGoesOnWithThem) {
    RunningServer running(two_threads());
    TestClient client(running.port());
    client.join_at({0, 0, 0});
    TestService service(running.port());
    const net::ServiceWelcome first = service.join();
    net::SpawnOne one;
    one.ref = 5;
    one.position = {1'000, 0, 0};
    const EntityId wolf = service.spawn(one);
    tick(running, {&service}, {&client});
    cut(running, service);
    const net::FrameMessage meanwhile = running.tick({&client})[0];
    EXPECT_TRUE(meanwhile.leaves.empty());

    TestService again(running.port());
    const net::ServiceWelcome second = again.join(hello_again(first));
    EXPECT_TRUE(second.resumed);
    EXPECT_EQ(running.metrics().resumes_total, 1U);
    EXPECT_NE(second.resume_token, first.resume_token);
    EXPECT_EQ(second.entities, (std::vector<net::SpawnedOne>{{wolf, 5}}));
    again.send(net::MoveMany{{{wolf, false, 2'000, 0, 0}}});
    EXPECT_EQ(tick(running, {&again}, {&client})[0].moves.size(), 1U);
    again.send(net::Despawn{{wolf}});
    EXPECT_EQ(tick(running, {&again}, {&client})[0].leaves.size(), 1U);
    EXPECT_TRUE(again.refused().empty());
}

/// The welcome is larger than what may wait of answers.
TEST(ServiceResume, GoesOnWithAsManyEntitiesAsThereAre) {
    constexpr std::size_t kMessages = 20;
    net::ServerOptions options = two_threads();
    options.services.entities_max = kMessages * net::kServiceItemsMax;
    RunningServer running(options);
    TestService service(running.port());
    const net::ServiceWelcome first = service.join();
    for (std::size_t i = 0; i < kMessages; ++i) {
        service.send(net::Spawn{std::vector<net::SpawnOne>(net::kServiceItemsMax)});
    }
    service.fence();
    cut(running, service);
    TestService again(running.port(), 4'096);
    again.send(hello_again(first));
    again.send(net::Despawn{{EntityId{}}});  // before the welcome is read
    const auto second = again.client().receive_one<net::ServiceWelcome>();
    EXPECT_EQ(second.entities.size(), kMessages * net::kServiceItemsMax);
    EXPECT_EQ(again.refused().size(), 1U);
}

TEST(ServiceResume, BeginsPackedMovesAnew) {
    RunningServer running(two_threads());
    TestService service(running.port());
    const net::ServiceWelcome first = service.join();
    const EntityId wolf = service.spawn_at({0, 0, 0});
    service.send(net::MoveMany{{{wolf, false, 5, 0, 0}}});
    service.send(net::MoveMany{{{wolf, true, 1, 0, 0}}});
    service.fence();
    cut(running, service);
    TestService again(running.port());
    again.join(hello_again(first));
    again.send(net::MoveMany{{{wolf, true, 1, 0, 0}}});
    expect_error(again.client(), ErrorCode::malformed);
}

TEST(ServiceResume, TellsItsWatchersKeyframes) {
    RunningServer running(two_threads());
    TestClient client(running.port());
    const EntityId player = client.join_at({0, 0, 0}).entity;
    TestService service(running.port());
    const net::ServiceWelcome first = service.join();
    const EntityId eye = service.watch_area({0, 0, 0}, kResumeView);
    tick(running, {&service}, {&client});
    service.frames(1);
    cut(running, service);
    client.send(net::Move{1, {10, 0, 0}});
    running.tick({&client});

    TestService again(running.port());
    again.join(hello_again(first));
    tick(running, {&again}, {&client});
    const net::FrameMessage frame = again.frames(1)[0];
    EXPECT_TRUE(frame.is_keyframe);
    EXPECT_EQ(frame.watcher, eye);
    EXPECT_EQ(frame.enters, (std::vector<net::Entered>{{player, 0, {10, 0, 0}, {}}}));
    client.send(net::Move{2, {20, 0, 0}});
    tick(running, {&again}, {&client});
    EXPECT_EQ(again.frames(1)[0].moves, (std::vector<net::Moved>{{player, true, 10, 0, 0}}));
}

TEST(ServiceResume, TellsOfAllPlayersAgain) {
    RunningServer running(two_threads());
    TestService service(running.port());
    const net::ServiceWelcome first = service.join();
    TestClient client(running.port());
    const EntityId player = client.join_at({1, 2, 3}).entity;
    EXPECT_EQ(service.notices(1).size(), 1U);
    cut(running, service);
    TestService again(running.port());
    again.join(hello_again(first));
    EXPECT_EQ(again.notices(1),
              (std::vector<TestService::Notice>{net::PlayerJoined{player, 0, {1, 2, 3}, {}}}));
}

TEST(ServiceResume, TakesAServiceOverThatStillSeemsToBeThere) {
    RunningServer running(two_threads());
    TestClient client(running.port());
    client.join_at({0, 0, 0});
    TestService service(running.port());
    const net::ServiceWelcome first = service.join();
    const EntityId eye = service.watch_area({0, 0, 0}, kResumeView);
    tick(running, {&service}, {&client});
    service.frames(1);
    TestService again(running.port());
    EXPECT_EQ(again.join(hello_again(first)).entities.at(0).entity, eye);
    service.send(net::MoveMany{{{eye, false, 5, 5, 5}}});
    expect_error(service.client(), ErrorCode::superseded);
    tick(running, {&again}, {&client});
    EXPECT_TRUE(again.frames(1)[0].is_keyframe);
    EXPECT_EQ(running.zone().entity_count(), 2U);
}

TEST(ServiceResume, WithTheSameTokenIsPossibleUntilItsHolderSpeaks) {
    RunningServer running(two_threads());
    TestService service(running.port());
    const net::ServiceWelcome first = service.join();
    const EntityId wolf = service.spawn_at({0, 0, 0});
    cut(running, service);
    TestService between(running.port());
    between.join(hello_again(first));
    cut(running, between);
    TestService again(running.port());
    EXPECT_EQ(again.join(hello_again(first)).entities.at(0).entity, wolf);
    again.fence();
    TestClient late(running.port());
    late.send(hello_again(first));
    expect_error(late, ErrorCode::resume_refused);
}

TEST(ServiceResume, IsRefusedToATokenThatWasShownOrMadeUpOrIsAPlayers) {
    net::ServerOptions options = two_threads();
    options.resume_grace_ms = 60'000;
    RunningServer running(options);
    TestService service(running.port());
    const net::ServiceWelcome first = service.join();
    cut(running, service);
    TestService again(running.port());
    const net::ServiceWelcome second = again.join(hello_again(first));
    again.fence();
    TestClient player(running.port());
    const net::Welcome players = player.join();
    for (const auto& token : {first.resume_token, std::vector<std::byte>(16),
                              std::vector<std::byte>(3), players.resume_token}) {
        net::ServiceHello hello;
        hello.resume_token = token;
        TestClient refused(running.port());
        refused.send(hello);
        expect_error(refused, ErrorCode::resume_refused);
    }
    net::Hello hello;
    hello.resume_token = second.resume_token;
    TestClient refused(running.port());
    refused.send(hello);
    expect_error(refused, ErrorCode::resume_refused);
    again.fence();
}

TEST(ServiceResume, LetsAllEntitiesLeaveWhenTheGraceIsOver) {
    net::ServerOptions options = two_threads();
    options.services.grace_ms = 1;
    options.linger_timeout_ms = 100;  // a sweep each 10 ms
    RunningServer running(options);
    TestService service(running.port());
    service.join();
    service.spawn_at({0, 0, 0});
    service.watch_area({0, 0, 0}, kResumeView);
    cut(running, service);
    EXPECT_TRUE(eventually([&] {
        running.step();
        return running.zone().entity_count() == 0;
    }));
    EXPECT_EQ(running.metrics().service_entities, 0U);
}

TEST(ServiceResume, IsNotOfferedWhereEntitiesLeaveAtOnce) {
    net::ServerOptions options = two_threads();
    options.services.grace_ms = 0;
    RunningServer running(options);
    TestService service(running.port());
    EXPECT_TRUE(service.join().resume_token.empty());
    service.spawn_at({0, 0, 0});
    running.step();
    cut(running, service);
    running.step();
    EXPECT_EQ(running.zone().entity_count(), 0U);
}

TEST(ServiceResume, LetsAllEntitiesLeaveAtOnceWhenTooManyServicesAreAway) {
    net::ServerOptions options = two_threads();
    options.services.services_max = 1;
    RunningServer running(options);
    TestService first(running.port());
    const net::ServiceWelcome waits = first.join();
    const EntityId stays = first.spawn_at({0, 0, 0});
    cut(running, first);
    TestService second(running.port());
    second.join();
    second.spawn_at({0, 0, 0});
    cut(running, second);
    running.step();
    EXPECT_EQ(running.zone().entity_count(), 1U);
    TestService again(running.port());
    EXPECT_EQ(again.join(hello_again(waits)).entities.at(0).entity, stays);
}

TEST(ServiceResume, DoesNotSaveAPlayerWhomTheGameTookOutMeanwhile) {
    net::ServerOptions options = two_threads();
    options.resume_grace_ms = 60'000;
    RunningServer running(options);
    TestService service(running.port());
    service.join();
    TestClient client(running.port());
    const net::Welcome welcome = client.join();
    running.step();
    client.kill();
    ASSERT_TRUE(eventually([&] { return running.metrics().players == 0; }));
    service.send(net::Despawn{{welcome.entity}});
    service.fence();
    net::Hello hello;
    hello.resume_token = welcome.resume_token;
    TestClient again(running.port());
    const net::Welcome second = again.join(hello);  // in the tick in which its entity leaves
    running.step();
    expect_error(again, ErrorCode::removed);
    hello.resume_token = second.resume_token;
    TestClient late(running.port());
    late.send(hello);
    expect_error(late, ErrorCode::resume_refused);
}

TEST(ServiceResume, OfAPlayerIsSentAndSoAreItsLossAndItsLeaving) {
    net::ServerOptions options = two_threads();
    options.resume_grace_ms = 60'000;
    RunningServer running(options);
    TestService service(running.port());
    service.join();
    TestClient client(running.port());
    const net::Welcome welcome = client.join_at({1, 2, 3});
    service.notices(1);
    client.kill();
    EXPECT_EQ(service.notices(1), (Notices{net::PlayerAway{welcome.entity, 60'000}}));
    net::ChangeOne teleport;
    teleport.entity = welcome.entity;
    teleport.position = Position{7, 7, 7};
    service.send(net::Change{{teleport}});
    EXPECT_TRUE(service.refused().empty());
    running.step();
    net::Hello hello;
    hello.resume_token = welcome.resume_token;
    TestClient again(running.port());
    again.join(hello);
    EXPECT_EQ(service.notices(1), (Notices{net::PlayerBack{welcome.entity}}));
    const net::FrameMessage frame = tick(running, {&service}, {&again})[0];
    EXPECT_EQ(frame.correction->position, (Position{7, 7, 7}));
    again.send(net::LeaveZone{});
    while (again.receive()) {
    }
    running.step();
    EXPECT_EQ(service.notices(1),
              (Notices{net::PlayerLeft{welcome.entity, net::PlayerLeftReason::left}}));
}

TEST(ServiceResume, TellsWhyAPlayerLeft) {
    net::ServerOptions options = two_threads();
    options.resume_grace_ms = 1;
    options.linger_timeout_ms = 100;  // a sweep each 10 ms
    RunningServer running(options);
    TestService service(running.port());
    service.join();
    TestClient lost(running.port());
    TestClient rude(running.port());
    const engine::EntityId first = lost.join().entity;
    const engine::EntityId second = rude.join().entity;
    service.notices(2);
    rude.send(net::Hello{});  // a second one is an error
    expect_error(rude, ErrorCode::out_of_order);
    running.step();
    EXPECT_EQ(service.notices(1),
              (Notices{net::PlayerLeft{second, net::PlayerLeftReason::closed}}));
    lost.kill();
    // Ticks as fast as these would else find it too slow before anybody sees that its line is
    // broken.
    EXPECT_TRUE(eventually([&] { return running.metrics().connections == 1; }));
    EXPECT_TRUE(eventually([&] {
        running.step();
        return running.zone().entity_count() == 0;
    }));
    // Its loss is sent besides, unless the grace was over before that was read.
    Notices received = service.notices(1);
    while (!std::holds_alternative<net::PlayerLeft>(received.back())) {
        received = service.notices(1);
    }
    EXPECT_EQ(received.back(),
              TestService::Notice(net::PlayerLeft{first, net::PlayerLeftReason::lost}));
}

}  // namespace marchland::tests
