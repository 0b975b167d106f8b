#include "engine/index/towers.h"

#include "tests/engine/ground.h"
#include "tests/engine/index/sorted.h"
#include "tests/engine/property.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

namespace marchland::engine::testing {
namespace {

std::vector<Slot> watchers_near(const Towers& towers, Position at) {
    std::vector<Slot> found;
    towers.watchers_near(at, found);
    return sorted(found);
}

/// Nine towers of 10 by 10. Markers: 0 in the middle, 1 to the right of it, 2 in the upper corner.
class NineTowers : public ::testing::Test {
protected:
    NineTowers() {
        towers_.insert(Slot{0}, {15, 15});
        towers_.insert(Slot{1}, {25, 15});
        towers_.insert(Slot{2}, {29, 29});
    }

    Towers towers_{{{0, 0, 29, 29}, 10, 100}};
    TowerCandidates markers_;
};

using Slots = std::vector<Slot>;

TEST_F(NineTowers, WatcherGetsAllMarkersOfTheTowersThatItsRangeTouches) {
    ASSERT_TRUE(towers_.watch(Slot{0}, {15, 15}, 4, markers_));
    EXPECT_EQ(markers_.entered, Slots{Slot{0}});
    ASSERT_TRUE(towers_.watch(Slot{9}, {15, 14}, 5, markers_ = {}));
    EXPECT_EQ(sorted(markers_.entered), (Slots{Slot{0}, Slot{1}}));
    EXPECT_EQ(towers_.subscription_count(), 1U + 4U);
}

TEST_F(NineTowers, SlotZeroIsAWatcherLikeAnyOther) {
    ASSERT_TRUE(towers_.watch(Slot{0}, {0, 0}, 0, markers_));
    EXPECT_TRUE(towers_.is_watching(Slot{0}));
    EXPECT_EQ(watchers_near(towers_, {9, 9}), Slots{Slot{0}});
    EXPECT_EQ(watchers_near(towers_, {10, 9}), Slots{});
    towers_.unwatch(Slot{0}, markers_);
    EXPECT_FALSE(towers_.is_watching(Slot{0}));
    EXPECT_EQ(watchers_near(towers_, {9, 9}), Slots{});
}

TEST_F(NineTowers, RangeIsCutOffAtEdgesAndCorners) {
    ASSERT_TRUE(towers_.watch(Slot{1}, {29, 29}, 10, markers_));
    EXPECT_EQ(towers_.subscription_count(), 4U);
    ASSERT_TRUE(towers_.watch(Slot{2}, {0, 15}, 5, markers_));
    EXPECT_EQ(towers_.subscription_count(), 4U + 2U * 1U);
    ASSERT_TRUE(towers_.watch(Slot{3}, {0, 0}, std::numeric_limits<std::int32_t>::max(), markers_));
    EXPECT_EQ(towers_.subscription_count(), 4U + 2U + 9U);
}

TEST_F(NineTowers, WiderRangeBringsMarkersAndANarrowerOneTakesThemAway) {
    ASSERT_TRUE(towers_.watch(Slot{7}, {15, 15}, 4, markers_));
    ASSERT_TRUE(towers_.change_range(Slot{7}, {15, 15}, 14, markers_ = {}));
    EXPECT_EQ(markers_.stayed, Slots{Slot{0}});
    EXPECT_EQ(sorted(markers_.entered), (Slots{Slot{1}, Slot{2}}));
    EXPECT_EQ(markers_.left, Slots{});
    ASSERT_TRUE(towers_.change_range(Slot{7}, {25, 15}, 4, markers_ = {}));
    EXPECT_EQ(markers_.stayed, Slots{Slot{1}});
    EXPECT_EQ(markers_.entered, Slots{});
    EXPECT_EQ(sorted(markers_.left), (Slots{Slot{0}, Slot{2}}));
    towers_.unwatch(Slot{7}, markers_ = {});
    EXPECT_EQ(markers_.left, Slots{Slot{1}});
    EXPECT_EQ(towers_.subscription_count(), 0U);
}

TEST_F(NineTowers, StepOverATowersEdgeConcernsTheWatchersOnBothSides) {
    ASSERT_TRUE(towers_.watch(Slot{4}, {15, 15}, 0, markers_));
    ASSERT_TRUE(towers_.watch(Slot{5}, {25, 15}, 0, markers_));
    ASSERT_TRUE(towers_.watch(Slot{6}, {19, 15}, 1, markers_));
    TowerCandidates watchers;
    towers_.watchers_of_step({19, 15}, {20, 15}, watchers);
    EXPECT_EQ(watchers.left, Slots{Slot{4}});
    EXPECT_EQ(watchers.entered, Slots{Slot{5}});
    EXPECT_EQ(watchers.stayed, Slots{Slot{6}});
    towers_.watchers_of_step({20, 15}, {29, 19}, watchers = {});
    EXPECT_EQ(sorted(watchers.stayed), (Slots{Slot{5}, Slot{6}}));
    EXPECT_EQ(watchers.left, Slots{});
    EXPECT_EQ(watchers.entered, Slots{});
}

TEST_F(NineTowers, RefuseSubscriptionsBeyondTheirLimitAndStayAsTheyWere) {
    Towers towers({{0, 0, 29, 29}, 10, 100}, 5);
    ASSERT_TRUE(towers.watch(Slot{0}, {15, 15}, 5, markers_));
    EXPECT_FALSE(towers.watch(Slot{1}, {15, 15}, 5, markers_ = {}));
    EXPECT_FALSE(towers.is_watching(Slot{1}));
    EXPECT_FALSE(towers.change_range(Slot{0}, {15, 15}, 6, markers_));
    EXPECT_EQ(watchers_near(towers, {25, 25}), Slots{Slot{0}});
    EXPECT_EQ(watchers_near(towers, {5, 5}), Slots{});
    EXPECT_TRUE(towers.watch(Slot{1}, {29, 29}, 0, markers_));
    // What is given up in the same change counts.
    EXPECT_TRUE(towers.change_range(Slot{0}, {9, 9}, 1, markers_));
    EXPECT_EQ(towers.subscription_count(), 5U);
}

TEST(TowersDeathTest, RefuseBrokenPromises) {
    Towers towers({{0, 0, 29, 29}, 10, 100});
    TowerCandidates markers;
    ASSERT_TRUE(towers.watch(Slot{1}, {3, 3}, 5, markers));
    EXPECT_DEATH((void)towers.watch(Slot{1}, {3, 3}, 5, markers), "broken promise");
    EXPECT_DEATH((void)towers.watch(Slot{2}, {30, 3}, 5, markers), "broken promise");
    EXPECT_DEATH((void)towers.watch(Slot{2}, {3, 3}, -1, markers), "broken promise");
    EXPECT_DEATH((void)towers.change_range(Slot{2}, {3, 3}, 5, markers), "broken promise");
    EXPECT_DEATH(towers.unwatch(Slot{2}, markers), "broken promise");
}

class RandomTowers : public ::testing::TestWithParam<Ground> {};

constexpr std::uint32_t kMarkers = 12;
constexpr std::uint32_t kWatchers = 5;

/// Towers as they are, beside what watchers asked for.
class WatchedTowers {
public:
    explicit WatchedTowers(const Ground& ground)
        : ground_(ground), towers_({ground.bounds, ground.cell_mm, 64}) {
        for (std::uint32_t marker = 0; marker < kMarkers; ++marker) {
            places_.push_back(*position_on(ground));
            towers_.insert(Slot{marker}, places_.back());
        }
        ranges_.resize(kWatchers);
    }

    void change_range_and_check(Slot watcher) {
        std::optional<Rect>& range = ranges_[to_number(watcher)];
        const Slots before = received_by(watcher);
        const Position at = *position_on(ground_);
        const std::int32_t range_mm = *radius_on(ground_);
        TowerCandidates markers;
        const bool is_done = range ? towers_.change_range(watcher, at, range_mm, markers)
                                   : towers_.watch(watcher, at, range_mm, markers);
        RC_ASSERT(is_done);
        range = square_around(at, range_mm);
        check_difference(markers, before, received_by(watcher));
    }

    void unwatch_and_check(Slot watcher) {
        if (!ranges_[to_number(watcher)]) {
            return;
        }
        const Slots before = received_by(watcher);
        TowerCandidates markers;
        towers_.unwatch(watcher, markers);
        ranges_[to_number(watcher)].reset();
        check_difference(markers, before, {});
        RC_ASSERT(received_by(watcher).empty());
    }

    void step_and_check(Slot marker) {
        Position& at = places_[to_number(marker)];
        const Position to = *position_on(ground_);
        TowerCandidates watchers;
        towers_.watchers_of_step(at, to, watchers);
        check_difference(watchers, watchers_near(towers_, at), watchers_near(towers_, to));
        towers_.move(marker, at, to);
        at = to;
    }

    /// No watcher whose range holds a marker may be missing at its tower.
    void check_nobody_is_missed() const {
        for (const Position at : places_) {
            const Slots near = watchers_near(towers_, at);
            for (std::uint32_t watcher = 0; watcher < kWatchers; ++watcher) {
                RC_ASSERT((!ranges_[watcher] || !ranges_[watcher]->contains(at) ||
                           std::binary_search(near.begin(), near.end(), Slot{watcher})));
            }
        }
    }

private:
    [[nodiscard]] Slots received_by(Slot watcher) const {
        Slots markers;
        for (std::uint32_t marker = 0; marker < kMarkers; ++marker) {
            const Slots near = watchers_near(towers_, places_[marker]);
            if (std::binary_search(near.begin(), near.end(), watcher)) {
                markers.push_back(Slot{marker});
            }
        }
        return markers;
    }

    static void check_difference(const TowerCandidates& sent, const Slots& before,
                                 const Slots& after) {
        RC_ASSERT(sorted(sent.entered) == only_in_first(after, before));
        RC_ASSERT(sorted(sent.left) == only_in_first(before, after));
        RC_ASSERT(sorted(sent.stayed) == in_both(before, after));
    }

    const Ground ground_;
    Towers towers_;
    std::vector<Position> places_;             ///< by marker
    std::vector<std::optional<Rect>> ranges_;  ///< by watcher; none: it does not watch
};

TEST_P(RandomTowers, CandidatesAreTheDifferenceAndMissNobody) {
    check_property([] {
        WatchedTowers towers(GetParam());
        for (int change = 0; change < 30; ++change) {
            const Slot watcher{*rc::gen::inRange(0U, kWatchers)};
            switch (*rc::gen::inRange(0, 4)) {
                case 0:
                    towers.unwatch_and_check(watcher);
                    break;
                case 1:
                    towers.step_and_check(Slot{*rc::gen::inRange(0U, kMarkers)});
                    break;
                default:
                    towers.change_range_and_check(watcher);
            }
            towers.check_nobody_is_missed();
        }
    });
}

INSTANTIATE_TEST_SUITE_P(On, RandomTowers, ::testing::ValuesIn(grounds()),
                         [](const auto& ground) { return ground.param.name; });

}  // namespace
}  // namespace marchland::engine::testing
