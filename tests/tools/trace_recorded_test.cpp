#include "tests/tools/trace_oracle.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Recorded movement that is no part of the project: people, aircraft, a game's creatures. The
/// tests are skipped where the files are absent; MARCHLAND_TRACES names their folder.
namespace marchland::trace {
namespace {

struct Recorded {
    const char* file;
    std::int32_t radius_mm;
    std::optional<std::int64_t> hold_ns;
    std::size_t ticks;
    std::uint64_t enter;
    std::uint64_t leave;
    std::uint64_t move;
};

void PrintTo(const Recorded& recorded, std::ostream* out) {
    *out << recorded.file;
}

/// Counted by others, in two dimensions, from the same files.
constexpr Recorded kRecorded[] = {
    {"hermes_bottleneck.csv", 2'000, 100'000'000, 1'227, 32'956, 32'126, 2'469'276},
    {"swiss_air.csv", 20'000'000, 15'000'000'000, 6'120, 5'724, 5'428, 60'870},
    {"wow_kalimdor_patrol.csv", 100'000, 500'000'000, 301, 8'234, 4'184, 620'486},
    {"wow_kalimdor_static.csv", 100'000, std::nullopt, 1, 2'499'160, 0, 0},
};

std::filesystem::path folder() {
    const char* const wanted = std::getenv("MARCHLAND_TRACES");
    return wanted != nullptr ? wanted : MARCHLAND_SOURCE_DIR "/../shared/traces";
}

class RecordedTrace : public testing::TestWithParam<Recorded> {
protected:
    void SetUp() override {
        const std::filesystem::path file = folder() / GetParam().file;
        if (!exists(file)) {
            GTEST_SKIP() << "no " << file << "; set MARCHLAND_TRACES to the folder of the traces";
        }
        auto loaded = load_trace(file);
        ASSERT_TRUE(std::holds_alternative<Trace>(loaded))
            << config::to_text(std::get<config::Diagnostic>(loaded));
        trace_ = std::get<Trace>(std::move(loaded));
    }

    /// Nine ways to cut the trace's extent; two under AddressSanitizer, where a run takes long.
    [[nodiscard]] std::vector<shards::Layout> layouts() const {
        std::vector<shards::Layout> all{irregular_layout(trace_)};
#ifdef __SANITIZE_ADDRESS__
        const std::vector<std::pair<std::uint32_t, std::uint32_t>> grids{{ 4, 4 }};
#else
        const std::vector<std::pair<std::uint32_t, std::uint32_t>> grids{
            {1, 1}, {2, 2}, {4, 4}, {8, 8}, {3, 5}, {32, 1}, {1, 16}, {2, 1}};
#endif
        for (const auto& [columns, rows] : grids) {
            all.push_back(grid_layout(trace_, columns, rows));
        }
        return all;
    }

    /// Runs it, checks the counts, and returns the digest. The layouts take turns, from the first
    /// on; `ticks_each` ticks for each.
    std::uint64_t check_counts(const std::vector<shards::Layout>& layouts, std::size_t ticks_each) {
        const Recorded& recorded = GetParam();
        EventLog log;
        TraceRun run(trace_, {.radius_mm = recorded.radius_mm, .hold_ns = recorded.hold_ns},
                     layouts.front(), log);
        while (!run.is_done()) {
            const std::size_t tick = run.ticks_done();
            if (tick > 0 && tick % ticks_each == 0 && layouts.size() > 1) {
                run.change_layout(layouts[tick / ticks_each % layouts.size()]);
            }
            run.step();
        }
        EXPECT_EQ(run.ticks_done(), recorded.ticks);
        EXPECT_EQ(log.enter_count(), recorded.enter);
        EXPECT_EQ(log.leave_count(), recorded.leave);
        EXPECT_EQ(log.move_count(), recorded.move);
        return log.digest();
    }

    Trace trace_;
};

TEST_P(RecordedTrace, HasItsKnownCountsAndOneDigestUnderEveryLayoutAndWhileTheyChange) {
    constexpr std::size_t kTicksEach = 50;
    const std::vector<shards::Layout> all = layouts();
    const std::uint64_t digest = check_counts(all, kTicksEach);
    for (const shards::Layout& layout : all) {
        EXPECT_EQ(check_counts({layout}, kTicksEach), digest) << layout.size() << " shards";
    }
}

INSTANTIATE_TEST_SUITE_P(Files, RecordedTrace, testing::ValuesIn(kRecorded),
                         [](const testing::TestParamInfo<Recorded>& recorded) {
                             const std::string file = recorded.param.file;
                             return file.substr(0, file.find('.'));
                         });

}  // namespace
}  // namespace marchland::trace
