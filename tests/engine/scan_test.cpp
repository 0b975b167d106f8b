// A scan against integers: what it calls sure is so, and whatever is not plain it leaves unsure.

#include "engine/scan.h"

#include "engine/geometry.h"
#include "tests/engine/property.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

namespace marchland::engine::testing {
namespace {

constexpr std::int32_t kEdge = 1 << 21;  ///< the widest cells that a sweep uses

struct Case {
    std::vector<Rows::Row> rows;
    Rows::Row own;
    View view;
    LayerMask layers_seen = kNoLayers;
};

Position now_of(const Rows::Row& row) {
    return {row.x, row.y, 0};
}
Position before_of(const Rows::Row& row) {
    return {row.x_before, row.y_before, 0};
}

/// Around the bounds of the view, often exactly on them.
Rows::Row row_near(std::int32_t radius_mm) {
    const auto coordinate = rc::gen::oneOf(
        rc::gen::inRange(-2 * kEdge, 2 * kEdge), rc::gen::inRange(-4, 5),
        rc::gen::map(rc::gen::inRange(-3, 4), [radius_mm](int d) { return radius_mm + d; }));
    Rows::Row row;
    row.x = *coordinate;
    row.y = *coordinate;
    row.x_before = *rc::gen::oneOf(coordinate, rc::gen::just(row.x));
    row.y_before = *rc::gen::oneOf(coordinate, rc::gen::just(row.y));
    row.layers = *rc::gen::element<LayerMask>(0, 1, 2, 3);
    const bool has_moved = row.x != row.x_before || row.y != row.y_before;
    row.layers_if_moved = has_moved ? row.layers : kNoLayers;
    row.is_unsettled = *rc::gen::inRange(0, 8) == 0 ? 1U : 0U;
    return row;
}

Case any_case() {
    Case made;
    const std::int32_t radius_mm =
        *rc::gen::oneOf(rc::gen::inRange(0, 5), rc::gen::inRange(0, kEdge + 1));
    made.view = View::circle(radius_mm, *rc::gen::inRange(radius_mm, kEdge + 1));
    made.layers_seen = *rc::gen::element<LayerMask>(1, 2, 3);
    made.own = row_near(0);
    const auto count = *rc::gen::inRange<std::size_t>(0, 70);
    for (std::size_t i = 0; i < count; ++i) {
        made.rows.push_back(row_near(radius_mm));
    }
    return made;
}

/// What a scan of the case finds, as entries.
struct Found {
    std::vector<std::size_t> moved;
    std::set<std::size_t> unsure;
};

Found scan_case(const Case& made) {
    std::vector<Slot> slots;
    for (std::uint32_t i = 0; i < made.rows.size(); ++i) {
        slots.push_back(Slot{i});
    }
    Columns columns;
    columns.load(0, 0, made.rows, slots, 0);
    columns.end();
    Entity watcher;
    watcher.view = made.view;
    watcher.layers_seen = made.layers_seen;
    Scanned scanned;
    scan(columns,
         {Slot{static_cast<std::uint32_t>(made.rows.size())}, columns.across(made.own.x),
          columns.upward(made.own.y), columns.across(made.own.x_before),
          columns.upward(made.own.y_before), sight_of(watcher, Dimensions::two)},
         scanned);
    Found found;
    for (std::size_t i = 0; i < scanned.moved_count; ++i) {
        found.moved.push_back(to_number(scanned.moved[i]));
    }
    for (std::size_t i = 0; i < scanned.unsure_count; ++i) {
        const Scanned::Unsure& unsure = scanned.unsure[i];
        found.unsure.insert(unsure.entry);
        const auto before = std::count_if(found.moved.begin(), found.moved.end(),
                                          [&](std::size_t at) { return at < unsure.entry; });
        RC_ASSERT(unsure.moved_before == static_cast<std::uint32_t>(before));
    }
    return found;
}

TEST(Scan, CallsNothingSureThatIntegersDoNot) {
    check_property([] {
        const Case made = any_case();
        const Found found = scan_case(made);
        RC_ASSERT(std::is_sorted(found.moved.begin(), found.moved.end()));
        const std::set<std::size_t> moved(found.moved.begin(), found.moved.end());
        for (std::size_t i = 0; i < made.rows.size(); ++i) {
            const Rows::Row& row = made.rows[i];
            const auto is_in = [&](std::int32_t radius_mm) {
                return is_within(now_of(made.own), now_of(row), radius_mm, Dimensions::two) &&
                       is_within(before_of(made.own), before_of(row), radius_mm, Dimensions::two);
            };
            const auto touches = [&](std::int32_t radius_mm) {
                return is_within(now_of(made.own), now_of(row), radius_mm, Dimensions::two) ||
                       is_within(before_of(made.own), before_of(row), radius_mm, Dimensions::two);
            };
            const bool is_layered = (row.layers & made.layers_seen) != 0;
            if (row.is_unsettled != 0) {
                RC_ASSERT(found.unsure.contains(i));
            } else if (moved.contains(i)) {
                RC_ASSERT(is_layered && row.layers_if_moved != 0);
                RC_ASSERT(is_in(made.view.radius_mm));
            } else if (!found.unsure.contains(i) && is_layered) {
                const bool stood_still = row.layers_if_moved == 0;
                RC_ASSERT((stood_still && is_in(made.view.radius_mm)) ||
                          !touches(made.view.leave_radius_mm));
            }
        }
    });
}

TEST(Scan, IsRarelyUnsureOfAPlainRow) {
    Case made;
    made.view = View::circle(50'000, 50'000);
    made.layers_seen = 1;
    for (std::int32_t x = -100'000; x <= 100'000; x += 1'000) {
        Rows::Row row;
        row.x = row.x_before = x;
        row.y = row.y_before = 250;
        row.layers = 1;
        made.rows.push_back(row);
    }
    EXPECT_TRUE(scan_case(made).unsure.empty());
}

}  // namespace
}  // namespace marchland::engine::testing
