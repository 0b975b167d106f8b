#include "tools/bots/truth_checker.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace marchland::bots {
namespace {

constexpr engine::Tick kLag = 4;
constexpr engine::View kView = engine::View::circle(100, 150);

constexpr PlayerIndex kWatcher{0};
constexpr PlayerIndex kTarget{1};
constexpr PlayerIndex kOther{2};
constexpr std::size_t kPlayers = 3;

/// A player's entity has an id of 100 and its index.
engine::EntityId entity(PlayerIndex player) {
    return static_cast<engine::EntityId>(100 + to_number(player));
}

KnownEntity received(PlayerIndex player, engine::Position position) {
    return {entity(player), position, 0};
}

/// Three players: the watcher stands at the origin; the others are where a test puts them.
class Truth : public testing::Test {
protected:
    explicit Truth(const engine::CrowdLimits& crowd = {})
        : truth_({{.crowd = crowd}, kLag, 1'000}, roster_, log_) {
        for (std::size_t i = 0; i < kPlayers; ++i) {
            const auto player = static_cast<PlayerIndex>(i);
            EXPECT_TRUE(roster_.add(player, entity(player)));
            truth_.on_joined(player, kView);
        }
    }

    /// One tick in which everybody has its frame.
    struct World {
        engine::Tick tick = 1;
        std::optional<engine::Position> target;
        std::optional<engine::Position> other = engine::Position{9'000, 0, 0};
        std::vector<KnownEntity> before = {};
        std::vector<KnownEntity> after = {};
        std::vector<engine::Leave> leaves = {};
        LeftOut left_out = {};
    };

    void play(const World& world) {
        ASSERT_TRUE(truth_.wants(kWatcher, world.tick));
        truth_.keep_before(world.before);
        truth_.keep_after(kWatcher, world.tick, world.after, world.leaves, world.left_out);
        const auto seq = static_cast<std::uint32_t>(world.tick);
        truth_.record_position(kWatcher, world.tick, seq, engine::Position{});
        truth_.record_position(kTarget, world.tick, seq, world.target);
        truth_.record_position(kOther, world.tick, seq, world.other);
    }

    void expect_none() {
        truth_.finish();
        EXPECT_EQ(log_.total(), 0U);
    }
    void expect_one(Violation kind) {
        truth_.finish();
        EXPECT_EQ(log_.total(), 1U);
        EXPECT_EQ(log_.count(kind), 1U) << name_of(kind);
    }

    ViolationLog log_{nullptr, 0};
    Roster roster_{kPlayers};
    TruthChecker truth_;
};

TEST_F(Truth, ViewThatIsRightIsNoViolation) {
    play({.target = engine::Position{60, 80, 0}, .after = {received(kTarget, {60, 80, 0})}});
    expect_none();
    EXPECT_EQ(truth_.pairs_checked(), 2U);
    EXPECT_EQ(truth_.positions_checked(), 1U);
}

TEST_F(Truth, TargetOnTheEdgeThatIsNotSeenIsMissing) {
    play({.target = engine::Position{60, 80, 0}});
    expect_one(Violation::missing);
}

TEST_F(Truth, TargetJustBeyondTheEdgeNeedNotBeSeen) {
    play({.target = engine::Position{60, 81, 0}});
    expect_none();
}

TEST_F(Truth, NewTargetBetweenTheRadiiMustNotBeSeen) {
    play({.target = engine::Position{60, 81, 0}, .after = {received(kTarget, {60, 81, 0})}});
    expect_one(Violation::must_not_see);
}

TEST_F(Truth, KnownTargetBetweenTheRadiiStaysSeen) {
    play({.target = engine::Position{90, 120, 0},
          .before = {received(kTarget, {60, 80, 0})},
          .after = {received(kTarget, {90, 120, 0})}});
    expect_none();
}

TEST_F(Truth, KnownTargetBetweenTheRadiiThatIsDroppedIsMissing) {
    play({.target = engine::Position{90, 120, 0}, .before = {received(kTarget, {60, 80, 0})}});
    expect_one(Violation::missing);
}

TEST_F(Truth, KnownTargetBeyondTheLeaveRadiusMustNotBeSeen) {
    play({.target = engine::Position{90, 121, 0},
          .before = {received(kTarget, {60, 80, 0})},
          .after = {received(kTarget, {90, 121, 0})}});
    expect_one(Violation::must_not_see);
}

TEST_F(Truth, PositionThatIsNotTheTrueOneIsCaught) {
    play({.target = engine::Position{10, 10, 0}, .after = {received(kTarget, {10, 11, 0})}});
    expect_one(Violation::wrong_position);
}

TEST_F(Truth, HeightCountsInThePositionAndNotInAFlatDistance) {
    play({.target = engine::Position{10, 10, 900}, .after = {received(kTarget, {10, 10, 901})}});
    expect_one(Violation::wrong_position);
}

TEST_F(Truth, TargetThatIsInTheZoneDidNotGo) {
    play({.target = engine::Position{900, 0, 0},
          .before = {received(kTarget, {60, 80, 0})},
          .leaves = {{entity(kTarget), engine::LeaveReason::gone}}});
    expect_one(Violation::wrong_reason);
}

TEST_F(Truth, TargetThatWentOutOfRangeMaySaySo) {
    play({.target = engine::Position{900, 0, 0},
          .before = {received(kTarget, {60, 80, 0})},
          .leaves = {{entity(kTarget), engine::LeaveReason::out_of_range}}});
    expect_none();
}

TEST_F(Truth, TargetThatLeftTheZoneAWhileAgoMustNotBeSeen) {
    play({.tick = 1,
          .target = engine::Position{10, 0, 0},
          .after = {received(kTarget, {10, 0, 0})}});
    truth_.on_gone(kTarget, 1);
    const std::vector<KnownEntity> known = {received(kTarget, {10, 0, 0})};
    play({.tick = kLag, .target = std::nullopt, .before = known, .after = known});
    EXPECT_EQ(log_.total(), 0U);
    play({.tick = 1 + kLag, .target = std::nullopt, .before = known, .after = known});
    expect_one(Violation::still_seen);
}

TEST_F(Truth, TargetWhosePositionIsNotCertainIsLeftOut) {
    play({.target = std::nullopt, .after = {received(kTarget, {1, 2, 3})}});
    expect_none();
    EXPECT_EQ(truth_.pairs_checked(), 1U);
    EXPECT_EQ(truth_.positions_checked(), 0U);
}

TEST_F(Truth, EntityOfSomebodyElseIsLeftOut) {
    const KnownEntity foreign{static_cast<engine::EntityId>(7), {5'000, 5'000, 0}, 0};
    play({.target = engine::Position{900, 0, 0}, .after = {foreign}});
    expect_none();
}

TEST_F(Truth, WatcherWhosePositionIsNotCertainIsLeftOut) {
    truth_.keep_before({});
    truth_.keep_after(kWatcher, 1, {}, {}, {});
    truth_.record_position(kWatcher, 1, 1, std::nullopt);
    truth_.record_position(kTarget, 1, 1, engine::Position{10, 0, 0});
    expect_none();
    EXPECT_EQ(truth_.pairs_checked(), 0U);
}

TEST_F(Truth, TickIsJudgedOnceALaterOneIsLagTicksAhead) {
    play({.tick = 1, .target = engine::Position{60, 80, 0}});
    truth_.record_position(kWatcher, kLag, 2, engine::Position{});
    EXPECT_EQ(log_.total(), 0U);
    truth_.record_position(kWatcher, 1 + kLag, 2, engine::Position{});
    EXPECT_EQ(log_.count(Violation::missing), 1U);
    EXPECT_FALSE(truth_.wants(kWatcher, 1));
}

TEST_F(Truth, FrameThatComesWithinTheLagStillCounts) {
    truth_.keep_before({});
    truth_.keep_after(kWatcher, 10, {}, {}, {});
    truth_.record_position(kWatcher, 10, 1, engine::Position{});
    truth_.record_position(kOther, 9 + kLag, 1, engine::Position{900, 0, 0});
    truth_.record_position(kTarget, 10, 1, engine::Position{1, 0, 0});
    expect_one(Violation::missing);
}

TEST(TruthBudget, EveryWatcherHasItsTurnAndNoTickCostsMoreThanItMay) {
    constexpr std::size_t kMany = 50;
    ViolationLog log(nullptr, 0);
    const Roster roster(kMany);
    const TruthChecker truth({{}, kLag, kMany * 5}, roster, log);
    std::vector<std::size_t> turns(kMany);
    for (engine::Tick tick = 1; tick <= kMany; ++tick) {
        std::size_t wanted = 0;
        for (std::size_t i = 0; i < kMany; ++i) {
            if (truth.wants(static_cast<PlayerIndex>(i), tick)) {
                ++wanted;
                ++turns[i];
            }
        }
        EXPECT_EQ(wanted, 5U);
    }
    EXPECT_EQ(turns, std::vector<std::size_t>(kMany, 5));
}

TEST(TruthBudget, OfNothingChecksNothing) {
    ViolationLog log(nullptr, 0);
    const Roster roster(3);
    const TruthChecker truth({{}, kLag, 0}, roster, log);
    EXPECT_FALSE(truth.wants(kWatcher, 1));
}

/// As Truth, in a zone where a watcher sees one other at most.
class CappedTruth : public Truth {
protected:
    CappedTruth() : Truth({1, 50}) {}
};

TEST_F(CappedTruth, FurtherOneMayBeMissing) {
    play({.target = engine::Position{60, 0, 0},
          .other = engine::Position{50, 0, 0},
          .after = {received(kOther, {50, 0, 0})},
          .left_out = {.is_capped = true}});
    expect_none();
}

TEST_F(CappedTruth, NearerOneIsMissing) {
    play({.target = engine::Position{40, 0, 0},
          .other = engine::Position{50, 0, 0},
          .after = {received(kOther, {50, 0, 0})},
          .left_out = {.is_capped = true}});
    expect_one(Violation::missing);
}

TEST_F(CappedTruth, NearerOneMayWaitForOneThatWasSeenBeforeUpToTheMargin) {
    play({.target = engine::Position{26, 0, 0},
          .other = engine::Position{50, 0, 0},
          .before = {received(kOther, {50, 0, 0})},
          .after = {received(kOther, {50, 0, 0})},
          .left_out = {.is_capped = true}});
    expect_none();
}

TEST_F(CappedTruth, NearerOneByMoreThanTheMarginIsMissing) {
    play({.target = engine::Position{24, 0, 0},
          .other = engine::Position{50, 0, 0},
          .before = {received(kOther, {50, 0, 0})},
          .after = {received(kOther, {50, 0, 0})},
          .left_out = {.is_capped = true}});
    expect_one(Violation::missing);
}

TEST_F(CappedTruth, NobodyIsMissingWithoutTheFrameSayingSo) {
    play({.target = engine::Position{60, 0, 0},
          .other = engine::Position{50, 0, 0},
          .after = {received(kOther, {50, 0, 0})}});
    expect_one(Violation::missing);
}

TEST_F(CappedTruth, OneThatLosesItsPlaceLeavesAsCapped) {
    play({.target = engine::Position{60, 0, 0},
          .other = engine::Position{10, 0, 0},
          .before = {received(kTarget, {60, 0, 0})},
          .after = {received(kOther, {10, 0, 0})},
          .leaves = {{entity(kTarget), engine::LeaveReason::capped}},
          .left_out = {.is_capped = true}});
    expect_none();
}

TEST_F(CappedTruth, MoreThanTheCapAllowsIsCaught) {
    play({.target = engine::Position{60, 0, 0},
          .other = engine::Position{50, 0, 0},
          .after = {received(kTarget, {60, 0, 0}), received(kOther, {50, 0, 0})}});
    expect_one(Violation::wrong_cap);
}

TEST_F(CappedTruth, FrameThatSaysCappedWhileThereIsRoomIsCaught) {
    play({.target = engine::Position{900, 0, 0}, .left_out = {.is_capped = true}});
    expect_one(Violation::wrong_cap);
}

TEST_F(Truth, FrameThatSaysCappedInAZoneWithoutACapIsCaught) {
    play({.target = engine::Position{900, 0, 0}, .left_out = {.is_capped = true}});
    expect_one(Violation::wrong_cap);
}

/// As Truth, in a zone that tells moves beyond 50 mm every second tick, and with a byte budget.
class SlowedTruth : public Truth {
protected:
    SlowedTruth() : Truth(limits()) {}

    static engine::CrowdLimits limits() {
        engine::CrowdLimits limits;
        limits.rings.front() = {50, 2};
        limits.frame_bytes_max = 100;
        limits.stale_ticks_max = 3;
        return limits;
    }

    /// The target goes from x = 61 in tick 1 to 71 in tick 11, and is then sent at `sent_x`.
    void walk(std::int32_t sent_x, LeftOut left_out) {
        for (engine::Tick tick = 1; tick <= 11; ++tick) {
            const engine::Position at{60 + static_cast<std::int32_t>(tick), 0, 0};
            const engine::Position last = tick == 11 ? engine::Position{sent_x, 0, 0} : at;
            play({.tick = tick,
                  .target = at,
                  .before = {received(kTarget, at)},
                  .after = {received(kTarget, last)},
                  .left_out = tick == 11 ? left_out : LeftOut{}});
        }
    }
};

TEST_F(SlowedTruth, PositionOfTheTickBeforeMayWaitForItsSlot) {
    walk(70, {.is_slowed = true});
    expect_none();
}

TEST_F(SlowedTruth, PositionThatMissedItsSlotIsCaught) {
    walk(68, {.is_slowed = true});  // rings may be slowed, but no further than to stale_ticks_max
    expect_one(Violation::wrong_position);
}

TEST_F(SlowedTruth, PositionMayWaitForRoomInTheBudgetAlsoWhereMuchIsStale) {
    walk(63, {.is_over_budget = true});
    expect_none();
}

TEST_F(SlowedTruth, PositionThatIsStaleIsCaught) {
    walk(62, {.is_over_budget = true});
    expect_one(Violation::wrong_position);
}

TEST_F(SlowedTruth, PositionThatNeverWasIsCaught) {
    walk(99, {.is_slowed = true, .is_over_budget = true});
    expect_one(Violation::wrong_position);
}

TEST_F(SlowedTruth, OldPositionInAFrameThatSaysNothingIsCaught) {
    walk(63, {});
    expect_one(Violation::wrong_position);
}

}  // namespace
}  // namespace marchland::bots
