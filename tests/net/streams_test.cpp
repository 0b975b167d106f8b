#include "net/decode_server.h"
#include "net/wire_values.h"
#include "tests/net/hex.h"
#include "tests/net/running_server.h"
#include "tests/net/sent_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace marchland::tests {

namespace {

using engine::EntityId;
using engine::LeaveReason;

}  // namespace

TEST(Streams, TellWhatOthersDoFromEnterToLeave) {
    RunningServer running;
    TestClient watcher(running.port());
    TestClient other(running.port());
    watcher.join_at({0, 0, 0});
    net::Hello hello;
    hello.spawn = engine::Position{30'000, 0, 0};
    hello.kind = 7;
    hello.state = state_of(bytes_of("0102"));
    const EntityId id = other.join(hello).entity;

    net::FrameMessage expected = empty_frame(1);
    expected.enters = {{id, 7, {30'000, 0, 0}, state_of(bytes_of("0102"))}};
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

/// Of the frames of three ticks, as they came: 0 is not said.
std::vector<std::uint64_t> times_said_to(std::uint16_t protocol_minor) {
    RunningServer running;
    TestClient client(running.port());
    std::vector<std::byte> received;
    client.write_down(received);
    net::Hello hello;
    hello.protocol_minor = protocol_minor;
    client.join(hello);
    for (std::uint32_t seq = 1; seq <= 3; ++seq) {
        client.send(net::Move{seq, {}});
        running.tick({&client});
    }
    std::vector<std::uint64_t> times;
    for (std::span<const std::byte> rest = received; !rest.empty();) {
        const auto bytes = rest.first(net::kLengthPrefixBytes + net::read_length(rest.data()));
        const std::vector<std::byte> message(bytes.begin(), bytes.end());
        net::ServerMessage decoded;
        EXPECT_FALSE(net::decode_server(message, decoded));
        if (const auto* const frame = std::get_if<net::FrameMessage>(&decoded)) {
            times.push_back(frame->server_time_us);
        }
        rest = rest.subspan(message.size());
    }
    return times;
}

TEST(Streams, SayWhenTheirTicksWereDueToWhoCannotTell) {
    EXPECT_EQ(times_said_to(0), (std::vector<std::uint64_t>{1'000'000, 2'000'000, 3'000'000}));
    EXPECT_EQ(times_said_to(1), (std::vector<std::uint64_t>{1'000'000, 0, 0}));
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

    // It runs in and out of the crowd, and takes nothing of the megabytes that it would be sent.
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

TEST(Streams, TellStatesOfPlayersWhereTheyMaySetThem) {
    net::ServerOptions options = patient_server();
    options.player_states_per_second_max = 10;
    RunningServer running(options);
    TestClient watcher(running.port());
    TestClient other(running.port());
    TestClient far(running.port());
    watcher.join_at({500, 0, 0});
    const EntityId id = other.join_at({1'000, 0, 0}).entity;
    far.join_at({400'000, 0, 0});
    running.tick({&watcher, &other, &far});

    other.send(net::SetState{state_of(bytes_of("0102"))});
    const auto frames = running.tick({&watcher, &other, &far});
    net::FrameMessage expected = empty_frame(2);
    expected.states = {{id, state_of(bytes_of("0102"))}};
    EXPECT_EQ(frames[0], expected);
    EXPECT_EQ(frames[1], expected) << "its own";
    EXPECT_EQ(frames[2], empty_frame(2));
}

TEST(Streams, SayWhereEntitiesFaceOnceTheyHaveTurnedFarEnough) {
    shards::ZoneOptions zone = small_zone();
    zone.slots.push_back({"facing", engine::StateType::integer, engine::StateWriter::facing});
    RunningServer running(patient_server(), zone);
    TestClient watcher(running.port());
    TestClient other(running.port());
    watcher.join_at({500, 0, 0});
    const EntityId id = other.join_at({1'000, 0, 0}).entity;
    running.tick({&watcher, &other});
    std::uint32_t seq = 0;
    const auto states_when_it_faces = [&](engine::Angle facing) {
        other.send(net::Move{++seq, {1'000, 0, 0}, facing});
        return running.tick({&watcher, &other})[0].states;
    };
    const auto says = [&](std::int64_t facing) {
        return std::vector<net::StateChanged>{{id, {{3, facing}}}};
    };
    constexpr engine::Angle kStep = 5 * 65'536 / 360;
    const std::vector<net::StateChanged> nothing;
    EXPECT_EQ(states_when_it_faces(kStep), nothing);
    EXPECT_EQ(states_when_it_faces(kStep + 1), says(kStep + 1));
    EXPECT_EQ(states_when_it_faces(1), nothing);
    EXPECT_EQ(states_when_it_faces(0), says(0)) << "a first value, too";
    EXPECT_EQ(states_when_it_faces(65'536 - kStep), nothing) << "the shorter way round";
    EXPECT_EQ(states_when_it_faces(65'535 - kStep), says(65'535 - kStep));
}

}  // namespace marchland::tests
