#include "engine/beacons.h"

#include "tests/engine/exact_distance.h"
#include "tests/engine/ground.h"
#include "tests/engine/property.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <vector>

namespace marchland::engine::testing {
namespace {

constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();

std::vector<Slot> near(const Beacons& beacons, Position at) {
    std::vector<Slot> found;
    beacons.visit_near(at, [&](Slot slot) { found.push_back(slot); });
    std::sort(found.begin(), found.end());
    return found;
}

TEST(Beacons, AreNearWhereverTheirRangeReaches) {
    Beacons beacons;
    EXPECT_TRUE(beacons.is_empty());
    beacons.insert(Slot{7}, {0, 0}, 100);
    EXPECT_FALSE(beacons.is_empty());
    EXPECT_EQ(near(beacons, {100, -100}), std::vector{Slot{7}});
    EXPECT_EQ(near(beacons, {1'000, 0}), std::vector<Slot>{});
    beacons.erase(Slot{7}, {0, 0}, 100);
    EXPECT_TRUE(beacons.is_empty());
    EXPECT_EQ(near(beacons, {0, 0}), std::vector<Slot>{});
}

TEST(Beacons, MayReachAcrossTheWholePlane) {
    Beacons beacons;
    beacons.insert(Slot{1}, {kMin, kMin}, kMax);
    beacons.insert(Slot{2}, {kMax, kMax}, 1);
    EXPECT_EQ(near(beacons, {kMax - 1, kMax}), (std::vector{Slot{1}, Slot{2}}));
    EXPECT_EQ(near(beacons, {kMin, kMin}), std::vector{Slot{1}});
}

TEST(Beacons, AreForgottenWhereTheyMovedFrom) {
    Beacons beacons;
    beacons.insert(Slot{1}, {0, 0}, 50);
    EXPECT_FALSE(beacons.move(Slot{1}, {0, 0}, {1, 0}, 50));
    EXPECT_TRUE(beacons.move(Slot{1}, {1, 0}, {9'000, 0}, 50));
    EXPECT_EQ(near(beacons, {0, 0}), std::vector<Slot>{});
    EXPECT_EQ(near(beacons, {9'050, 0}), std::vector{Slot{1}});
}

TEST(BeaconsDeathTest, RefuseBrokenPromises) {
    Beacons beacons;
    EXPECT_DEATH(beacons.insert(Slot{1}, {0, 0}, 0), "leave_radius_mm > 0");
    EXPECT_DEATH(beacons.erase(Slot{1}, {0, 0}, 5), "broken promise");
    beacons.insert(Slot{1}, {0, 0}, 50);
    EXPECT_DEATH(beacons.erase(Slot{2}, {0, 0}, 50), "kNone");
    EXPECT_DEATH(beacons.erase(Slot{1}, {500, 0}, 50), "kNone");
}

class RandomBeacons : public ::testing::TestWithParam<Ground> {};

/// Plays inserts, erases and moves; every place finds all whose range holds it, and none twice.
TEST_P(RandomBeacons, AreFoundOnceByWhoeverIsInRange) {
    struct Placed {
        Position at;
        std::int32_t leave_radius_mm;
    };
    check_property([&] {
        Beacons beacons;
        std::map<Slot, Placed> placed;
        const auto rounds = *rc::gen::inRange(0, 60);
        for (int round = 0; round < rounds; ++round) {
            const auto slot = static_cast<Slot>(*rc::gen::inRange<std::uint32_t>(0, 12));
            const Position at = *position_on(GetParam());
            const auto found = placed.find(slot);
            if (found == placed.end()) {
                const std::int32_t radius = std::max(1, *radius_on(GetParam()));
                beacons.insert(slot, at, radius);
                placed[slot] = {at, radius};
            } else if (*rc::gen::arbitrary<bool>()) {
                beacons.move(slot, found->second.at, at, found->second.leave_radius_mm);
                found->second.at = at;
            } else {
                beacons.erase(slot, found->second.at, found->second.leave_radius_mm);
                placed.erase(found);
            }
            RC_ASSERT(beacons.is_empty() == placed.empty());
            const Position from = *position_on(GetParam());
            const std::vector<Slot> seen = near(beacons, from);
            RC_ASSERT(std::set<Slot>(seen.begin(), seen.end()).size() == seen.size());
            for (const Slot one : seen) {
                RC_ASSERT(placed.contains(one));
            }
            for (const auto& [one, its] : placed) {
                RC_ASSERT(!is_within_by_the_textbook(its.at, from, its.leave_radius_mm,
                                                     Dimensions::two) ||
                          std::count(seen.begin(), seen.end(), one) == 1);
            }
        }
    });
}

INSTANTIATE_TEST_SUITE_P(On, RandomBeacons, ::testing::ValuesIn(grounds()),
                         [](const auto& ground) { return ground.param.name; });

}  // namespace
}  // namespace marchland::engine::testing
