#include "tools/trace/trace_run.h"

#include "config/metres.h"
#include "tests/tools/trace_oracle.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace marchland::trace {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

RunOptions view(std::int32_t radius_mm, std::optional<std::int64_t> hold_ns = {}) {
    return {.radius_mm = radius_mm, .hold_ns = hold_ns};
}

/// Runs under one shard: the lines, which must be the oracle's as well.
std::string lines_of(const std::string& text, const RunOptions& options) {
    const Trace trace = trace_of(text);
    const OracleAnswer answer = run_zone(trace, options, grid_layout(trace, 1, 1));
    EXPECT_EQ(answer, ask_oracle(trace, options));
    return answer.lines;
}

TEST(TraceRun, TellsWhoEntersLeavesAndMoves) {
    EXPECT_EQ(lines_of("t,id,x,y\n"
                       "0,1,0,0\n0,2,3,4\n"  // 5 apart: the bound is inside
                       "1,2,3,4.001\n"       // and a thousandth more is not
                       "2,2,4,3\n"           // 5 again
                       "3,2,3,3\n"
                       "4,2,3,3\n",  // a sample without a move
                       view(5'000)),
              "0,1,E,2\n0,2,E,1\n"
              "1,1,L,2\n1,2,L,1\n"
              "2,1,E,2\n2,2,E,1\n"
              "3,1,M,2\n");
}

TEST(TraceRun, RemovesWhoIsSilentForLongerThanTheHold) {
    const std::string text =
        "t,id,x,y\n0,1,0,0\n0,2,1,0\n"
        "2,1,0,0\n"       // 2 is silent for exactly the hold: it stays
        "2.001,1,0,0\n";  // and a thousandth later it is gone, without a line that says so
    EXPECT_EQ(lines_of(text, view(5'000, 2 * kSecond)), "0,1,E,2\n0,2,E,1\n2,1,L,2\n");
}

TEST(TraceRun, KeepsEverybodyWithoutAHold) {
    EXPECT_EQ(lines_of("t,id,x,y\n0,1,0,0\n0,2,1,0\n9000000000,1,0.5,0\n", view(5'000)),
              "0,1,E,2\n0,2,E,1\n1,2,M,1\n");
}

TEST(TraceRun, WhoComesAgainBeginsWithAnEmptyView) {
    EXPECT_EQ(lines_of("t,id,x,y\n0,1,0,0\n0,2,1,0\n"
                       "5,1,0,0\n"            // 2 goes
                       "6,1,0,0\n6,2,1,0\n",  // and comes
                       view(5'000, kSecond)),
              "0,1,E,2\n0,2,E,1\n1,1,L,2\n2,1,E,2\n2,2,E,1\n");
}

TEST(TraceRun, SilenceThatNoTickSawIsNoRemoval) {
    EXPECT_EQ(lines_of("t,id,x,y\n0,1,0,0\n0,2,1,0\n100,1,0,0\n100,2,1,0\n", view(5'000, kSecond)),
              "0,1,E,2\n0,2,E,1\n");
}

TEST(TraceRun, LastSampleOfATickCounts) {
    EXPECT_EQ(lines_of("t,id,x,y\n0,1,0,0\n0,2,90,0\n0,2,1,0\n"
                       "1,2,90,0\n1,2,1,0\n",  // away and back within a tick is no move
                       view(5'000)),
              "0,1,E,2\n0,2,E,1\n");
}

TEST(TraceRun, LooksAtZOnlyInThreeDimensions) {
    const std::string text = "t,id,x,y,z\n0,1,0,0,0\n0,2,3,0,4\n1,2,3,0,4.001\n";
    RunOptions options = view(5'000);
    EXPECT_EQ(lines_of(text, options), "0,1,E,2\n0,2,E,1\n");
    options.dimensions = engine::Dimensions::three;
    EXPECT_EQ(lines_of(text, options), "0,1,E,2\n0,2,E,1\n1,1,L,2\n1,2,L,1\n");
}

TEST(TraceRun, LargestViewEndsExactlyAtItsBoundOnTheLargestMap) {
    EXPECT_EQ(lines_of("t,id,x,y\n0,1,-2147483.648,-2147483.648\n0,2,-0.001,-2147483.648\n"
                       "0,3,2147483.647,2147483.647\n1,2,0,-2147483.648\n",
                       view(2'147'483'647)),
              "0,1,E,2\n0,2,E,1\n1,1,L,2\n1,2,L,1\n");
}

TEST(TraceRun, ViewOfRadiusZeroSeesWhoStandsOnTheSameSpot) {
    EXPECT_EQ(lines_of("t,id,x,y\n0,1,0,0\n0,2,0.001,0\n1,2,0,0\n", view(0)), "1,1,E,2\n1,2,E,1\n");
}

TEST(TraceRun, CountsHandoffs) {
    const Trace trace = trace_of("t,id,x,y\n0,1,0,0\n0,2,100,0\n1,1,100,0\n2,1,0,0\n");
    EventLog log;
    TraceRun run(trace, view(5'000), grid_layout(trace, 2, 1), log);
    while (!run.is_done()) {
        run.step();
    }
    EXPECT_EQ(run.handoffs(), 2U);
    EXPECT_EQ(run.shard_count(), 2U);
}

/// Rows of a random trace: crowded around 0, with some far away, two in opposite corners so that
/// every layout can be cut. Times go up by 0 to 3 quarters of a second.
std::string random_trace() {
    const bool is_huge = *rc::gen::weightedElement<bool>({{9, false}, {1, true}});
    const std::int64_t far = is_huge ? 2'147'483'647 : 20'000;
    std::ostringstream text;
    std::int64_t quarters = 0;
    const auto row = [&](std::uint64_t id, std::int64_t x, std::int64_t y, std::int64_t z) {
        using config::metres_text;
        text << metres_text(quarters * 250) << ',' << id << ',' << metres_text(x) << ','
             << metres_text(y) << ',' << metres_text(z) << '\n';
    };
    text << "t,id,x,y,z\n";
    row(100, -far, -far, 0);
    row(101, far, far, 0);
    const auto count = *rc::gen::inRange(1, 60);
    for (int i = 0; i < count; ++i) {
        quarters += *rc::gen::weightedElement<std::int64_t>({{4, 0}, {3, 1}, {1, 2}, {1, 3}});
        const std::int64_t span = *rc::gen::weightedElement<std::int64_t>({{8, 3'000}, {1, far}});
        row(*rc::gen::inRange<std::uint64_t>(0, 8), *rc::gen::inRange(-span, span + 1),
            *rc::gen::inRange(-span, span + 1), *rc::gen::inRange<std::int64_t>(-2'000, 2'000));
    }
    return text.str();
}

RC_GTEST_PROP(TraceRun, AgreesWithCountingByHandUnderEveryLayout, ()) {
    const std::string text = random_trace();
    const Trace trace = trace_of(text);
    RunOptions options;
    options.radius_mm = *rc::gen::element(0, 1, 500, 1'500, 4'000, 2'147'483'647);
    options.hold_ns =
        *rc::gen::element<std::optional<std::int64_t>>(std::nullopt, 0, kSecond / 4, kSecond);
    options.dimensions = *rc::gen::element(engine::Dimensions::two, engine::Dimensions::three);
    RC_LOG() << "radius " << options.radius_mm << ", hold " << options.hold_ns.value_or(-1)
             << ", dimensions " << static_cast<int>(options.dimensions) << '\n'
             << text;

    const OracleAnswer expected = ask_oracle(trace, options);
    RC_ASSERT(run_zone(trace, options, grid_layout(trace, 1, 1)) == expected);
    RC_ASSERT(run_zone(trace, options, grid_layout(trace, 2, 2)) == expected);
    RC_ASSERT(run_zone(trace, options, grid_layout(trace, 4, 4)) == expected);
    RC_ASSERT(run_zone(trace, options, irregular_layout(trace)) == expected);
}

}  // namespace
}  // namespace marchland::trace
