// The limits of a crowd, by example.

#include "engine/crowd_limits.h"
#include "tests/engine/small_zone.h"

#include <gtest/gtest.h>

namespace marchland::engine::testing {
namespace {

constexpr View kView = View::circle(500, 500);

CrowdLimits cap_of(std::uint32_t visible_max, std::uint32_t sticky_percent = 0) {
    CrowdLimits limits;
    limits.visible_max = visible_max;
    limits.sticky_percent = sticky_percent;
    return limits;
}

TEST(Cap, LeavesTheNearest) {
    SmallZone zone(Dimensions::two, cap_of(2));
    zone.add(1, {0, 0, 0}, kView);
    zone.add(2, {30, 0, 0});
    zone.add(3, {10, 0, 0});
    zone.add(4, {20, 0, 0});
    EXPECT_EQ(zone.tick(), (Told{"1 enter 3", "1 enter 4"}));
    EXPECT_TRUE(zone.last_frame_is_capped());
}

TEST(Cap, PrefersTheLowerIdAtEqualDistance) {
    SmallZone zone(Dimensions::two, cap_of(2));
    zone.add(1, {0, 0, 0}, kView);
    zone.add(4, {0, 10, 0});
    zone.add(3, {10, 0, 0});
    zone.add(2, {-10, 0, 0});
    EXPECT_EQ(zone.tick(), (Told{"1 enter 2", "1 enter 3"}));
}

TEST(Cap, TellsThatOneIsCappedAndEntersItAgainWhenThereIsRoom) {
    SmallZone zone(Dimensions::two, cap_of(1));
    zone.add(1, {0, 0, 0}, kView);
    zone.add(2, {20, 0, 0});
    EXPECT_EQ(zone.tick(), (Told{"1 enter 2"}));
    EXPECT_FALSE(zone.last_frame_is_capped());
    zone.add(3, {10, 0, 0});
    EXPECT_EQ(zone.tick(), (Told{"1 leave 2 capped", "1 enter 3"}));
    EXPECT_TRUE(zone.last_frame_is_capped());
    zone.remove(3);
    EXPECT_EQ(zone.tick(), (Told{"1 leave 3 gone", "1 enter 2"}));
    EXPECT_FALSE(zone.last_frame_is_capped());
}

TEST(Cap, OfAnyOtherReasonTellsThatOne) {
    SmallZone zone(Dimensions::two, cap_of(1));
    zone.add(1, {0, 0, 0}, kView);
    zone.add(2, {20, 0, 0});
    zone.tick();
    zone.add(3, {10, 0, 0});
    zone.move(2, {501, 0, 0});
    EXPECT_EQ(zone.tick(), (Told{"1 leave 2 out_of_range", "1 enter 3"}));
    EXPECT_FALSE(zone.last_frame_is_capped());
}

TEST(Cap, CountsInSpaceWhereTheZoneHasThreeDimensions) {
    SmallZone zone(Dimensions::three, cap_of(1));
    zone.add(1, {0, 0, 0}, kView);
    zone.add(2, {10, 0, 100});
    zone.add(3, {20, 0, 0});
    EXPECT_EQ(zone.tick(), (Told{"1 enter 3"}));
}

TEST(Cap, KeepsWhoIsSeenUntilAnotherIsNearerByTheMargin) {
    SmallZone zone(Dimensions::two, cap_of(1, 20));
    zone.add(1, {0, 0, 0}, kView);
    zone.add(2, {100, 0, 0});
    zone.add(3, {101, 0, 0});
    EXPECT_EQ(zone.tick(), (Told{"1 enter 2"}));
    zone.move(3, {80, 0, 0});  // counts as far as the other: who is seen goes first
    EXPECT_EQ(zone.tick(), (Told{}));
    zone.move(3, {79, 0, 0});
    EXPECT_EQ(zone.tick(), (Told{"1 leave 2 capped", "1 enter 3"}));
}

/// A crowd whose members step to and fro by less than the margin: without stickiness its edge
/// flickers, with it nobody comes or goes.
TEST(Cap, DoesNotFlickerAtTheEdgeOfACrowdThatShuffles) {
    const auto changes = [](std::uint32_t sticky_percent) {
        SmallZone zone(Dimensions::two, cap_of(10, sticky_percent));
        zone.add(1, {0, 0, 0}, kView);
        for (std::uint64_t id = 2; id < 42; ++id) {
            zone.add(id, {400, 0, 0});
        }
        zone.tick();
        std::size_t count = 0;
        for (std::uint64_t step = 1; step < 50; ++step) {
            for (std::uint64_t id = 2; id < 42; ++id) {
                const auto jitter = static_cast<std::int32_t>(step * id * 7919 % 40);
                zone.move(id, {380 + jitter, 0, 0});
            }
            for (const std::string& line : zone.tick()) {
                count += line.find(" move ") == std::string::npos ? 1U : 0U;
            }
        }
        return count;
    };
    EXPECT_GT(changes(0), 100U);
    EXPECT_EQ(changes(15), 0U);  // 0.85 * 419 < 380
}

TEST(CrowdLimits, AreOffUnlessSet) {
    EXPECT_FALSE(CrowdLimits{}.is_any_set());
    EXPECT_EQ(flaw_of(CrowdLimits{}), nullptr);
}

TEST(CrowdLimits, AskForAMarginBelowAllOfTheDistance) {
    EXPECT_EQ(flaw_of(cap_of(1, kStickyPercentMax)), nullptr);
    EXPECT_NE(flaw_of(cap_of(1, kStickyPercentMax + 1)), nullptr);
}

}  // namespace
}  // namespace marchland::engine::testing
