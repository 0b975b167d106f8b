#include "tests/net/test_service.h"
#include "tests/net/told_world.h"

#include <gtest/gtest.h>

#include <set>

// What a service can do, through a real server: each tick is one of a zone that is stepped by hand.

namespace marchland::tests {

namespace {

using engine::EntityId;
using engine::Position;
using net::RefusalReason;

const engine::View kAround = engine::View::circle(50'000, 55'000);

std::vector<std::byte> bytes(std::size_t count, std::uint8_t value) {
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

TEST_F(ServiceTest, IsToldOfTheZoneAndOfItsLimits) {
    const net::ServiceOptions limits;
    EXPECT_EQ(welcome_.tick_rate_hz, 1U);
    EXPECT_EQ(welcome_.world_min, (Position{-500'000, -500'000, INT32_MIN}));
    EXPECT_EQ(welcome_.world_max, (Position{500'000, 500'000, INT32_MAX}));
    EXPECT_EQ(welcome_.leave_radius_mm_max, 100'000);
    EXPECT_EQ(welcome_.notify_leave_radius_mm_max, 1'000'000);
    EXPECT_EQ(welcome_.quantum_mm, 1U);
    EXPECT_EQ(welcome_.resume_token.size(), 29U);
    EXPECT_EQ(welcome_.resume_grace_ms, limits.grace_ms);
    EXPECT_FALSE(welcome_.resumed);
    EXPECT_EQ(welcome_.message_bytes_max, limits.message_bytes_max);
    EXPECT_EQ(welcome_.entities_max, limits.entities_max);
    EXPECT_EQ(welcome_.watchers_max, limits.watchers_max);
    EXPECT_TRUE(welcome_.entities.empty());
    EXPECT_EQ(running_.metrics().services, 1U);
    EXPECT_EQ(running_.metrics().players, 1U);
}

TEST_F(ServiceTest, SpawnsEntitiesThatPlayersSeeWithKindAndBlob) {
    net::SpawnOne one;
    one.ref = 77;
    one.kind = 9;
    one.position = {3'000, 4'000, 5};
    one.blob = bytes(1'024, 0xab);
    const EntityId wolf = service_.spawn(one);
    EXPECT_EQ(service_.spawned(), (std::vector<net::SpawnedOne>{{wolf, 77}}));
    EXPECT_EQ(tick().enters, (std::vector<net::Entered>{{wolf, 9, {3'000, 4'000, 5}, one.blob}}));
    EXPECT_EQ(running_.metrics().service_entities, 1U);
}

TEST_F(ServiceTest, MovesManyInOneMessageAndEachIsToldExactly) {
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

TEST_F(ServiceTest, SetsStatesThatWatchersAreToldOf) {
    const EntityId wolf = service_.spawn_at({1'000, 0, 0});
    tick();
    net::ChangeOne one = change_of(wolf);
    one.state = bytes(3, 1);
    order(one);
    EXPECT_EQ(tick().states, (std::vector<net::StateChanged>{{wolf, bytes(3, 1)}}));
    one.state = bytes(0, 0);
    order(one);
    EXPECT_EQ(tick().states, (std::vector<net::StateChanged>{{wolf, {}}}));
}

TEST_F(ServiceTest, SendsEventsInOrderToWhoSeesTheSourceAndToWhoIsNamed) {
    const EntityId near = service_.spawn_at({1'000, 0, 0});
    const EntityId far = service_.spawn_at({400'000, 0, 0});
    tick();
    service_.send(net::SendEvents{{{near, bytes(1, 1), {}},
                                   {far, bytes(1, 2), {}},
                                   {near, bytes(1, 3), {}},
                                   {far, bytes(1, 4), {player_}},
                                   {player_, bytes(1, 5), {player_}},
                                   {player_, bytes(1, 6), {}}}});
    const std::vector<net::EventDelivered> sent{
        {player_, bytes(1, 5)}, {near, bytes(1, 1)}, {near, bytes(1, 3)}, {far, bytes(1, 4)}};
    EXPECT_EQ(tick().events, sent);
    EXPECT_TRUE(tick().events.empty());
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

TEST_F(ServiceTest, TakesAPlayerOutOfTheZoneWhoIsToldSo) {
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

TEST_F(ServiceTest, IsToldOfEachPlayersComingAndGoingOnce) {
    TestClient second(running_.port());
    net::Hello hello;
    hello.kind = 4;
    hello.spawn = Position{1, 2, 3};
    hello.blob = bytes(5, 6);
    const EntityId entity = second.join(hello).entity;
    using Notices = std::vector<TestService::Notice>;
    EXPECT_EQ(service_.notices(1), (Notices{net::PlayerJoined{entity, 4, {1, 2, 3}, bytes(5, 6)}}));
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
    other.send(net::SendEvents{{{wolf, {}, {}}}});
    using Refusals = std::vector<net::CommandRefused>;
    EXPECT_EQ(other.refused(), (Refusals{{17, wolf, 0, RefusalReason::not_yours},
                                         {15, wolf, 0, RefusalReason::not_yours},
                                         {16, wolf, 0, RefusalReason::not_yours},
                                         {18, wolf, 0, RefusalReason::not_yours}}));
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
