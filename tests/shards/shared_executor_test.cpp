#include "shards/shared_executor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

namespace marchland::shards {
namespace {

TEST(SharedExecutor, DoesEachPartOnce) {
    SharedExecutor executor(3);
    std::vector<std::atomic<int>> done(100);
    executor.run(done.size(), [&](std::size_t part, std::size_t) { ++done[part]; });
    for (const auto& count : done) {
        EXPECT_EQ(count, 1);
    }
}

TEST(SharedExecutor, GivesAHandToOneThreadAtATime) {
    SharedExecutor executor(4);
    std::vector<std::atomic<bool>> is_busy(executor.workers());
    std::atomic<int> collisions{0};
    executor.run(1'000, [&](std::size_t, std::size_t worker) {
        collisions += is_busy.at(worker).exchange(true) ? 1 : 0;
        std::this_thread::yield();
        is_busy.at(worker) = false;
    });
    EXPECT_EQ(collisions, 0);
}

TEST(SharedExecutor, ServesSeveralShardsAtATime) {
    SharedExecutor executor(2);
    std::atomic<int> parts{0};
    std::latch all_here(3);
    std::vector<std::jthread> shards;
    for (int i = 0; i < 3; ++i) {
        shards.emplace_back([&] {
            all_here.arrive_and_wait();
            for (int tick = 0; tick < 20; ++tick) {
                executor.run(10, [&](std::size_t, std::size_t) { ++parts; });
            }
        });
    }
    shards.clear();
    EXPECT_EQ(parts, 3 * 20 * 10);
}

TEST(SharedExecutor, OfNoThreadsHasOneForEachCore) {
    EXPECT_GE(SharedExecutor(0).workers(), 1U);
    EXPECT_EQ(SharedExecutor(1).workers(), 1U);
}

TEST(SharedExecutor, HandsOnWhatWorkThrows) {
    SharedExecutor executor(2);
    EXPECT_THROW(
        executor.run(4, [](std::size_t, std::size_t) { throw std::runtime_error("broke"); }),
        std::runtime_error);
    std::atomic<int> parts{0};
    executor.run(4, [&](std::size_t, std::size_t) { ++parts; });
    EXPECT_EQ(parts, 4);
}

TEST(SharedExecutor, DoesNothingOfNothing) {
    SharedExecutor executor(2);
    executor.run(0, [](std::size_t, std::size_t) { FAIL(); });
}

}  // namespace
}  // namespace marchland::shards
