#include "tests/properties/client_view.h"

#include <gtest/gtest.h>

namespace marchland::tests {
namespace {

using engine::EntityId;
using engine::LeaveReason;
using engine::Position;

constexpr EntityId kSelf{1};
constexpr EntityId kOther{2};
constexpr EntityId kThird{3};
constexpr Position kHere{10, 20, 0};
constexpr Position kThere{11, 20, 0};

/// A client that was sent in tick 1 that kOther is at kHere.
ClientView view_of_other() {
    ClientView view(kSelf);
    EXPECT_EQ(view.apply({1, false, {}, {{kOther, 0, kHere, {}}}, {}}), std::nullopt);
    return view;
}

bool finds_flaw(const SentFrame& frame) {
    ClientView view = view_of_other();
    return view.apply(frame).has_value();
}

TEST(ClientView, FollowsAnEpisodeFromEnterToLeave) {
    ClientView view = view_of_other();
    EXPECT_EQ(view.known().at(kOther).at, kHere);
    EXPECT_EQ(view.apply({2, false, {}, {}, {{kOther, kThere, kHere}}}), std::nullopt);
    EXPECT_EQ(view.known().at(kOther).at, kThere);
    EXPECT_EQ(view.apply({5, false, {{kOther, LeaveReason::gone}}, {}, {}}), std::nullopt);
    EXPECT_TRUE(view.known().empty());
}

TEST(ClientView, LeaveAndEnterOfOneIdInOneFrameIsAnotherLife) {
    EXPECT_FALSE(
        finds_flaw({2, false, {{kOther, LeaveReason::gone}}, {{kOther, 0, kThere, {}}}, {}}));
}

TEST(ClientView, FindsTicksThatDoNotAscend) {
    EXPECT_TRUE(finds_flaw({1, false, {}, {}, {}}));
}

TEST(ClientView, FindsAnEnterOfOneThatIsThere) {
    EXPECT_TRUE(finds_flaw({2, false, {}, {{kOther, 0, kHere, {}}}, {}}));
}

TEST(ClientView, FindsAnEnterOfTheWatcherItself) {
    EXPECT_TRUE(finds_flaw({2, false, {}, {{kSelf, 0, kHere, {}}}, {}}));
}

TEST(ClientView, FindsALeaveOfOneThatIsNotThere) {
    EXPECT_TRUE(finds_flaw({2, false, {{kThird, LeaveReason::gone}}, {}, {}}));
}

TEST(ClientView, FindsAMoveOfOneThatIsNotThere) {
    EXPECT_TRUE(finds_flaw({2, false, {}, {}, {{kThird, kThere, std::nullopt}}}));
}

TEST(ClientView, FindsAMoveOfOneThatEntersInTheSameFrame) {
    EXPECT_TRUE(
        finds_flaw({2, false, {}, {{kThird, 0, kHere, {}}}, {{kThird, kThere, std::nullopt}}}));
}

TEST(ClientView, FindsADifferenceToAPositionThatWasNotSent) {
    EXPECT_TRUE(finds_flaw({2, false, {}, {}, {{kOther, kThere, kThere}}}));
}

TEST(ClientView, FindsIdsThatDoNotAscend) {
    EXPECT_TRUE(
        finds_flaw({2, false, {}, {{EntityId{9}, 0, kHere, {}}, {kThird, 0, kHere, {}}}, {}}));
    EXPECT_TRUE(finds_flaw({2, false, {}, {{kThird, 0, kHere, {}}, {kThird, 0, kHere, {}}}, {}}));
}

}  // namespace
}  // namespace marchland::tests
