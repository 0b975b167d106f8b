#include "net/encode_client.h"
#include "net/service_messages.h"
#include "tests/net/hex.h"
#include "tests/net/test_service.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>

// What a service may not do, and the documented answer to each: a refusal of one item, or an error.

namespace marchland::tests {

namespace {

using engine::EntityId;
using engine::View;
using net::ErrorCode;
using net::RefusalReason;
using Refusals = std::vector<net::CommandRefused>;

constexpr std::uint8_t kSpawn = 14;
constexpr std::uint8_t kChange = 17;
constexpr std::uint8_t kSendMessages = 29;

net::ServerOptions limited(const std::function<void(net::ServiceOptions&)>& limit) {
    net::ServerOptions options = patient_server();
    limit(options.services);
    return options;
}

net::Spawn spawns(std::uint32_t count, bool watches = false) {
    net::Spawn spawn;
    for (std::uint32_t ref = 0; ref < count; ++ref) {
        net::SpawnOne one;
        one.ref = ref;
        one.watches = watches;
        spawn.entities.push_back(one);
    }
    return spawn;
}

/// What becomes of an entity that is to be spawned so.
RefusalReason reason_against(const std::function<void(net::SpawnOne&)>& spoil) {
    RunningServer running;
    TestService service(running.port());
    service.join();
    net::Spawn spawn = spawns(3);
    spoil(spawn.entities[1]);
    service.send(spawn);
    const Refusals refused = service.refused();
    EXPECT_EQ(service.spawned().size(), 2U);  // each item stands alone
    EXPECT_EQ(refused.size(), 1U);
    EXPECT_EQ(refused.at(0).ref, 1U);
    EXPECT_EQ(refused.at(0).command, kSpawn);
    return refused.at(0).reason;
}

/// Some 56 KB of answers to each message of 8 KB.
void ask_for_refusals(TestService& service, int messages) {
    const net::ClientMessage unknown =
        net::Despawn{std::vector<EntityId>(net::kServiceItemsMax, EntityId{7})};
    for (int i = 0; i < messages; ++i) {
        ASSERT_TRUE(service.send(unknown));
    }
}

void expect_error_after_joining(const net::ClientMessage& message, ErrorCode code) {
    RunningServer running;
    TestService service(running.port());
    service.join();
    service.send(message);
    expect_error(service.client(), code);
}

bool has(const std::vector<EntityId>& eyes, EntityId eye) {
    return std::ranges::find(eyes, eye) != eyes.end();
}

}  // namespace

TEST(ServiceLimits, OneServiceMoreThanTheLimitIsRefusedAsFull) {
    RunningServer running(limited([](auto& limits) { limits.services_max = 1; }));
    TestService first(running.port());
    first.join();
    TestClient second(running.port());
    second.send(net::ServiceHello{});
    expect_error(second, ErrorCode::full);
    first.send(net::LeaveZone{});
    EXPECT_EQ(first.client().receive(), std::nullopt);
    TestService third(running.port());
    third.join();
}

TEST(ServiceLimits, AnEntityMoreThanItMayOwnIsTooMany) {
    RunningServer running(limited([](auto& limits) { limits.entities_max = 3; }));
    TestService service(running.port());
    EXPECT_EQ(service.join().entities_max, 3U);
    service.send(spawns(5));
    EXPECT_EQ(service.refused(), (Refusals{{kSpawn, {}, 3, RefusalReason::too_many},
                                           {kSpawn, {}, 4, RefusalReason::too_many}}));
    ASSERT_EQ(service.spawned().size(), 3U);
    service.send(net::Despawn{{service.spawned()[0].entity}});
    service.send(spawns(1));
    EXPECT_TRUE(service.refused().empty());
}

TEST(ServiceLimits, AWatcherMoreThanItMayHaveIsTooMany) {
    RunningServer running(limited([](auto& limits) { limits.watchers_max = 1; }));
    TestService service(running.port());
    service.join();
    service.send(spawns(2, true));
    EXPECT_EQ(service.refused(), (Refusals{{kSpawn, {}, 1, RefusalReason::too_many}}));
    service.send(net::Despawn{{service.spawned().at(0).entity}});
    service.send(spawns(1, true));
    EXPECT_TRUE(service.refused().empty());
}

TEST(ServiceLimits, AFullZoneTakesNoMore) {
    shards::ZoneOptions zone = small_zone();
    zone.entities_max = 2;
    RunningServer running(patient_server(), zone);
    TestService service(running.port());
    service.join();
    service.send(spawns(3));
    EXPECT_EQ(service.refused(), (Refusals{{kSpawn, {}, 2, RefusalReason::zone_full}}));
}

TEST(ServiceLimits, EachFlawOfASpawnHasItsReason) {
    EXPECT_EQ(reason_against([](auto& one) { one.position.x = 500'001; }),
              RefusalReason::out_of_world);
    EXPECT_EQ(reason_against([](auto& one) { one.view = View::circle(1, 1); }),  // nobody looks
              RefusalReason::bad_view);
    EXPECT_EQ(reason_against([](auto& one) {
                  one.watches = true;
                  one.view = View::circle(1, 100'001);
              }),
              RefusalReason::bad_view);
    EXPECT_EQ(reason_against([](auto& one) {
                  one.watches = true;
                  one.view = View::cylinder(1, 2, 3, 4);  // in a flat zone
              }),
              RefusalReason::bad_view);
    EXPECT_EQ(reason_against([](auto& one) { one.notify = {2, 1}; }), RefusalReason::bad_notify);
    EXPECT_EQ(reason_against([](auto& one) {
                  one.notify = {0, 1'000'001};
              }),
              RefusalReason::bad_notify);
}

/// A service with an entity that a player sees.
struct WolfBesideAPlayer {
    explicit WolfBesideAPlayer(const shards::ZoneOptions& zone = small_zone())
        : running(patient_server(), zone), service(running.port()), client(running.port()) {
        service.join();
        client.join_at({0, 0, 0});
        wolf = service.spawn_at({1'000, 0, 0});
        tick(running, {&service}, {&client});
    }

    RunningServer running;
    TestService service;
    TestClient client;
    EntityId wolf{};
};

TEST(ServiceLimits, AChangeThatIsRefusedChangesNothing) {
    WolfBesideAPlayer game;
    auto& [running, service, client, wolf] = game;
    net::ChangeOne one;
    one.entity = wolf;
    one.state = state_of(std::vector<std::byte>(1));
    one.position = engine::Position{0, 500'001, 0};
    net::ChangeOne unknown;
    unknown.entity = EntityId{999};
    service.send(net::Change{{one, unknown}});
    EXPECT_EQ(service.refused(), (Refusals{{kChange, wolf, 0, RefusalReason::out_of_world},
                                           {kChange, EntityId{999}, 0, RefusalReason::not_there}}));
    EXPECT_TRUE(tick(running, {&service}, {&client})[0].states.empty());
}

TEST(ServiceLimits, AServiceSetsNoSlotThatIsThePlayersOrThatTheZoneDoesNotHave) {
    RunningServer running;
    TestService service(running.port());
    service.join();
    TestClient client(running.port());
    const EntityId player = client.join_at({0, 0, 0}).entity;
    net::ChangeOne look;
    look.entity = player;
    look.state = state_of(std::vector<std::byte>(1));
    net::ChangeOne none = look;
    none.state = {{3, std::int64_t{1}}};
    net::ChangeOne purse = look;
    purse.state = {{2, std::int64_t{25}}};
    service.send(net::Change{{look, none, purse}});
    EXPECT_EQ(service.refused(), (Refusals{{kChange, player, 0, RefusalReason::not_writer},
                                           {kChange, player, 0, RefusalReason::bad_state}}));
    EXPECT_EQ(tick(running, {&service}, {&client})[0].states,
              (std::vector<net::StateChanged>{{player, purse.state}}));
}

TEST(ServiceLimits, NoServiceSetsTheSlotOfTheFacingButTurnsItsEntity) {
    shards::ZoneOptions zone = small_zone();
    zone.slots.push_back({"facing", engine::StateType::integer, engine::StateWriter::facing});
    WolfBesideAPlayer game(zone);
    auto& [running, service, client, wolf] = game;
    net::ChangeOne slot;
    slot.entity = wolf;
    slot.state = {{3, std::int64_t{1}}};
    service.send(net::Change{{slot}});
    EXPECT_EQ(service.refused(), (Refusals{{kChange, wolf, 0, RefusalReason::not_writer}}));
    net::ChangeOne facing;
    facing.entity = wolf;
    facing.facing = engine::Angle{16'384};
    service.send(net::Change{{facing}});
    EXPECT_EQ(tick(running, {&service}, {&client})[0].states,
              (std::vector<net::StateChanged>{{wolf, {{3, std::int64_t{16'384}}}}}));
}

TEST(ServiceLimits, NoMoreMessagesATickGoToWhoSeesAnEntityThanMay) {
    WolfBesideAPlayer game;
    auto& [running, service, client, wolf] = game;
    net::SendMessages messages;
    messages.messages.resize(17);
    for (net::MessageTo& message : messages.messages) {
        message.to_viewers_of = wolf;
    }
    service.send(messages);
    EXPECT_EQ(service.refused(), (Refusals{{kSendMessages, wolf, 0, RefusalReason::too_many}}));
    EXPECT_EQ(tick(running, {&service}, {&client})[0].messages.size(), 16U);
    service.send(messages);
    EXPECT_EQ(service.refused().size(), 1U);
}

TEST(ServiceLimits, LargeMessagesAreTakenFromAServiceAlone) {
    RunningServer running(limited([](auto& limits) { limits.message_bytes_max = 70'000; }));
    TestService service(running.port());
    EXPECT_EQ(service.join().message_bytes_max, 70'000U);
    service.send(spawns(1'000));  // some 50 KB
    EXPECT_TRUE(service.refused().empty());
    EXPECT_EQ(service.spawned().size(), 1'000U);

    TestClient early(running.port());
    early.send(spawns(1'000));
    expect_error(early, ErrorCode::too_large);
    net::Spawn large = spawns(70);
    for (net::SpawnOne& one : large.entities) {
        one.state = state_of(std::vector<std::byte>(1'024));
    }
    service.send(large);
    expect_error(service.client(), ErrorCode::too_large);
}

TEST(ServiceLimits, MoreThanAMessageMayHoldIsTooLarge) {
    expect_error_after_joining(net::Despawn{std::vector<EntityId>(1'025)}, ErrorCode::too_large);
}

TEST(ServiceLimits, ADifferenceToAPositionThatWasNotSentIsMalformed) {
    RunningServer running;
    TestService service(running.port());
    service.join();
    const EntityId wolf = service.spawn_at({0, 0, 0});
    service.send(net::MoveMany{{{wolf, true, 1, 0, 0}}});
    expect_error(service.client(), ErrorCode::malformed);
}

TEST(ServiceLimits, AnAreaOfANegativeRadiusIsMalformed) {
    RunningServer running;
    TestService service(running.port());
    service.join();
    service.send(net::Subscribe{{}, true, net::Circle{{}, -1}});
    expect_error(service.client(), ErrorCode::malformed);
}

TEST(ServiceLimits, AMoveOutOfTheWorldIsRefusedAndCountsAsSent) {
    RunningServer running;
    TestService service(running.port());
    service.join();
    TestClient client(running.port());
    client.join_at({480'000, 0, 0});
    const EntityId wolf = service.spawn_at({499'000, 0, 0});
    tick(running, {&service}, {&client});
    service.send(net::MoveMany{{{wolf, false, 500'001, 0, 0}}});
    EXPECT_EQ(service.refused(), (Refusals{{16, wolf, 0, RefusalReason::out_of_world}}));
    service.send(net::MoveMany{{{wolf, true, -1, 0, 0}}});
    EXPECT_EQ(tick(running, {&service}, {&client})[0].moves,
              (std::vector<net::Moved>{{wolf, true, 1'000, 0, 0}}));
}

TEST(ServiceLimits, MoreMessagesThanTheLimitAreTooFast) {
    RunningServer running(limited([](auto& limits) { limits.messages_per_second_max = 20; }));
    TestService service(running.port());
    service.join();
    for (int i = 0; i < 200; ++i) {
        service.send(net::Despawn{});
    }
    expect_error(service.client(), ErrorCode::too_fast);
}

TEST(ServiceLimits, AServiceThatDoesNotReadItsRefusalsIsHeldBackAndThenTooSlow) {
    net::ServerOptions options = patient_server();
    options.slow_timeout_ms = 100;
    options.linger_timeout_ms = 50;
    RunningServer running(options);
    TestService service(running.port(), 4'096);
    service.join();
    ask_for_refusals(service, 30);
    EXPECT_TRUE(eventually([&] { return running.metrics().connections == 0; }));
    EXPECT_EQ(running.metrics().closed_with_error_total, 1U);
    EXPECT_LT(running.metrics().messages_in_total, 20U);
}

TEST(ServiceLimits, AServiceThatReadsIsSentEachRefusalHoweverManyThereAre) {
    RunningServer running;
    TestService service(running.port(), 4'096);
    service.join();
    ask_for_refusals(service, 30);
    EXPECT_EQ(service.refused().size(), 30U * net::kServiceItemsMax);
    ask_for_refusals(service, 30);  // it is held back again
    EXPECT_EQ(service.refused().size(), 30U * net::kServiceItemsMax);
}

TEST(ServiceLimits, AServiceThatIsHeldBackIsNotSilent) {
    net::ServerOptions options = patient_server();
    options.idle_timeout_ms = 500;
    options.linger_timeout_ms = 100;  // a sweep each 10 ms
    RunningServer running(options);
    TestService service(running.port(), 4'096);
    service.join();
    ask_for_refusals(service, 30);
    TestClient silent(running.port());
    silent.join();
    running.step();
    running.step();
    expect_error(silent, ErrorCode::idle_timeout);
    EXPECT_EQ(service.refused().size(), 30U * net::kServiceItemsMax);
}

TEST(ServiceLimits, AServiceThatIsHeldBackLearnsWhyItIsClosed) {
    RunningServer running;
    TestService service(running.port(), 4'096);
    const net::ServiceWelcome welcome = service.join();
    ask_for_refusals(service, 30);
    TestService again(running.port());
    again.join(hello_again(welcome));
    expect_error(service.client(), ErrorCode::superseded);
}

/// What it sent and nobody took is read and thrown away: so its end is seen, and nobody need linger
/// for it.
TEST(ServiceLimits, AServiceThatIsHeldBackAndClosedMayGoAtOnce) {
    net::ServerOptions options = patient_server();
    options.linger_timeout_ms = 25'000;
    RunningServer running(options);
    TestService service(running.port(), 4'096);
    const net::ServiceWelcome welcome = service.join();
    ask_for_refusals(service, 30);
    TestService again(running.port());
    again.join(hello_again(welcome));
    ASSERT_TRUE(eventually([&] { return running.metrics().closed_with_error_total == 1; }));
    expect_error(service.client(), ErrorCode::superseded);  // nothing was read before
    service.client().close();
    EXPECT_TRUE(eventually([&] { return running.metrics().connections == 1; }));
}

/// Eight frames of some 200 KB each, and sockets that hold less than one.
TEST(ServiceLimits, AServiceThatReadsLateIsSentEachWatchersFrameWhole) {
    RunningServer running;
    running.crowd({0, 0, 0}, 200);
    TestService service(running.port(), 4'096);
    service.join();
    std::vector<EntityId> eyes;
    for (int i = 0; i < 8; ++i) {
        eyes.push_back(service.watch_area({0, 0, 0}, View::circle(1'000, 1'000)));
    }
    service.fence();
    const std::uint64_t before = running.metrics().sends_total;
    running.step();
    ASSERT_TRUE(eventually([&] { return running.metrics().sends_total > before; }));
    const std::vector<EntityId> kept(eyes.begin() + 6, eyes.end());
    eyes.resize(6);
    service.send(net::Despawn{eyes});
    // One is being sent, no matter which: it comes whole. Of the others only those come that still
    // watch.
    std::vector<EntityId> sent;
    while (!std::ranges::all_of(kept, [&](EntityId eye) { return has(sent, eye); })) {
        for (const net::FrameMessage& frame : service.frames(1)) {
            EXPECT_EQ(frame.enters.size(), 200U);
            sent.push_back(frame.watcher);
        }
    }
    std::vector<EntityId> expected = kept;
    if (!has(kept, sent.front())) {
        expected.insert(expected.begin(), sent.front());
    }
    std::ranges::sort(sent);
    EXPECT_EQ(sent, expected);
    EXPECT_TRUE(service.refused().empty());
    running.step();
    EXPECT_EQ(service.frames(2).size(), 2U);
}

/// Frames never end here until all is sent: eight of some 200 KB, and notices for three outboxes.
TEST(ServiceLimits, NoticesDoNotWaitForAllFramesToBeRead) {
    RunningServer running;
    running.crowd({0, 0, 0}, 200);
    TestService service(running.port(), 4'096);
    service.join();
    for (int i = 0; i < 8; ++i) {
        service.watch_area({0, 0, 0}, View::circle(1'000, 1'000));
    }
    service.fence();
    const std::uint64_t before = running.metrics().sends_total;
    running.step();
    ASSERT_TRUE(eventually([&] { return running.metrics().sends_total > before; }));
    net::Hello hello;
    hello.state = state_of(std::vector<std::byte>(1'024));
    std::vector<std::unique_ptr<TestClient>> clients;
    for (int i = 0; i < 300; ++i) {
        clients.push_back(std::make_unique<TestClient>(running.port()));
        clients.back()->join(hello);
    }
    service.frames(8);
    EXPECT_EQ(service.notices(0).size(), 300U);
}

/// More than sockets and outbox hold: who came and went before its coming was sent is not sent at
/// all.
TEST(ServiceLimits, AServiceThatReadsLateLosesWholeTicksOfPositionsAndLearnsHowMany) {
    RunningServer running;
    TestService service(running.port(), 4'096);
    service.join();
    service.send(net::Subscribe{{}, true});
    service.fence();
    constexpr engine::Tick kTicks = 20'000;
    engine::Tick last = engine::kNever;
    for (engine::Tick tick = 0; tick < kTicks; ++tick) {
        last = running.step();  // waits for nobody
    }
    engine::Tick received = 0;
    engine::Tick lost = 0;
    engine::Tick newest = engine::kNever;
    while (newest != last) {
        for (const net::Positions& positions : service.positions(1)) {
            EXPECT_EQ(positions.tick, newest + 1 + positions.ticks_lost);
            newest = positions.tick;
            lost += positions.ticks_lost;
            ++received;
        }
    }
    EXPECT_EQ(received + lost, kTicks);
    EXPECT_GT(lost, 0U);
}

TEST(ServiceLimits, AServiceThatReadsLateIsSentThePlayersWhoAreThere) {
    RunningServer running;
    TestService service(running.port(), 4'096);
    service.join();
    net::Hello hello;
    hello.state = state_of(std::vector<std::byte>(1'024));
    std::vector<std::unique_ptr<TestClient>> clients;
    EntityId first{};
    for (int i = 0; i < 400; ++i) {
        clients.push_back(std::make_unique<TestClient>(running.port(), 4'096));
        const EntityId entity = clients.back()->join(hello).entity;
        first = i == 0 ? entity : first;
    }
    running.step();
    for (int i = 0; i < 20; ++i) {
        clients.back()->kill();
        clients.pop_back();
    }
    ASSERT_TRUE(eventually([&] { return running.metrics().players == 380; }));
    running.step();
    for (const TestService::Notice& notice : service.notices(380)) {
        EXPECT_TRUE(std::holds_alternative<net::PlayerJoined>(notice));
    }
    service.fence();
    clients.front()->kill();
    ASSERT_TRUE(eventually([&] { return running.metrics().players == 379; }));
    running.step();
    EXPECT_EQ(
        service.notices(1),
        (std::vector<TestService::Notice>{net::PlayerLeft{first, net::PlayerLeftReason::lost}}));
}

TEST(ServiceLimits, EachMessageIsLegalWhereTheTableSaysSo) {
    const net::ClientMessage of_players[] = {net::Hello{},       net::Move{},
                                             net::SetView{},     net::SetState{},
                                             net::SendMessage{}, net::ServiceHello{}};
    for (const net::ClientMessage& message : of_players) {
        expect_error_after_joining(message, ErrorCode::out_of_order);
    }
    const net::ClientMessage of_services[] = {
        net::ServiceHello{}, net::Spawn{},  net::Despawn{},
        net::MoveMany{},     net::Change{}, net::TransferPlayer{EntityId{1}, "zone:1"},
        net::AdmitPlayer{}};
    for (const net::ClientMessage& message : of_services) {
        RunningServer running;
        TestClient player(running.port());
        player.join();
        player.send(message);
        expect_error(player, ErrorCode::out_of_order);
        if (!std::holds_alternative<net::ServiceHello>(message)) {
            TestClient early(running.port());
            early.send(message);
            expect_error(early, ErrorCode::out_of_order);
            TestService service(running.port());
            service.join();
            service.send(message);
            service.fence();
        }
    }
}

}  // namespace marchland::tests
