// The project's own table of small cases (own_cases.cpp), each on every index.

#include "tests/engine/event_case.h"

#include <gtest/gtest.h>

#include <set>

namespace marchland::engine::testing {
namespace {

class OwnCase : public ::testing::TestWithParam<EventCase> {};

TEST_P(OwnCase, TellsItsEventsOverEachIndex) {
    std::vector<std::vector<std::string>> expected;
    for (const CaseTick& tick : GetParam().ticks) {
        expected.push_back(tick.sent);
    }
    for (const IndexChoice& index : index_choices()) {
        EXPECT_EQ(play(GetParam(), index), expected)
            << GetParam().what_for << " Index: " << index.name;
    }
}

INSTANTIATE_TEST_SUITE_P(Of, OwnCase, ::testing::ValuesIn(own_cases()),
                         [](const auto& event_case) { return event_case.param.name; });

TEST(OwnCases, AreManyAndEachSaysWhatItIsFor) {
    EXPECT_GE(own_cases().size(), 25U);
    std::set<std::string> sentences;
    for (const EventCase& event_case : own_cases()) {
        EXPECT_GE(event_case.what_for.size(), 30U) << event_case.name;
        EXPECT_EQ(event_case.what_for.back(), '.') << event_case.name;
        sentences.insert(event_case.what_for);
    }
    EXPECT_EQ(sentences.size(), own_cases().size());
}

}  // namespace
}  // namespace marchland::engine::testing
