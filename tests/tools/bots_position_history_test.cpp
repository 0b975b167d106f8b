#include "tools/bots/sent_moves.h"
#include "tools/bots/truth_checker.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

namespace marchland::bots {
namespace {

constexpr PlayerIndex kPlayer{1};
constexpr engine::Position kHere{1, 2, 3};

class History : public testing::Test {
protected:
    void record(engine::Tick tick, std::uint32_t move_ack) {
        if (tick > history_.newest()) {
            history_.open_up_to(tick);
        }
        history_.record(kPlayer, tick, move_ack, kHere);
    }
    void expect_certain(engine::Tick tick) const {
        const PositionHistory::Row* row = history_.row(tick);
        ASSERT_NE(row, nullptr) << tick;
        EXPECT_EQ(row->is_certain[1], 1U) << tick;
        EXPECT_EQ(row->positions[1], kHere) << tick;
    }
    void expect_uncertain(engine::Tick tick) const {
        const PositionHistory::Row* row = history_.row(tick);
        ASSERT_NE(row, nullptr) << tick;
        EXPECT_EQ(row->is_certain[1], 0U) << tick;
    }

    PositionHistory history_{2, 8};
};

/// A player with a velocity of 10 mm a tick in a world that ends at x = 25, who goes on for five
/// ticks.
TEST(HistoryOfOneWhoGoesOn, FollowsTheServersRule) {
    PositionHistory history(1, 16, {.world = {{0, 0, 0}, {25, 0, 0}}, .predicted_ticks_max = 5});
    const auto record = [&](engine::Tick tick, std::uint32_t ack, std::int32_t x, engine::Step v) {
        history.open_up_to(tick);
        history.record(PlayerIndex{0}, tick, ack, engine::Position{x, 0, 0}, v);
    };
    const auto at = [&](engine::Tick tick) -> std::optional<std::int32_t> {
        const PositionHistory::Row& row = *history.row(tick);
        return row.is_certain[0] != 0 ? std::optional(row.positions[0].x) : std::nullopt;
    };
    record(1, 1, 0, {});
    record(2, 2, 0, {10, 0, 0});
    record(6, 2, 0, {10, 0, 0});
    EXPECT_EQ(at(2), 0);
    EXPECT_EQ(at(4), 20);
    EXPECT_EQ(at(6), 20) << "the world's edge";
    record(7, 3, 0, {1, 0, 0});
    record(15, 3, 0, {1, 0, 0});
    EXPECT_EQ(at(12), 5);
    EXPECT_EQ(at(15), 5) << "for five ticks";
}

TEST(HistoryOfOneWhoGoesOn, KnowsNothingWhereTheMoveMayBeOlderThanTheFrame) {
    PositionHistory history(1, 16, {.world = {{0, 0, 0}, {25, 0, 0}}, .predicted_ticks_max = 5});
    history.open_up_to(3);
    history.record(PlayerIndex{0}, 1, 1, engine::Position{}, {});
    history.record(PlayerIndex{0}, 3, 2, engine::Position{}, {1, 0, 0});
    EXPECT_EQ(history.row(3)->is_certain[0], 0U);
}

TEST_F(History, PlayerIsWhereItsFrameOfThatTickAcknowledges) {
    record(5, 1);
    expect_certain(5);
    EXPECT_EQ(history_.row(5)->is_certain[0], 0U);
}

TEST_F(History, BetweenTwoFramesOfOneAcknowledgementThePlayerStoodStill) {
    record(5, 1);
    record(8, 1);
    for (const engine::Tick tick : {5U, 6U, 7U, 8U}) {
        expect_certain(tick);
    }
}

TEST_F(History, BetweenTwoFramesOfDifferentAcknowledgementsNothingIsCertain) {
    record(5, 1);
    record(8, 2);
    expect_certain(5);
    expect_uncertain(6);
    expect_uncertain(7);
    expect_certain(8);
}

TEST_F(History, BeforeTheFirstFrameNothingIsCertain) {
    history_.open_up_to(4);
    record(5, 0);
    expect_uncertain(4);
}

TEST_F(History, HoldsTheNewestTicksOnly) {
    record(5, 1);
    history_.open_up_to(12);
    EXPECT_NE(history_.row(5), nullptr);
    history_.open_up_to(13);
    EXPECT_EQ(history_.row(5), nullptr);
    EXPECT_EQ(history_.row(14), nullptr);
}

TEST_F(History, RecordOfAForgottenTickIsIgnored) {
    history_.open_up_to(100);
    record(5, 1);
    record(99, 1);
    EXPECT_EQ(history_.row(5), nullptr);
    expect_certain(93);
    expect_certain(99);
    expect_uncertain(100);
}

TEST_F(History, GapWiderThanTheRingLeavesNothingOfBefore) {
    record(5, 1);
    history_.open_up_to(1'000'005);
    for (engine::Tick tick = 999'998; tick <= 1'000'005; ++tick) {
        expect_uncertain(tick);
    }
}

TEST(SentMovesTest, FindsAMoveByItsSeqAndItsBirthplaceAsZero) {
    const Instant now{};
    SentMoves moves({7, 7, 7}, now);
    ASSERT_NE(moves.find(0), nullptr);
    EXPECT_EQ(moves.find(0)->position, (engine::Position{7, 7, 7}));
    EXPECT_EQ(moves.record(kHere, now), 1U);
    ASSERT_NE(moves.find(1), nullptr);
    EXPECT_EQ(moves.find(1)->position, kHere);
    EXPECT_EQ(moves.find(2), nullptr);
}

TEST(SentMovesTest, ForgetsWhatIsOlderThanItsCapacity) {
    SentMoves moves({}, Instant{});
    for (std::int32_t i = 1; i <= static_cast<std::int32_t>(SentMoves::kUsualCapacity); ++i) {
        moves.record({i, 0, 0}, Instant{});
    }
    EXPECT_EQ(moves.find(0), nullptr);
    EXPECT_NE(moves.find(1), nullptr);
}

TEST(SentMovesTest, FindsTheNewestMoveToAPlace) {
    SentMoves moves({5, 0, 0}, Instant{});
    moves.record({1, 0, 0}, Instant{});
    moves.record({2, 0, 0}, Instant{});
    moves.record({1, 0, 0}, Instant{});
    ASSERT_NE(moves.newest_at({1, 0, 0}, 0), nullptr);
    EXPECT_EQ(moves.newest_at({1, 0, 0}, 0)->seq, 3U);
    EXPECT_EQ(moves.newest_at({5, 0, 0}, 0), nullptr) << "no move led to its birthplace";
}

TEST(SentMovesTest, FindsNoMoveThatWasMadeByTheTick) {
    SentMoves moves({}, Instant{});
    moves.record({1, 0, 0}, Instant{});
    moves.record({2, 0, 0}, Instant{});
    moves.record({3, 0, 0}, Instant{});
    moves.acknowledge(2, 10);
    moves.acknowledge(2, 11);  // again
    EXPECT_NE(moves.newest_at({1, 0, 0}, 9), nullptr) << "in tick 10, with the second one";
    EXPECT_NE(moves.newest_at({2, 0, 0}, 9), nullptr);
    EXPECT_EQ(moves.newest_at({1, 0, 0}, 10), nullptr);
    EXPECT_EQ(moves.newest_at({2, 0, 0}, 10), nullptr);
    EXPECT_NE(moves.newest_at({3, 0, 0}, 10), nullptr);
    moves.correct(3, {9, 0, 0}, Instant{});
    EXPECT_EQ(moves.newest_at({9, 0, 0}, 10), nullptr) << "no move led there";
}

}  // namespace
}  // namespace marchland::bots
