#include "tests/net/hex.h"
#include "tests/net/sent_world.h"
#include "tests/net/test_service.h"

#include <gtest/gtest.h>

#include <set>

// What a service can do, through a real server: each tick is one of a zone that is stepped by hand.

namespace marchland::tests {

namespace {

using engine::EntityId;
using engine::Position;
using net::RefusalReason;

const engine::View kAround = engine::View::circle(50'000, 55'000);

std::vector<std::byte> payload_of(std::size_t count, std::uint8_t value) {
    return std::vector<std::byte>(count, std::byte{value});
}

net::ChangeOne change_of(EntityId entity) {
    net::ChangeOne one;
    one.entity = entity;
    return one;
}

/// A service and a player who stands at the origin, after the tick in which both began.
class ServiceTest : public testing::Test {
protected:
    ServiceTest() {
        welcome_ = service_.join();
        player_ = client_.join_at({0, 0, 0}).entity;
        tick();
        service_.notices(1);
    }
    /// The player's frame of a tick in which all that was sent is done.
    net::FrameMessage tick() { return tests::tick(running_, {&service_}, {&client_})[0]; }
    void order(net::ChangeOne one) { service_.send(net::Change{{std::move(one)}}); }

    RunningServer running_;
    TestService service_{running_.port()};
    TestClient client_{running_.port()};
    net::ServiceWelcome welcome_;
    EntityId player_{};
};

}  // namespace

TEST_F(ServiceTest, LearnsOfTheZoneAndOfItsLimits) {
    const net::ServiceOptions limits;
    EXPECT_EQ(welcome_.tick_rate_hz, 1U);
    EXPECT_EQ(welcome_.world_min, (Position{-500'000, -500'000, INT32_MIN}));
    EXPECT_EQ(welcome_.world_max, (Position{500'000, 500'000, INT32_MAX}));
    EXPECT_EQ(welcome_.leave_radius_mm_max, 100'000);
    EXPECT_EQ(welcome_.notify_leave_radius_mm_max, 1'000'000);
    EXPECT_EQ(welcome_.quantum_mm, 1U);
    EXPECT_EQ(welcome_.resume_token.size(), 29U);
    EXPECT_EQ(welcome_.resume_grace_ms, limits.grace_ms);
    EXPECT_EQ(welcome_.restart_grace_ms, 0U) << "it keeps no state";
    EXPECT_FALSE(welcome_.resumed);
    EXPECT_EQ(welcome_.message_bytes_max, limits.message_bytes_max);
    EXPECT_EQ(welcome_.entities_max, limits.entities_max);
    EXPECT_EQ(welcome_.watchers_max, limits.watchers_max);
    EXPECT_TRUE(welcome_.entities.empty());
    EXPECT_EQ(running_.metrics().services, 1U);
    EXPECT_EQ(running_.metrics().players, 1U);
}

TEST_F(ServiceTest, SpawnsEntitiesThatPlayersSeeWithKindAndState) {
    net::SpawnOne one;
    one.ref = 77;
    one.kind = 9;
    one.position = {3'000, 4'000, 5};
    one.state = state_of(payload_of(1'024, 0xab));
    const EntityId wolf = service_.spawn(one);
    EXPECT_EQ(service_.spawned(), (std::vector<net::SpawnedOne>{{wolf, 77}}));
    EXPECT_EQ(tick().enters, (std::vector<net::Entered>{{wolf, 9, {3'000, 4'000, 5}, one.state}}));
    EXPECT_EQ(running_.metrics().service_entities, 1U);
}

TEST_F(ServiceTest, MovesManyInOneMessageAndEachIsSentExactly) {
    const EntityId first = service_.spawn_at({1'000, 0, 0});
    const EntityId second = service_.spawn_at({2'000, 0, 0});
    tick();
    service_.send(net::MoveMany{{{first, false, 1'500, -3, 7}, {second, false, 2'001, 1, -1}}});
    EXPECT_EQ(tick().moves,
              (std::vector<net::Moved>{{first, true, 500, -3, 7}, {second, true, 1, 1, -1}}));
    service_.send(net::MoveMany{{{first, true, -500, 3, 0}, {second, true, 4, 0, 1}}});
    EXPECT_EQ(tick().moves,
              (std::vector<net::Moved>{{first, true, -500, 3, 0}, {second, true, 4, 0, 1}}));
}

TEST_F(ServiceTest, DespawnsWhatItSpawned) {
    const EntityId wolf = service_.spawn_at({1'000, 0, 0});
    tick();
    service_.send(net::Despawn{{wolf}});
    EXPECT_EQ(tick().leaves, (std::vector<engine::Leave>{{wolf, engine::LeaveReason::gone}}));
    EXPECT_EQ(running_.metrics().service_entities, 0U);
    service_.send(net::Despawn{{wolf}});
    EXPECT_EQ(service_.refused(),
              (std::vector<net::CommandRefused>{{15, wolf, 0, RefusalReason::not_there}}));
}

TEST_F(ServiceTest, SetsStatesThatWatchersAreSent) {
    const EntityId wolf = service_.spawn_at({1'000, 0, 0});
    tick();
    net::ChangeOne one = change_of(wolf);
    one.state = state_of(payload_of(3, 1));
    order(one);
    EXPECT_EQ(tick().states, (std::vector<net::StateChanged>{{wolf, one.state}}));
    one.state = {{1, std::int64_t{9}}};
    order(one);
    EXPECT_EQ(tick().states, (std::vector<net::StateChanged>{{wolf, one.state}}));
}

net::MessageTo to_viewers_of(EntityId entity, std::uint16_t kind) {
    net::MessageTo message;
    message.to_viewers_of = entity;
    message.kind = kind;
    return message;
}

TEST_F(ServiceTest, SendsMessagesToEachAudienceInTheFrameOfOneTick) {
    const EntityId near = service_.spawn_at({1'000, 0, 0});
    const EntityId far = service_.spawn_at({400'000, 0, 0});
    tick();
    net::SendMessages send;
    send.messages = {to_viewers_of(near, 1), to_viewers_of(far, 2), to_viewers_of(near, 3),
                     to_viewers_of(player_, 4)};
    const auto add = [&](std::uint16_t kind) -> net::MessageTo& {
        send.messages.emplace_back().kind = kind;
        return send.messages.back();
    };
    add(5).to = {player_, player_};
    add(6).within = net::Circle{{3'000, 4'000, 0}, 5'000};
    add(7).within = net::Circle{{3'000, 4'000, 0}, 4'999};
    add(8).layers = 3;
    add(9).layers = 2;
    add(10).to_everybody = true;
    add(11);  // to nobody
    add(12).to = {near};
    service_.send(send);
    EXPECT_EQ(service_.refused(),
              (std::vector<net::CommandRefused>{{29, near, 0, RefusalReason::not_yours}}));
    const std::vector<net::MessageDelivered> sent{{5, {}},  {6, {}},       {8, {}},
                                                  {10, {}}, {1, {}, near}, {3, {}, near}};
    EXPECT_EQ(tick().messages, sent);
    EXPECT_TRUE(tick().messages.empty());
}

TEST_F(ServiceTest, SendsAPlayerToAnotherZone) {
    tick();
    service_.send(net::TransferPlayer{EntityId{999}, "east:7777"});
    EXPECT_EQ(service_.refused(),
              (std::vector<net::CommandRefused>{{18, EntityId{999}, 0, RefusalReason::not_there}}));
    service_.send(net::TransferPlayer{player_, "east:7777", "a.b.c", payload_of(2, 7)});
    service_.fence();
    running_.step();
    std::optional<net::Transfer> transfer;
    std::optional<net::ErrorMessage> error;
    while (const auto message = client_.receive()) {
        if (const auto* const found = std::get_if<net::Transfer>(&*message)) {
            transfer = *found;
        } else if (const auto* const ending = std::get_if<net::ErrorMessage>(&*message)) {
            error = *ending;
        }
    }
    EXPECT_EQ(transfer, (net::Transfer{"east:7777", "a.b.c", payload_of(2, 7)}));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, net::ErrorCode::transferred);
    using Notices = std::vector<TestService::Notice>;
    EXPECT_EQ(service_.notices(1),
              (Notices{net::PlayerLeft{player_, net::PlayerLeftReason::transferred}}));

    TestClient there(running_.port());
    net::Hello hello;
    hello.carried = transfer->carried;
    const EntityId again = there.join(hello).entity;
    net::PlayerJoined joined{again, 0, {0, 0, 0}, {}};
    joined.carried = payload_of(2, 7);
    EXPECT_EQ(service_.notices(1), (Notices{joined}));
}

TEST_F(ServiceTest, HidesAndShowsByLayers) {
    const EntityId wolf = service_.spawn_at({1'000, 0, 0});
    tick();
    net::ChangeOne one = change_of(wolf);
    one.layers = net::Layers{2, 1};
    order(one);
    EXPECT_EQ(tick().leaves, (std::vector<engine::Leave>{{wolf, engine::LeaveReason::hidden}}));
    net::ChangeOne sees = change_of(player_);
    sees.layers = net::Layers{1, 3};
    order(sees);
    EXPECT_EQ(tick().enters.size(), 1U);
}

TEST_F(ServiceTest, ShowsADragonFromAfar) {
    net::SpawnOne one;
    one.position = {300'000, 0, 0};
    one.notify = {299'999, 300'000};
    const EntityId dragon = service_.spawn(one);
    EXPECT_TRUE(tick().enters.empty());
    net::ChangeOne nearer = change_of(dragon);
    nearer.notify = engine::NotifyRange{300'000, 300'000};
    order(nearer);
    EXPECT_EQ(tick().enters.size(), 1U);
}

TEST_F(ServiceTest, ChangesAPlayersView) {
    const EntityId wolf = service_.spawn_at({40'000, 0, 0});
    EXPECT_EQ(tick().enters.size(), 1U);
    net::ChangeOne blind = change_of(player_);
    blind.view = engine::View{};
    order(blind);
    EXPECT_EQ(tick().leaves,
              (std::vector<engine::Leave>{{wolf, engine::LeaveReason::out_of_range}}));
}

TEST_F(ServiceTest, TeleportsAPlayerWhoseEarlierMovesAreThenPassedOver) {
    net::ChangeOne teleport = change_of(player_);
    teleport.position = Position{400'000, 400'000, 0};
    order(teleport);
    service_.fence();
    client_.send(net::Move{1, {5, 0, 0}});
    net::FrameMessage frame = tick();
    EXPECT_EQ(frame.correction, (net::Correction{1, {400'000, 400'000, 0}}));
    EXPECT_EQ(frame.move_ack, 0U);
    client_.send(net::Move{2, {6, 0, 0}});  // sent before the correction was seen
    frame = tick();
    EXPECT_EQ(frame.move_ack, 0U);
    EXPECT_EQ(frame.correction, std::nullopt);
    client_.send(net::Move{3, {400'001, 400'000, 0}, {}, 1});
    EXPECT_EQ(tick().move_ack, 3U);
}

TEST_F(ServiceTest, FreezesAPlayerWhoseMovesAreThenCorrected) {
    net::ChangeOne freeze = change_of(player_);
    freeze.speed_percent = std::uint16_t{0};
    order(freeze);
    client_.send(net::Move{1, {5, 0, 0}});
    EXPECT_EQ(tick().correction, (net::Correction{1, {0, 0, 0}}));
    freeze.speed_percent = net::SpeedLimit::kUnchecked;
    order(freeze);
    client_.send(net::Move{2, {400'000, 0, 0}, {}, 1});
    EXPECT_EQ(tick().move_ack, 2U);
}

TEST_F(ServiceTest, MovesAPlayersEntityAsItsClientAsksOrOtherwise) {
    service_.send(net::Subscribe{{}, true, {}, true});
    net::ChangeOne one = change_of(player_);
    one.authority = net::Authority::service;
    order(one);
    client_.send(net::Move{1, {5, 0, 0}, engine::Angle{9}});
    net::FrameMessage frame = tick();
    EXPECT_EQ(frame.move_ack, 0U);
    EXPECT_EQ(frame.correction, std::nullopt);
    EXPECT_EQ(service_.notices(1), (std::vector<TestService::Notice>{net::PlayerMove{
                                       player_, 1, frame.tick, {5, 0, 0}, engine::Angle{9}}}));
    EXPECT_EQ(service_.positions(1)[0].players[0].position, Position{});

    one = change_of(player_);
    one.position = Position{5, 0, 0};
    one.move_ack = 1U;
    order(one);
    client_.send(net::Move{2, {9, 0, 0}});
    frame = tick();
    EXPECT_EQ(frame.move_ack, 1U);
    EXPECT_EQ(frame.correction, std::nullopt);
    EXPECT_EQ(service_.positions(1)[0].players[0].position, (Position{5, 0, 0}));

    one.position = Position{7, 0, 0};
    one.move_ack = 2U;
    order(one);
    client_.send(net::Move{3, {12, 0, 0}});  // before it sees that it was corrected
    frame = tick();
    EXPECT_EQ(frame.move_ack, 2U);
    EXPECT_EQ(frame.correction, (net::Correction{1, {7, 0, 0}}));
    EXPECT_EQ(service_.notices(2).size(), 2U);

    one.position = Position{400'000, 0, 0};
    one.move_ack.reset();
    order(one);
    service_.fence();
    client_.send(net::Move{4, {13, 0, 0}, {}, 1});  // before it sees that it was put elsewhere
    EXPECT_EQ(tick().correction, (net::Correction{2, {400'000, 0, 0}}));
    client_.send(net::Move{5, {400'001, 0, 0}, {}, 2});
    frame = tick();
    EXPECT_EQ(service_.notices(1), (std::vector<TestService::Notice>{
                                       net::PlayerMove{player_, 5, frame.tick, {400'001, 0, 0}}}));
}

TEST_F(ServiceTest, GivesAPlayerItsEntityBack) {
    net::ChangeOne one = change_of(player_);
    one.authority = net::Authority::service;
    order(one);
    tick();
    one.authority = net::Authority::zone;
    order(one);
    client_.send(net::Move{1, {5, 0, 0}});
    const net::FrameMessage back = tick();
    EXPECT_EQ(back.move_ack, 0U);
    ASSERT_TRUE(back.correction);  // it is sent first where its entity is
    client_.send(net::Move{2, {5, 0, 0}, {}, back.correction->number});
    EXPECT_EQ(tick().move_ack, 2U);
}

TEST(ServiceAuthority, HoldsForAllPlayersWhereTheZoneSaysSo) {
    net::ServerOptions options = patient_server();
    options.services.authority = net::Authority::service;
    RunningServer running(options);
    TestService service(running.port());
    service.join();
    TestClient client(running.port());
    const EntityId id = client.join_at({0, 0, 0}).entity;
    service.send(net::Subscribe{{}, false, {}, true});
    tick(running, {&service}, {&client});
    client.send(net::Move{1, {5, 0, 0}});
    EXPECT_EQ(tick(running, {&service}, {&client})[0].move_ack, 0U);
    EXPECT_EQ(service.notices(2)[1], TestService::Notice(net::PlayerMove{id, 1, 2, {5, 0, 0}}));
    net::ChangeOne one = change_of(id);
    one.authority = net::Authority::client;
    service.send(net::Change{{one}});
    const auto back = tick(running, {&service}, {&client})[0].correction;
    ASSERT_TRUE(back);
    client.send(net::Move{2, {6, 0, 0}, {}, back->number});
    EXPECT_EQ(tick(running, {&service}, {&client})[0].move_ack, 2U);
}

TEST_F(ServiceTest, TakesAPlayerOutOfTheZoneWhoLearnsWhy) {
    service_.send(net::Despawn{{player_}});
    service_.fence();
    running_.step();
    expect_error(client_, net::ErrorCode::removed);
    EXPECT_EQ(service_.notices(1), (std::vector<TestService::Notice>{
                                       net::PlayerLeft{player_, net::PlayerLeftReason::removed}}));
    EXPECT_EQ(running_.zone().entity_count(), 0U);
}

TEST_F(ServiceTest, WatchesAnAreaInWhichNobodySeesIt) {
    const EntityId eye = service_.watch_area({0, 0, 0}, kAround);
    EXPECT_TRUE(tick().enters.empty());
    const net::FrameMessage first = service_.frames(1)[0];
    EXPECT_EQ(first.watcher, eye);
    EXPECT_EQ(first.enters, (std::vector<net::Entered>{{player_, 0, {0, 0, 0}, {}}}));
    EXPECT_EQ(first.correction, std::nullopt);
    client_.send(net::Move{1, {10, 0, 0}});
    tick();
    EXPECT_EQ(service_.frames(1)[0].moves, (std::vector<net::Moved>{{player_, true, 10, 0, 0}}));
}

TEST_F(ServiceTest, IsSentInEachTickWherePlayersAreOnWhicheverShard) {
    service_.spawn_at({1'000, 0, 0});
    TestClient other(running_.port());
    const EntityId id = other.join_at({-400'000, 400'000, 5}).entity;
    service_.send(net::Subscribe{{}, true});
    client_.send(net::Move{1, {7, 0, 0}});
    const engine::Tick begun = tests::tick(running_, {&service_}, {&client_, &other})[0].tick;
    EXPECT_EQ(
        service_.positions(1),
        (std::vector{net::Positions{begun, {{player_, {7, 0, 0}}, {id, {-400'000, 400'000, 5}}}}}));
    client_.send(net::Move{2, {-7, -7, 0}});
    tests::tick(running_, {&service_}, {&client_, &other});
    EXPECT_EQ(service_.positions(1),
              (std::vector{net::Positions{
                  begun + 1, {{player_, {-7, -7, 0}}, {id, {-400'000, 400'000, 5}}}}}));
}

TEST_F(ServiceTest, MovesAndTurnsWhatItLooksThrough) {
    net::SpawnOne one;
    one.position = {300'000, 0, 0};
    one.view = engine::View::sector(50'000, 50'000, 1'000, 1'000);
    one.watches = true;
    const EntityId guard = service_.spawn(one);
    tick();
    EXPECT_TRUE(service_.frames(1)[0].enters.empty());
    service_.send(net::MoveMany{{{guard, false, 30'000, 0, 0}}});
    EXPECT_EQ(tick().enters.size(), 1U);  // the player sees the guard, who looks the other way
    EXPECT_TRUE(service_.frames(1)[0].enters.empty());
    net::ChangeOne turn = change_of(guard);
    turn.facing = 32'768;
    order(turn);
    tick();
    EXPECT_EQ(service_.frames(1)[0].enters.size(), 1U);
    service_.send(net::Despawn{{guard}});
    tick();
    EXPECT_TRUE(service_.refused().empty());
}

TEST_F(ServiceTest, GetsAKeyframeForEachWatcherWhenItAsks) {
    const EntityId left = service_.watch_area({-1'000, 0, 0}, kAround);
    const EntityId right = service_.watch_area({1'000, 0, 0}, kAround);
    tick();
    service_.frames(2);
    service_.send(net::KeyframeRequest{});
    tick();
    std::set<EntityId> watchers;
    for (const net::FrameMessage& frame : service_.frames(2)) {
        EXPECT_TRUE(frame.is_keyframe);
        EXPECT_EQ(frame.enters.size(), 1U);
        watchers.insert(frame.watcher);
    }
    EXPECT_EQ(watchers, (std::set<EntityId>{left, right}));
}

TEST_F(ServiceTest, IsSentEachPlayersComingAndGoingOnce) {
    TestClient second(running_.port());
    net::Hello hello;
    hello.kind = 4;
    hello.spawn = Position{1, 2, 3};
    hello.state = state_of(payload_of(5, 6));
    const EntityId entity = second.join(hello).entity;
    using Notices = std::vector<TestService::Notice>;
    EXPECT_EQ(service_.notices(1), (Notices{net::PlayerJoined{entity, 4, {1, 2, 3}, hello.state}}));
    running_.step();
    second.send(net::LeaveZone{});
    while (second.receive()) {
    }
    running_.step();
    EXPECT_EQ(service_.notices(1), (Notices{net::PlayerLeft{entity, net::PlayerLeftReason::left}}));

    TestService late(running_.port());
    late.join();
    EXPECT_EQ(late.notices(1), (Notices{net::PlayerJoined{player_, 0, {0, 0, 0}, {}}}));
}

TEST_F(ServiceTest, MayNotTouchAnotherServicesEntities) {
    const EntityId wolf = service_.spawn_at({1'000, 0, 0});
    TestService other(running_.port());
    other.join();
    net::ChangeOne one = change_of(wolf);
    one.position = Position{5, 5, 5};
    other.send(net::Change{{one}});
    other.send(net::Despawn{{wolf}});
    other.send(net::MoveMany{{{wolf, true, 1, 1, 1}}});
    other.send(net::SendMessages{{to_viewers_of(wolf, 1)}});
    using Refusals = std::vector<net::CommandRefused>;
    EXPECT_EQ(other.refused(), (Refusals{{17, wolf, 0, RefusalReason::not_yours},
                                         {15, wolf, 0, RefusalReason::not_yours},
                                         {16, wolf, 0, RefusalReason::not_yours},
                                         {29, wolf, 0, RefusalReason::not_yours}}));
    EXPECT_EQ(tick().enters, (std::vector<net::Entered>{{wolf, 0, {1'000, 0, 0}, {}}}));
}

TEST_F(ServiceTest, LeavesInOrderAndTakesItsEntitiesAlong) {
    const EntityId wolf = service_.spawn_at({1'000, 0, 0});
    tick();
    service_.send(net::LeaveZone{});
    EXPECT_EQ(service_.client().receive(), std::nullopt);
    EXPECT_EQ(running_.tick({&client_})[0].leaves,
              (std::vector<engine::Leave>{{wolf, engine::LeaveReason::gone}}));
    EXPECT_EQ(running_.metrics().services, 0U);
}

}  // namespace marchland::tests
