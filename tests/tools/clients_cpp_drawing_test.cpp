#include "tools/clients/cpp/drawing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <vector>

namespace marchland::client {
namespace {

using namespace std::chrono_literals;
using engine::EntityId;
using Milliseconds = std::chrono::milliseconds;

constexpr EntityId kSelf{1};
constexpr EntityId kOther{7};

/// Frames of a zone with 20 ticks a second; time zero of this test is any of the clock's.
struct Scene {
    explicit Scene(std::optional<Milliseconds> fixed_delay = {}) : drawing(20, fixed_delay) {}

    void take(net::FrameMessage frame, Milliseconds server_time, Milliseconds now) {
        frame.tick = world.tick() + 1;
        frame.server_time_us =
            static_cast<std::uint64_t>(std::chrono::microseconds(server_time).count());
        ASSERT_EQ(world.apply(frame), std::nullopt);
        drawing.apply(frame, world, begin + now);
    }
    void enter(std::int32_t x, engine::Step velocity, Milliseconds server_time, Milliseconds now) {
        net::FrameMessage frame;
        frame.enters = {{kOther, 0, {x, 0, 0}, {}, velocity}};
        take(frame, server_time, now);
    }
    void move(std::int32_t x, engine::Step velocity, Milliseconds server_time, Milliseconds now) {
        net::FrameMessage frame;
        frame.moves = {{kOther, false, x, 0, 0, velocity}};
        take(frame, server_time, now);
    }
    [[nodiscard]] double x_at(std::chrono::duration<double, std::milli> now) const {
        const auto at = begin + std::chrono::duration_cast<Drawing::Clock::duration>(now);
        const auto place = drawing.place_of(kOther, at);
        return place ? place->x : -1;
    }

    const Drawing::Clock::time_point begin{1h};
    SeenWorld world{1, kSelf};
    Drawing drawing;
};

/// Of one that walks 1 mm a millisecond, every 60th of a second.
std::vector<double> steps_drawn(Milliseconds every, int jitter_ms, engine::Step velocity,
                                double& lag_ms) {
    std::minstd_rand dice(1);
    std::vector<std::pair<Milliseconds, Milliseconds>> arrivals;  // when it came; server time
    for (Milliseconds time = 0ms; time <= 10s; time += every) {
        arrivals.emplace_back(time + Milliseconds(dice() % static_cast<unsigned>(jitter_ms + 1)),
                              time);
    }
    std::ranges::sort(arrivals);
    Scene scene;
    std::vector<double> steps;
    double before = 0;
    std::size_t next = 0;
    for (int i = 0; i < 600; ++i) {
        const std::chrono::duration<double, std::milli> now(1'000.0 / 60 * i);
        for (; next < arrivals.size() && arrivals[next].first <= now; ++next) {
            const auto [came, time] = arrivals[next];
            const auto x = static_cast<std::int32_t>(time.count());
            if (next == 0) {
                scene.enter(x, velocity, time, came);
            } else {
                scene.move(x, velocity, time, came);
            }
        }
        const double x = scene.x_at(now);
        if (i > 180) {  // the clock has settled
            steps.push_back(x - before);
        }
        before = x;
        lag_ms = now.count() - x;
    }
    return steps;
}

TEST(Drawing, IsSmoothOutOfFramesThatComeNowAndThen) {
    for (const Milliseconds every : {50ms, 100ms, 250ms}) {
        for (const int jitter_ms : {0, 20}) {
            for (const engine::Step velocity : {engine::Step{}, engine::Step{50, 0, 0}}) {
                double lag_ms = 0;
                const auto steps = steps_drawn(every, jitter_ms, velocity, lag_ms);
                SCOPED_TRACE(testing::Message() << every.count() << ' ' << jitter_ms);
                EXPECT_GT(std::ranges::min(steps), 0.5 * 1'000 / 60) << velocity.x;
                EXPECT_LT(std::ranges::max(steps), 1.5 * 1'000 / 60) << velocity.x;
                EXPECT_LT(lag_ms, 2.0 * static_cast<double>(every.count()) + jitter_ms + 60);
            }
        }
    }
}

TEST(Drawing, IsSmoothWhereFramesComeOnlyWhenThereIsSomething) {
    Scene scene;
    scene.enter(0, {50, 0, 0}, 0ms, 0ms);
    std::minstd_rand dice(2);
    Milliseconds next = 50ms;
    double before = 0;
    for (int i = 0; i < 1'200; ++i) {
        const std::chrono::duration<double, std::milli> now(1'000.0 / 60 * i);
        for (; next <= now; next += 50ms * (1 + dice() % 20)) {
            scene.take({}, next, next);
        }
        const double x = scene.x_at(now);
        if (i > 30) {
            EXPECT_GT(x - before, 0.5 * 1'000 / 60) << i;
            EXPECT_LT(x - before, 1.5 * 1'000 / 60) << i;
        }
        before = x;
    }
}

TEST(Drawing, IsSmoothWhereFramesBecomeMoreFrequent) {
    Scene scene;
    scene.enter(0, {50, 0, 0}, 0ms, 0ms);
    Milliseconds next = 1s;
    double before = 0;
    for (int i = 0; i < 600; ++i) {
        const std::chrono::duration<double, std::milli> now(1'000.0 / 60 * i);
        for (; next <= now; next += next < 5s ? 1'000ms : 50ms) {
            scene.move(static_cast<std::int32_t>(next.count()), {50, 0, 0}, next, next);
        }
        const double x = scene.x_at(now);
        if (i > 180) {  // the clock has settled
            EXPECT_GT(x - before, 0.5 * 1'000 / 60) << i;
            EXPECT_LT(x - before, 1.5 * 1'000 / 60) << i;
        }
        before = x;
    }
}

TEST(Drawing, IsOnItsWayWhereMovesAreHeldBack) {
    Scene scene(200ms);
    scene.enter(0, {}, 0ms, 0ms);
    for (Milliseconds time = 50ms; time <= 600ms; time += 50ms) {
        if (time % 200ms == 0ms) {
            scene.move(static_cast<std::int32_t>(time.count()), {}, time,
                       time);  // a ring of four ticks
        } else {
            scene.take({}, time, time);
        }
    }
    for (const Milliseconds at : {250ms, 300ms, 450ms, 600ms}) {
        EXPECT_NEAR(scene.x_at(at), static_cast<double>((at - 200ms).count()), 1) << at.count();
    }
}

TEST(Drawing, TakesWhateverAServerSaysOfTime) {
    for (const std::uint32_t tick_rate_hz : {0U, 1U}) {
        Drawing drawing(tick_rate_hz);
        SeenWorld world(1, kSelf);
        net::FrameMessage frame;
        for (const std::uint64_t time : {~0ULL, 0ULL, ~0ULL / 2}) {
            ++frame.tick;
            frame.server_time_us = time;
            if (frame.tick == 1) {
                frame.enters = {{kOther, 0, {1, 2, 3}, {}, {100, 0, 0}}};
            } else {
                frame.enters.clear();
                frame.moves = {{kOther, false, 4, 5, 6, {-100, 0, 0}}};
            }
            ASSERT_EQ(world.apply(frame), std::nullopt);
            drawing.apply(frame, world);
            const auto place = drawing.place_of(kOther);
            ASSERT_TRUE(place);
            EXPECT_TRUE(std::isfinite(place->x) && std::isfinite(place->y));
            EXPECT_GE(drawing.delay(), 0ms);
            EXPECT_LE(drawing.delay(), 2s);
        }
    }
}

TEST(Drawing, ShowsWhoStandsWhereItStandsAndWhoSetsOffGoesFromThere) {
    Scene scene;
    scene.enter(0, {}, 0ms, 0ms);
    for (Milliseconds time = 50ms; time <= 950ms; time += 50ms) {
        scene.take({}, time, time);
    }
    scene.move(50, {}, 1'000ms, 1'000ms);
    EXPECT_EQ(scene.x_at(1'000ms), 0);
    EXPECT_NEAR(scene.x_at(975ms + scene.drawing.delay()), 25, 1);
    EXPECT_EQ(scene.x_at(3'000ms), 50);
}

TEST(Drawing, GoesOnWithAVelocityAndTurnsInTheTickInWhichItIsSent) {
    Scene scene(100ms);
    scene.enter(0, {10, 0, 0}, 0ms, 0ms);
    EXPECT_DOUBLE_EQ(scene.x_at(100ms), 0);
    EXPECT_DOUBLE_EQ(scene.x_at(350ms), 50);
    scene.move(65, {-10, 0, 0}, 400ms, 400ms);
    EXPECT_DOUBLE_EQ(scene.x_at(400ms), 60);
    EXPECT_DOUBLE_EQ(scene.x_at(450ms), 70);
    EXPECT_DOUBLE_EQ(scene.x_at(475ms), 67.5);
    EXPECT_DOUBLE_EQ(scene.x_at(550ms), 55);
}

TEST(Drawing, ShowsATeleportAsOneAndNobodyWhoHasLeft) {
    Scene scene(100ms);
    scene.enter(0, {}, 0ms, 0ms);
    scene.move(90'000, {}, 50ms, 50ms);
    EXPECT_EQ(scene.x_at(140ms), 0);
    EXPECT_EQ(scene.x_at(151ms), 90'000);
    net::FrameMessage keyframe;  // without it
    keyframe.is_keyframe = true;
    scene.take(keyframe, 100ms, 100ms);
    EXPECT_EQ(scene.x_at(160ms), -1);
    scene.enter(5, {}, 150ms, 150ms);
    EXPECT_EQ(scene.x_at(260ms), 5);
    net::FrameMessage leave;
    leave.leaves = {{kOther, engine::LeaveReason::gone}};
    scene.take(leave, 200ms, 200ms);
    EXPECT_EQ(scene.x_at(310ms), -1);
}

}  // namespace
}  // namespace marchland::client
