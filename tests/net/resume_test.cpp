#include "tests/net/running_server.h"
#include "tests/net/sent_world.h"
#include "tests/net/test_service.h"

#include <gtest/gtest.h>

#include <memory>

namespace marchland::tests {

namespace {

using net::ErrorCode;

net::ServerOptions resuming_server() {
    net::ServerOptions options = patient_server();
    options.resume_grace_ms = 60'000;
    options.io_threads = 2;  // so that a session goes on in another thread than it began in
    return options;
}

net::Hello player_again(const net::Welcome& welcome, engine::Tick last_tick) {
    net::Hello hello;
    hello.resume_token = welcome.resume_token;
    hello.last_tick = last_tick;
    return hello;
}

/// Returns when the server has noticed.
void cut(RunningServer& running, TestClient& client) {
    const std::uint64_t before = running.metrics().players;
    client.kill();
    ASSERT_TRUE(eventually([&] { return running.metrics().players < before; }));
}

}  // namespace

TEST(Resume, OfAClientThatAppliedEveryFrameGoesOnWithTheDifference) {
    RunningServer running(resuming_server());
    TestClient other(running.port());
    const engine::EntityId id = other.join_at({1'000, 0, 0}).entity;
    TestClient client(running.port());
    const net::Welcome first = client.join_at({500, 0, 0});
    SentWorld world;
    world.apply(running.tick({&client, &other})[0]);
    cut(running, client);
    other.send(net::Move{1, {2'000, 0, 0}});
    EXPECT_EQ(running.tick({&other})[0].leaves.size(), 0U);

    TestClient again(running.port());
    const net::Welcome second = again.join(player_again(first, world.tick()));
    EXPECT_TRUE(second.resumed);
    EXPECT_EQ(second.entity, first.entity);
    EXPECT_NE(second.resume_token, first.resume_token);
    const net::FrameMessage frame = running.tick({&again, &other})[0];
    EXPECT_FALSE(frame.is_keyframe);
    EXPECT_EQ(frame.moves, (std::vector<net::Moved>{{id, false, 2'000, 0, 0}}));
    EXPECT_EQ(frame.correction, (net::Correction{1, {500, 0, 0}}));
    EXPECT_EQ(running.metrics().resumes_total, 1U);
    EXPECT_EQ(running.metrics().corrections_total, 1U);
    world.apply(frame);
}

TEST(Resume, OfAZoneThatDrainsIsSentTheNoticeWithTheTimeThatIsLeft) {
    RunningServer running(resuming_server());
    TestClient client(running.port());
    const net::Welcome first = client.join({});
    const auto now = std::chrono::steady_clock::now();
    running.server().rules().begin_drain({"other", 100'000}, now);
    running.server().rules().begin_drain({"back soon", 90'000}, now - std::chrono::seconds(30));
    cut(running, client);
    TestClient again(running.port());
    again.join(player_again(first, engine::kNever));
    const auto notice = again.receive_one<net::Notice>();
    EXPECT_EQ(notice.text, "back soon");
    EXPECT_GT(notice.stops_in_ms, 0U);
    EXPECT_LE(notice.stops_in_ms, 60'000U);
}

/// Ranks are sent to a connection whose Hello asks for them, whatever the one before it asked for.
TEST(Resume, NamesMovesAsTheNewConnectionAsks) {
    RunningServer running(resuming_server());
    TestClient other(running.port());
    const engine::EntityId id = other.join_at({1'000, 0, 0}).entity;
    auto client = std::make_unique<TestClient>(running.port());
    net::Hello hello;
    hello.spawn = engine::Position{500, 0, 0};
    SentWorld world;
    std::int32_t x = 1'000;
    for (const bool reads_ranks : {true, false, true}) {
        hello.reads_ranks = reads_ranks;
        const net::Welcome welcome = client->join(hello);
        world.apply(running.tick({client.get(), &other})[0]);
        other.send(net::Move{1, {++x, 0, 0}});
        const net::FrameMessage frame = running.tick({client.get(), &other})[0];
        ASSERT_EQ(frame.moves.size(), 1U);
        EXPECT_EQ(frame.moves_by_rank, reads_ranks);
        EXPECT_EQ(frame.moves.front().entity, reads_ranks ? engine::EntityId{0} : id);
        world.apply(frame);
        EXPECT_EQ(world.positions().at(id).x, x);
        cut(running, *client);
        client = std::make_unique<TestClient>(running.port());
        hello = player_again(welcome, world.tick());
    }
}

TEST(Resume, OfAClientThatMissedAFrameGoesOnWithAKeyframe) {
    RunningServer running(resuming_server());
    TestClient other(running.port());
    const engine::EntityId id = other.join_at({1'000, 0, 0}).entity;
    TestClient client(running.port());
    const net::Welcome first = client.join_at({500, 0, 0});
    running.tick({&client, &other});
    other.send(net::Move{1, {2'000, 0, 0}});
    running.tick({&client, &other});
    cut(running, client);

    TestClient again(running.port());
    again.join(player_again(first, 1));  // the frame of tick 2 never came
    const net::FrameMessage frame = running.tick({&again, &other})[0];
    EXPECT_TRUE(frame.is_keyframe);
    EXPECT_EQ(frame.enters, (std::vector<net::Entered>{{id, 0, {2'000, 0, 0}, {}}}));
}

/// Between any two frames, the last of which arrived or did not.
TEST(Resume, LeadsToTheRightSetWhereverTheConnectionWasCut) {
    for (int cut_after = 0; cut_after < 6; ++cut_after) {
        for (const bool last_is_lost : {false, true}) {
            RunningServer running(resuming_server());
            TestClient other(running.port());
            other.join_at({1'000, 0, 0});
            TestClient client(running.port());
            const net::Welcome first = client.join_at({500, 0, 0});
            SentWorld world;
            for (int i = 0; i < cut_after; ++i) {
                other.send(net::Move{1, {i % 3 == 2 ? 90'000 : 1'000 * i, 0, 0}});
                const net::FrameMessage frame = running.tick({&client, &other})[0];
                if (!last_is_lost || i + 1 < cut_after) {
                    world.apply(frame);
                }
            }
            cut(running, client);
            other.send(net::Move{1, {7'000, 0, 0}});
            running.tick({&other});

            TestClient again(running.port());
            again.join(player_again(first, world.tick()));
            world.apply(running.tick({&again, &other})[0]);
            ASSERT_EQ(world.positions().size(), 1U) << cut_after;
            EXPECT_EQ(world.positions().begin()->second, (engine::Position{7'000, 0, 0}));
        }
    }
}

/// Twice in a row, without a frame between: what counts is what the client holds, whoever sent it.
TEST(Resume, LeadsToTheRightSetWhenTheConnectionBetweenGotNoFrame) {
    for (const bool is_restarted : {false, true}) {
        RunningServer running(resuming_server());
        TestClient other(running.port());
        other.join_at({1'000, 0, 0});
        TestClient client(running.port());
        const net::Welcome first = client.join_at({500, 0, 0});
        SentWorld world;
        world.apply(running.tick({&client, &other})[0]);
        cut(running, client);
        TestClient between(running.port());
        const net::Welcome second = between.join(player_again(first, world.tick()));
        cut(running, between);
        running.tick({&other});

        if (is_restarted) {
            world = {};
        }
        TestClient again(running.port());
        again.join(player_again(second, world.tick()));
        const net::FrameMessage frame = running.tick({&again, &other})[0];
        EXPECT_EQ(frame.is_keyframe, is_restarted);
        world.apply(frame);
        EXPECT_EQ(world.positions().size(), 1U);
    }
}

TEST(Resume, TellsTheOldConnectionThatItIsSupersededWhateverItSends) {
    net::ServerOptions options = resuming_server();
    options.player_messages = {100, 1'024};
    RunningServer running(options);
    TestClient client(running.port());
    const net::Welcome first = client.join();
    running.tick({&client});
    TestClient again(running.port());
    again.join(player_again(first, 1));
    for (std::uint32_t i = 1; i <= 20; ++i) {
        client.send(net::SendMessage{i, 0, {}});
    }
    expect_error(client, ErrorCode::superseded);
}

TEST(Resume, TakesASessionOverThatStillSeemsToBeThere) {
    RunningServer running(resuming_server());
    TestClient client(running.port());
    const net::Welcome first = client.join();
    running.tick({&client});
    TestClient again(running.port());
    EXPECT_EQ(again.join(player_again(first, 1)).entity, first.entity);
    expect_error(client, ErrorCode::superseded);
    running.tick({&again});
    running.tick({&again});
    EXPECT_EQ(running.zone().entity_count(), 1U);
}

/// A client that resumed and lost the connection before its Welcome came has nothing but the old
/// token.
TEST(Resume, WithTheSameTokenIsPossibleUntilItsHolderSpeaks) {
    RunningServer running(resuming_server());
    TestClient client(running.port());
    const net::Welcome first = client.join();
    cut(running, client);
    for (const bool is_seen_to_be_lost : {false, true, false}) {
        TestClient between(running.port());
        EXPECT_EQ(between.join(player_again(first, 0)).entity, first.entity);
        if (is_seen_to_be_lost) {
            cut(running, between);
        }
    }
    TestClient again(running.port());
    const net::Welcome last = again.join(player_again(first, 0));
    EXPECT_EQ(last.entity, first.entity);
    again.fence();
    TestClient late(running.port());
    late.send(player_again(first, 0));
    expect_error(late, ErrorCode::resume_refused);
    running.tick({&again});
    EXPECT_EQ(running.zone().entity_count(), 1U);
    TestClient newest(running.port());
    EXPECT_EQ(newest.join(player_again(last, 0)).entity, first.entity);
}

TEST(Resume, IsRefusedToWhoShowsAnOldTokenWhenItsHolderResumedWithTheNewOneOrLeft) {
    for (const bool leaves : {false, true}) {
        RunningServer running(resuming_server());
        TestClient client(running.port());
        const net::Welcome first = client.join();
        TestClient second(running.port());
        const net::Welcome newer = second.join(player_again(first, 0));
        TestClient third(running.port());
        if (leaves) {
            second.send(net::LeaveZone{});
            EXPECT_EQ(second.receive(), std::nullopt);
        } else {
            third.join(player_again(newer, 0));
        }
        TestClient late(running.port());
        late.send(player_again(first, 0));
        expect_error(late, ErrorCode::resume_refused);
    }
}

TEST(Resume, IsRefusedToWhoShowsATokenTwiceOrMadeItUp) {
    RunningServer running(resuming_server());
    TestClient client(running.port());
    const net::Welcome first = client.join();
    cut(running, client);
    TestClient again(running.port());
    again.join(player_again(first, 0));
    again.fence();

    TestClient twice(running.port());
    twice.send(player_again(first, 0));
    expect_error(twice, ErrorCode::resume_refused);
    for (const std::size_t bytes : {1U, 15U, 16U, 17U, 1'000U}) {
        TestClient forger(running.port());
        net::Hello hello;
        hello.resume_token.resize(bytes);
        forger.send(hello);
        expect_error(forger, ErrorCode::resume_refused);
    }
}

TEST(Resume, IsRefusedToWhoLeft) {
    RunningServer running(resuming_server());
    TestClient client(running.port());
    const net::Welcome first = client.join();
    client.send(net::LeaveZone{});
    EXPECT_EQ(client.receive(), std::nullopt);
    TestClient again(running.port());
    again.send(player_again(first, 0));
    expect_error(again, ErrorCode::resume_refused);
}

TEST(Resume, IsNotOfferedWhereEntitiesLeaveAtOnce) {
    RunningServer running;
    TestClient client(running.port());
    EXPECT_TRUE(client.join().resume_token.empty());
}

TEST(Resume, LetsTheEntityLeaveWhenTheGraceIsOver) {
    net::ServerOptions options = resuming_server();
    options.resume_grace_ms = 1;
    options.linger_timeout_ms = 100;  // a sweep each 10 ms
    RunningServer running(options);
    TestClient client(running.port());
    client.join();
    running.tick({&client});
    cut(running, client);
    EXPECT_TRUE(eventually([&] {
        running.step();
        return running.zone().entity_count() == 0;
    }));
}

TEST(Resume, LetsTheEntityLeaveAtOnceWhenTooManyWait) {
    net::ServerOptions options = resuming_server();
    options.resume_waiting_max = 1;
    RunningServer running(options);
    TestClient first(running.port());
    TestClient second(running.port());
    const net::Welcome waits = first.join();
    const net::Welcome leaves = second.join();
    running.tick({&first, &second});
    cut(running, first);
    cut(running, second);
    running.step();
    EXPECT_EQ(running.zone().entity_count(), 1U);
    TestClient again(running.port());
    again.send(player_again(leaves, 0));
    expect_error(again, ErrorCode::resume_refused);
    TestClient back(running.port());
    EXPECT_EQ(back.join(player_again(waits, 0)).entity, waits.entity);
}

/// Whoever loses many connections takes places from itself, not from others.
TEST(Resume, KeepsAPlaceForAnAddressThatHasLessThanAnother) {
    net::ServerOptions options = resuming_server();
    options.resume_waiting_max = 3;
    options.address_limits.is_loopback_exempt = false;
    RunningServer running(options);
    std::vector<net::Welcome> greedy;
    for (int i = 0; i < 4; ++i) {
        TestClient client("127.0.0.2", running.port());
        greedy.push_back(client.join());
        cut(running, client);
    }
    TestClient client("127.0.0.3", running.port());
    const net::Welcome welcome = client.join();
    cut(running, client);
    running.step();
    EXPECT_EQ(running.zone().entity_count(), 3U);
    TestClient again("127.0.0.3", running.port());
    EXPECT_EQ(again.join(player_again(welcome, 0)).entity, welcome.entity);
    // The fourth found no room; the oldest of the three went.
    for (const int gone : {0, 3}) {
        TestClient late("127.0.0.2", running.port());
        late.send(player_again(greedy[static_cast<std::size_t>(gone)], 0));
        expect_error(late, ErrorCode::resume_refused);
    }
    TestClient back("127.0.0.2", running.port());
    EXPECT_EQ(back.join(player_again(greedy[1], 0)).entity, greedy[1].entity);
}

TEST(Memory, OverItsLimitLetsNobodyJoinButWhoResumes) {
    net::ServerOptions options = resuming_server();
    options.memory_bytes_max = 1'000'000;
    RunningServer running(options);
    TestClient player(running.port());
    const net::Welcome welcome = player.join();
    running.server().look_after_memory(1'000'001);
    EXPECT_TRUE(running.metrics().is_short_of_memory);
    TestClient late(running.port());
    late.send(net::Hello{});
    expect_error(late, ErrorCode::full);
    TestService service(running.port());
    service.join();
    service.send(net::Spawn{{net::SpawnOne{}}});
    const auto refused = service.refused();
    ASSERT_EQ(refused.size(), 1U);
    EXPECT_EQ(refused[0].reason, net::RefusalReason::zone_full);
    cut(running, player);
    TestClient again(running.port());
    EXPECT_EQ(again.join(player_again(welcome, 0)).entity, welcome.entity);
    running.server().look_after_memory(960'000);
    EXPECT_TRUE(running.metrics().is_short_of_memory) << "not before it is well below";
    running.server().look_after_memory(940'000);
    TestClient next(running.port());
    next.join();
}

}  // namespace marchland::tests
