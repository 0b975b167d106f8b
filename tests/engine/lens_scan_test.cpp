// A scan through a lens against integers: what it calls sure is so, whatever the shape.

#include "engine/lens.h"
#include "engine/outlook.h"
#include "engine/scan.h"
#include "tests/engine/between.h"
#include "tests/engine/ground.h"
#include "tests/engine/property.h"
#include "tests/engine/random_view.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <set>
#include <tuple>
#include <vector>

namespace marchland::engine::testing {
namespace {

struct Places {
    Position now;
    Position before;
};

/// Rows and heights, by slot; the watcher's is the last.
struct Case {
    std::vector<Rows::Row> rows;
    std::vector<Rows::Height> heights;
    Entity watcher;
    Angle facing_before = 0;
    Dimensions dimensions = Dimensions::two;

    [[nodiscard]] Places places(std::size_t slot) const {
        const Rows::Row& row = rows[slot];
        const Rows::Height& height = heights[slot];
        return {{row.x, row.y, height.z}, {row.x_before, row.y_before, height.z_before}};
    }
};

/// All bounds are multiples of this.
constexpr std::array<std::int32_t, 2> kUnits{100, 100'000};

/// Few enough for many to lie exactly on a bound, or a millimetre beside it.
Position any_place(std::int32_t unit_mm) {
    const auto coordinate = [unit_mm] {
        return unit_mm * between(-15, 16) + std::array{-1, 0, 0, 1}[between<std::size_t>(0, 4)];
    };
    constexpr std::array<std::int32_t, 4> kFarHeights{std::numeric_limits<std::int32_t>::min(),
                                                      std::numeric_limits<std::int32_t>::max(),
                                                      Lens::kHeightMaxMm, -Lens::kHeightMaxMm};
    const std::int32_t z =
        between(0, 20) != 0 ? coordinate() : kFarHeights[between<std::size_t>(0, 4)];
    return {coordinate(), coordinate(), z};
}

/// Half of all stood still, and half of the rest came from near by: else hardly any is in view both times.
Position any_place_before(Position now, std::int32_t unit_mm) {
    switch (between(0, 4)) {
        case 0:
            return any_place(unit_mm);
        case 1:
            return {now.x + unit_mm * between(-1, 2), now.y + unit_mm * between(-1, 2), now.z};
        default:
            return now;
    }
}

View any_view(Dimensions dimensions, std::int32_t unit_mm) {
    const auto shape =
        std::array{Shape::circle, Shape::rectangle, Shape::sector,
                   Shape::cylinder}[between<std::size_t>(0, dimensions == Dimensions::two ? 3 : 4)];
    const auto sizes = [unit_mm] {
        return std::minmax({unit_mm * between(0, 11), unit_mm * between(0, 11)});
    };
    View view;
    view.shape = shape;
    std::tie(view.radius_mm, view.leave_radius_mm) = sizes();
    std::tie(view.half_y_mm, view.leave_half_y_mm) = sizes();
    std::tie(view.half_z_mm, view.leave_half_z_mm) = sizes();
    if (between(0, 4) == 0) {
        view.half_z_mm = view.leave_half_z_mm = std::numeric_limits<std::int32_t>::max();
    }
    std::tie(view.half_opening, view.leave_half_opening) =
        std::minmax({std::min(*any_angle(), kHalfTurn), std::min(*any_angle(), kHalfTurn)});
    return view;
}

void add_row(Case& made, LayerMask layers, Position now, Position before) {
    Rows::Row row;
    row.x = now.x;
    row.y = now.y;
    row.x_before = before.x;
    row.y_before = before.y;
    row.layers = layers;
    row.layers_if_moved = now != before ? row.layers : kNoLayers;
    made.rows.push_back(row);
    made.heights.push_back({now.z, before.z});
}

Case any_case() {
    Case made;
    const std::int32_t unit_mm = kUnits[between<std::size_t>(0, kUnits.size())];
    made.dimensions = between(0, 2) == 0 ? Dimensions::two : Dimensions::three;
    made.watcher.view = any_view(made.dimensions, unit_mm);
    made.watcher.facing = *any_angle();
    made.watcher.layers_seen = 1;
    made.facing_before = between(0, 2) == 0 ? made.watcher.facing : *any_angle();
    const auto count = between(0, 70);
    for (int i = 0; i <= count; ++i) {
        const Position now = any_place(unit_mm);
        add_row(made, between<LayerMask>(0, 3), now, any_place_before(now, unit_mm));
    }
    made.watcher.position = made.places(made.rows.size() - 1).now;
    return made;
}

struct Found {
    std::set<std::size_t> moved;
    std::set<std::size_t> unsure;
};

Found scan_case(const Case& made, const Outlook& now, const Outlook& before) {
    std::vector<Slot> slots;
    for (std::uint32_t slot = 0; slot < made.rows.size(); ++slot) {
        slots.push_back(Slot{slot});
    }
    Columns columns;
    columns.load(0, 0, made.rows, slots, 0);
    if (made.dimensions == Dimensions::three) {
        columns.load_heights(made.heights, slots);
    }
    columns.end();
    const Places own = made.places(made.rows.size() - 1);
    Scanned scanned;
    scan(columns,
         {.self = slots.back(),
          .x = columns.across(own.now.x),
          .y = columns.upward(own.now.y),
          .x_before = columns.across(own.before.x),
          .y_before = columns.upward(own.before.y),
          .z = own.now.z,
          .z_before = own.before.z,
          .layers_seen = made.watcher.layers_seen},
         lens_of(now, before, made.dimensions), scanned);
    Found found;
    for (std::size_t i = 0; i < scanned.moved_count; ++i) {
        found.moved.insert(to_number(scanned.moved[i]));
    }
    for (std::size_t i = 0; i < scanned.unsure_count; ++i) {
        found.unsure.insert(scanned.unsure[i].entry);
    }
    return found;
}

TEST(LensScan, CallsNothingSureThatIntegersDoNot) {
    std::size_t surely_moved = 0;
    std::size_t surely_out = 0;
    check_property([&] {
        const Case made = any_case();
        const Places own = made.places(made.rows.size() - 1);
        RC_PRE(Lens::fits(own.now.z) && Lens::fits(own.before.z));
        const Outlook now(made.watcher, made.dimensions);
        const Outlook before(made.watcher, own.before, made.facing_before, made.dimensions);
        const Found found = scan_case(made, now, before);
        RC_ASSERT(!found.moved.contains(made.rows.size() - 1));
        for (std::size_t slot = 0; slot + 1 < made.rows.size(); ++slot) {
            const Rows::Row& row = made.rows[slot];
            const Places at = made.places(slot);
            const bool is_in = now.begins_at(at.now) && before.begins_at(at.before);
            const bool touches = now.goes_on_at(at.now) || before.goes_on_at(at.before);
            const bool is_layered = (row.layers & made.watcher.layers_seen) != 0;
            if (found.moved.contains(slot)) {
                RC_ASSERT(is_in && is_layered && at.now != at.before);
                ++surely_moved;
            } else if (is_layered && !found.unsure.contains(slot)) {
                const bool is_same = is_in && row.layers_if_moved == kNoLayers;
                RC_ASSERT(is_same || !touches);
                surely_out += touches ? 0 : 1;
            }
        }
    });
    // A test of this test.
    EXPECT_GT(surely_moved, 0U);
    EXPECT_GT(surely_out, 0U);
}

/// How many of 400 around a watcher that turns are unsure?
std::size_t unsure_around(const View& view, Dimensions dimensions) {
    Case made;
    made.dimensions = dimensions;
    made.watcher.view = view;
    made.watcher.facing = 1'000;
    for (std::int32_t i = 0; i < 400; ++i) {
        const Position at{i % 20 * 97 - 931, i / 20 * 97 - 933, i * 5 - 1'007};
        add_row(made, 1, at, at);
    }
    add_row(made, 1, {}, {});
    const Outlook now(made.watcher, dimensions);
    return scan_case(made, now, now).unsure.size();
}

TEST(LensScan, IsSureOfWhatIsNotOnABound) {
    EXPECT_EQ(unsure_around(View::rectangle(700, 500, 700, 500), Dimensions::two), 0U);
    EXPECT_EQ(unsure_around(View::sector(700, 700, 9'000, 9'000), Dimensions::two), 0U);
    EXPECT_EQ(unsure_around(View::sector(700, 700, 19'000, 19'000), Dimensions::two), 0U);
    EXPECT_EQ(unsure_around(View::circle(700, 700), Dimensions::three), 0U);
    EXPECT_EQ(unsure_around(View::box({700, 500, 400}, {700, 500, 400}), Dimensions::three), 0U);
    EXPECT_EQ(unsure_around(View::sector(700, 700, 9'000, 9'000), Dimensions::three), 0U);
    EXPECT_EQ(unsure_around(View::cylinder(700, 700, 400, 400), Dimensions::three), 0U);
}

}  // namespace
}  // namespace marchland::engine::testing
