#include "engine/sweep/notify_sources.h"

#include "tests/engine/exact_distance.h"
#include "tests/engine/ground.h"
#include "tests/engine/property.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace marchland::engine::testing {
namespace {

std::vector<Slot> near(const NotifySources& notify_sources, Position at) {
    std::vector<Slot> found;
    notify_sources.visit_near(at, [&](Slot slot) { found.push_back(slot); });
    std::sort(found.begin(), found.end());
    return found;
}

TEST(NotifySources, AreNearWhereverTheirRangeReaches) {
    NotifySources notify_sources;
    EXPECT_TRUE(notify_sources.is_empty());
    notify_sources.insert(Slot{7}, {0, 0}, 100);
    EXPECT_FALSE(notify_sources.is_empty());
    EXPECT_EQ(near(notify_sources, {100, -100}), std::vector{Slot{7}});
    EXPECT_EQ(near(notify_sources, {1'000, 0}), std::vector<Slot>{});
    notify_sources.erase(Slot{7}, {0, 0}, 100);
    EXPECT_TRUE(notify_sources.is_empty());
    EXPECT_EQ(near(notify_sources, {0, 0}), std::vector<Slot>{});
}

TEST(NotifySources, MayReachAcrossTheWholePlane) {
    NotifySources notify_sources;
    notify_sources.insert(Slot{1}, {kMin, kMin}, kMax);
    notify_sources.insert(Slot{2}, {kMax, kMax}, 1);
    EXPECT_EQ(near(notify_sources, {kMax - 1, kMax}), (std::vector{Slot{1}, Slot{2}}));
    EXPECT_EQ(near(notify_sources, {kMin, kMin}), std::vector{Slot{1}});
}

TEST(NotifySources, AreForgottenWhereTheyMovedFrom) {
    NotifySources notify_sources;
    notify_sources.insert(Slot{1}, {0, 0}, 50);
    notify_sources.move(Slot{1}, {0, 0}, {1, 0}, 50);
    notify_sources.move(Slot{1}, {1, 0}, {9'000, 0}, 50);
    EXPECT_EQ(near(notify_sources, {0, 0}), std::vector<Slot>{});
    EXPECT_EQ(near(notify_sources, {9'050, 0}), std::vector{Slot{1}});
}

TEST(NotifySourcesDeathTest, RefuseBrokenPromises) {
    NotifySources notify_sources;
    EXPECT_DEATH(notify_sources.insert(Slot{1}, {0, 0}, 0), "leave_radius_mm > 0");
    EXPECT_DEATH(notify_sources.erase(Slot{1}, {0, 0}, 5), "broken promise");
    notify_sources.insert(Slot{1}, {0, 0}, 50);
    EXPECT_DEATH(notify_sources.erase(Slot{2}, {0, 0}, 50), "erased == 1");
    EXPECT_DEATH(notify_sources.erase(Slot{1}, {500, 0}, 50), "erased == 1");
}

class RandomNotifySources : public ::testing::TestWithParam<Ground> {};

/// Plays inserts, erases and moves; every place finds all whose range holds it, and none twice.
TEST_P(RandomNotifySources, AreFoundOnceByWhoeverIsInRange) {
    struct Placed {
        Position at;
        std::int32_t leave_radius_mm;
    };
    check_property([&] {
        NotifySources notify_sources;
        std::map<Slot, Placed> placed;
        const auto rounds = *rc::gen::inRange(0, 60);
        for (int round = 0; round < rounds; ++round) {
            const auto slot = static_cast<Slot>(*rc::gen::inRange<std::uint32_t>(0, 12));
            const Position at = *position_on(GetParam());
            const auto found = placed.find(slot);
            if (found == placed.end()) {
                const std::int32_t radius = std::max(1, *radius_on(GetParam()));
                notify_sources.insert(slot, at, radius);
                placed[slot] = {at, radius};
            } else if (*rc::gen::arbitrary<bool>()) {
                notify_sources.move(slot, found->second.at, at, found->second.leave_radius_mm);
                found->second.at = at;
            } else {
                notify_sources.erase(slot, found->second.at, found->second.leave_radius_mm);
                placed.erase(found);
            }
            RC_ASSERT(notify_sources.is_empty() == placed.empty());
            const Position from = *position_on(GetParam());
            const std::vector<Slot> seen = near(notify_sources, from);
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

INSTANTIATE_TEST_SUITE_P(On, RandomNotifySources, ::testing::ValuesIn(grounds()),
                         [](const auto& ground) { return ground.param.name; });

}  // namespace
}  // namespace marchland::engine::testing
