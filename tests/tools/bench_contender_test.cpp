#include "engine/view_bounds.h"
#include "tools/bench/contender.h"
#include "tools/bench/reference.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace marchland::bench {
namespace {

/// So small that views overlap the edges, so crowded that much happens.
Workload crowd() {
    return {.name = "crowd",
            .summary = "",
            .entities = 120,
            .side_mm = 300'000,
            .hot_side_mm = 60'000,
            .warm_up_ticks = 1,
            .ticks = 1,
            .moves = 1};
}

Workload with_teleports(Workload workload) {
    workload.gait = Gait::teleport;
    return workload;
}

/// Steps of up to a fifth of a view: cells and leave ranges are left out in one step.
Workload ten_times_faster(Workload workload) {
    workload.steps_per_tick = 40;
    return workload;
}

Workload with_senses_of_all_kinds(Workload workload) {
    workload.radius_min_mm = 40'000;
    workload.radius_max_mm = 50'000;
    workload.leave_wider_percent = 20;
    workload.layers = 2;
    return workload;
}

Workload with_view(View view, std::uint16_t half_opening = 9'000) {
    Workload workload = with_senses_of_all_kinds(crowd());
    workload.view = view;
    workload.half_y_mm = 30'000;
    workload.half_opening = half_opening;
    return workload;
}

/// As high as a view and a half.
Workload with_height(Workload workload) {
    workload.height_mm = 75'000;
    return workload;
}

Workload with_notification_ranges(Workload workload) {
    workload.notify_sources = 3;
    workload.notify_mm = 90'000;
    return workload;
}

using Pair = std::pair<std::uint32_t, std::uint32_t>;  ///< watcher, target

/// Who sees whom, pair by pair: what the references must agree with.
class World {
public:
    World(const Workload& workload, Positions at)
        : dimensions_(index_options(workload).dimensions),
          senses_(senses_of(workload)),
          at_(at.begin(), at.end()),
          visible_(look()) {}

    /// The events of everyone's way to these positions.
    EventTotals go(Positions to) {
        const std::vector<engine::Position> from = at_;
        const std::set<Pair> before = visible_;
        at_.assign(to.begin(), to.end());
        visible_ = look();
        EventTotals totals;
        for (const Pair& pair : visible_) {
            if (!before.contains(pair)) {
                totals.add(pair.first, EventKind::enter, 1, pair.second);
            } else if (from[pair.second] != to[pair.second]) {
                totals.add(pair.first, EventKind::move, 1, pair.second);
            }
        }
        for (const Pair& pair : before) {
            if (!visible_.contains(pair)) totals.add(pair.first, EventKind::leave, 1, pair.second);
        }
        return totals;
    }

    [[nodiscard]] std::size_t visible_pairs() const { return visible_.size(); }
    [[nodiscard]] const std::vector<engine::Position>& positions() const { return at_; }

private:
    [[nodiscard]] std::set<Pair> look() const {
        std::set<Pair> pairs;
        for (std::uint32_t a = 0; a < at_.size(); ++a) {
            for (std::uint32_t b = 0; b < at_.size(); ++b) {
                if (a != b && sees(a, b)) pairs.insert({a, b});
            }
        }
        return pairs;
    }

    [[nodiscard]] bool sees(std::uint32_t a, std::uint32_t b) const {
        const engine::Entity watcher = entity_at(a, at_[a], senses_[a]);
        const engine::Entity target = entity_at(b, at_[b], senses_[b]);
        if ((watcher.layers_seen & target.layers) == 0) return false;
        const engine::ViewBounds view_bounds(watcher, dimensions_);
        if (visible_.contains({a, b})) {
            return view_bounds.goes_on_at(at_[b]) ||
                   engine::is_within(at_[a], at_[b], target.notify.leave_radius_mm, dimensions_);
        }
        return view_bounds.begins_at(at_[b]) ||
               engine::is_within(at_[a], at_[b], target.notify.radius_mm, dimensions_);
    }

    const engine::Dimensions dimensions_;
    const std::vector<Senses> senses_;
    std::vector<engine::Position> at_;
    std::set<Pair> visible_;
};

struct Crowd {
    const char* name;
    Workload workload;

    friend std::ostream& operator<<(std::ostream& out, const Crowd& crowd) {
        return out << crowd.name;
    }
};

class Contest : public testing::TestWithParam<Crowd> {
protected:
    /// All that can do this workload.
    [[nodiscard]] std::vector<std::unique_ptr<Contender>> contenders(Positions at) const {
        std::vector<std::unique_ptr<Contender>> all;
        if (is_usual(workload_)) all.push_back(make_hash_grid(workload_, at));
        for (const char* const index : {"grid_cross_list", "quadtree"}) {
            all.push_back(make_interest(index, workload_, at));
        }
        all.push_back(make_aoi(workload_, at));
        return all;
    }

    const Workload workload_ = GetParam().workload;
};
class UsualContest : public Contest {};

TEST_P(Contest, TicksAreCountedByAllAlike) {
    Movement movement(workload_, 3);
    World world(workload_, movement.positions());
    const auto reference = make_tick_reference(workload_, movement.positions());
    const auto all = contenders(movement.positions());
    for (int tick = 0; tick < 30; ++tick) {
        const auto now = movement.advance_tick();
        const EventTotals expected = world.go(now);
        ASSERT_GT(expected.move, 0U);
        ASSERT_EQ(reference->advance(now), expected) << "tick " << tick;
        ASSERT_EQ(reference->visible_pairs(), world.visible_pairs());
        for (const auto& one : all) {
            ASSERT_EQ(one->run_tick(now), expected) << one->name() << ", tick " << tick;
        }
    }
}

TEST_P(UsualContest, TicksOfHalvesOnTwoThreadsAreThoseOfTheWhole) {
    Movement movement(workload_, 6);
    World world(workload_, movement.positions());
    const auto halves = make_halves("grid_cross_list", workload_, movement.positions());
    for (int tick = 0; tick < 60; ++tick) {
        const auto now = movement.advance_tick();
        ASSERT_EQ(halves->run_tick(now), world.go(now)) << "tick " << tick;
    }
}

TEST_P(Contest, SingleMovesAreCountedByAllAlike) {
    Movement movement(workload_, 4);
    World world(workload_, movement.positions());
    const auto reference = make_move_reference(workload_, movement.positions());
    const auto all = contenders(movement.positions());
    for (int batch = 0; batch < 4; ++batch) {
        const auto moves = movement.advance_some(25);
        EventTotals expected;
        for (const Move& move : moves) {
            auto after = world.positions();
            after[move.entity] = move.to;
            expected += world.go(after);
        }
        ASSERT_EQ(reference(moves), expected) << "batch " << batch;
        for (const auto& one : all) {
            ASSERT_EQ(one->run_moves(moves), expected) << one->name() << ", batch " << batch;
        }
    }
}

TEST_P(Contest, WhoStandsStillIsNoMove) {
    const Movement movement(workload_, 5);
    const auto at = movement.positions();
    const auto reference = make_tick_reference(workload_, at);
    EXPECT_EQ(reference->advance(at), EventTotals{});
    for (const auto& one : contenders(at)) {
        EXPECT_EQ(one->run_tick(at), EventTotals{}) << one->name();
    }
}

std::string name_of_crowd(const testing::TestParamInfo<Crowd>& crowd) {
    return crowd.param.name;
}

const auto kUsualCrowds = testing::Values(
    Crowd{"Walk", crowd()}, Crowd{"Teleport", with_teleports(crowd())},
    Crowd{"Fast", ten_times_faster(crowd())}, Crowd{"Senses", with_senses_of_all_kinds(crowd())},
    Crowd{"FastSenses", ten_times_faster(with_senses_of_all_kinds(crowd()))},
    Crowd{"TeleportSenses", with_teleports(with_senses_of_all_kinds(crowd()))});
INSTANTIATE_TEST_SUITE_P(Crowds, Contest, kUsualCrowds, name_of_crowd);
INSTANTIATE_TEST_SUITE_P(Crowds, UsualContest, kUsualCrowds, name_of_crowd);

INSTANTIATE_TEST_SUITE_P(
    Shapes, Contest,
    testing::Values(Crowd{"Rectangle", with_view(View::rectangle)},
                    Crowd{"Sector", with_view(View::sector)},
                    Crowd{"WideSector", with_view(View::sector, 20'000)},
                    Crowd{"FastSector", ten_times_faster(with_view(View::sector))},
                    Crowd{"Sphere", with_height(with_view(View::circle))},
                    Crowd{"FastSphere", ten_times_faster(with_height(with_view(View::circle)))},
                    Crowd{"TeleportSphere", with_teleports(with_height(with_view(View::circle)))},
                    Crowd{"SectorOfASphere", with_height(with_view(View::sector))},
                    Crowd{"NotificationRanges", with_notification_ranges(with_view(View::circle))},
                    Crowd{"NotificationRangesAmongSectors",
                          with_notification_ranges(with_view(View::sector))},
                    Crowd{"FastNotificationRanges",
                          ten_times_faster(with_notification_ranges(with_view(View::circle)))}),
    name_of_crowd);

TEST(Contender, BoundOfAViewIsInside) {
    const Workload pair{.name = "pair", .summary = "", .entities = 2, .side_mm = 200'000};
    // 30 and 40 are the sides of a right angle with 50 across.
    const std::vector<engine::Position> outside = {{0, 0, 0}, {30'000, 40'001, 0}};
    const std::vector<engine::Position> bound = {{0, 0, 0}, {30'000, 40'000, 0}};
    const auto reference = make_tick_reference(pair, outside);
    const auto hash_grid = make_hash_grid(pair, outside);
    const auto interest = make_interest("grid_cross_list", pair, outside);
    EventTotals expected;
    expected.add(0, EventKind::enter, 1, 1);
    expected.add(1, EventKind::enter, 1, 0);
    EXPECT_EQ(reference->advance(bound), expected);
    EXPECT_EQ(hash_grid->run_tick(bound), expected);
    EXPECT_EQ(interest->run_tick(bound), expected);
}

TEST(EventTotals, ChecksumTellsWatchersKindsAndTargetsApart) {
    const auto one = [](std::uint32_t watcher, EventKind kind, std::uint32_t target) {
        EventTotals totals;
        totals.add(watcher, kind, 1, target);
        return totals.checksum;
    };
    const std::set<std::uint64_t> checksums = {
        one(1, EventKind::enter, 2), one(2, EventKind::enter, 1), one(1, EventKind::leave, 2),
        one(1, EventKind::move, 2),  one(1, EventKind::enter, 3), one(0, EventKind::enter, 0)};
    EXPECT_EQ(checksums.size(), 6U);
    EXPECT_FALSE(checksums.contains(0));
}

}  // namespace
}  // namespace marchland::bench
