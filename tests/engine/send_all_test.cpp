// A tick in which little happens tells what a tick of everybody tells, whichever way it is found.

#include "tests/engine/between.h"
#include "tests/engine/property.h"
#include "tests/engine/small_zone.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>

namespace marchland::engine::testing {
namespace {

/// Enough for a few changes to be few.
constexpr std::uint64_t kUsual = 260;
/// At least so many look further than the rest, each through its own shape.
constexpr std::uint64_t kFarSighted = 4;
constexpr std::uint64_t kAll = kUsual + kFarSighted;

std::int32_t coordinate() {
    return between(-900, 901);
}

Position small_place() {
    return {coordinate(), coordinate(), 0};
}

View usual_view() {
    const auto radius = between(40, 61);
    return View::circle(radius, radius + 5);
}

View far_view(std::uint64_t which, Dimensions dimensions) {
    switch (which % (dimensions == Dimensions::two ? 3U : 4U)) {
        case 0:
            return View::circle(400, 500);
        case 1:
            return View::box({400, 150, 20}, {450, 160, 30});
        case 2:
            return View::sector(500, 600, 9'000, 10'000);
        default:
            return View::cylinder(300, 350, 10, 12);
    }
}

/// Small steps, so that most stay in their cells; and now and then a jump.
Position step_from(Position at) {
    if (between(0, 8) == 0) {
        return small_place();
    }
    const auto moved = [](std::int32_t from) {
        return std::clamp(from + between(-30, 31), -1'000, 1'000);
    };
    return {moved(at.x), moved(at.y), at.z};
}

NotifyRange any_range() {
    const auto radius = between(0, 300);
    return between(0, 2) == 0 ? NotifyRange{} : NotifyRange{radius, radius + 50};
}

/// One history twice: sent by send_all, and by a frame for each watcher in each tick.
class TwoZones {
public:
    TwoZones()
        : dimensions_(between(0, 4) == 0 ? Dimensions::three : Dimensions::two),
          far_one_in_(
              std::array<std::uint64_t, 5>{kAll, kAll, 20, 3, 1}[between<std::size_t>(0, 5)]),
          kinds_{between(0, 11), between(0, 11), between(0, 11)} {
        for (std::uint64_t id = 1; id <= kAll; ++id) {
            add(id);
        }
        end_tick();
        end_tick();
    }

    void move() {
        const std::uint64_t id = any_id();
        const Position to = step_from(quick_.entity(id).position);
        both([&](SmallZone& zone) { zone.move(id, to); });
    }

    /// Anything else that can happen to an entity.
    void change() {
        const std::uint64_t id = any_id();
        switch (kinds_[between<std::size_t>(0, 3)]) {
            case 0: {
                const auto turned = static_cast<Angle>(between(0, 65'536));
                return both([&](SmallZone& zone) { zone.set_facing(id, turned); });
            }
            case 1: {
                const View view = between(0, 4) == 0 ? far_view(id, dimensions_) : usual_view();
                return both([&](SmallZone& zone) { zone.set_view(id, view); });
            }
            case 2: {
                const auto layers = between<LayerMask>(0, 4);
                const auto seen = between<LayerMask>(0, 4);
                return both([&](SmallZone& zone) { zone.set_layers(id, layers, seen); });
            }
            case 3: {
                const NotifyRange range = any_range();
                return both([&](SmallZone& zone) { zone.set_notify(id, range); });
            }
            case 4: {
                const auto state = static_cast<std::uint8_t>(between(0, 3));
                return both([&](SmallZone& zone) { zone.set_state(id, state); });
            }
            case 5:
                return both([&](SmallZone& zone) { zone.say(id); });
            case 6:
                return both([&](SmallZone& zone) { zone.ask_keyframe(id); });
            case 7:
                both([&](SmallZone& zone) { zone.remove(id); });
                gone_.insert(id);
                return;
            case 8: {
                const Position at = quick_.entity(id).position;
                const Position up{at.x, at.y, at.z + 1};
                return both([&](SmallZone& zone) { zone.move(id, up); });
            }
            case 9: {
                const Position to = step_from(quick_.entity(id).position);
                return both([&](SmallZone& zone) { zone.move_late(id, to); });
            }
            default:
                if (!gone_.empty()) {
                    const std::uint64_t back = *gone_.begin();
                    gone_.erase(gone_.begin());
                    add(back);
                }
        }
    }

    /// Compares, too.
    void end_tick() {
        const Lines sent = quick_.send_all();
        RC_ASSERT(sent == slow_.tick());
    }

private:
    template <typename Change>
    void both(Change&& change) {
        change(quick_);
        change(slow_);
    }

    void add(std::uint64_t id) {
        const Position at = small_place();
        const bool is_far = id > kUsual || id % far_one_in_ == 0;
        const View view = is_far ? far_view(id, dimensions_) : usual_view();
        both([&](SmallZone& zone) { zone.add(id, at, view); });
    }

    /// Of one that is here; the far-sighted as often as all others together.
    [[nodiscard]] std::uint64_t any_id() const {
        std::uint64_t id = between(0, 2) == 0 ? between<std::uint64_t>(1, kAll + 1)
                                              : between<std::uint64_t>(kUsual + 1, kAll + 1);
        while (gone_.contains(id)) {
            id = id % kAll + 1;
        }
        return id;
    }

    const Dimensions dimensions_;
    const std::uint64_t far_one_in_;
    /// A history has three kinds of change: some kinds spoil the quick ways for others.
    const std::array<int, 3> kinds_;
    SmallZone quick_{dimensions_};
    SmallZone slow_{dimensions_};
    std::set<std::uint64_t> gone_;
};

TEST(SendAll, SendsWhateverHappensAsATickOfEverybodyDoes) {
    check_property([&] {
        TwoZones zones;
        for (int tick = 0; tick < 30; ++tick) {
            const int changes = *rc::gen::element(0, 0, 0, 1, 1, 2);
            for (int change = 0; change < changes; ++change) {
                zones.change();
            }
            const int moves = *rc::gen::element(0, 1, 1, 1, 1, 3);
            for (int move = 0; move < moves; ++move) {
                zones.move();
            }
            zones.end_tick();
        }
    });
}

/// Many that look 10 mm along a line, far from everything else.
void add_crowd(SmallZone& zone) {
    for (std::uint64_t id = 1; id <= kUsual; ++id) {
        zone.add(id, {static_cast<std::int32_t>(id) - 500, -900}, View::circle(10, 10));
    }
}

TEST(SendAll, SendsAWatcherThatLooksFurtherThanTheOthersOfAMoveFarFromIt) {
    SmallZone zone;
    add_crowd(zone);
    zone.add(1'200, {0, 500}, View::circle(600, 600));
    zone.add(1'201, {0, -200});
    zone.send_all();
    zone.send_all();
    zone.move(1'201, {0, -50});
    EXPECT_EQ(zone.send_all(), Lines{"1200 enter 1201"});
}

TEST(SendAll, SendsAWatcherThatTurnsInTheTickOfAMoveFarFromIt) {
    SmallZone zone;
    add_crowd(zone);
    zone.add(1'200, {0, 500}, View::sector(50, 60, kQuarterTurn / 2, kQuarterTurn / 2));
    zone.add(1'201, {10, 500});
    zone.add(1'202, {-10, 500});
    zone.add(1'203, {900, 900});
    zone.send_all();
    zone.send_all();
    zone.set_facing(1'200, kHalfTurn);
    zone.move(1'203, {901, 900});
    EXPECT_EQ(zone.send_all(), (Lines{"1200 leave 1201 out_of_range", "1200 enter 1202"}));
    zone.move(1'203, {900, 900});
    EXPECT_EQ(zone.send_all(), Lines{});
}

TEST(SendAll, SendsOfASingleMoveByOneLookWhateverTheShapesAndTheirShare) {
    for (const Dimensions dimensions : {Dimensions::two, Dimensions::three}) {
        SmallZone zone(dimensions);
        add_crowd(zone);
        for (std::uint64_t id = 1'000; id < 1'100; ++id) {
            zone.add(id, {static_cast<std::int32_t>(id) - 1'050, 500}, far_view(id, dimensions));
        }
        zone.send_all();
        zone.send_all();
        zone.move(1'000, {-51, 500});
        EXPECT_GT(zone.send_all().size(), 10U);
        zone.move(1'000, {900, 900});
        EXPECT_GT(zone.send_all().size(), 10U);
    }
}

TEST(SendAll, AsksNobodyFarFromANotifySource) {
    SmallZone zone;
    add_crowd(zone);
    zone.add(1'200, {0, 900}, View::circle(10, 10));
    zone.add(1'201, {100, 900});
    zone.set_notify(1'201, {90, 120});
    zone.send_all();
    zone.send_all();
    zone.move(1, {-499, -899});
    zone.send_all();
    zone.move(1'201, {90, 900});
    EXPECT_EQ(zone.send_all(), Lines{"1200 enter 1201"});
    zone.set_notify(1'201, {50, 60});
    EXPECT_EQ(zone.send_all(), Lines{"1200 leave 1201 out_of_range"});
    zone.set_notify(1'201, {90, 90});
    EXPECT_EQ(zone.send_all(), Lines{"1200 enter 1201"});
    zone.remove(1'201);
    EXPECT_EQ(zone.send_all(), Lines{"1200 leave 1201 gone"});
}

TEST(SendAll, AsksFewWatchersRatherThanWhomTheChangesAmongManyConcern) {
    SmallZone zone;
    zone.add(1, {0, 0}, View::circle(10, 10));
    for (std::uint64_t id = 2; id <= 1'000; ++id) {
        zone.add(id, {500, static_cast<std::int32_t>(id % 900)});
    }
    for (std::uint64_t id = 2; id <= 5; ++id) {
        zone.set_notify(id, {700, 800});
    }
    zone.send_all();
    zone.send_all();
    zone.move(2, {499, 0});
    zone.move(3, {499, 0});
    EXPECT_EQ(zone.send_all(), (Lines{"1 move 2", "1 move 3"}));
}

}  // namespace
}  // namespace marchland::engine::testing
