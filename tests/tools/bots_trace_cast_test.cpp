#include "tools/bots/trace_director.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

namespace marchland::bots {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;

trace::Trace read(const std::string& rows) {
    std::istringstream in("t,id,x,y\n" + rows);
    auto result = trace::read_trace(in, "test.csv");
    EXPECT_TRUE(std::holds_alternative<trace::Trace>(result));
    return std::get<trace::Trace>(std::move(result));
}

std::vector<std::size_t> players_of(const TraceCast& cast) {
    std::vector<std::size_t> players;
    for (const PlayerIndex player : cast.player_of_sample) {
        players.push_back(to_number(player));
    }
    return players;
}

TEST(TraceCastTest, EveryEntityIsOnePlayerInTheOrderOfAppearance) {
    const TraceCast cast =
        cast_trace(read("0,70,0,0\n0,5,0,0\n1,5,1,1\n1,70,1,1\n"), 2 * kSecondNs);
    EXPECT_EQ(players_of(cast), std::vector<std::size_t>({0, 1, 1, 0}));
    EXPECT_EQ(cast.players, 2U);
    EXPECT_EQ(cast.live_max, 2U);
}

TEST(TraceCastTest, LifeEndsWhenItsLastSampleIsHoldOld) {
    const TraceCast cast = cast_trace(read("0,1,0,0\n1,1,0,0\n1,2,0,0\n"), 3 * kSecondNs);
    ASSERT_EQ(cast.exits.size(), 2U);
    EXPECT_EQ(cast.exits[0].time_ns, 4 * kSecondNs);
    EXPECT_EQ(cast.exits[0].player, PlayerIndex{0});
    EXPECT_EQ(cast.exits[1].player, PlayerIndex{1});
}

TEST(TraceCastTest, SampleAfterTheHoldBeginsAnotherLife) {
    const TraceCast cast = cast_trace(read("0,1,0,0\n2,1,0,0\n5,1,0,0\n"), 2 * kSecondNs);
    EXPECT_EQ(players_of(cast), std::vector<std::size_t>({0, 0, 1}));
    EXPECT_EQ(cast.players, 2U);
    EXPECT_EQ(cast.live_max, 1U);
    ASSERT_EQ(cast.exits.size(), 2U);
    EXPECT_EQ(cast.exits[0].time_ns, 4 * kSecondNs);
    EXPECT_EQ(cast.exits[1].time_ns, 7 * kSecondNs);
}

TEST(TraceCastTest, WithoutAHoldNoLifeEnds) {
    const TraceCast cast = cast_trace(read("0,1,0,0\n1000,1,0,0\n"), std::nullopt);
    EXPECT_EQ(cast.players, 1U);
    EXPECT_TRUE(cast.exits.empty());
}

TEST(TraceCastTest, UsualHoldIsOneAndAHalfOfTheMedianInterval) {
    EXPECT_EQ(usual_hold_ns(read("0,1,0,0\n2,1,0,0\n4,1,0,0\n60,1,0,0\n")), 3 * kSecondNs);
    EXPECT_EQ(usual_hold_ns(read("0,1,0,0\n0,2,0,0\n")), std::nullopt);
}

TEST(TraceCastTest, WorldThatHoldsTheTraceIsNoProblem) {
    const World world{{-1'000, -1'000, 0}, {1'000, 1'000, 0}, engine::Dimensions::two};
    EXPECT_EQ(why_not_in(world, read("0,1,-1,1\n")), std::nullopt);
}

TEST(TraceCastTest, WorldThatIsTooSmallIsNamedWithTheTracesExtent) {
    const World world{{-1'000, -1'000, 0}, {1'000, 1'000, 0}, engine::Dimensions::two};
    const auto problem = why_not_in(world, read("0,1,-1.001,0.5\n"));
    ASSERT_TRUE(problem);
    EXPECT_NE(problem->find("trace: x -1.001 to -1.001, y 0.500 to 0.500"), std::string::npos);
    EXPECT_NE(problem->find("world: x -1.000 to 1.000, y -1.000 to 1.000"), std::string::npos);
}

}  // namespace
}  // namespace marchland::bots
