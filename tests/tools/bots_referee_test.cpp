#include "tools/bots/referee.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace marchland::bots {
namespace {

using namespace std::chrono_literals;

constexpr PlayerIndex kAnn{0};
constexpr PlayerIndex kBob{1};
constexpr ZoneFacts kZone{
    {{-1'000'000, -1'000'000, 0}, {1'000'000, 1'000'000, 0}, engine::Dimensions::two}, 20, {}};

net::Welcome welcome(std::uint64_t entity) {
    net::Welcome message;
    message.entity = static_cast<engine::EntityId>(entity);
    message.view = engine::View::circle(50'000, 55'000);
    return message;
}

/// Ann, entity 10, and Bob, entity 11, both at the origin.
class RefereeTest : public testing::Test {
protected:
    RefereeTest() {
        EXPECT_TRUE(referee_.on_welcome(kAnn, welcome(10), kStart));
        EXPECT_TRUE(referee_.on_welcome(kBob, welcome(11), kStart));
    }

    /// What Ann is sent: Bob enters.
    static net::FrameMessage bob_enters(engine::Tick tick) {
        net::FrameMessage frame;
        frame.tick = tick;
        frame.enters = {{engine::EntityId{11}, 0, {0, 0, 0}, {}}};
        return frame;
    }
    static net::FrameMessage bob_moves(engine::Tick tick, std::int64_t x) {
        net::FrameMessage frame;
        frame.tick = tick;
        frame.moves = {{engine::EntityId{11}, true, x, 0, 0}};
        return frame;
    }
    static net::FrameMessage nothing_but_ack(engine::Tick tick, std::uint32_t move_ack) {
        net::FrameMessage frame;
        frame.tick = tick;
        frame.move_ack = move_ack;
        return frame;
    }

    static constexpr Instant kStart{1h};
    ViolationLog log_{nullptr, 0};
    Referee referee_{kZone, 2, 1'000, log_};
};

TEST_F(RefereeTest, EntityThatIsGivenTwiceIsAViolation) {
    Referee referee(kZone, 2, 1'000, log_);
    EXPECT_TRUE(referee.on_welcome(kAnn, welcome(10), kStart));
    EXPECT_FALSE(referee.on_welcome(kBob, welcome(10), kStart));
    EXPECT_EQ(log_.count(Violation::unexpected), 1U);
}

TEST_F(RefereeTest, SpawnOutsideTheWorldIsAViolation) {
    Referee referee(kZone, 2, 1'000, log_);
    net::Welcome far = welcome(12);
    far.spawn = {1'000'001, 0, 0};
    EXPECT_FALSE(referee.on_welcome(kAnn, far, kStart));
    EXPECT_EQ(log_.count(Violation::outside_world), 1U);
}

TEST_F(RefereeTest, PositionIsTrueWhenItIsTheAcknowledgedMovesOne) {
    referee_.on_frame(kAnn, bob_enters(1), kStart);
    EXPECT_EQ(referee_.next_seq(kBob), 1U);
    referee_.on_move_sent(kBob, {250, 0, 0}, kStart);
    referee_.on_frame(kAnn, bob_moves(2, 250), kStart);
    referee_.on_frame(kBob, nothing_but_ack(2, 1), kStart);
    referee_.finish();
    // Bob is not sent Ann, who is as near: that is the one thing wrong here.
    EXPECT_EQ(log_.total(), 1U);
    EXPECT_EQ(log_.count(Violation::missing), 1U);
    EXPECT_EQ(referee_.truth().positions_checked(), 1U);
}

TEST_F(RefereeTest, PositionThatIsNotTheAcknowledgedMovesOneIsAViolation) {
    referee_.on_frame(kAnn, bob_enters(1), kStart);
    referee_.on_move_sent(kBob, {250, 0, 0}, kStart);
    referee_.on_frame(kAnn, bob_moves(2, 250), kStart);
    referee_.on_frame(kBob, nothing_but_ack(2, 0), kStart);
    referee_.finish();
    EXPECT_EQ(log_.count(Violation::wrong_position), 1U);
}

TEST_F(RefereeTest, TickInWhichAFrameSaysThatItIsStaleIsNotComparedWithTheTruth) {
    net::FrameMessage stale = nothing_but_ack(1, 0);
    referee_.on_frame(kAnn, stale, kStart);
    stale.border_stale = true;
    referee_.on_frame(kBob, stale, kStart);
    referee_.finish();
    EXPECT_EQ(log_.total(), 0U);
    EXPECT_EQ(referee_.truth().pairs_checked(), 0U);
    EXPECT_EQ(referee_.traffic().stale_frames, 1U);
}

TEST_F(RefereeTest, LatencyCountsFromTheSendOfTheReceivedPosition) {
    referee_.on_frame(kAnn, bob_enters(1), kStart);
    for (std::int32_t i = 1; i <= 40; ++i) {
        // Each move is received 30 ms after it was sent, when a newer one is on its way already.
        const Instant sent = kStart + i * 50ms;
        referee_.on_move_sent(kBob, {i * 250, 0, 0}, sent);
        referee_.on_move_sent(kBob, {i * 250, 1, 0}, sent + 25ms);
        const engine::Tick tick = 1 + static_cast<engine::Tick>(i);
        const auto ack = nothing_but_ack(tick, static_cast<std::uint32_t>(2 * i - 1));
        if (i % 2 == 0) {  // Bob may be sent it before Ann is, or after
            referee_.on_frame(kBob, ack, sent + 30ms);
        }
        referee_.on_frame(kAnn, bob_moves(tick, 250), sent + 30ms);
        if (i % 2 != 0) {
            referee_.on_frame(kBob, ack, sent + 31ms);
        }
    }
    // One frame of several is measured.
    EXPECT_GT(referee_.latency().count(), 0U);
    EXPECT_EQ(referee_.latency().max_us(), 30'000U);
    EXPECT_EQ(referee_.latency().quantile_us(0.0), 30'000U);
}

TEST_F(RefereeTest, WhoGoesOnToWhereAnOldMoveLedIsNotLate) {
    ZoneFacts zone = kZone;
    zone.prediction_error_mm = 50;
    Referee referee(zone, 2, 1'000, log_);
    ASSERT_TRUE(referee.on_welcome(kAnn, welcome(10), kStart));
    ASSERT_TRUE(referee.on_welcome(kBob, welcome(11), kStart));
    referee.on_frame(kAnn, bob_enters(1), kStart);
    referee.on_move_sent(kBob, {250, 0, 0}, kStart);
    referee.on_frame(kBob, nothing_but_ack(2, 1), kStart);
    referee.on_move_sent(kBob, {1'000, 0, 0}, kStart, {-250, 0, 0});
    referee.on_frame(kBob, nothing_but_ack(3, 2), kStart);
    // It goes on, now here, now there, and no move was sent.
    referee.on_frame(kAnn, nothing_but_ack(4, 0), kStart);
    referee.on_frame(kAnn, bob_moves(5, 250), kStart + 28s);
    for (engine::Tick tick = 6; tick <= 100; ++tick) {
        referee.on_frame(kAnn, bob_moves(tick, tick % 2 == 0 ? 750 : -750), kStart + 28s);
    }
    EXPECT_EQ(referee.latency().count(), 0U);
}

TEST_F(RefereeTest, WhoLeftMayBeSeenUntilAMoveThatWasSentLaterIsAcknowledgedAndALagMore) {
    constexpr engine::Tick kLag = 20;  // a second
    referee_.on_frame(kAnn, bob_enters(1), kStart);
    referee_.on_move_sent(kAnn, {1, 0, 0}, kStart);
    referee_.on_left(kBob, kStart + 1s);
    // Frames that were on their way when Bob's stream ended, or that may have been: however many
    // they are.
    engine::Tick tick = 2;
    while (tick <= 5 * kLag) {
        referee_.on_frame(kAnn, nothing_but_ack(tick++, 1), kStart + 2s);
    }
    referee_.on_move_sent(kAnn, {2, 0, 0}, kStart + 3s);
    const engine::Tick later = tick;
    while (tick < later + kLag) {
        referee_.on_frame(kAnn, nothing_but_ack(tick++, 2), kStart + 4s);
    }
    referee_.finish();
    EXPECT_EQ(log_.count(Violation::still_seen), 0U);
    referee_.on_frame(kAnn, nothing_but_ack(tick, 2), kStart + 4s);
    referee_.finish();
    EXPECT_EQ(log_.count(Violation::still_seen), 1U);
}

TEST_F(RefereeTest, ACorrectionIsNoMoveThatWasSentWhenItWasReceived) {
    referee_.on_frame(kAnn, bob_enters(1), kStart);
    referee_.on_move_sent(kAnn, {1, 0, 0}, kStart);
    referee_.on_left(kBob, kStart + 1s);
    for (engine::Tick tick = 2; tick <= 50; ++tick) {
        net::FrameMessage frame = nothing_but_ack(tick, 1);
        frame.correction = {static_cast<std::uint32_t>(tick), {}};
        referee_.on_frame(kAnn, frame, kStart + 2s);
    }
    referee_.finish();
    EXPECT_EQ(log_.count(Violation::still_seen), 0U);
}

TEST_F(RefereeTest, WhoGoesOnDoesSoAfterAKeyframeThatCorrectsNothing) {
    ZoneFacts zone = kZone;
    zone.prediction_error_mm = 50;
    zone.predicted_ticks_max = 10;
    Referee referee(zone, 2, 1'000, log_);
    ASSERT_TRUE(referee.on_welcome(kAnn, welcome(10), kStart));
    ASSERT_TRUE(referee.on_welcome(kBob, welcome(11), kStart));
    referee.on_frame(kBob, nothing_but_ack(1, 0), kStart);
    referee.on_move_sent(kBob, {0, 0, 0}, kStart, {250, 0, 0});
    referee.on_frame(kBob, nothing_but_ack(2, 1), kStart);
    net::FrameMessage keyframe = nothing_but_ack(3, 1);
    keyframe.is_keyframe = true;
    keyframe.correction = {0, {250, 0, 0}};
    referee.on_frame(kBob, keyframe, kStart);
    EXPECT_EQ(referee.correction_seen(kBob), 0U);
    referee.on_frame(kBob, nothing_but_ack(4, 1), kStart);

    net::FrameMessage ann = nothing_but_ack(4, 0);
    ann.enters = {{engine::EntityId{11}, 0, {500, 0, 0}, {}, {250, 0, 0}}};
    referee.on_frame(kAnn, ann, kStart);
    referee.finish();
    EXPECT_GE(referee.truth().positions_checked(), 1U);
    EXPECT_EQ(log_.count(Violation::wrong_position), 0U);
}

TEST_F(RefereeTest, AfterACorrectionOneStandsWhereItSays) {
    referee_.on_move_sent(kBob, {0, 0, 0}, kStart, {250, 0, 0});
    referee_.on_frame(kBob, nothing_but_ack(1, 1), kStart);
    net::FrameMessage corrected = nothing_but_ack(2, 1);
    corrected.correction = {7, {9'000, 0, 0}};
    referee_.on_frame(kBob, corrected, kStart);
    EXPECT_EQ(referee_.correction_seen(kBob), 7U);

    net::FrameMessage ann = nothing_but_ack(2, 0);
    ann.enters = {{engine::EntityId{11}, 0, {9'000, 0, 0}, {}}};
    referee_.on_frame(kAnn, ann, kStart);
    referee_.finish();
    EXPECT_EQ(referee_.truth().positions_checked(), 1U);
    EXPECT_EQ(log_.count(Violation::wrong_position), 0U);
}

TEST_F(RefereeTest, TrafficIsCounted) {
    referee_.on_frame(kAnn, bob_enters(1), kStart);
    referee_.on_frame(kAnn, bob_moves(2, 1), kStart);
    EXPECT_EQ(referee_.traffic().frames, 2U);
    EXPECT_EQ(referee_.traffic().updates(), 2U);
    EXPECT_EQ(referee_.traffic().enters, 1U);
    EXPECT_EQ(referee_.traffic().moves, 1U);
}

}  // namespace
}  // namespace marchland::bots
