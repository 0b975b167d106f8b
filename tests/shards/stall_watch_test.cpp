#include "shards/stall_watch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

namespace marchland::shards {
namespace {

using namespace std::chrono_literals;

constexpr ShardId kA{0};
constexpr ShardId kB{7};

/// Looks as often as the watch wants it for so long, and says when a shard stood still, since the
/// start.
class Watched {
public:
    explicit Watched(StallWatch::Clock::duration stall_max) : watch(stall_max) {
        EXPECT_FALSE(watch.look(now_, [this](ShardId) { return progress; }));
    }

    std::optional<StallWatch::Standstill> pass(StallWatch::Clock::duration time) {
        for (const auto until = now_ + time; now_ < until;) {
            now_ += watch.interval();
            if (auto standstill = watch.look(now_, [this](ShardId) { return progress; })) {
                return standstill;
            }
        }
        return std::nullopt;
    }
    [[nodiscard]] auto passed() const { return now_.time_since_epoch(); }
    void jump(StallWatch::Clock::duration time) { now_ += time; }

    StallWatch watch;
    std::uint64_t progress = 0;

private:
    StallWatch::Clock::time_point now_{};
};

TEST(StallWatch, ShardThatStaysInOneTickStandsStillAfterTheTimeThatWasGiven) {
    Watched run(1s);
    run.watch.begin(kA, 6);
    EXPECT_FALSE(run.pass(500ms));
    run.watch.begin(kA, 7);
    const auto began = run.passed();
    EXPECT_EQ(run.pass(10s), (StallWatch::Standstill{kA, 7}));
    EXPECT_GE(run.passed() - began, 1s);
    EXPECT_LE(run.passed() - began, 1s + run.watch.interval());
}

TEST(StallWatch, ShardThatTicksOrWaitsForATickDoesNotStandStill) {
    Watched run(1s);
    for (engine::Tick tick = 1; tick < 20; ++tick) {
        run.watch.begin(kA, tick);
        run.watch.begin(kB, tick);
        EXPECT_FALSE(run.pass(900ms)) << tick;
        run.watch.end(kA);
    }
    run.watch.end(kB);
    EXPECT_FALSE(run.pass(100s)) << "at a tick a minute there is as long a wait between two";
}

TEST(StallWatch, ShardThatBuildsFramesIsLateAndDoesNotStandStill) {
    Watched run(1s);
    run.watch.begin(kA, 3);
    for (int i = 0; i < 100; ++i) {
        EXPECT_FALSE(run.pass(500ms));
        ++run.progress;
    }
    EXPECT_EQ(run.pass(10s), (StallWatch::Standstill{kA, 3}));
}

TEST(StallWatch, NobodyIsBlamedForTheTimeInWhichTheProcessWasStopped) {
    Watched run(1s);
    run.watch.begin(kA, 3);
    EXPECT_FALSE(run.pass(250ms));
    run.jump(1h);
    EXPECT_FALSE(run.pass(250ms));
    EXPECT_EQ(run.pass(10s), (StallWatch::Standstill{kA, 3})) << "but for what came after it";
}

}  // namespace
}  // namespace marchland::shards
