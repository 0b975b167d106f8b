// One move at a time among many watchers tells what a tick of everybody tells.

#include "tests/engine/property.h"
#include "tests/engine/small_zone.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>

namespace marchland::engine::testing {
namespace {

/// Enough for one or two that look much further than the rest to be few.
constexpr std::uint64_t kUsual = 140;

rc::Gen<std::int32_t> coordinate() {
    return rc::gen::inRange(-900, 901);
}

Position any_place() {
    return {*coordinate(), *coordinate(), 0};
}

View any_far_view() {
    switch (*rc::gen::inRange(0, 3)) {
        case 0:
            return View::circle(400, 500);
        case 1:
            return View::rectangle(400, 150, 450, 160);
        default:
            return View::sector(500, 9'000, 600, 10'000);
    }
}

/// Small steps, so that most stay in their cells; and now and then a jump.
Position step_from(Position at) {
    if (*rc::gen::inRange(0, 8) == 0) {
        return any_place();
    }
    const auto moved = [](std::int32_t from) {
        return std::clamp(from + *rc::gen::inRange(-30, 31), -1'000, 1'000);
    };
    return {moved(at.x), moved(at.y), 0};
}

void fill(SmallZone& zone, SmallZone& other) {
    for (std::uint64_t id = 1; id <= kUsual + 2; ++id) {
        const Position at = any_place();
        const auto radius = *rc::gen::inRange(40, 60);
        const View view = id > kUsual ? any_far_view() : View::circle(radius, radius + 5);
        zone.add(id, at, view);
        other.add(id, at, view);
    }
    for (int tick = 0; tick < 2; ++tick) {
        RC_ASSERT(zone.tell_all() == other.tick());
    }
}

TEST(TellAll, TellsASingleMoveAsATickOfEverybodyDoes) {
    check_property([] {
        SmallZone alone;
        SmallZone everybody;
        fill(alone, everybody);
        for (int move = 0; move < 30; ++move) {
            const auto id = *rc::gen::inRange<std::uint64_t>(1, kUsual + 3);
            const Position to = step_from(alone.entity(id).position);
            alone.move(id, to);
            everybody.move(id, to);
            RC_ASSERT(alone.tell_all() == everybody.tick());
        }
    });
}

TEST(TellAll, TellsAWatcherThatLooksFurtherThanTheOthersOfAMoveFarFromIt) {
    SmallZone zone;
    for (std::uint64_t id = 1; id <= kUsual; ++id) {
        zone.add(id, {static_cast<std::int32_t>(id), 0}, View::circle(10, 10));
    }
    zone.add(200, {0, 500}, View::circle(600, 600));
    zone.add(201, {0, -200});
    zone.tick();
    zone.tick();
    zone.move(201, {0, -50});
    EXPECT_EQ(zone.tell_all(), Told{"200 enter 201"});
}

}  // namespace
}  // namespace marchland::engine::testing
