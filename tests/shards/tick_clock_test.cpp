#include "shards/tick_clock.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

namespace marchland::shards {
namespace {

using namespace std::chrono_literals;

constexpr TickClock::Clock::time_point kStart{};

/// Runs a zone in which every tick of each of `shards` shards takes `work`, and tells the last
/// tick.
engine::Tick run(TickClock& clock, engine::Tick from, int ticks, std::chrono::nanoseconds work,
                 std::size_t shards = 1) {
    engine::Tick tick = from;
    for (int i = 0; i < ticks; ++i) {
        ++tick;
        for (std::size_t shard = 0; shard < shards; ++shard) {
            clock.report(work, work, shards, clock.due(tick) + work);
        }
    }
    return tick;
}

std::vector<Pace> with_rings() {
    engine::CrowdLimits crowd;
    crowd.rings.front() = {1'000, 2};
    return overload_steps(crowd);
}

TEST(TickClock, HasNoDrift) {
    const TickClock clock(kStart, 3, 50, {{}}, 8);
    EXPECT_EQ(clock.due(3), kStart + 1s);
    EXPECT_EQ(clock.due(300'000'000), kStart + 100'000'000s);
}

TEST(TickClock, KnowsWhichTickIsDue) {
    const TickClock clock(kStart, 20, 50, {{}}, 8);
    EXPECT_EQ(clock.due_at(kStart), 0U);
    EXPECT_EQ(clock.due_at(kStart + 49ms), 0U);
    EXPECT_EQ(clock.due_at(kStart + 50ms), 1U);
    EXPECT_EQ(clock.due_at(kStart + 24h), 24U * 3'600U * 20U);
}

TEST(TickClock, LetsTimeAloneWhileThereIsRoom) {
    TickClock clock(kStart, 20, 50, {{}}, 8);
    const engine::Tick last = run(clock, 0, 1'000, 40ms);
    EXPECT_EQ(clock.pace(last + 10).scale_percent, 100U);
    EXPECT_EQ(clock.due(last), kStart + 50ms * last);
}

TEST(TickClock, StretchesTicksUntilTheWorkFits) {
    TickClock clock(kStart, 20, 50, {{}}, 8);
    const engine::Tick last = run(clock, 0, 100, 60ms);
    const auto tick_length = clock.due(last + 11) - clock.due(last + 10);
    EXPECT_GT(tick_length, 60ms);
    EXPECT_LT(tick_length, 80ms);
}

TEST(TickClock, StretchesTicksWhereTheShardsTogetherHaveMoreToDoThanTheirCores) {
    TickClock clock(kStart, 20, 50, {{}}, 2);
    const engine::Tick last = run(clock, 0, 100, 2ms, 64);
    const auto tick_length = clock.due(last + 11) - clock.due(last + 10);
    EXPECT_GT(tick_length, 64ms) << "64 shards of 2 ms on 2 cores";
    EXPECT_LT(tick_length, 85ms);
}

TEST(TickClock, LetsTimeAloneWhereTheShardsHaveCoresEnough) {
    TickClock clock(kStart, 20, 50, {{}}, 4);
    const engine::Tick last = run(clock, 0, 100, 2ms, 64);
    EXPECT_EQ(clock.pace(last + 10).scale_percent, 100U);
}

TEST(TickClock, StretchesNoFurtherThanTheFloor) {
    TickClock clock(kStart, 20, 40, {{}}, 8);
    const engine::Tick last = run(clock, 0, 100, 1s);
    EXPECT_EQ(clock.pace(last + 100).scale_percent, 40U);
    EXPECT_EQ(clock.due(last + 101) - clock.due(last + 100), 125ms);
}

TEST(TickClock, RecoversInSteps) {
    TickClock clock(kStart, 20, 50, {{}}, 8);
    engine::Tick last = run(clock, 0, 56, 90ms);
    ASSERT_EQ(clock.pace(last + 10).scale_percent, 50U);
    last = run(clock, last, 9, 1ms);
    EXPECT_EQ(clock.pace(last + 10).scale_percent, 60U);
    last = run(clock, last, 100, 1ms);
    EXPECT_EQ(clock.pace(last + 10).scale_percent, 100U);
}

TEST(TickClock, NeverMovesATickThatIsDueOrNext) {
    TickClock clock(kStart, 20, 50, {{}}, 8);
    engine::Tick tick = 0;
    TickClock::Clock::time_point before = clock.due(0);
    for (int i = 0; i < 500; ++i) {
        ++tick;
        const auto due = clock.due(tick);
        const auto next_due = clock.due(tick + 1);
        EXPECT_GT(due, before);
        const auto work = i % 100 < 50 ? 90ms : 1ms;
        clock.report(work, work, 1, due);  // as early as can be
        EXPECT_EQ(clock.due(tick), due);
        EXPECT_EQ(clock.due(tick + 1), next_due);
        EXPECT_EQ(clock.due_at(due), tick);
        before = due;
    }
}

TEST(TickClock, IsNotSlowedDownByOneShardOfMany) {
    TickClock clock(kStart, 20, 50, {{}}, 8);
    engine::Tick tick = 0;
    for (int i = 0; i < 200; ++i) {
        ++tick;
        clock.report(60ms, 60ms, 4, clock.due(tick) + 60ms);
        for (int idle = 0; idle < 3; ++idle) {
            clock.report(1ms, 1ms, 4, clock.due(tick) + 60ms);
        }
    }
    EXPECT_EQ(clock.pace(tick + 10).scale_percent, 100U);
}

TEST(TickClock, SlowsRingsFirstAndTimeOnlyThen) {
    TickClock clock(kStart, 20, 50, with_rings(), 8);
    engine::Tick last = run(clock, 0, 8, 60ms);
    EXPECT_EQ(clock.pace(last + 10), (Pace{100, 2}));
    last = run(clock, last, 8, 60ms);
    EXPECT_EQ(clock.pace(last + 10), (Pace{100, 4}));
    last = run(clock, last, 50, 60ms);
    EXPECT_EQ(clock.pace(last + 10).ring_slowdown, 4U);
    EXPECT_LT(clock.pace(last + 10).scale_percent, 100U);
}

TEST(TickClock, LetsTimeRunAsUsualBeforeItQuickensTheRings) {
    TickClock clock(kStart, 20, 50, with_rings(), 8);
    engine::Tick last = run(clock, 0, 200, 80ms);
    ASSERT_EQ(clock.pace(last + 10).ring_slowdown, 4U);
    ASSERT_LT(clock.pace(last + 10).scale_percent, 60U);
    while (clock.pace(last + 10).scale_percent < 100) {
        last = run(clock, last, 8, 1ms);
        EXPECT_EQ(clock.pace(last + 10).ring_slowdown, 4U);
    }
    last = run(clock, last, 100, 1ms);
    EXPECT_EQ(clock.pace(last + 10), Pace{});
}

TEST(TickClock, LeavesRingsSlowWhileTwiceTheWorkWouldNotFit) {
    TickClock clock(kStart, 20, 50, with_rings(), 8);
    engine::Tick last = run(clock, 0, 9, 60ms);
    ASSERT_EQ(clock.pace(last + 10).ring_slowdown, 2U);
    last = run(clock, last, 100, 30ms);
    EXPECT_EQ(clock.pace(last + 10).ring_slowdown, 2U);
}

TEST(TickClock, SlowsRingsEvenWhereTimeNeverSlows) {
    TickClock clock(kStart, 20, 100, with_rings(), 8);
    const engine::Tick last = run(clock, 0, 40, 90ms);
    EXPECT_EQ(clock.pace(last + 10), (Pace{100, 4}));
}

TEST(TickClock, LowersBudgetsAndThenTakesEverySecondTurnBeforeItSlowsTime) {
    engine::CrowdLimits crowd;
    crowd.frame_bytes_max = 65'536;
    TickClock clock(kStart, 20, 50, overload_steps(crowd), 8);
    engine::Tick last = 0;
    for (const Pace& step : {Pace{100, 1, 16'384}, Pace{100, 1, 8'192}, Pace{100, 1, 4'096},
                             Pace{100, 1, 2'048}, Pace{100, 1, 2'048, 2}}) {
        last = run(clock, last, 8, 60ms);
        EXPECT_EQ(clock.pace(last + 10), step);
    }
    last = run(clock, last, 8, 60ms);
    EXPECT_LT(clock.pace(last + 10).scale_percent, 100U);
    last = run(clock, last, 8 * 40, 1ms);
    EXPECT_EQ(clock.pace(last + 10), Pace{}) << "all of it comes back";
}

TEST(TickClock, LowersBudgetsOfWhoeverSendsTooMuchHoweverQuickly) {
    engine::CrowdLimits crowd;
    crowd.frame_bytes_max = 65'536;
    TickClock clock(kStart, 20, 50, overload_steps(crowd), 8);
    for (engine::Tick tick = 1; tick <= 8; ++tick) {
        clock.report(1ms, 1ms, 1, clock.due(tick) + 1ms, tick == 3);
    }
    EXPECT_EQ(clock.pace(20), (Pace{100, 1, 16'384}));
}

TEST(TickClock, DoesNotSwingBetweenTwoStepsUnderASteadyLoad) {
    engine::CrowdLimits crowd;
    crowd.frame_bytes_max = 65'536;
    int changes = 0;
    TickClock clock(kStart, 20, 50, overload_steps(crowd), 8,
                    [&changes](const TickClock::Change&) { ++changes; });
    // Too much is sent with the whole budget, and a quarter of it costs little.
    for (engine::Tick tick = 1; tick <= 8 * 1'000; ++tick) {
        clock.report(1ms, 1ms, 1, clock.due(tick) + 1ms, clock.pace(tick).frame_bytes_max == 0);
    }
    EXPECT_LE(changes, 60) << "of 1,000 windows";
    EXPECT_GE(changes, 20) << "it is tried again and again";
    // Once the load is gone it all comes back, within half a minute.
    engine::Tick last = run(clock, 8 * 1'000, 8 * 70, 1ms);
    EXPECT_EQ(clock.pace(last + 10), Pace{});
}

TEST(TickClock, TellsChangesInTheirOrderWhicheverShardReports) {
    std::vector<Pace> sent{Pace{}};
    bool is_in_order = true;
    TickClock clock(kStart, 20, 50, {{}}, 8, [&](const TickClock::Change& change) {
        is_in_order = is_in_order && change.before == sent.back();
        sent.push_back(change.after);
    });
    // Open and closed by turns, reported by two threads.
    const auto report = [&clock] {
        for (engine::Tick tick = 1; tick <= 8 * 400; ++tick) {
            const auto work = tick / 400 % 2 == 0 ? 1s : 1ms;
            clock.report(work, work, 1, clock.due(tick) + work);
        }
    };
    std::jthread first(report);
    std::jthread second(report);
    first.join();
    second.join();
    EXPECT_TRUE(is_in_order);
    EXPECT_GT(sent.size(), 10U);
}

TEST(TickClock, ClosesTheZoneWhereNothingElseHelpedForAWhileAndOpensItAgain) {
    TickClock clock(kStart, 20, 50, {{}}, 8);
    engine::Tick last = run(clock, 0, 8 * 40, 80ms);
    EXPECT_TRUE(clock.pace(last + 10).is_open) << "twice the time is room for 85 ms of work";
    last = run(clock, last, 8 * 10, 130ms);
    EXPECT_EQ(clock.pace(last + 10).scale_percent, 50U);
    EXPECT_FALSE(clock.pace(last + 10).is_open);
    last = run(clock, last, 8 * 4, 80ms);
    EXPECT_FALSE(clock.pace(last + 10).is_open);
    last = run(clock, last, 8 * 40, 1ms);
    EXPECT_EQ(clock.pace(last + 10), Pace{});
}

TEST(TickClock, OfAHundredPercentIsNeverSlow) {
    TickClock clock(kStart, 20, 100, {{}}, 8);
    const engine::Tick last = run(clock, 0, 100, 10s);
    EXPECT_EQ(clock.pace(last + 10).scale_percent, 100U);
}

}  // namespace
}  // namespace marchland::shards
