// The limits of a crowd, by example.

#include "engine/frame/crowd_limits.h"
#include "engine/index/index.h"
#include "engine/interest_system.h"
#include "tests/engine/property.h"
#include "tests/engine/small_zone.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace marchland::engine::testing {
namespace {

constexpr View kCrowdView = View::circle(500, 500);

CrowdLimits cap_of(std::uint32_t visible_max, std::uint32_t sticky_percent = 0) {
    CrowdLimits limits;
    limits.visible_max = visible_max;
    limits.sticky_percent = sticky_percent;
    return limits;
}

CrowdLimits budget(std::uint32_t frame_bytes_max, std::uint32_t stale_ticks_max) {
    CrowdLimits limits;
    limits.frame_bytes_max = frame_bytes_max;
    limits.stale_ticks_max = stale_ticks_max;
    return limits;
}

TEST(Cap, LeavesTheNearest) {
    SmallZone zone(Dimensions::two, cap_of(2));
    zone.add(1, {0, 0, 0}, kCrowdView);
    zone.add(2, {30, 0, 0});
    zone.add(3, {10, 0, 0});
    zone.add(4, {20, 0, 0});
    EXPECT_EQ(zone.tick(), (Lines{"1 enter 3", "1 enter 4"}));
    EXPECT_TRUE(zone.last_frame_is_capped());
}

TEST(Cap, PrefersTheLowerIdAtEqualDistance) {
    SmallZone zone(Dimensions::two, cap_of(2));
    zone.add(1, {0, 0, 0}, kCrowdView);
    zone.add(4, {0, 10, 0});
    zone.add(3, {10, 0, 0});
    zone.add(2, {-10, 0, 0});
    EXPECT_EQ(zone.tick(), (Lines{"1 enter 2", "1 enter 3"}));
}

TEST(Cap, TellsThatOneIsCappedAndEntersItAgainWhenThereIsRoom) {
    SmallZone zone(Dimensions::two, cap_of(1));
    zone.add(1, {0, 0, 0}, kCrowdView);
    zone.add(2, {20, 0, 0});
    EXPECT_EQ(zone.tick(), (Lines{"1 enter 2"}));
    EXPECT_FALSE(zone.last_frame_is_capped());
    zone.add(3, {10, 0, 0});
    EXPECT_EQ(zone.tick(), (Lines{"1 leave 2 capped", "1 enter 3"}));
    EXPECT_TRUE(zone.last_frame_is_capped());
    zone.remove(3);
    EXPECT_EQ(zone.tick(), (Lines{"1 leave 3 gone", "1 enter 2"}));
    EXPECT_FALSE(zone.last_frame_is_capped());
}

TEST(Cap, OfAnyOtherReasonTellsThatOne) {
    SmallZone zone(Dimensions::two, cap_of(1));
    zone.add(1, {0, 0, 0}, kCrowdView);
    zone.add(2, {20, 0, 0});
    zone.tick();
    zone.add(3, {10, 0, 0});
    zone.move(2, {501, 0, 0});
    EXPECT_EQ(zone.tick(), (Lines{"1 leave 2 out_of_range", "1 enter 3"}));
    EXPECT_FALSE(zone.last_frame_is_capped());
}

TEST(Cap, CountsInSpaceWhereTheZoneHasThreeDimensions) {
    SmallZone zone(Dimensions::three, cap_of(1));
    zone.add(1, {0, 0, 0}, kCrowdView);
    zone.add(2, {10, 0, 100});
    zone.add(3, {20, 0, 0});
    EXPECT_EQ(zone.tick(), (Lines{"1 enter 3"}));
}

TEST(Cap, KeepsWhoIsSeenUntilAnotherIsNearerByTheMargin) {
    SmallZone zone(Dimensions::two, cap_of(1, 20));
    zone.add(1, {0, 0, 0}, kCrowdView);
    zone.add(2, {100, 0, 0});
    zone.add(3, {101, 0, 0});
    EXPECT_EQ(zone.tick(), (Lines{"1 enter 2"}));
    zone.move(3, {80, 0, 0});  // counts as far as the other: who is seen goes first
    EXPECT_EQ(zone.tick(), (Lines{}));
    zone.move(3, {79, 0, 0});
    EXPECT_EQ(zone.tick(), (Lines{"1 leave 2 capped", "1 enter 3"}));
}

/// As near to a circle of 4 km as whole millimetres come: their squared distances differ by less
/// than floats of that size do, so that floats put them into another order.
std::vector<Position> about_equally_far() {
    constexpr double kRadiusMm = 4'000'000;
    std::vector<Position> places;
    for (std::int32_t x = 9'973; x < 4'000'000; x += 9'973) {
        const double y = std::sqrt(kRadiusMm * kRadiusMm - double{1} * x * x);
        places.push_back({x, static_cast<std::int32_t>(std::lround(y)), 0});
    }
    return places;
}

/// Entities at such places, whose ids count from 1, and a watcher in the origin.
class CircleOfMany {
public:
    CircleOfMany(const std::vector<Position>& places, const CrowdLimits& limits)
        : interest_(make_index("grid_cross_list", {.bounds = square_around({}, 8'000'000)}),
                    Dimensions::two, limits) {
        interest_.begin_tick(1);
        for (const Position& place : places) {
            slots_.push_back(add(place, {}));
        }
        watcher_ = add({}, View::circle(4'100'000, 4'100'000));
        interest_.watch(watcher_, {});
    }

    void move(const std::vector<Position>& places) {
        for (std::size_t i = 0; i < places.size(); ++i) {
            interest_.move(slots_[i], places[i]);
        }
    }
    struct Sent {
        std::set<EntityId> entered;
        std::set<EntityId> moved;
    };
    /// The frame of this tick.
    Sent tick() {
        const auto ids_of = [this](std::span<const Slot> slots) {
            std::set<EntityId> ids;
            for (const Slot slot : slots) {
                ids.insert(interest_.entities().at(slot).id);
            }
            return ids;
        };
        Sent sent;
        interest_.build_frames({&watcher_, 1}, true, [&](const Frame& frame) {
            sent = {ids_of(frame.enters), ids_of(frame.moves)};
        });
        interest_.begin_tick(interest_.now() + 1);
        return sent;
    }
    [[nodiscard]] Tick now() const { return interest_.now(); }

private:
    Slot add(Position at, View view) {
        Entity entity;
        entity.id = EntityId{++last_id_};
        entity.birth = 1;
        entity.position = at;
        entity.shown = at;
        entity.view = view;
        return interest_.insert(entity);
    }

    InterestSystem interest_;
    std::uint64_t last_id_ = 0;
    std::vector<Slot> slots_;
    Slot watcher_{};
};

/// Who stands at these places, from the one nearest to the origin on.
std::vector<std::pair<SquaredDistance, EntityId>> by_distance(const std::vector<Position>& places) {
    std::vector<std::pair<SquaredDistance, EntityId>> sorted;
    for (std::size_t i = 0; i < places.size(); ++i) {
        sorted.emplace_back(squared_distance({}, places[i], Dimensions::two), EntityId{i + 1});
    }
    std::ranges::sort(sorted);
    return sorted;
}

/// `sent_of(places, count)` is the nearest so many, whatever their number.
template <typename SentOf>
void expect_nearest(const SentOf& sent_of) {
    const std::vector<Position> places = about_equally_far();
    const auto sorted = by_distance(places);
    std::set<EntityId> nearest;
    for (std::uint32_t count = 1; count < places.size(); ++count) {
        nearest.insert(sorted[count - 1].second);
        ASSERT_EQ(sent_of(places, count), nearest) << count;
    }
}

TEST(Cap, DecidesExactlyAmongManyThatAreAboutEquallyFar) {
    expect_nearest([](const std::vector<Position>& places, std::uint32_t count) {
        return CircleOfMany(places, cap_of(count)).tick().entered;
    });
}

std::vector<Position> beside(std::vector<Position> places) {
    for (Position& place : places) {
        place.x += 1'000;
    }
    return places;
}

TEST(UpdateRings, DecideExactlyAmongManyThatAreAboutAsFarAsARing) {
    const std::vector<Position> places = about_equally_far();
    CrowdLimits limits;
    limits.rings[0] = {4'000'000, 256};
    CircleOfMany circle(beside(places), limits);
    circle.tick();
    std::set<EntityId> expected;
    for (const auto& [square, id] : by_distance(places)) {
        if (square <= SquaredDistance{16'000'000'000'000} ||
            (circle.now() + to_number(id)) % 256 == 0) {
            expected.insert(id);
        }
    }
    circle.move(places);
    EXPECT_EQ(circle.tick().moved, expected);
}

TEST(ByteBudget, DecidesExactlyAmongManyThatAreAboutEquallyFar) {
    expect_nearest([](const std::vector<Position>& places, std::uint32_t count) {
        CrowdLimits limits;
        limits.frame_bytes_max = 64 + 8 * count;
        CircleOfMany circle(beside(places), limits);
        for (std::size_t entered = 0; entered < places.size();) {
            entered += circle.tick().entered.size();
        }
        circle.move(places);
        return circle.tick().moved;
    });
}

/// A frame has room for one state.
TEST(ByteBudget, SendsTheStatesThatHaveWaitedLongestFirst) {
    SmallZone zone(Dimensions::two, budget(64 + 8, 1'000));
    zone.add(1, {0, 0, 0}, View::circle(1'000, 1'000));
    for (std::uint64_t id = 2; id < 10; ++id) {
        zone.add(id, {10, 0, 0});
        zone.tick();
    }
    std::set<std::string> sent;
    const auto tick = [&] {
        const Lines lines = zone.tick();
        ASSERT_EQ(lines.size(), 1U);
        sent.insert(lines[0]);
    };
    for (std::uint64_t id = 2; id < 6; ++id) {
        zone.set_state(id, 1);
    }
    tick();
    for (std::uint64_t id = 6; id < 10; ++id) {
        zone.set_state(id, 1);
    }
    for (int i = 0; i < 3; ++i) {
        tick();
    }
    EXPECT_EQ(sent, (std::set<std::string>{"1 state 2", "1 state 3", "1 state 4", "1 state 5"}));
}

/// Of a hundred without importance none comes before the others.
TEST(ByteBudget, HasRoomForWhoHasNoImportanceLast) {
    SmallZone zone(Dimensions::two, budget(64 + 10 * 8, 1'000));
    zone.add(1, {0, 0, 0}, View::circle(1'000, 1'000));
    std::set<std::string> important;
    for (std::uint64_t id = 2; id < 122; ++id) {
        const bool is_important = id % 12 == 0;
        zone.add(id, {is_important ? 900 : 10, 0, 0}, {}, is_important ? 1 : 0);
        zone.tick();
        if (is_important) {
            important.insert("1 move " + std::to_string(id));
        }
    }
    for (std::uint64_t id = 2; id < 122; ++id) {
        zone.move(id, {zone.entity(id).position.x, 1, 0});
    }
    const Lines sent = zone.tick();
    EXPECT_EQ(std::set<std::string>(sent.begin(), sent.end()), important);
}

/// A crowd whose members step to and fro by less than the margin: without stickiness its edge
/// flickers, with it nobody comes or goes.
TEST(Cap, DoesNotFlickerAtTheEdgeOfACrowdThatShuffles) {
    const auto changes = [](std::uint32_t sticky_percent) {
        SmallZone zone(Dimensions::two, cap_of(10, sticky_percent));
        zone.add(1, {0, 0, 0}, kCrowdView);
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

CrowdLimits rings(std::vector<UpdateRing> wanted) {
    CrowdLimits limits;
    std::copy(wanted.begin(), wanted.end(), limits.rings.begin());
    return limits;
}

/// The entity with id 4 has its slots in ticks that are divisible by its ring's number.
TEST(UpdateRings, TellMovesOfFarOnesInTheirSlots) {
    SmallZone zone(Dimensions::two, rings({{100, 4}}));
    zone.add(1, {0, 0, 0}, kCrowdView);
    zone.add(4, {200, 0, 0});
    EXPECT_EQ(zone.tick(), (Lines{"1 enter 4"}));  // tick 1: an enter waits for nothing
    zone.move(4, {201, 0, 0});
    EXPECT_EQ(zone.tick(), (Lines{}));
    EXPECT_TRUE(zone.last_frame_is_slowed());
    EXPECT_EQ(zone.tick(), (Lines{}));
    EXPECT_TRUE(zone.last_frame_is_slowed());
    EXPECT_EQ(zone.tick(), (Lines{"1 move 4"}));
    EXPECT_FALSE(zone.last_frame_is_slowed());
    EXPECT_FALSE(zone.last_frame_follows(0)) << "what was held back is sent whole";
    EXPECT_EQ(zone.tick(), (Lines{}));
}

TEST(UpdateRings, TellMovesOfNearOnesInEveryTick) {
    SmallZone zone(Dimensions::two, rings({{100, 4}}));
    zone.add(1, {0, 0, 0}, kCrowdView);
    zone.add(4, {90, 0, 0});
    zone.tick();
    for (std::int32_t step = 1; step <= 10; ++step) {
        zone.move(4, {90 + step, 0, 0});
        EXPECT_EQ(zone.tick(), (Lines{"1 move 4"}));  // 100 is within: bounds are inclusive
        EXPECT_TRUE(zone.last_frame_follows(0));
    }
}

TEST(UpdateRings, TellAtOnceWhatWaitedWhenItComesNear) {
    SmallZone zone(Dimensions::two, rings({{100, 8}}));
    zone.add(1, {0, 0, 0}, kCrowdView);
    zone.add(8, {101, 0, 0});
    zone.tick();
    zone.move(8, {102, 0, 0});
    EXPECT_EQ(zone.tick(), (Lines{}));
    zone.move(1, {2, 0, 0});
    EXPECT_EQ(zone.tick(), (Lines{"1 move 8"}));
}

TEST(UpdateRings, DelayNoLeave) {
    SmallZone zone(Dimensions::two, rings({{100, 8}}));
    zone.add(1, {0, 0, 0}, kCrowdView);
    zone.add(8, {499, 0, 0});
    zone.tick();
    zone.move(8, {501, 0, 0});
    EXPECT_EQ(zone.tick(), (Lines{"1 leave 8 out_of_range"}));
}

TEST(UpdateRings, MakeUpForASlotInWhichTheWatcherTookNoFrame) {
    SmallZone zone(Dimensions::two, rings({{100, 4}}));
    zone.add(1, {0, 0, 0}, kCrowdView);
    zone.add(4, {200, 0, 0});
    zone.tick();
    zone.tick();
    zone.move(4, {201, 0, 0});
    EXPECT_EQ(zone.tick(), (Lines{}));  // tick 3
    EXPECT_EQ(zone.tick_without_frames_for({1}), (Lines{}));
    EXPECT_EQ(zone.tick(), (Lines{"1 move 4"}));
}

TEST(UpdateRings, SpreadACrowdOverTheTicks) {
    SmallZone zone(Dimensions::two, rings({{100, 4}}));
    zone.add(1, {0, 0, 0}, kCrowdView);
    for (std::uint64_t id = 100; id < 140; ++id) {
        zone.add(id, {200, 0, 0});
    }
    zone.tick();
    for (std::int32_t step = 1; step <= 12; ++step) {
        for (std::uint64_t id = 100; id < 140; ++id) {
            zone.move(id, {200 + step, 0, 0});
        }
        EXPECT_EQ(zone.tick().size(), 10U);
    }
}

TEST(UpdateRings, ThatHoldAMoveBackTravelWithTheWatcher) {
    const CrowdLimits limits = rings({{100, 4}});
    SmallZone here(Dimensions::two, limits);
    SmallZone there(Dimensions::two, limits);
    for (SmallZone* zone : {&here, &there}) {
        zone->add(1, {0, 0, 0}, kCrowdView);
        zone->add(4, {200, 0, 0});
    }
    here.tick();
    there.tick_without_frames_for({1});
    here.move(4, {201, 0, 0});
    there.move(4, {201, 0, 0});
    EXPECT_EQ(here.tick(), (Lines{}));
    there.tick_without_frames_for({1});
    const KnownSet known = here.interest().unwatch(here.slot(1));
    EXPECT_EQ(known.waiting.moves, (std::vector<Waiting::Move>{{EntityId{4}, 1}}));
    there.interest().unwatch(there.slot(1));
    there.interest().watch(there.slot(1), known);
    EXPECT_EQ(there.tick(), (Lines{}));
    EXPECT_EQ(there.tick(), (Lines{"1 move 4"}));
    EXPECT_FALSE(there.last_frame_follows(0));
}

TEST(ByteBudget, TellsTheNearestFirst) {
    SmallZone zone(Dimensions::two, budget(64 + 2 * 8, 40));
    zone.add(1, {0, 0, 0}, View::circle(1'000, 1'000));
    zone.add(2, {900, 0, 0});
    zone.add(3, {10, 0, 0});
    zone.add(4, {500, 0, 0});
    EXPECT_EQ(zone.tick(), (Lines{"1 enter 3"}));
    EXPECT_TRUE(zone.last_frame_is_filling());
    EXPECT_EQ(zone.tick(), (Lines{"1 enter 4"}));
    EXPECT_EQ(zone.tick(), (Lines{"1 enter 2"}));
    EXPECT_FALSE(zone.last_frame_is_filling());
    for (const std::uint64_t id : {2U, 3U, 4U}) {
        zone.move(id, {zone.entity(id).position.x, 1, 0});
    }
    EXPECT_EQ(zone.tick(), (Lines{"1 move 3", "1 move 4"}));
    EXPECT_TRUE(zone.last_frame_is_over_budget());
    EXPECT_EQ(zone.tick(), (Lines{"1 move 2"}));
    EXPECT_FALSE(zone.last_frame_is_over_budget());
}

/// Who missed a tick is sent positions, which cost twice what a difference does.
TEST(ByteBudget, HoldsHalfAsManyMovesForWhoMissedATick) {
    SmallZone zone(Dimensions::two, budget(64 + 4 * 8, 40));
    zone.add(1, {0, 0, 0}, View::circle(1'000, 1'000));
    for (std::int32_t id = 2; id < 6; ++id) {
        zone.add(static_cast<std::uint64_t>(id), {10 * id, 0, 0});
        zone.tick();
    }
    for (const std::int32_t y : {1, 2}) {
        for (std::int32_t id = 2; id < 6; ++id) {
            zone.move(static_cast<std::uint64_t>(id), {10 * id, y, 0});
        }
        if (y == 1) {
            zone.tick_without_frames_for({1});
        }
    }
    EXPECT_EQ(zone.tick(), (Lines{"1 move 2", "1 move 3"}));
    EXPECT_TRUE(zone.last_frame_is_over_budget());
    EXPECT_EQ(zone.tick(), (Lines{"1 move 4", "1 move 5"}));
}

/// Two at each distance, in no order of their ids: of two the lower id comes first.
TEST(ByteBudget, TellsTheFirstInOrderHoweverManyTheyAre) {
    constexpr std::uint64_t kFirst = 100;
    constexpr std::uint64_t kCount = 61;
    for (const std::uint32_t room : {1U, 2U, 7U, 16U, 31U, 60U}) {
        SmallZone zone(Dimensions::two, budget(64 + 8 * room, 40));
        zone.add(1, {0, 0, 0}, View::circle(2'000, 2'000));
        std::vector<std::uint64_t> in_order(kCount);
        for (std::uint64_t i = 0; i < kCount; ++i) {
            const std::uint64_t place = i * 37 % kCount;
            const auto x = static_cast<std::int32_t>(20 + place / 2 * 20);
            zone.add(kFirst + i, {i % 2 == 0 ? x : -x, 0, 0});
            in_order[place] = kFirst + i;
        }
        for (std::size_t place = 0; place + 1 < kCount; place += 2) {
            if (in_order[place] > in_order[place + 1]) {
                std::swap(in_order[place], in_order[place + 1]);
            }
        }
        const std::size_t enters = (8 * room + 47) / 48;
        for (std::size_t first = 0; first < kCount; first += enters) {
            std::set<std::string> nearest;
            for (std::size_t i = first; i < std::min(kCount, first + enters); ++i) {
                nearest.insert("1 enter " + std::to_string(in_order[i]));
            }
            const Lines sent = zone.tick();
            EXPECT_EQ(std::set<std::string>(sent.begin(), sent.end()), nearest);
        }
        for (std::uint64_t i = 0; i < kCount; ++i) {
            const Position at = zone.entity(kFirst + i).position;
            zone.move(kFirst + i, {at.x, 1, 0});
        }
        std::set<std::string> nearest;
        for (std::size_t i = 0; i < room; ++i) {
            nearest.insert("1 move " + std::to_string(in_order[i]));
        }
        const Lines sent = zone.tick();
        EXPECT_EQ(std::set<std::string>(sent.begin(), sent.end()), nearest);
    }
}

TEST(ByteBudget, TellsTheMoreImportantFirst) {
    SmallZone zone(Dimensions::two, budget(64 + 8, 40));
    zone.add(1, {0, 0, 0}, kCrowdView);
    zone.add(2, {10, 0, 0});
    zone.add(3, {400, 0, 0}, {}, 200);
    zone.tick();
    zone.tick();
    zone.move(2, {11, 0, 0});
    zone.move(3, {401, 0, 0});
    EXPECT_EQ(zone.tick(), (Lines{"1 move 3"}));
}

/// Everybody moves in every tick, and there is room for a tenth of them: nobody waits longer than
/// the limit, and for those that are stale before.
TEST(ByteBudget, StarvesNobody) {
    constexpr std::uint64_t kFirst = 100;
    constexpr std::uint64_t kEnd = 140;
    constexpr std::uint32_t kStale = 15;
    SmallZone zone(Dimensions::two, budget(64 + 4 * 16, kStale));
    zone.add(1, {0, 0, 0}, View::circle(1'000, 1'000));
    for (std::uint64_t id = kFirst; id < kEnd; ++id) {
        zone.add(id, {static_cast<std::int32_t>(id - kFirst) * 20, 0, 0}, {},
                 id % 5 == 0 ? 0 : static_cast<std::uint8_t>(id));
    }
    while (!zone.tick().empty()) {
    }
    std::map<std::string, int> waits;
    int longest = 0;
    for (int tick = 0; tick < 300; ++tick) {
        for (std::uint64_t id = kFirst; id < kEnd; ++id) {
            const Position at = zone.entity(id).position;
            zone.move(id, {at.x, (at.y + 1) % 50, 0});
            ++waits["1 move " + std::to_string(id)];
        }
        for (const std::string& line : zone.tick()) {
            waits[line] = 0;
        }
        for (const auto& [line, wait] : waits) {
            longest = std::max(longest, wait);
        }
    }
    // A frame has room for 4 of those that are stale at once.
    EXPECT_LT(longest, static_cast<int>(kStale) + 40 / 4);
    EXPECT_GT(longest, 5);
}

/// Under any limits, once all stand still everybody is known to be where he is.
TEST(CrowdLimits, LetTheLastPositionArrive) {
    check_property([] {
        CrowdLimits limits = rings({{50, 3}, {150, 16}});
        limits.frame_bytes_max = *rc::gen::element<std::uint32_t>(0, 80, 120, 200);
        limits.stale_ticks_max = 20;
        SmallZone zone(Dimensions::two, limits);
        zone.add(1, {0, 0, 0}, kCrowdView);
        std::map<std::string, Position> sent;
        const auto tick = [&] {
            for (const std::string& line : zone.tick()) {
                const std::string id = line.substr(line.rfind(' ') + 1);
                sent[id] = zone.entity(std::stoull(id)).position;
            }
        };
        for (std::uint64_t id = 2; id < 12; ++id) {
            zone.add(id, {static_cast<std::int32_t>(id) * 25, 0, 0});
        }
        const auto ticks = *rc::gen::inRange(1, 20);
        for (int i = 0; i < ticks; ++i) {
            tick();
            for (std::uint64_t id = 2; id < 12; ++id) {
                if (*rc::gen::arbitrary<bool>()) {
                    zone.move(id, {*rc::gen::inRange(0, 300), *rc::gen::inRange(0, 300), 0});
                }
            }
        }
        for (int i = 0; i < 20; ++i) {
            tick();
        }
        for (std::uint64_t id = 2; id < 12; ++id) {
            RC_ASSERT(sent[std::to_string(id)] == zone.entity(id).position);
        }
        RC_ASSERT(zone.tick().empty());
    });
}

TEST(CrowdLimits, HaveRoomForMoreThanAnEmptyFrame) {
    EXPECT_NE(flaw_of(budget(64, 40)), nullptr);
    EXPECT_EQ(flaw_of(budget(65, 40)), nullptr);
    CrowdLimits limits;
    limits.watcher_bytes_per_tick = 100;
    EXPECT_NE(flaw_of(limits), nullptr) << "there is no budget that it could add up to";
}

TEST(ByteBudget, LetsNobodyWaitForRoomThatIsUsedUpByWhatIsSmaller) {
    SmallZone zone(Dimensions::two, budget(64 + 48, 40));
    zone.add(1, {0, 0, 0}, kCrowdView);
    zone.add(2, {10, 0, 0});
    zone.tick();
    for (int tick = 0; tick < 3; ++tick) {
        zone.move(2, {11 + tick, 0, 0});
        zone.add(static_cast<std::uint64_t>(3 + tick), {50, 0, 0});
        EXPECT_EQ(zone.tick(), (Lines{"1 enter " + std::to_string(3 + tick)}));
    }
    EXPECT_EQ(zone.tick(), (Lines{"1 move 2"}));
}

TEST(ByteBudget, OfAWatcherAddsUpWhileItIsNotUsed) {
    CrowdLimits limits = budget(64 + 5 * 48, 40);
    limits.watcher_bytes_per_tick = 64 + 48;
    SmallZone zone(Dimensions::two, limits);
    zone.add(1, {0, 0, 0}, kCrowdView);
    zone.tick();
    zone.tick();
    for (std::uint64_t id = 2; id < 12; ++id) {
        zone.add(id, {static_cast<std::int32_t>(id), 0, 0});
    }
    EXPECT_EQ(zone.tick().size(), 5U);
    EXPECT_EQ(zone.tick().size(), 1U);
    EXPECT_EQ(zone.tick().size(), 1U);
}

TEST(ByteBudget, TellsAllAnewWhereLeavesAloneAreMoreThanItHolds) {
    SmallZone zone(Dimensions::two, budget(100, 40));
    zone.add(1, {0, 0, 0}, kCrowdView);
    for (std::uint64_t id = 2; id < 10; ++id) {
        zone.add(id, {static_cast<std::int32_t>(id), 0, 0});
        zone.tick();
    }
    for (std::uint64_t id = 3; id < 10; ++id) {
        zone.move(id, {900, 0, 0});
    }
    EXPECT_EQ(zone.tick(), (Lines{"1 keyframe", "1 enter 2"}));
}

TEST(CrowdLimits, AreOffUnlessSet) {
    EXPECT_FALSE(CrowdLimits{}.is_any_set());
    EXPECT_EQ(flaw_of(CrowdLimits{}), nullptr);
}

TEST(CrowdLimits, AskForAMarginBelowAllOfTheDistance) {
    EXPECT_EQ(flaw_of(cap_of(1, kStickyPercentMax)), nullptr);
    EXPECT_NE(flaw_of(cap_of(1, kStickyPercentMax + 1)), nullptr);
}

TEST(CrowdLimits, AskForRingsThatAreWiderAndSlowerOneByOne) {
    EXPECT_EQ(flaw_of(rings({{0, 2}, {10, 4}, {20, 8}, {30, 256}})), nullptr);
    EXPECT_NE(flaw_of(rings({{10, 2}, {10, 4}})), nullptr);
    EXPECT_NE(flaw_of(rings({{10, 4}, {20, 4}})), nullptr);
    EXPECT_NE(flaw_of(rings({{10, 1}})), nullptr);
    EXPECT_NE(flaw_of(rings({{10, 257}})), nullptr);
    EXPECT_NE(flaw_of(rings({{-1, 2}})), nullptr);
    EXPECT_NE(flaw_of(rings({{0, 0}, {10, 2}})), nullptr);
    EXPECT_NE(flaw_of(rings({{10, 0}})), nullptr);
}

TEST(CrowdLimits, AskForAWaitThatTheRingsFitInto) {
    CrowdLimits limits = rings({{10, 8}});
    limits.frame_bytes_max = 65;
    limits.stale_ticks_max = 8;
    EXPECT_EQ(flaw_of(limits), nullptr);
    limits.stale_ticks_max = 7;
    EXPECT_NE(flaw_of(limits), nullptr);
    limits.frame_bytes_max = 0;
    EXPECT_EQ(flaw_of(limits), nullptr);
    limits.stale_ticks_max = 0;
    EXPECT_NE(flaw_of(limits), nullptr);
}

}  // namespace
}  // namespace marchland::engine::testing
