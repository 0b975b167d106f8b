#include "engine/sweep/candidates.h"
#include "tools/bench/index_benchmark.h"
#include "tools/bench/statistics.h"
#include "tests/tools/bench_run.h"

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace marchland::bench {
namespace {

TEST(BenchProgram, ListsItsBenchmarks) {
    const Ended ended = run_bench({});
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_NE(ended.out.find("index"), std::string::npos);
    EXPECT_EQ(run_bench({"--help"}).exit_code, 0);
    EXPECT_EQ(run_bench({"--version"}).out, "marchland-bench 1.2.3 (abcdef)\n");
    EXPECT_EQ(run_bench({"index", "--help"}).exit_code, 0);
}

TEST(BenchProgram, RefusesWhatItDoesNotKnow) {
    const Ended ended = run_bench({"indx"});
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_NE(ended.err.find("there is no benchmark 'indx'; known:\n  index"), std::string::npos);
    EXPECT_EQ(run_bench({"index", "--workload", "F"}).exit_code, 2);
    EXPECT_EQ(run_bench({"index", "--repetitions", "0"}).exit_code, 2);
    EXPECT_EQ(run_bench({"index", "--path", "query"}).exit_code, 2);
    const Ended no_moves = run_bench({"index", "--workload", "A_rings", "--path", "move"});
    EXPECT_EQ(no_moves.exit_code, 2);
    EXPECT_NE(no_moves.err.find("path tick alone"), std::string::npos) << no_moves.err;
    const Ended foreign = run_bench({"index", "--simd", "MMX"});
    EXPECT_EQ(foreign.exit_code, 2);
    EXPECT_NE(foreign.err.find("no 'MMX'; its best is"), std::string::npos) << foreign.err;
}

TEST(IndexBenchmark, ReportsExactCasesAsOneJsonLine) {
    const Ended ended = run_bench({"index", "--quick", "--workload", "E", "--json"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.out.find(R"({"benchmark":"index","commit":"abcdef","simd":")" +
                             std::string(engine::simd_target()) +
                             R"(","interrupted":false,)"
                             R"("results":[{"workload":"E","index":"hash_grid","path":"tick",)"),
              0U)
        << ended.out;
    EXPECT_EQ(count_of("\"exact\":true", ended.out), 4U);
    EXPECT_EQ(count_of("\"exact\":false", ended.out), 0U);
    EXPECT_EQ(count_of("\n", ended.out), 1U);
    EXPECT_EQ(count_of("\"ms_per_tick\":", ended.out), 2U) << "there are no ticks on path move";
    for (const char* key : {"ns_per_entity", "ratio_to_hash_grid", "allocations_per_tick", "spread",
                            "bytes_per_entity", "k_mean", "events", "entities", "threads"}) {
        EXPECT_EQ(count_of(std::string("\"") + key + "\":", ended.out), 4U) << key;
    }
}

TEST(IndexBenchmark, ReportsATableForPeople) {
    const Ended ended = run_bench({"index", "--quick", "--workload", "E"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(count_of("grid_cross_list", ended.out), 2U) << ended.out;
    EXPECT_EQ(count_of("hash_grid        ", ended.out), 2U) << ended.out;
}

TEST(IndexBenchmark, EveryIndexIsExact) {
    const Ended ended = run_bench(
        {"index", "--quick", "--workload", "E", "--path", "tick", "--json", "--index", "all"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(count_of("\"exact\":true", ended.out), 7U) << ended.out;
}

TEST(IndexBenchmark, LibraryIsAContenderOfTicksAndMoves) {
    const Ended ended =
        run_bench({"index", "--quick", "--workload", "E", "--index", "aoi", "--json"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(count_of(R"("index":"aoi")", ended.out), 2U) << ended.out;
    EXPECT_EQ(count_of("\"exact\":true", ended.out), 4U) << ended.out;
}

TEST(IndexBenchmark, OtherShapesAreExactWithoutAYardstick) {
    const Ended ended = run_bench({"index", "--quick", "--workload", "rectangle", "sector",
                                   "sphere", "beacon", "--path", "tick", "--json"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(count_of("\"exact\":true", ended.out), 4U) << ended.out;
    EXPECT_EQ(count_of("\"ratio_to_hash_grid\":null", ended.out), 4U) << ended.out;
    EXPECT_EQ(count_of("hash_grid\",", ended.out), 0U) << ended.out;
}

TEST(IndexBenchmark, LimitsAreExactBesideTheSameIndexWithout) {
    const Ended ended =
        run_bench({"index", "--quick", "--workload", "A_nearest", "A_rings", "A_budget", "A_room",
                   "tenth", "--index", "grid_cross_list", "aoi", "--json"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(count_of("\"exact\":true", ended.out), 11U) << ended.out;
    EXPECT_EQ(count_of("\"ratio_to_unlimited\":null", ended.out), 7U) << ended.out;
    EXPECT_EQ(count_of("\"index\":\"grid_cross_list, limited\"", ended.out), 4U) << ended.out;
}

TEST(IndexBenchmark, InterruptedReportsWhatIsFinished) {
    const Ended ended = run_bench({"index", "--quick", "--workload", "E", "--json"}, true);
    EXPECT_EQ(ended.exit_code, kExitInterrupted);
    EXPECT_NE(ended.out.find(R"("interrupted":true,"results":[]})"), std::string::npos)
        << ended.out;
}

/// Counts one enter too many in its third call.
class Liar final : public Contender {
public:
    explicit Liar(std::unique_ptr<Contender> honest) : honest_(std::move(honest)) {}
    [[nodiscard]] std::string_view name() const override { return "liar"; }
    EventTotals run_tick(Positions to) override { return bend(honest_->run_tick(to)); }
    EventTotals run_moves(std::span<const Move> moves) override {
        return bend(honest_->run_moves(moves));
    }

private:
    EventTotals bend(EventTotals totals) {
        if (++calls_ == 3) ++totals.enter;
        return totals;
    }
    std::unique_ptr<Contender> honest_;
    int calls_ = 0;
};

TEST(IndexBenchmark, OneWrongCountIsNotExact) {
    const MakeContender honest = make_contenders(workload_called("E"), Path::tick, {}).front();
    const std::vector<MakeContender> contenders = {
        honest, [&](const Workload& workload, Positions at) {
            return std::make_unique<Liar>(honest(workload, at));
        }};
    const QuietHost quiet;
    for (const Path path : {Path::tick, Path::move}) {
        const auto results =
            measure(workload_called("E"), path, {.repetitions = 3, .seed = 1, .shorter = 100},
                    contenders, quiet.probes);
        ASSERT_EQ(results.size(), 2U);
        EXPECT_TRUE(results[0].exact);
        EXPECT_FALSE(results[1].exact);
    }
}

TEST(Statistics, MedianAndSpreadAreOfTheMiddleAndTheEnds) {
    EXPECT_DOUBLE_EQ(median(std::vector<double>{9, 1, 2}), 2);
    EXPECT_DOUBLE_EQ(median(std::vector<double>{4, 1, 2, 9}), 3);
    EXPECT_DOUBLE_EQ(spread(std::vector<double>{9, 1, 2}), 4);
    EXPECT_DOUBLE_EQ(median_ratio(std::vector<double>{1, 6, 9}, std::vector<double>{2, 2, 3}), 3);
}

TEST(Statistics, PercentileIsTheSmallestThatSoManyDoNotExceed) {
    const std::vector<double> values{5, 1, 4, 2, 3};
    EXPECT_DOUBLE_EQ(percentile(values, 1), 1);
    EXPECT_DOUBLE_EQ(percentile(values, 60), 3);
    EXPECT_DOUBLE_EQ(percentile(values, 61), 4);
    EXPECT_DOUBLE_EQ(percentile(values, 100), 5);
}

}  // namespace
}  // namespace marchland::bench
