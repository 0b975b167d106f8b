// In the steady state a tick allocates nothing: every allocation of this program is counted.

#include "engine/aoi.h"
#include "engine/index/deferred_index.h"
#include "engine/index/grid_cross_list.h"
#include "engine/interest_system.h"
#include "tests/engine/allocation_count.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace marchland::engine::testing {
namespace {

constexpr std::int32_t kEdge = 1'000;
constexpr std::int32_t kPeriod = 20;  ///< ticks after which everybody is where they were

/// 400 watchers that walk around on closed paths through all cells; every fourth one in a crowd.
class WalkingCrowd {
public:
    explicit WalkingCrowd(const CrowdLimits& limits = {})
        : interest_(make_grid_cross_list({{0, 0, kEdge, kEdge}, 100}), Dimensions::two, limits) {
        interest_.begin_tick(1);
        for (std::uint32_t number = 0; number < 400; ++number) {
            Entity entity;
            entity.id = EntityId{number * 7919ULL % 400ULL};
            entity.birth = 1;
            entity.position = place_of(number, 1);
            entity.view = View::circle(80, 90);
            slots_.push_back(interest_.insert(entity));
            interest_.watch(slots_.back(), {});
        }
    }

    void tick() {
        interest_.begin_tick(interest_.now() + 1);
        for (std::uint32_t number = 0; number < slots_.size(); ++number) {
            interest_.move(slots_[number], place_of(number, interest_.now()));
        }
        interest_.build_frames(slots_, true, [this](const Frame& frame) {
            sent_ += frame.leaves.size() + frame.enters.size() + frame.moves.size();
        });
    }

    [[nodiscard]] std::size_t sent() const { return sent_; }

private:
    static Position place_of(std::uint32_t number, Tick now) {
        const auto phase = static_cast<std::int32_t>((now + number) % kPeriod);
        const std::int32_t step = std::min(phase, kPeriod - phase);
        const auto home = static_cast<std::int32_t>(number % 4 == 0 ? 450 : number * 2);
        return {std::min(home + step * 11, kEdge), std::min((home * 3) % kEdge + step * 9, kEdge),
                0};
    }

    InterestSystem interest_;
    std::vector<Slot> slots_;
    std::size_t sent_ = 0;
};

void expect_none(WalkingCrowd& crowd) {
    for (std::int32_t tick = 0; tick < 16 * kPeriod; ++tick) {
        crowd.tick();
    }
    const std::size_t allocations_before = allocation_count();
    const std::size_t sent_before = crowd.sent();
    for (std::int32_t tick = 0; tick < 2 * kPeriod; ++tick) {
        crowd.tick();
    }
    const std::size_t allocations_after = allocation_count();
    EXPECT_EQ(allocations_after - allocations_before, 0U);
    EXPECT_GT(crowd.sent(), sent_before);
}

TEST(Allocations, AreNoneInATickOfTheSteadyState) {
    WalkingCrowd crowd;
    expect_none(crowd);
}

TEST(Allocations, AreNoneWhereCrowdsAreLimited) {
    CrowdLimits limits;
    limits.visible_max = 20;
    limits.rings[0] = {40, 4};
    limits.frame_bytes_max = 150;
    WalkingCrowd crowd(limits);
    expect_none(crowd);
}

/// As many ticks, moves, teleports and questions each time it is called.
void pace(Aoi& aoi, std::vector<EntityId>& found) {
    for (std::int32_t tick = 0; tick < 2 * kPeriod; ++tick) {
        for (std::uint64_t id = 0; id < 100; ++id) {
            const auto at = static_cast<std::int32_t>(id * 3) + tick % kPeriod * 10;
            ASSERT_TRUE(id % 5 == 0 ? aoi.teleport(EntityId{id}, {at, at})
                                    : aoi.move(EntityId{id}, {at, kEdge - at}));
        }
        ASSERT_TRUE(aoi.tick());
        ASSERT_TRUE(aoi.query(Circle{{500, 500}, 200}, found));
        aoi.nearest({500, 500}, 10, found);
    }
}

TEST(Allocations, AreNoneInTheLibrarysTicksAndQueries) {
    AoiOptions options;
    options.index.bounds = {0, 0, kEdge, kEdge};
    options.index.cell_mm = 100;
    const auto [aoi, status] = Aoi::make(options);
    ASSERT_TRUE(status);
    for (std::uint64_t id = 0; id < 100; ++id) {
        ASSERT_TRUE(aoi->add({.id = EntityId{id}, .view = View::circle(80, 90)}));
    }
    std::vector<EntityId> found;
    pace(*aoi, found);
    const std::size_t allocations_before = allocation_count();
    pace(*aoi, found);
    const std::size_t allocations_after = allocation_count();
    EXPECT_EQ(allocations_after - allocations_before, 0U);
    EXPECT_FALSE(aoi->events().empty());
}

TEST(Allocations, AreNoneWhereEntitiesComeStepAndGoAndNobodyAsksTheIndex) {
    DeferredIndex index(make_grid_cross_list({{0, 0, kEdge, kEdge}, 100}));
    const auto come_step_and_go = [&](int times) {
        for (int time = 0; time < times; ++time) {
            index.insert(Slot{7}, {5, 5});
            index.move(Slot{7}, {5, 5});
            index.erase(Slot{7}, {6, 5});
        }
    };
    come_step_and_go(100);
    const std::size_t allocations_before = allocation_count();
    come_step_and_go(5'000);
    EXPECT_EQ(allocation_count() - allocations_before, 0U);
}

TEST(Allocations, AreNoneForTeleportsWithoutATick) {
    AoiOptions options;
    options.index.bounds = {0, 0, kEdge, kEdge};
    const auto [aoi, status] = Aoi::make(options);
    ASSERT_TRUE(status);
    ASSERT_TRUE(aoi->add({.id = EntityId{1}}));
    ASSERT_TRUE(aoi->teleport(EntityId{1}, {1, 1}));
    const std::size_t allocations_before = allocation_count();
    for (std::int32_t x = 0; x < 1'000; ++x) {
        ASSERT_TRUE(aoi->teleport(EntityId{1}, {x, 0}));
    }
    EXPECT_EQ(allocation_count() - allocations_before, 0U);
}

TEST(Allocations, AreNoneForStatesThatAreSetToWhatTheyAre) {
    AoiOptions options;
    options.index.bounds = {0, 0, kEdge, kEdge};
    const auto [aoi, status] = Aoi::make(options);
    ASSERT_TRUE(status);
    const auto state_of = [](std::byte byte) {
        return std::make_shared<const std::vector<std::byte>>(1, byte);
    };
    const Blob open = state_of(std::byte{1});
    const Blob also_open = state_of(std::byte{1});
    const Blob shut = state_of(std::byte{2});
    ASSERT_TRUE(aoi->add({.id = EntityId{1}, .state = open}));
    ASSERT_TRUE(aoi->tick());
    const std::size_t allocations_before = allocation_count();
    for (int time = 0; time < 1'000; ++time) {
        ASSERT_TRUE(aoi->set_state(EntityId{1}, also_open));
    }
    EXPECT_EQ(allocation_count() - allocations_before, 0U);
    ASSERT_TRUE(aoi->set_state(EntityId{1}, shut));
    EXPECT_GT(allocation_count() - allocations_before, 0U) << "a change makes a new object";
}

TEST(Allocations, AreNoneWhenAGhostComesAndGoes) {
    InterestSystem interest(make_grid_cross_list({{0, 0, kEdge, kEdge}, 100}), Dimensions::two);
    interest.begin_tick(1);
    Entity ghost;
    ghost.id = EntityId{5};
    interest.erase(interest.insert(ghost));
    const std::size_t allocations_before = allocation_count();
    for (std::uint64_t id = 0; id < 1'000; ++id) {
        ghost.id = EntityId{id};
        interest.erase(interest.insert(ghost));
    }
    EXPECT_EQ(allocation_count() - allocations_before, 0U);
}

/// Many entities stand at a slot one after another, and each may have known more than those before.
TEST(Allocations, OfOneWhoWatchedAreGivenBackWhenItGoes) {
    InterestSystem interest(make_grid_cross_list({{0, 0, kEdge, kEdge}, 100}), Dimensions::two);
    interest.begin_tick(1);
    std::vector<Slot> slots;
    for (std::uint64_t id = 0; id < 50; ++id) {
        Entity entity;
        entity.id = EntityId{id};
        entity.view = View::circle(80, 90);
        slots.push_back(interest.insert(entity));
    }
    const auto watch_for_a_while = [&](Slot slot) {
        interest.watch(slot, {});
        for (std::int32_t x : {0, 85, 200}) {  // sees all, some between the ranges, nobody
            interest.begin_tick(interest.now() + 1);
            interest.move(slot, {x, 0});
            interest.build_frames({&slot, 1}, true, [](const Frame&) {});
        }
        interest.move(slot, {0, 0});
        interest.begin_tick(interest.now() + 1);
        static_cast<void>(interest.unwatch(slot));
    };
    for (const std::size_t first : {0U, 1U}) {  // and all that the space itself needs
        watch_for_a_while(slots[first]);
    }
    const std::size_t live_before = live_allocation_count();
    for (const Slot slot : slots) {
        watch_for_a_while(slot);
    }
    EXPECT_EQ(live_allocation_count(), live_before);
}

}  // namespace
}  // namespace marchland::engine::testing
