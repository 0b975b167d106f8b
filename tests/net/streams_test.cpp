#include "tests/net/hex.h"
#include "tests/net/running_server.h"
#include "tests/net/told_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace marchland::tests {

namespace {

using engine::EntityId;
using engine::LeaveReason;

/// Two who see each other and have their first frames; players may send events.
struct Talk {
    explicit Talk(std::uint32_t tick_rate_hz = 1) : running(server_for_it(), zone(tick_rate_hz)) {
        running.tick({&listener, &speaker});
    }
    /// Sends an event for each number, which is in it.
    void say(int first, int end) {
        for (int i = first; i < end; ++i) {
            speaker.send(net::SendEvent{{std::byte(i)}, {}});
        }
    }
    [[nodiscard]] std::vector<net::EventDelivered> said(int first, int end) const {
        std::vector<net::EventDelivered> events;
        for (int i = first; i < end; ++i) {
            events.push_back({speaker_id, {std::byte(i)}});
        }
        return events;
    }
    [[nodiscard]] std::vector<net::EventDelivered> received_in_next_tick() {
        return running.tick({&listener})[0].events;
    }

    RunningServer running;
    TestClient listener{running.port()};
    TestClient speaker{running.port()};
    const EntityId listener_id = listener.join_at({500, 0, 0}).entity;
    const EntityId speaker_id = speaker.join_at({1'000, 0, 0}).entity;

private:
    static net::ServerOptions server_for_it() {
        net::ServerOptions options = patient_server();
        options.player_events = {1'000, 100};
        return options;
    }
    static shards::ZoneOptions zone(std::uint32_t tick_rate_hz) {
        shards::ZoneOptions options = small_zone();
        options.tick_rate_hz = tick_rate_hz;
        return options;
    }
};

}  // namespace

TEST(Streams, TellWhatOthersDoFromEnterToLeave) {
    RunningServer running;
    TestClient watcher(running.port());
    TestClient other(running.port());
    watcher.join_at({0, 0, 0});
    net::Hello hello;
    hello.spawn = engine::Position{30'000, 0, 0};
    hello.kind = 7;
    hello.blob = bytes_of("0102");
    const EntityId id = other.join(hello).entity;

    net::FrameMessage expected = empty_frame(1);
    expected.enters = {{id, 7, {30'000, 0, 0}, bytes_of("0102")}};
    EXPECT_EQ(running.tick({&watcher, &other})[0], expected);

    other.send(net::Move{1, {29'000, -50, 0}});
    expected = empty_frame(2);
    expected.moves = {{id, true, -1'000, -50, 0}};
    EXPECT_EQ(running.tick({&watcher, &other})[0], expected);

    other.send(net::Move{2, {29'000, -50, 12}});
    expected = empty_frame(3);
    expected.moves = {{id, true, 0, 0, 12}};
    EXPECT_EQ(running.tick({&watcher, &other})[0], expected);

    other.send(net::Move{3, {29'000, 60'000, 12}});
    expected = empty_frame(4);
    expected.leaves = {{id, LeaveReason::out_of_range}};
    EXPECT_EQ(running.tick({&watcher, &other})[0], expected);
}

TEST(Streams, TellThatOneIsGoneWhoLeft) {
    RunningServer running;
    TestClient watcher(running.port());
    TestClient other(running.port());
    watcher.join();
    const EntityId id = other.join().entity;
    running.tick({&watcher, &other});

    other.send(net::LeaveZone{});
    EXPECT_EQ(other.receive(), std::nullopt);
    net::FrameMessage expected = empty_frame(2);
    expected.leaves = {{id, LeaveReason::gone}};
    EXPECT_EQ(running.tick({&watcher})[0], expected);
}

TEST(Streams, HoldTheNewestOfSeveralMovesAndItsSeq) {
    RunningServer running;
    TestClient watcher(running.port());
    TestClient other(running.port());
    watcher.join_at({0, 0, 0});
    const EntityId id = other.join_at({1'000, 0, 0}).entity;
    running.tick({&watcher, &other});

    other.send(net::Move{8, {2'000, 0, 0}});
    other.send(net::Move{4'000'000'000U, {3'000, 0, 0}});
    other.send(net::Move{9, {1'500, 0, 0}});
    const auto frames = running.tick({&watcher, &other});
    net::FrameMessage expected = empty_frame(2);
    expected.moves = {{id, true, 500, 0, 0}};
    EXPECT_EQ(frames[0], expected);
    EXPECT_EQ(frames[1], empty_frame(2, 9));
}

TEST(Streams, FollowANewView) {
    RunningServer running;
    TestClient watcher(running.port());
    TestClient other(running.port());
    watcher.join_at({0, 0, 0});
    const EntityId id = other.join_at({30'000, 0, 0}).entity;
    running.tick({&watcher, &other});

    watcher.send(net::SetView{engine::View::circle(10'000, 20'000)});
    net::FrameMessage expected = empty_frame(2);
    expected.leaves = {{id, LeaveReason::out_of_range}};
    EXPECT_EQ(running.tick({&watcher, &other})[0], expected);

    watcher.send(net::SetView{engine::View::circle(40'000, 40'000)});
    expected = empty_frame(3);
    expected.enters = {{id, 0, {30'000, 0, 0}, {}}};
    EXPECT_EQ(running.tick({&watcher, &other})[0], expected);
}

TEST(Streams, FollowTheFacing) {
    RunningServer running;
    TestClient watcher(running.port());
    TestClient other(running.port());
    net::Hello hello;
    hello.spawn = engine::Position{0, 0, 0};
    hello.view = engine::View::sector(50'000, 50'000, 8'192, 8'192);
    hello.facing = engine::kQuarterTurn;
    watcher.join(hello);
    const EntityId id = other.join_at({30'000, 30'000, 0}).entity;
    net::FrameMessage expected = empty_frame(1);
    expected.enters = {{id, 0, {30'000, 30'000, 0}, {}}};
    EXPECT_EQ(running.tick({&watcher, &other})[0], expected);

    watcher.send(net::Move{1, {0, 0, 0}, engine::kHalfTurn});
    expected = empty_frame(2, 1);
    expected.leaves = {{id, LeaveReason::out_of_range}};
    EXPECT_EQ(running.tick({&watcher, &other})[0], expected);

    watcher.send(net::Move{2, {0, 0, 0}, 0});
    watcher.send(net::Move{3, {1, 1, 0}});
    expected = empty_frame(3, 3);
    expected.enters = {{id, 0, {30'000, 30'000, 0}, {}}};
    EXPECT_EQ(running.tick({&watcher, &other})[0], expected);
}

TEST(Streams, DoNotNoticeABorderBetweenShards) {
    RunningServer running;
    TestClient watcher(running.port());
    TestClient walker(running.port());
    watcher.join_at({-1'000, 10'000, 0});
    const EntityId id = walker.join_at({-10'000, 10'000, 0}).entity;
    running.tick({&watcher, &walker});
    // Over the border at x = 0, and beyond the hysteresis of 2 m on its other side.
    for (std::int32_t step = 1; step <= 20; ++step) {
        walker.send(net::Move{1, {-10'000 + 1'000 * step, 10'000, 0}});
        net::FrameMessage expected = empty_frame(static_cast<engine::Tick>(step) + 1);
        expected.moves = {{id, true, 1'000, 0, 0}};
        EXPECT_EQ(running.tick({&watcher, &walker})[0], expected);
    }
}

TEST(Streams, HaveAHeartbeatOnceASecondWhenNothingHappens) {
    shards::ZoneOptions zone = small_zone();
    zone.tick_rate_hz = 5;
    RunningServer running(patient_server(), zone);
    TestClient client(running.port());
    client.join();
    running.step();
    EXPECT_EQ(client.receive_one<net::FrameMessage>().tick, 1U);
    client.fence();
    for (int i = 0; i < 5; ++i) {
        running.step();
    }
    net::FrameMessage expected = empty_frame(6);
    expected.server_time_us = 1'200'000;
    EXPECT_EQ(client.receive_one<net::FrameMessage>(), expected);
}

TEST(Streams, AnswerPingsInOrder) {
    RunningServer running;
    TestClient client(running.port());
    client.join();
    running.tick({&client});
    client.send(net::Ping{77});
    client.send(net::Ping{78});
    EXPECT_EQ(client.receive_one<net::Pong>(), (net::Pong{77, 1}));
    EXPECT_EQ(client.receive_one<net::Pong>(), (net::Pong{78, 1}));
}

TEST(Streams, ShowOneWhoReadsLateTheNewestAndTheRightSet) {
    RunningServer running;
    TestClient watcher(running.port());
    TestClient late(running.port(), 4096);
    watcher.join_at({0, 0, 0});
    late.join_at({0, 0, 0});
    constexpr engine::Position kCrowd{300'000, 0, 0};
    running.crowd(kCrowd, 100);

    // It runs in and out of the crowd, and takes nothing of the megabytes that it would be told.
    constexpr std::uint32_t kTicks = 60;
    for (std::uint32_t tick = 1; tick <= kTicks; ++tick) {
        late.send(net::Move{tick, tick % 2 == 0 ? engine::Position{} : kCrowd});
        running.tick({&watcher});
    }

    late.send(net::Move{kTicks + 1, kCrowd});
    SentWorld world;
    const auto stale_frames = late.frames_until_fence();
    for (const net::FrameMessage& frame : stale_frames) {
        world.apply(frame);
    }
    EXPECT_LT(stale_frames.size(), kTicks / 2);
    world.apply(running.tick({&late})[0]);
    EXPECT_EQ(world.tick(), kTicks + 1);
    EXPECT_EQ(world.positions().size(), 100U);
    for (const auto& [id, position] : world.positions()) {
        EXPECT_EQ(position, kCrowd);
    }
}

TEST(Streams, TellTheWholeSetToWhoAsksForAKeyframe) {
    RunningServer running;
    TestClient watcher(running.port());
    TestClient other(running.port());
    const EntityId self = watcher.join_at({500, 0, 0}).entity;
    const EntityId id = other.join_at({1'000, 0, 0}).entity;
    running.tick({&watcher, &other});

    watcher.send(net::KeyframeRequest{});
    other.send(net::Move{1, {2'000, 0, 0}});
    net::FrameMessage expected = empty_frame(2);
    expected.is_keyframe = true;
    expected.enters = {{id, 0, {2'000, 0, 0}, {}}};
    expected.correction = net::Correction{0, {500, 0, 0}};
    EXPECT_EQ(running.tick({&watcher, &other})[0], expected);
    EXPECT_NE(self, id);
}

TEST(Streams, CountInQuantaOfTheZoneAndStayExact) {
    shards::ZoneOptions zone = small_zone();
    zone.quantum_mm = 10;
    RunningServer running(patient_server(), zone);
    TestClient watcher(running.port());
    TestClient other(running.port());
    EXPECT_EQ(watcher.join_at({4, -6, 15}).spawn, (engine::Position{0, -10, 20}));
    const EntityId id = other.join_at({1'000, 0, 0}).entity;
    running.tick({&watcher, &other});

    other.send(net::Move{1, {1'236, -4, 0}});
    net::FrameMessage expected = empty_frame(2);
    expected.moves = {{id, true, 24, 0, 0}};
    EXPECT_EQ(running.tick({&watcher, &other})[0], expected);
}

TEST(Streams, TellWhereTheEntityIsWhenItsMoveWasTooFar) {
    net::ServerOptions options = patient_server();
    options.speed_max_mm_per_s = 5'000;
    RunningServer running(options);
    TestClient client(running.port());
    client.join_at({0, 0, 0});
    running.tick({&client});

    client.send(net::Move{1, {6'000, 0, 0}});
    net::FrameMessage expected = empty_frame(2);
    expected.correction = net::Correction{1, {0, 0, 0}};
    EXPECT_EQ(running.tick({&client})[0], expected);

    client.send(net::Move{2, {4'000, 0, 0}});  // from before the correction was seen
    EXPECT_EQ(running.tick({&client})[0], empty_frame(3));
    client.send(net::Move{3, {4'000, 0, 0}, {}, 1});
    EXPECT_EQ(running.tick({&client})[0], empty_frame(4, 3));
}

TEST(Streams, TellStatesAndEventsOfPlayersWhereTheyMaySendThem) {
    net::ServerOptions options = patient_server();
    options.player_events = {10, 100};
    options.player_states = {10, 100};
    RunningServer running(options);
    TestClient watcher(running.port());
    TestClient other(running.port());
    TestClient far(running.port());
    watcher.join_at({500, 0, 0});
    const EntityId id = other.join_at({1'000, 0, 0}).entity;
    const EntityId far_id = far.join_at({400'000, 0, 0}).entity;
    running.tick({&watcher, &other, &far});

    other.send(net::SetState{bytes_of("0102")});
    other.send(net::SendEvent{bytes_of("aa"), {}});
    other.send(net::SendEvent{bytes_of("bb"), {far_id}});
    const auto frames = running.tick({&watcher, &other, &far});
    net::FrameMessage expected = empty_frame(2);
    expected.states = {{id, bytes_of("0102")}};
    expected.events = {{id, bytes_of("aa")}};
    EXPECT_EQ(frames[0], expected);
    EXPECT_EQ(frames[1], empty_frame(2));
    expected = empty_frame(2);
    expected.events = {{id, bytes_of("bb")}};
    EXPECT_EQ(frames[2], expected);
}

/// What a client says while its shard is late comes between two ticks, however few it sends a second.
TEST(Streams, TellEventsThatOneTickHasNoRoomForInTheNextOnesAndInOrder) {
    Talk talk;
    std::uint64_t messages = talk.running.metrics().messages_in_total;
    talk.say(0, 20);
    for (const auto& [first, end] : {std::pair(0, 8), {8, 16}, {16, 20}}) {
        // The ninth is taken in, and waits; no other is.
        messages += first == 0 ? 9 : static_cast<std::uint64_t>(std::min(end + 1, 20) - first - 1);
        EXPECT_TRUE(
            eventually([&] { return talk.running.metrics().messages_in_total >= messages; }));
        EXPECT_EQ(talk.running.metrics().messages_in_total, messages);
        EXPECT_EQ(talk.received_in_next_tick(), talk.said(first, end));
        messages += 2;  // the listener's fences
    }
    EXPECT_EQ(talk.speaker.frames_until_fence().size(), 3U);  // it is there still
}

TEST(Streams, TellEventsThatWaitInEveryTickThoughTheirSenderIsToldNothing) {
    Talk talk(20);
    const std::uint64_t messages = talk.running.metrics().messages_in_total;
    talk.say(0, 19 * 8);
    EXPECT_TRUE(
        eventually([&] { return talk.running.metrics().messages_in_total == messages + 9; }));
    for (int tick = 0; tick < 19; ++tick) {
        EXPECT_EQ(talk.received_in_next_tick(), talk.said(tick * 8, tick * 8 + 8)) << tick;
    }
    EXPECT_TRUE(talk.speaker.frames_until_fence().empty());
}

TEST(Streams, TellEventsThatNameMoreThanOneTickMayInTheNext) {
    Talk talk;
    const std::vector<EntityId> crowd(64, talk.listener_id);
    for (int i = 0; i < 2; ++i) {
        talk.speaker.send(net::SendEvent{{}, crowd});
    }
    talk.speaker.fence();
    talk.speaker.send(net::SendEvent{{}, {talk.listener_id}});
    EXPECT_EQ(talk.received_in_next_tick().size(), 2U);
    EXPECT_EQ(talk.speaker.frames_until_fence().size(), 1U);
    EXPECT_EQ(talk.received_in_next_tick().size(), 1U);
}

}  // namespace marchland::tests
