// Cells serve watchers of every shape of view, and send them what they would be sent one by one.

#include "tests/engine/between.h"
#include "tests/engine/brute_force_index.h"
#include "tests/engine/property.h"
#include "tests/engine/small_zone.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace marchland::engine::testing {
namespace {

const std::vector<Shape>& shapes_in(Dimensions dimensions) {
    static const std::vector<Shape> flat{Shape::circle, Shape::rectangle, Shape::sector};
    static const std::vector<Shape> high{Shape::circle, Shape::rectangle, Shape::sector,
                                         Shape::cylinder};
    return dimensions == Dimensions::two ? flat : high;
}

/// Sizes of an enter range and a leave range.
std::pair<std::int32_t, std::int32_t> sizes(std::int32_t max) {
    return std::minmax({between(0, max), between(0, max)});
}

View any_view(Shape shape) {
    const auto [radius, leave_radius] = sizes(61);
    const auto [half_y, leave_half_y] = sizes(61);
    const auto [half_z, leave_half_z] = sizes(61);
    const auto [opening, leave_opening] = sizes(kHalfTurn + 1);
    switch (shape) {
        case Shape::rectangle:
            return View::box({radius, half_y, half_z}, {leave_radius, leave_half_y, leave_half_z});
        case Shape::sector:
            return View::sector(radius, leave_radius, static_cast<Angle>(opening),
                                static_cast<Angle>(leave_opening));
        case Shape::cylinder:
            return View::cylinder(radius, leave_radius, half_z, leave_half_z);
        default:
            return View::circle(radius, leave_radius);
    }
}

Position any_place() {
    return {between(-100, 101), between(-100, 101), between(-60, 61)};
}

/// One history twice: of a zone in which watchers share candidates, cell by cell, and of one in
/// which each has its own.
class SweptAndNot {
public:
    explicit SweptAndNot(Dimensions dimensions)
        : dimensions_(dimensions), swept_(dimensions), not_swept_(dimensions, {}, false) {
        const Shape alone = any_shape();
        is_mixed_ = between(0, 2) == 0;
        is_all_sent_ = between(0, 2) == 0;
        for (std::uint64_t id = 1; id <= kCount; ++id) {
            const View view = any_view(is_mixed_ ? any_shape() : alone);
            const Position at = any_place();
            both([&](SmallZone& zone) { zone.add(id, at, view); });
        }
    }

    void change() {
        const auto id = between<std::uint64_t>(1, kCount + 1);
        switch (between(0, 12)) {
            case 0: {
                const View view = any_view(any_shape());
                return both([&](SmallZone& zone) { zone.set_view(id, view); });
            }
            case 1: {
                const Position to = any_place();
                return both([&](SmallZone& zone) { zone.move(id, to); });
            }
            case 2: {
                const auto layers = between<LayerMask>(0, 4);
                return both([&](SmallZone& zone) { zone.set_layers(id, layers, 1); });
            }
            case 3:
            case 4:
            case 5: {
                const auto turned = static_cast<Angle>(between(0, 65'536));
                return both([&](SmallZone& zone) { zone.set_facing(id, turned); });
            }
            default:
                return walk(id);
        }
    }

    void walk() { walk(between<std::uint64_t>(1, kCount + 1)); }

    /// Compares, too. With send_all one move alone is sent in a way of its own.
    void end_tick() {
        const Lines sent = is_all_sent_ ? swept_.send_all() : swept_.tick();
        const Lines expected = not_swept_.tick();
        Lines wrong;
        std::ranges::set_symmetric_difference(sent, expected, std::back_inserter(wrong));
        RC_ASSERT(wrong == Lines{});
        RC_ASSERT(sent == expected);
    }

private:
    static constexpr std::uint64_t kCount = 40;

    [[nodiscard]] Shape any_shape() const {
        const std::vector<Shape>& shapes = shapes_in(dimensions_);
        return shapes[between<std::size_t>(0, shapes.size())];
    }
    void walk(std::uint64_t id) {
        const Position at = swept_.entity(id).position;
        const Position to{at.x + between(-9, 10), at.y + between(-9, 10), at.z + between(-9, 10)};
        both([&](SmallZone& zone) { zone.move(id, to); });
    }
    template <typename Change>
    void both(Change&& change) {
        change(swept_);
        change(not_swept_);
    }

    const Dimensions dimensions_;
    bool is_mixed_ = false;
    bool is_all_sent_ = false;
    SmallZone swept_;
    SmallZone not_swept_;
};

class CellsOfShapes : public ::testing::TestWithParam<Dimensions> {};

TEST_P(CellsOfShapes, SendWhatIsSentToOneWatcherAfterAnother) {
    check_property([&] {
        SweptAndNot zones(GetParam());
        for (int tick = 0; tick < 12; ++tick) {
            const int changes = *rc::gen::element(0, 1, 1, 20, 40);
            for (int change = 0; change < changes; ++change) {
                zones.change();
            }
            zones.end_tick();
        }
        for (int tick = 0; tick < 4; ++tick) {
            zones.walk();
            zones.end_tick();
        }
    });
}

/// How often was it asked? Not thread-safe.
class CountingIndex final : public Index {
public:
    CountingIndex(const Rect& bounds, int& queries) : entities_(bounds), queries_(queries) {}

    void insert(Slot slot, Position at) override { entities_.insert(slot, at); }
    void erase(Slot slot, Position at) override { entities_.erase(slot, at); }
    void move(Slot slot, Position from, Position to) override { entities_.move(slot, from, to); }
    void query(const Rect& area, std::vector<Slot>& out) const override {
        ++queries_;
        entities_.query(area, out);
    }
    void walk(const std::function<void(Slot, Position)>& visit) const override {
        entities_.walk(visit);
    }
    [[nodiscard]] std::size_t size() const override { return entities_.size(); }
    [[nodiscard]] bool serves_cells() const override { return true; }

private:
    BruteForceIndex entities_;
    int& queries_;
};

/// All stand in one cell, and look `view`. How often is the index asked in a tick in which all of
/// them move and turn, and each sees all others?
int queries_of_a_tick(Dimensions dimensions, const View& view) {
    int queries = 0;
    InterestSystem interest(std::make_unique<CountingIndex>(Rect{0, 0, 99, 99}, queries),
                            dimensions);
    std::vector<Slot> all;
    interest.begin_tick(1);
    for (std::uint64_t id = 1; id <= 20; ++id) {
        Entity entity;
        entity.id = EntityId{id};
        entity.birth = 1;
        entity.position = {static_cast<std::int32_t>(id), 50, 0};
        entity.view = view;
        all.push_back(interest.insert(entity));
        interest.watch(all.back(), {});
    }
    interest.build_frames(all, true, [](const Frame&) {});
    interest.begin_tick(2);
    interest.build_frames(all, true, [](const Frame&) {});
    interest.begin_tick(3);
    for (const Slot slot : all) {
        const Position at = interest.entities().at(slot).position;
        interest.move(slot, {at.x, at.y + 1, at.z + 1});
        interest.set_facing(slot, 100);
    }
    queries = 0;
    std::size_t moves = 0;
    interest.build_frames(all, true, [&](const Frame& frame) { moves += frame.moves.size(); });
    EXPECT_EQ(moves, all.size() * (all.size() - 1));
    return queries;
}

TEST_P(CellsOfShapes, AsksTheIndexNothing) {
    const Dimensions dimensions = GetParam();
    EXPECT_EQ(queries_of_a_tick(dimensions, View::circle(60, 70)), 0);
    EXPECT_EQ(queries_of_a_tick(dimensions, View::box({60, 60, 60}, {70, 70, 70})), 0);
    EXPECT_EQ(queries_of_a_tick(dimensions, View::sector(60, 70, kHalfTurn, kHalfTurn)), 0);
    if (dimensions == Dimensions::three) {
        EXPECT_EQ(queries_of_a_tick(dimensions, View::cylinder(60, 70, 60, 70)), 0);
    }
}

TEST(SweptShapes, TellsOneThatTurnsWhomItSeesNowAndNoLonger) {
    SmallZone zone;
    zone.add(1, {0, 0}, View::sector(50, 60, kQuarterTurn / 2, kQuarterTurn));
    zone.add(2, {10, 0});
    zone.add(3, {-10, 0});
    zone.add(4, {0, 10});
    EXPECT_EQ(zone.tick(), Lines{"1 enter 2"});
    zone.tick();
    zone.set_facing(1, kQuarterTurn);  // 2 is on the edge of the leave range now, 4 straight ahead
    EXPECT_EQ(zone.tick(), Lines{"1 enter 4"});
    zone.set_facing(1, kHalfTurn);
    EXPECT_EQ(zone.tick(), (Lines{"1 leave 2 out_of_range", "1 enter 3"}));
    zone.move(2, {11, 0});
    zone.move(4, {0, 11});
    EXPECT_EQ(zone.tick(), Lines{"1 move 4"});
}

TEST(SweptShapes, TellsOneThatTurnsWhileNobodyMoves) {
    SmallZone zone;
    zone.add(1, {0, 0}, View::sector(50, 60, 1'000, 1'000));
    zone.add(2, {-10, 0});
    for (std::uint64_t id = 100; id < 200; ++id) {
        zone.add(id, {-900, -900});  // so that who turns is one of few
    }
    zone.tick();
    zone.tick();
    zone.set_facing(1, kHalfTurn);
    EXPECT_EQ(zone.tick(), Lines{"1 enter 2"});
}

TEST(SweptShapes, TellsOfTheCornersOfARectangle) {
    SmallZone zone;
    zone.add(1, {0, 0}, View::rectangle(50, 5, 50, 6));
    zone.add(2, {50, 5});
    zone.add(3, {50, 6});
    EXPECT_EQ(zone.tick(), Lines{"1 enter 2"});
    zone.tick();
    zone.move(2, {50, 6});
    zone.move(3, {50, 5});
    EXPECT_EQ(zone.tick(), (Lines{"1 enter 3", "1 move 2"}));
    zone.move(2, {50, 7});
    zone.move(3, {51, 5});
    EXPECT_EQ(zone.tick(), (Lines{"1 leave 2 out_of_range", "1 leave 3 out_of_range"}));
}

INSTANTIATE_TEST_SUITE_P(In, CellsOfShapes, ::testing::Values(Dimensions::two, Dimensions::three),
                         [](const auto& dimensions) {
                             return dimensions.param == Dimensions::two ? "Two" : "Three";
                         });

}  // namespace
}  // namespace marchland::engine::testing
