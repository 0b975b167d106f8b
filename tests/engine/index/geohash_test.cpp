#include "engine/index/geohash.h"

#include "tests/engine/exact_distance.h"
#include "tests/engine/found_in.h"
#include "tests/engine/ground.h"
#include "tests/engine/index/sorted.h"
#include "tests/engine/property.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace marchland::engine::testing {
namespace {

/// Longitude and latitude in 10^-7 degrees.
constexpr Rect kEarth{-1'800'000'000, -900'000'000, 1'800'000'000, 900'000'000};

std::string text_on_earth(std::int32_t longitude, std::int32_t latitude, std::size_t characters) {
    return to_text(GeohashFrame(kEarth).cell_of({longitude, latitude})).substr(0, characters);
}

TEST(GeohashFrame, PublishedPlacesHaveTheirPublishedGeohash) {
    EXPECT_EQ(text_on_earth(104'074'400, 576'491'100, 11), "u4pruydqqvj");
    EXPECT_EQ(text_on_earth(-56'000'000, 426'000'000, 5), "ezs42");
    EXPECT_EQ(text_on_earth(-492'655'060, -253'827'080, 9), "6gkzwgjzn");
    EXPECT_EQ(text_on_earth(0, 0, 5), "s0000");
    EXPECT_EQ(text_on_earth(-1'800'000'000, -900'000'000, 5), "00000");
    EXPECT_EQ(text_on_earth(1'800'000'000, 900'000'000, 5), "zzzzz");
}

/// The classic algorithm, one question at a time; in units of 2^-32 mm, so that no half is rounded.
std::uint64_t halved_by_hand(const Rect& bounds, Position at) {
    struct Side {
        Wide min;
        Wide max;
        Wide value;
    };
    const Wide unit = Wide{1} << 32;
    Side x{bounds.min_x * unit, bounds.max_x * unit, at.x * unit};
    Side y{bounds.min_y * unit, bounds.max_y * unit, at.y * unit};
    std::uint64_t bits = 0;
    for (int halving = 0; halving < 64; ++halving) {
        Side& side = halving % 2 == 0 ? x : y;
        const Wide middle = (side.min + side.max) / 2;
        const bool is_upper = side.value >= middle;
        (is_upper ? side.min : side.max) = middle;
        bits = bits << 1U | (is_upper ? 1U : 0U);
    }
    return bits;
}

Rect on_plane(const Rect& bounds) {
    return {std::max<std::int64_t>(bounds.min_x, kMin), std::max<std::int64_t>(bounds.min_y, kMin),
            std::min<std::int64_t>(bounds.max_x, kMax), std::min<std::int64_t>(bounds.max_y, kMax)};
}

/// The cell of that length that holds a cell of full length.
GeohashCell first_bits(const GeohashCell& full, std::uint32_t length_bits) {
    GeohashCell cell{0, length_bits};
    cell.bits = full.bits & ~(cell.last_bits());
    return cell;
}

class GeohashOn : public ::testing::TestWithParam<Ground> {
protected:
    [[nodiscard]] static Rect bounds() { return on_plane(GetParam().bounds); }
};

TEST_P(GeohashOn, BitsAreThoseOfHalvingByHand) {
    check_property([] {
        const Position at = *position_on(GetParam());
        RC_ASSERT(GeohashFrame(bounds()).cell_of(at).bits == halved_by_hand(bounds(), at));
    });
}

TEST_P(GeohashOn, CellIsAskedForThoseWhoseBitsBeginWithItsOwn) {
    check_property([] {
        const Position at = *position_on(GetParam());
        const Position other = *position_on(GetParam());
        const auto length_bits = *rc::gen::inRange(0U, 65U);
        Geohash index({.bounds = GetParam().bounds});
        const GeohashCell cell = first_bits(index.frame().cell_of(at), length_bits);
        index.insert(Slot{0}, at);
        index.insert(Slot{1}, other);
        std::vector<Slot> expected{Slot{0}};
        if (first_bits(index.frame().cell_of(other), length_bits) == cell) {
            expected.push_back(Slot{1});
        }
        std::vector<Slot> found;
        index.query_cell(cell, found);
        RC_ASSERT(sorted(found) == expected);
    });
}

/// The first value of an axis that is not below the lower edge of a column or row, which is the
/// fraction number / 2^bits of the axis.
std::int64_t first_value(std::uint32_t number, std::uint32_t bits, std::int64_t min,
                         std::int64_t max) {
    const Wide cells = Wide{1} << bits;
    return min + static_cast<std::int64_t>((number * Wide{max - min} + cells - 1) / cells);
}

TEST_P(GeohashOn, NeighbourBeginsAtTheEdgeWithoutAGap) {
    check_property([] {
        const Rect map = bounds();
        const GeohashFrame frame(map);
        const Position at = *position_on(GetParam());
        const GeohashCell cell = first_bits(frame.cell_of(at), *rc::gen::inRange(0U, 65U));
        const auto cell_at = [&](std::int64_t x, std::int64_t y) {
            const Position place{static_cast<std::int32_t>(x), static_cast<std::int32_t>(y)};
            return first_bits(frame.cell_of(place), cell.length_bits);
        };
        if (const auto right = cell.neighbour(1, 0)) {
            const auto x = first_value(right->column(), cell.column_bits(), map.min_x, map.max_x);
            RC_ASSERT(cell_at(x, at.y).column() >= right->column());
            RC_ASSERT(cell_at(x - 1, at.y).column() < right->column());
            RC_ASSERT(cell_at(x, at.y).row() == cell.row());
        }
        if (const auto above = cell.neighbour(0, 1)) {
            const auto y = first_value(above->row(), cell.row_bits(), map.min_y, map.max_y);
            RC_ASSERT(cell_at(at.x, y).row() >= above->row());
            RC_ASSERT(cell_at(at.x, y - 1).row() < above->row());
            RC_ASSERT(cell_at(at.x, y).column() == cell.column());
        }
    });
}

TEST_P(GeohashOn, CoverHoldsTheWholeAreaInFewStretches) {
    check_property([] {
        const GeohashFrame frame(bounds());
        const Position middle = *position_on(GetParam());
        const Rect area = square_around(middle, *radius_on(GetParam()));
        const GeohashCover cover = frame.cover(area);
        const auto ranges = cover.ranges();
        RC_ASSERT((!ranges.empty() && ranges.size() <= GeohashCover::kCellsMax));
        for (std::size_t i = 1; i < ranges.size(); ++i) {
            RC_ASSERT(ranges[i - 1].last_bits + 1 < ranges[i].first_bits);
        }
        const Position at = *position_on(GetParam());
        const std::uint64_t bits = frame.cell_of(at).bits;
        const bool is_covered =
            std::any_of(ranges.begin(), ranges.end(), [bits](const auto& range) {
                return bits >= range.first_bits && bits <= range.last_bits;
            });
        RC_ASSERT((is_covered || !area.contains(at)));
    });
}

TEST_P(GeohashOn, PrefixFindsThoseWhoseGeohashBeginsWithIt) {
    check_property([] {
        const auto places = *rc::gen::container<std::vector<Position>>(40, position_on(GetParam()));
        Geohash index({.bounds = GetParam().bounds});
        for (std::uint32_t number = 0; number < places.size(); ++number) {
            index.insert(Slot{number}, places[number]);
        }
        const auto characters = *rc::gen::inRange<std::size_t>(0, kGeohashTextMax + 1);
        const std::string prefix = index.text_of(Slot{0}, kGeohashTextMax).substr(0, characters);
        std::vector<Slot> expected;
        for (std::uint32_t number = 0; number < places.size(); ++number) {
            if (index.text_of(Slot{number}, kGeohashTextMax).substr(0, characters) == prefix) {
                expected.push_back(Slot{number});
            }
        }
        std::vector<Slot> found;
        RC_ASSERT(index.query_prefix(prefix, found));
        RC_ASSERT(sorted(found) == expected);
    });
}

TEST(Geohash, PrefixThatIsNoGeohashIsRefused) {
    Geohash index({.bounds = kEarth});
    index.insert(Slot{0}, {0, 0});
    std::vector<Slot> found;
    EXPECT_FALSE(index.query_prefix("s0a", found));
    EXPECT_TRUE(found.empty());
    EXPECT_TRUE(index.query_prefix("", found));
    EXPECT_EQ(found, std::vector<Slot>{Slot{0}});
}

/// Two that stand side by side, on either side of the first halving: no prefix in common.
TEST(Geohash, NeighboursAcrossTheMiddleOfTheMapAreFoundTogether) {
    Geohash index({.bounds = kEarth});
    index.insert(Slot{0}, {-1, -1});
    index.insert(Slot{1}, {0, 0});
    EXPECT_EQ(index.text_of(Slot{0}, 3), "7zz");
    EXPECT_EQ(index.text_of(Slot{1}, 3), "s00");
    EXPECT_EQ(found_in(index, {-1, -1, 0, 0}), (Numbers{0, 1}));
}

INSTANTIATE_TEST_SUITE_P(Any, GeohashOn, ::testing::ValuesIn(grounds()),
                         [](const auto& ground) { return ground.param.name; });

}  // namespace
}  // namespace marchland::engine::testing
