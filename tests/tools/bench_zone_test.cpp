#include "tools/bench/zone_benchmark.h"
#include "tests/tools/bench_run.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace marchland::bench {
namespace {

Ended run_zone(std::vector<const char*> arguments, bool is_interrupted = false) {
    arguments.insert(arguments.begin(), "zone");
    return run_bench(arguments, is_interrupted);
}

constexpr Crowd kSmallCrowd{.entities = 300, .side_mm = 300'000, .seed = 7};

TEST(ZoneBenchmark, ReportsExactCasesAsOneJsonLine) {
    const Ended ended = run_zone({"--quick", "--json", "--case", "cpu", "handoffs", "layout"});
    EXPECT_EQ(ended.exit_code, 0) << ended.out;
    EXPECT_EQ(ended.out.find(R"({"benchmark":"zone","commit":"abcdef","interrupted":false,)"
                             R"("results":[{"case":"cpu","shards":1,"threads":1,"entities":1000,)"),
              0U)
        << ended.out;
    EXPECT_EQ(count_of("\n", ended.out), 1U);
    EXPECT_EQ(count_of("\"exact\":true", ended.out), 5U) << ended.out;
    EXPECT_EQ(count_of("\"exact\":null", ended.out), 3U) << "one shard is what is compared with";
    for (const char* key : {"case", "shards", "threads", "entities", "cpu_ratio_to_one_shard",
                            "tick_ms_p50", "tick_ms_p99", "exact"}) {
        EXPECT_EQ(count_of(std::string("\"") + key + "\":", ended.out), 8U) << key;
    }
}

TEST(ZoneBenchmark, CountsMemoryOfEntitiesAndGhosts) {
    const Ended ended = run_zone({"--quick", "--json", "--case", "memory"});
    EXPECT_EQ(ended.exit_code, 0) << ended.out;
    EXPECT_EQ(count_of("\"bytes_per_entity\":", ended.out), 2U) << ended.out;
    EXPECT_EQ(count_of("\"bytes_per_ghost\":", ended.out), 1U) << ended.out;
}

TEST(ZoneBenchmark, FindsHowManyPlayersATickHoldsWithOneShardAndWithTwo) {
    const Ended ended = run_zone({"--quick", "--json", "--case", "budget"});
    EXPECT_EQ(ended.exit_code, 0) << ended.out;
    EXPECT_EQ(count_of("\"players_that_do_not_fit\":", ended.out), 2U) << ended.out;
    EXPECT_EQ(count_of(R"("shards":2,"threads":2,)", ended.out), 1U) << ended.out;
}

TEST(ZoneBenchmark, ReportsATableForPeople) {
    const Ended ended = run_zone({"--quick", "--case", "crowd"});
    EXPECT_EQ(ended.exit_code, 0) << ended.out;
    EXPECT_EQ(count_of("\ncrowd ", ended.out), 2U) << ended.out;
}

TEST(ZoneBenchmark, RefusesWhatItDoesNotKnow) {
    EXPECT_EQ(run_zone({"--case", "weather"}).exit_code, 2);
    EXPECT_EQ(run_zone({"--repetitions", "0"}).exit_code, 2);
    EXPECT_EQ(run_zone({"--help"}).exit_code, 0);
}

TEST(ZoneBenchmark, InterruptedReportsWhatIsFinished) {
    const Ended ended = run_zone({"--quick", "--json"}, true);
    EXPECT_EQ(ended.exit_code, kExitInterrupted);
    EXPECT_NE(ended.out.find(R"("interrupted":true,"results":[]})"), std::string::npos)
        << ended.out;
}

TEST(ZoneStage, OneCrowdIsSentTheSameBytesHoweverTheZoneIsCut) {
    trace::NoOutlet outlet;
    ZoneStage whole(kSmallCrowd, {1, 1}, outlet);
    ZoneStage cut(kSmallCrowd, {3, 2}, outlet);
    const std::uint64_t nothing = whole.digest();
    for (ZoneStage* const stage : {&whole, &cut}) {
        stage->populate();
        for (int tick = 0; tick < 5; ++tick)
            stage->step_and_read();
    }
    EXPECT_EQ(whole.digest(), cut.digest());
    EXPECT_NE(whole.digest(), nothing);
    EXPECT_EQ(whole.ghosts(), 0U);
    EXPECT_GT(cut.ghosts(), 0U);
}

TEST(ZoneBenchmark, OneCrowdThatGoesAnotherWayIsNotExact) {
    trace::NoOutlet outlet;
    Crowd other = kSmallCrowd;
    other.seed = 8;
    Stages stages;
    stages.push_back(std::make_unique<ZoneStage>(kSmallCrowd, Cut{1, 1}, outlet));
    stages.push_back(std::make_unique<ZoneStage>(other, Cut{2, 1}, outlet));
    for (const auto& stage : stages)
        stage->populate();
    const QuietHost quiet;
    const auto times =
        run_in_turns(stages, {.warm_up_ticks = 1, .repetitions = 1, .ticks = 1}, quiet.probes);
    EXPECT_EQ(result_of("cpu", 1, other, stages, times).exact, false);
}

TEST(ZoneStage, JumpersChangeTheirShardInEveryTick) {
    trace::NoOutlet outlet;
    Crowd jumpers = kSmallCrowd;
    jumpers.gait = Gait::jump;
    ZoneStage stage(jumpers, {2, 1}, outlet);
    stage.populate();
    for (int tick = 0; tick < 4; ++tick)
        stage.step();
    // All but those so near to the border that they belong to either side.
    EXPECT_GE(stage.handoffs_total(), 4U * jumpers.entities * 9 / 10);
}

}  // namespace
}  // namespace marchland::bench
