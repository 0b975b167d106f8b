// Cases of other systems' test suites. The file is no part of the project: the tests that need it
// are skipped where it is absent; MARCHLAND_VECTORS names it.

#include "tests/engine/outside_cases.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace marchland::engine::testing {
namespace {

using Lines = std::vector<std::string>;

std::vector<EventCase> read(const std::string& json) {
    const auto cases = read_outside_cases(json);
    if (const auto* const problem = std::get_if<std::string>(&cases)) {
        ADD_FAILURE() << *problem;
        return {};
    }
    return std::get<std::vector<EventCase>>(cases);
}

void expect_sent_over_each_index(const EventCase& event_case) {
    const bool with_moves = expects_moves(event_case);
    for (const IndexChoice& index : index_choices()) {
        const auto ticks = play(event_case, index);
        for (std::size_t tick = 0; tick < ticks.size(); ++tick) {
            EXPECT_EQ(as_outside_cases_tell(ticks[tick], with_moves), event_case.ticks[tick].sent)
                << event_case.name << ", step " << tick << ", " << index.name << ": "
                << event_case.what_for;
        }
    }
}

TEST(OutsideCases, HoldOverEachIndex) {
    const char* const wanted = std::getenv("MARCHLAND_VECTORS");
    const std::filesystem::path path =
        wanted != nullptr ? wanted : MARCHLAND_SOURCE_DIR "/../shared/vectors.json";
    if (!exists(path)) {
        GTEST_SKIP() << "no " << path << "; set MARCHLAND_VECTORS to a file of cases";
    }
    std::ostringstream json;
    json << std::ifstream(path).rdbuf();
    const std::vector<EventCase> cases = read(json.str());
    EXPECT_FALSE(cases.empty());
    for (const EventCase& event_case : cases) {
        expect_sent_over_each_index(event_case);
    }
}

/// What follows tries the reader itself, on cases of our own in the way of that file.

TEST(OutsideCases, AreReadWithDecimalsRolesAndComparedWithoutMoves) {
    const auto cases = read(R"([{"name": "A", "radius": 0.5, "note": "n", "source": "s",
        "steps": [[["add", 1, 0, 0, 0, "w"], ["add", 2, 0.3, -0.4, "m"], ["add", 3, 0, 0.501]],
                  [["move", 2, 0, 0]], [["del", 2]]],
        "expect": [[["enter", 3, 2], ["enter", 1, 2]], [], [["leave", 1, 2], ["leave", 3, 2]]]}])");
    ASSERT_EQ(cases.size(), 1U);
    EXPECT_FALSE(expects_moves(cases[0]));
    EXPECT_EQ(play(cases[0], {"grid"})[0], (Lines{"1 enter 2"}));
    EXPECT_EQ(cases[0].ticks[0].sent, (Lines{"1 enter 2", "3 enter 2"}));
}

TEST(OutsideCases, HoldWhenTheyExpectMovesAndALeaveRange) {
    const auto cases = read(R"([{"name": "B", "radius": 10, "leave_radius": 12, "shape": "circle",
        "inclusive": true,
        "steps": [[["add", 1, 0, 0, 0, "w"], ["add", 2, 10, 0]], [["move", 2, 12, 0]]],
        "expect": [[["enter", 1, 2]], [["move", 1, 2]]]}])");
    ASSERT_EQ(cases.size(), 1U);
    EXPECT_TRUE(expects_moves(cases[0]));
    EXPECT_EQ(play(cases[0], {"grid"})[1], (Lines{"1 move 2"}));
}

TEST(OutsideCases, MayLookAtSquares) {
    const auto cases = read(R"([{"name": "S", "radius": 10, "shape": "square",
        "steps": [[["add", 1, 0, 0, 0, "w"], ["add", 2, 10, -10], ["add", 3, 10.001, 0, "m"]]],
        "expect": [[["enter", 1, 2], ["enter", 2, 1], ["enter", 2, 3]]]}])");
    ASSERT_EQ(cases.size(), 1U);
    EXPECT_EQ(play(cases[0], {"grid"})[0], (Lines{"1 enter 2", "2 enter 3"}));
}

TEST(OutsideCases, AreOfThreeDimensionsWhereAHeightOrASphereSaysSo) {
    const std::string steps = R"("expect": [[]], "steps": [[["add", 1, 0, 0)";
    const auto dimensions = [&](const std::string& fields, const std::string& z) {
        return read("[{\"name\": \"C\", \"radius\": 1, " + fields + steps + z + "]]]}]")
            .at(0)
            .dimensions;
    };
    EXPECT_EQ(dimensions("", ""), Dimensions::two);
    EXPECT_EQ(dimensions("", ", 0"), Dimensions::two);
    EXPECT_EQ(dimensions("", ", 7"), Dimensions::three);
    EXPECT_EQ(dimensions("\"shape\": \"sphere\", ", ""), Dimensions::three);
    EXPECT_EQ(dimensions("\"dimensions\": 2, ", ", 7"), Dimensions::two);
}

TEST(OutsideCases, ThatAreNotUnderstoodAreNamedAndNotPassedOver) {
    const auto problem = [](const std::string& radius, const std::string& change,
                            const std::string& sent) {
        const auto cases =
            read_outside_cases("[{\"name\": \"D\", \"radius\": " + radius + ", \"steps\": [[[" +
                               change + "]]], \"expect\": [[" + sent + "]]}]");
        return std::holds_alternative<std::string>(cases) ? std::get<std::string>(cases) : "none";
    };
    EXPECT_EQ(problem("1", "\"add\", 1, 0, 0", ""), "none");
    EXPECT_EQ(problem("1", "\"jiggle\", 1, 0, 0", ""), "D: unknown change: jiggle");
    EXPECT_EQ(problem("1", "\"add\", 1, 0", ""), "D: no position");
    EXPECT_EQ(problem("1", "\"add\"", ""), "D: no id");
    EXPECT_EQ(problem("1", "\"add\", 1, 0, 0, 0, \"boss\"", ""), "D: unknown role: boss");
    EXPECT_EQ(problem("1", "\"add\", 1, 3e9, 0", ""), "D: not a length: 3000000000.0");
    EXPECT_EQ(problem("1, \"shape\": \"star\"", "\"add\", 1, 0, 0", ""), "D: unknown shape: star");
    EXPECT_EQ(problem("1, \"inclusive\": false", "\"add\", 1, 0, 0", ""),
              "D: a bound that is not inclusive");
    EXPECT_EQ(problem("1", "\"add\", 1, 0, 0", "[\"sneeze\", 1, 2]"), "D: unknown event: sneeze");
    EXPECT_EQ(problem("1", "\"add\", 1, 0, 0", "], ["),
              "D: there is to be as much in expect as in steps, and something");
}

}  // namespace
}  // namespace marchland::engine::testing
