#include "net/encode_client.h"
#include "tests/net/hex.h"
#include "tests/net/running_server.h"
#include "tests/net/sent_world.h"

#include <gtest/gtest.h>

// Clients that do not keep to the protocol, and two well-behaved ones beside them, whose streams
// must be what they would be without.

namespace marchland::tests {

namespace {

using engine::EntityId;
using engine::LeaveReason;
using net::ErrorCode;

/// Two clients that see each other; the second goes to and fro.
class GoodPair {
public:
    explicit GoodPair(RunningServer& running)
        : running_(running), watcher_(running.port()), walker_(running.port()) {
        watcher_id_ = watcher_.join_at({-200'000, 0, 0}).entity;
        walker_id_ = walker_.join_at({-201'000, 0, 0}).entity;
        running_.tick({&watcher_, &walker_});
    }

    TestClient& watcher() { return watcher_; }

    /// One tick, in which both are sent exactly what they do.
    void expect_usual_tick() {
        const std::int32_t way = steps_ % 2 == 0 ? 700 : -700;
        x_ += way;
        walker_.send(net::Move{++steps_, {x_, 0, 0}});
        const auto frames = running_.tick({&watcher_, &walker_});
        const engine::Tick tick = frames[0].tick;
        net::FrameMessage to_watcher = empty_frame(tick);
        to_watcher.moves = {{walker_id_, true, way, 0, 0}};
        const net::FrameMessage to_walker = empty_frame(tick, steps_);
        ASSERT_EQ(frames[0], to_watcher);
        ASSERT_EQ(frames[1], to_walker);
    }

private:
    RunningServer& running_;
    TestClient watcher_;
    TestClient walker_;
    EntityId watcher_id_{};
    EntityId walker_id_{};
    std::int32_t x_ = -201'000;
    std::uint32_t steps_ = 0;
};

net::ServerOptions impatient_server() {
    net::ServerOptions options = patient_server();
    options.slow_timeout_ms = 100;
    options.linger_timeout_ms = 50;
    return options;
}

constexpr engine::Position kCrowdAt{300'000, 0, 0};

/// Makes the server tell it megabytes, one tick at a time, and reads none of it.
bool runs_in_and_out_of_the_crowd(TestClient& client, std::uint32_t step) {
    const engine::Position far{300'000, 300'000, 0};
    return client.send(net::Move{step, step % 2 == 0 ? kCrowdAt : far});
}

}  // namespace

TEST(RoughClients, OneThatNeverReadsIsGivenUpAndCostsBoundedMemory) {
    RunningServer running(impatient_server());
    running.crowd(kCrowdAt, 200);
    GoodPair pair(running);
    TestClient deaf(running.port(), 4096);
    deaf.join_at(kCrowdAt);

    std::uint32_t step = 0;
    while (running.metrics().connections == 3) {
        runs_in_and_out_of_the_crowd(deaf, ++step);
        pair.expect_usual_tick();
        if (HasFatalFailure()) {
            return;
        }
    }
    EXPECT_EQ(running.metrics().closed_with_error_total, 1U);
    EXPECT_LT(running.metrics().bytes_out_total, 2'000'000U);
    pair.expect_usual_tick();
    EXPECT_TRUE(eventually([&] { return running.metrics().ports == 2; }));
}

TEST(RoughClients, OneThatReadsTooLateIsSentThatError) {
    net::ServerOptions options = impatient_server();
    options.linger_timeout_ms = 20'000;
    RunningServer running(options);
    running.crowd(kCrowdAt, 200);
    GoodPair pair(running);
    TestClient late(running.port(), 4096);
    late.join_at(kCrowdAt);

    std::uint32_t step = 0;
    while (running.metrics().closed_with_error_total == 0) {
        runs_in_and_out_of_the_crowd(late, ++step);
        pair.expect_usual_tick();
        if (HasFatalFailure()) {
            return;
        }
    }
    expect_error(late, ErrorCode::too_slow);
}

TEST(RoughClients, OneThatFloodsPingsAndNeverReadsIsClosedLongBeforeItIsSlow) {
    net::ServerOptions options = patient_server();
    options.linger_timeout_ms = 50;
    RunningServer running(options);
    GoodPair pair(running);
    TestClient flooding(running.port(), 4096);
    flooding.join_at(kCrowdAt);
    while (flooding.send(net::Ping{1})) {
    }
    EXPECT_TRUE(eventually([&] { return running.metrics().connections == 2; }));
    pair.expect_usual_tick();
}

TEST(RoughClients, OnesThatSendNoiseDisturbNobody) {
    RunningServer running;
    GoodPair pair(running);
    for (int i = 0; i < 20; ++i) {
        TestClient noisy(running.port());
        std::vector<std::byte> noise(200);
        for (std::size_t at = 0; at < noise.size(); ++at) {
            noise[at] = static_cast<std::byte>((at * 167 + static_cast<std::size_t>(i) * 13) % 251);
        }
        noise[0] = std::byte{196};  // the prefix, so that it is one message
        noise[1] = noise[2] = noise[3] = std::byte{0};
        noisy.send_bytes(noise);
        pair.expect_usual_tick();
        expect_error(noisy, ErrorCode::malformed);
    }
    EXPECT_TRUE(eventually([&] { return running.metrics().connections == 2; }));
}

TEST(RoughClients, OneThatStopsInTheMiddleOfAMessageDisturbsNobody) {
    RunningServer running;
    GoodPair pair(running);
    TestClient halfway(running.port());
    halfway.join_at(kCrowdAt);
    halfway.send_bytes(bytes_of("34000000 0c000000 0800"));
    for (int i = 0; i < 10; ++i) {
        pair.expect_usual_tick();
    }
}

TEST(RoughClients, OneThatIsKilledInTheMiddleOfAMessageIsGoneAtTheNextTick) {
    RunningServer running;
    TestClient watcher(running.port());
    TestClient doomed(running.port());
    watcher.join();
    const EntityId id = doomed.join().entity;
    running.tick({&watcher, &doomed});

    doomed.send_bytes(bytes_of("34000000 0c000000 0800"));
    doomed.kill();
    ASSERT_TRUE(eventually([&] { return running.metrics().players == 1; }));
    net::FrameMessage expected = empty_frame(2);
    expected.leaves = {{id, LeaveReason::gone}};
    EXPECT_EQ(running.tick({&watcher})[0], expected);
    EXPECT_EQ(running.zone().entity_count(), 1U);
    EXPECT_TRUE(eventually([&] { return running.metrics().ports == 1; }));
}

TEST(RoughClients, OneThatIsKilledBeforeItsFirstTickLeavesNothingBehind) {
    RunningServer running;
    TestClient doomed(running.port());
    doomed.join();
    doomed.kill();
    ASSERT_TRUE(eventually([&] { return running.metrics().connections == 0; }));
    EXPECT_EQ(running.metrics().ports, 1U);  // the zone has not ticked yet
    running.step();
    EXPECT_EQ(running.zone().entity_count(), 0U);
    EXPECT_TRUE(eventually([&] { return running.metrics().ports == 0; }));
}

TEST(RoughClients, OneThatClosesWithAFrameInFlightLeavesNothingBehind) {
    RunningServer running(impatient_server());
    running.crowd(kCrowdAt, 200);
    TestClient client(running.port(), 4096);
    client.join_at(kCrowdAt);
    running.step();  // more than the socket takes at once
    client.kill();
    ASSERT_TRUE(eventually([&] { return running.metrics().connections == 0; }));
    running.step();
    EXPECT_TRUE(eventually([&] { return running.metrics().ports == 0; }));
}

TEST(RoughClients, OneThatTheZoneGivesUpIsSentThatError) {
    shards::ZoneOptions zone = small_zone();
    zone.frame_gap_ticks_max = 20;
    net::ServerOptions options = patient_server();
    options.linger_timeout_ms = 20'000;
    RunningServer running(options, zone);
    running.crowd(kCrowdAt, 200);
    TestClient deaf(running.port(), 4096);
    deaf.join_at(kCrowdAt);

    std::uint32_t step = 0;
    while (running.metrics().closed_with_error_total == 0) {
        runs_in_and_out_of_the_crowd(deaf, ++step);
        running.step();
    }
    expect_error(deaf, ErrorCode::too_slow);
    EXPECT_EQ(running.zone().entity_count(), 200U);
}

}  // namespace marchland::tests
