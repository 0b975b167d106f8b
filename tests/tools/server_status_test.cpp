#include "tools/process/resources.h"
#include "tools/server/status.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace marchland::server {

TEST(ServerStatus, LineHasEveryFieldWithItsUnit) {
    Status status;
    status.tick = 1'200;
    status.players = 2'000;
    status.entities = 1'999;
    status.ghosts = 310;
    status.shards = 4;
    status.since_last = {82, 80'000, 4, 6, 8, 10, 12, 1, 3, 2, 10'200'000, 1};
    status.since_last.moves_sent.add(0, 98);
    status.since_last.moves_sent.add(4, 1);
    status.since_last.moves_sent.add(90, 1);
    status.since_last.handoff_ticks_max = 5;
    status.elapsed = std::chrono::seconds(2);
    status.tick_us_p50 = 1'930;
    status.tick_us_max = 4'204;
    status.gate_us_max = 2'100;
    status.resident_bytes = 84U << 20U;
    status.hot_shard = "old market";
    status.hot_percent = 9;
    EXPECT_EQ(to_line(status),
              "tick=1200 players=2000 entities=1999 ghosts=310 shards=4 handoffs_per_s=41 "
              "frames_per_s=40000 skipped_per_s=2 capped_per_s=3 slowed_per_s=4 "
              "over_budget_per_s=5 filling_per_s=6 out_mb_per_s=5.10 tick_ms_p50=1.93 "
              "tick_ms_max=4.20 gate_ms_max=2.10 hot_shard=old_market hot_percent=9 "
              "time_scale=100 ring_slowdown=1 late_ticks=1 "
              "skipped_ticks=3 "
              "stale_borders=2 "
              "staleness_ticks_p50=0 staleness_ticks_p99=4 staleness_ticks_max=63 "
              "handoff_ticks_max=5 "
              "rss_mib=84");
}

TEST(ServerStatus, MedianIsOverTheTicksOfAllShardsSinceTheLastLine) {
    shards::ShardMetrics quick;
    shards::ShardMetrics slow;
    TickTimes times;
    for (std::uint64_t tick = 1; tick <= 3; ++tick) {
        quick.tick = tick;
        quick.tick_us_last = tick;
        times.look_at(0, quick);
    }
    for (std::uint64_t tick = 1; tick <= 2; ++tick) {
        slow.tick = tick;
        slow.tick_us_last = 100;
        times.look_at(1, slow);
        times.look_at(1, slow);  // the same tick is counted once
    }
    EXPECT_EQ(times.take_p50_us(), 3U);  // of 1, 2, 3, 100, 100
    EXPECT_EQ(times.take_p50_us(), 0U);
}

TEST(Warnings, SayWhenItBeginsThenNowAndThenWithTheCountAndWhenItIsOver) {
    using Lines = std::vector<std::string>;
    Status quiet;
    Status capped;
    capped.since_last.frames_capped = 40;
    Warnings warnings;
    const auto began = Warnings::Clock::now();
    const auto after = [&](int seconds) { return began + std::chrono::seconds(seconds); };
    EXPECT_EQ(warnings.lines_for(quiet, began), Lines());
    EXPECT_EQ(warnings.lines_for(capped, after(1)),
              Lines{"40 frames with less than their clients could see: 40 capped, 0 slowed, 0 over "
                    "budget, 0 filling"});
    for (int second = 2; second <= 10; ++second) {
        EXPECT_EQ(warnings.lines_for(capped, after(second)), Lines()) << second;
    }
    EXPECT_EQ(
        warnings.lines_for(capped, after(11)),
        Lines{"400 frames with less than their clients could see: 40 capped, 0 slowed, 0 over "
              "budget, 0 filling (it goes on)"});
    EXPECT_EQ(warnings.lines_for(quiet, after(13)), Lines());
    EXPECT_EQ(
        warnings.lines_for(quiet, after(14)),
        Lines{"no more frames with less than their clients could see: it is over, 440 in 11 s"});
    EXPECT_EQ(warnings.lines_for(quiet, after(20)), Lines());
}

TEST(Warnings, NameTheShardThatIsHot) {
    Status status;
    status.hot_percent = Warnings::kHotPercent;
    status.hot_shard = "market";
    status.since_last.ticks_late = 2;
    Warnings warnings;
    EXPECT_EQ(warnings.lines_for(status, Warnings::Clock::now()),
              (std::vector<std::string>{
                  "2 late ticks, 0 ticks skipped",
                  "1 seconds with a hot shard: 'market' works for 85 % of its ticks"}));
}

TEST(FreedMemory, IsGivenBackAlsoBelowWhatIsInUse) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "their allocators keep what is freed";
#endif
    constexpr std::size_t kBlocks = 65'536;
    constexpr std::size_t kBlockBytes = 1'024;
    std::vector<std::unique_ptr<std::array<char, kBlockBytes>>> blocks(kBlocks);
    for (auto& block : blocks) {
        block = std::make_unique<std::array<char, kBlockBytes>>();
    }
    const auto last = std::move(blocks.back());
    blocks.clear();
    const std::uint64_t kept = process::resident_bytes();
    process::FreedMemory freed;
    freed.look(std::chrono::steady_clock::now());
    EXPECT_LT(process::resident_bytes() + kBlocks * kBlockBytes * 9 / 10, kept);
    EXPECT_EQ(last->front(), 0);
}

TEST(FreedMemory, IsGivenBackTwoSecondsAfterEachWave) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "their allocators keep what is freed";
#endif
    constexpr std::size_t kBlocks = 65'536;
    constexpr std::size_t kBlockBytes = 1'024;
    process::FreedMemory freed;
    auto now = std::chrono::steady_clock::now();
    freed.look(now);
    const std::uint64_t before = process::resident_bytes();
    for (int wave = 0; wave < 3; ++wave) {
        std::vector<std::unique_ptr<std::array<char, kBlockBytes>>> blocks(kBlocks);
        for (auto& block : blocks) {
            block = std::make_unique<std::array<char, kBlockBytes>>();
        }
        const auto last = std::move(blocks.back());  // so that the heap does not just shrink
        blocks.clear();
        now += std::chrono::seconds(2);
        freed.look(now);
        EXPECT_LT(process::resident_bytes(), before + kBlocks * kBlockBytes / 10);
    }
}

TEST(ServerStatus, MemoryInUseIsThatOfThisProcess) {
    const std::uint64_t before = process::resident_bytes();
    EXPECT_GT(before, 0U);
    constexpr std::size_t kBytes = 64U << 20U;
    const std::vector<char> touched(kBytes, 'x');
    EXPECT_GE(process::resident_bytes(), before + touched.size() * 9 / 10);
}

}  // namespace marchland::server
