#include "tools/trace_file/trace_file.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>

namespace marchland::trace {
namespace {

std::variant<Trace, config::Diagnostic> read(const std::string& text,
                                             const TraceLimits& limits = {}) {
    std::istringstream in(text);
    return read_trace(in, "walk.csv", limits);
}

/// The trace, after a failure of the test where there is none.
Trace read_good(const std::string& text) {
    auto result = read(text);
    if (const auto* error = std::get_if<config::Diagnostic>(&result)) {
        ADD_FAILURE() << config::to_text(*error);
        return {};
    }
    return std::get<Trace>(std::move(result));
}

/// "walk.csv:3:5: reason", or "no error".
std::string error_of(const std::string& text, const TraceLimits& limits = {}) {
    const auto result = read(text, limits);
    const auto* error = std::get_if<config::Diagnostic>(&result);
    if (error == nullptr) return "no error";
    const std::string place =
        error->line == 0 ? ""
                         : std::to_string(error->line) + ":" + std::to_string(error->column) + ":";
    return error->file + ":" + place + " " + error->reason;
}

void expect_sample(const TraceSample& sample, std::uint64_t id, engine::Position at) {
    EXPECT_EQ(engine::to_number(sample.id), id);
    EXPECT_EQ(sample.at, at);
}

TEST(TraceFile, SamplesOfOneTimeAreOneTick) {
    const Trace trace = read_good("t,id,x,y\n0,1,1,2\n0,2,3,4\n0.5,1,1.5,2\n7,2,3,4\n");
    ASSERT_EQ(trace.ticks.size(), 3U);
    EXPECT_EQ(trace.ticks[1].time_ns, 500'000'000);
    EXPECT_EQ(trace.entity_count, 2U);
    ASSERT_EQ(trace.samples_of(0).size(), 2U);
    ASSERT_EQ(trace.samples_of(1).size(), 1U);
    expect_sample(trace.samples_of(0)[1], 2, {3'000, 4'000, 0});
    expect_sample(trace.samples_of(1)[0], 1, {1'500, 2'000, 0});
    expect_sample(trace.samples_of(2)[0], 2, {3'000, 4'000, 0});
}

TEST(TraceFile, ColumnsAreFoundByNameAndOthersIgnored) {
    const Trace trace = read_good("kind,y,id,z,note,x,t\ncow,2,9,3,,1,0\n");
    EXPECT_TRUE(trace.has_z);
    ASSERT_EQ(trace.samples.size(), 1U);
    expect_sample(trace.samples[0], 9, {1'000, 2'000, 3'000});
}

TEST(TraceFile, IdsHave64Bits) {
    const Trace trace = read_good("t,id,x,y\n0,18446744073709551615,0,0\n0,0,0,0\n");
    ASSERT_EQ(trace.samples.size(), 2U);
    expect_sample(trace.samples[0], 18'446'744'073'709'551'615U, {});
    expect_sample(trace.samples[1], 0, {});
}

TEST(TraceFile, TimesAreExact) {
    const Trace trace = read_good("t,id,x,y\n-1,1,0,0\n4.0625,1,0,0\n4.062500001,1,0,0\n");
    ASSERT_EQ(trace.ticks.size(), 3U);
    EXPECT_EQ(trace.ticks[0].time_ns, -1'000'000'000);
    EXPECT_EQ(trace.ticks[1].time_ns, 4'062'500'000);
    EXPECT_EQ(trace.ticks[2].time_ns, 4'062'500'001);
}

TEST(TraceFile, ExtentReachesFromInt32ToInt32) {
    const Trace trace = read_good(
        "t,id,x,y\n0,1,-2147483.648,2147483.647\n0,2,2147483.647,-2147483.648\n0,3,0,0\n");
    EXPECT_EQ(trace.extent,
              (engine::Rect{-2'147'483'648, -2'147'483'648, 2'147'483'647, 2'147'483'647}));
}

TEST(TraceFile, LineEndsByteOrderMarkAndLastLineMayDiffer) {
    const Trace plain = read_good("t,id,x,y\n0,1,2,3\n1,1,2,4\n");
    for (const char* text : {"t,id,x,y\r\n0,1,2,3\r\n1,1,2,4\r\n", "t,id,x,y\n0,1,2,3\n1,1,2,4",
                             "\xEF\xBB\xBFt,id,x,y\n0,1,2,3\n1,1,2,4\n"}) {
        const Trace trace = read_good(text);
        ASSERT_EQ(trace.samples.size(), plain.samples.size()) << text;
        expect_sample(trace.samples[1], 1, plain.samples[1].at);
        EXPECT_EQ(trace.ticks.size(), 2U);
    }
}

TEST(TraceFile, HeaderNamesEachNeededColumnOnce) {
    EXPECT_EQ(error_of("t,id,x\n0,1,2\n"), "walk.csv:1:1: there is no column 'y'");
    EXPECT_EQ(error_of("T,id,x,y\n"), "walk.csv:1:1: there is no column 't'");
    EXPECT_EQ(error_of("t,id,x,y,x\n"), "walk.csv:1:10: column 'x' appears twice");
    EXPECT_EQ(error_of("t,id,x,y,z,z\n"), "walk.csv:1:12: column 'z' appears twice");
}

TEST(TraceFile, WrongNumberIsReportedAtItsPlace) {
    EXPECT_EQ(error_of("t,id,x,y\n0,1,2,3\n0,1,2,1e3\n"),
              "walk.csv:3:7: y: '1e3' is not a decimal number");
    EXPECT_EQ(error_of("t,id,x,y\n0,-1,2,3\n"), "walk.csv:2:3: id: '-1' is not an id");
    EXPECT_EQ(error_of("t,id,x,y\n0,18446744073709551616,2,3\n"),
              "walk.csv:2:3: id: '18446744073709551616' is not an id");
    EXPECT_EQ(error_of("t,id,x,y\n0,,2,3\n"), "walk.csv:2:3: id: '' is not an id");
    EXPECT_EQ(error_of("t,id,x,y\n0.0000000001,1,2,3\n"),
              "walk.csv:2:1: t: 0.0000000001 has more than 9 decimals");
    EXPECT_EQ(error_of("t,id,x,y,z\n0,1,2,3,\x1b[2J\n"),
              "walk.csv:2:9: z: '?[2J' is not a decimal number");
}

TEST(TraceFile, PositionBeyondInt32IsOutOfRange) {
    EXPECT_EQ(error_of("t,id,x,y\n0,1,2147483.6475,0\n"),
              "walk.csv:2:5: x: 2147483.6475 is out of range");
    EXPECT_EQ(error_of("t,id,x,y\n0,1,0,-2147483.649\n"),
              "walk.csv:2:7: y: -2147483.649 is out of range");
    EXPECT_EQ(error_of("t,id,x,y\n0,1,99999999999999999999,0\n"),
              "walk.csv:2:5: x: 99999999999999999999 is out of range");
    EXPECT_EQ(error_of("t,id,x,y\n9223372037,1,0,0\n"),
              "walk.csv:2:1: t: 9223372037 is out of range");
}

TEST(TraceFile, EveryRowHasTheHeadersColumns) {
    EXPECT_EQ(error_of("t,id,x,y\n0,1,2\n"),
              "walk.csv:2:1: 3 fields, and the header names 4 columns");
    EXPECT_EQ(error_of("t,id,x,y\n0,1,2,3,4\n"),
              "walk.csv:2:1: 5 fields, and the header names 4 columns");
    EXPECT_EQ(error_of("t,id,x,y\n0,1,2,3\n\n"),
              "walk.csv:3:1: 0 fields, and the header names 4 columns");
    EXPECT_EQ(error_of("t,id,x,y,note\n0,1,2,3,\"a,b\"\n"), "walk.csv:2:9: a quoted field");
}

TEST(TraceFile, TimeNeverGoesBack) {
    EXPECT_EQ(error_of("t,id,x,y\n1,1,0,0\n2,1,0,0\n1.5,1,0,0\n"),
              "walk.csv:4:1: t is less than in the line before");
}

TEST(TraceFile, FileWithoutSamplesIsAnError) {
    EXPECT_EQ(error_of(""), "walk.csv: the file is empty");
    EXPECT_EQ(error_of("t,id,x,y\n"), "walk.csv: there are no samples below the header");
}

TEST(TraceFile, HasLimits) {
    const std::string text = "t,id,x,y\n0,1,0,0\n0,2,0,0\n";
    EXPECT_EQ(error_of(text, {.samples_max = 2}), "no error");
    EXPECT_EQ(error_of(text, {.samples_max = 1}), "walk.csv:3:1: more than 1 samples");
    EXPECT_EQ(error_of(text, {.line_bytes_max = 8}), "no error");
    EXPECT_EQ(error_of(text + std::string(10'000, '0'), {.line_bytes_max = 8}),
              "walk.csv:4:1: a line of more than 8 bytes");
}

TEST(TraceFile, MissingFileOrFolderIsAnError) {
    const auto missing = load_trace("there/is/no/such.csv");
    ASSERT_TRUE(std::holds_alternative<config::Diagnostic>(missing));
    EXPECT_EQ(std::get<config::Diagnostic>(missing).reason,
              "cannot be opened: No such file or directory");
    const auto folder = load_trace(std::filesystem::temp_directory_path());
    ASSERT_TRUE(std::holds_alternative<config::Diagnostic>(folder));
    EXPECT_EQ(std::get<config::Diagnostic>(folder).reason, "cannot be read");
}

}  // namespace
}  // namespace marchland::trace
