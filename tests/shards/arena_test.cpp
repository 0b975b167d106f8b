#include "shards/arena.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

namespace marchland::shards {
namespace {

TEST(Arena, DoesEachPartOnce) {
    Arena arena(3);
    std::vector<std::atomic<int>> done(100);
    arena.run(done.size(), [&](std::size_t part, std::size_t) { ++done[part]; });
    for (const auto& count : done) {
        EXPECT_EQ(count, 1);
    }
}

TEST(Arena, GivesAHandToOneThreadAtATime) {
    Arena arena(4);
    std::vector<std::atomic<bool>> is_busy(arena.hands());
    std::atomic<int> collisions{0};
    arena.run(1'000, [&](std::size_t, std::size_t hand) {
        collisions += is_busy.at(hand).exchange(true) ? 1 : 0;
        std::this_thread::yield();
        is_busy.at(hand) = false;
    });
    EXPECT_EQ(collisions, 0);
}

TEST(Arena, ServesSeveralShardsAtATime) {
    Arena arena(2);
    std::atomic<int> parts{0};
    std::latch all_here(3);
    std::vector<std::jthread> shards;
    for (int i = 0; i < 3; ++i) {
        shards.emplace_back([&] {
            all_here.arrive_and_wait();
            for (int tick = 0; tick < 20; ++tick) {
                arena.run(10, [&](std::size_t, std::size_t) { ++parts; });
            }
        });
    }
    shards.clear();
    EXPECT_EQ(parts, 3 * 20 * 10);
}

TEST(Arena, OfNoThreadsHasOneForEachCore) {
    EXPECT_GE(Arena(0).hands(), 1U);
    EXPECT_EQ(Arena(1).hands(), 1U);
}

TEST(Arena, HandsOnWhatWorkThrows) {
    Arena arena(2);
    EXPECT_THROW(arena.run(4, [](std::size_t, std::size_t) { throw std::runtime_error("broke"); }),
                 std::runtime_error);
    std::atomic<int> parts{0};
    arena.run(4, [&](std::size_t, std::size_t) { ++parts; });
    EXPECT_EQ(parts, 4);
}

TEST(Arena, DoesNothingOfNothing) {
    Arena arena(2);
    arena.run(0, [](std::size_t, std::size_t) { FAIL(); });
}

}  // namespace
}  // namespace marchland::shards
