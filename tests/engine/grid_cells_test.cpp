#include "engine/index/grid_cells.h"

#include "tests/engine/ground.h"
#include "tests/engine/property.h"

#include <gtest/gtest.h>

namespace marchland::engine::testing {
namespace {

constexpr Rect kPlane{kMin, kMin, kMax, kMax};

TEST(GridCells, CoverTheMapWithTheWantedEdge) {
    const GridCells cells({-10, 0, 24, 29}, 10, 1'000);
    EXPECT_EQ(cells.columns(), 4U);
    EXPECT_EQ(cells.rows(), 3U);
    EXPECT_EQ(cells.size(), 12U);
}

TEST(GridCells, AreRowMajorFromTheLeastCorner) {
    const GridCells cells({-10, 0, 24, 29}, 10, 1'000);
    EXPECT_EQ(cells.cell_of({-10, 0}), 0U);
    EXPECT_EQ(cells.cell_of({-1, 9}), 0U);
    EXPECT_EQ(cells.cell_of({0, 9}), 1U);
    EXPECT_EQ(cells.cell_of({-1, 10}), 4U);
    EXPECT_EQ(cells.cell_of({24, 29}), 11U);
}

TEST(GridCells, GrowUntilTheLimitHolds) {
    const GridCells cells({0, 0, 99, 99}, 1, 100);
    EXPECT_EQ(cells.columns(), 10U);
    EXPECT_EQ(cells.rows(), 10U);
}

TEST(GridCells, OfTheWholePlaneAreAsManyAsAllowed) {
    const GridCells cells(kPlane, 1, 1U << 20U);
    EXPECT_EQ(cells.columns(), 1U << 10U);
    EXPECT_EQ(cells.rows(), 1U << 10U);
    EXPECT_EQ(cells.cell_of({kMin, kMin}), 0U);
    EXPECT_EQ(cells.cell_of({kMax, kMax}), (1U << 20U) - 1);
}

TEST(GridCells, OfTheWholePlaneMayBeOne) {
    const GridCells cells(kPlane, 1, 1);
    EXPECT_EQ(cells.size(), 1U);
    EXPECT_EQ(cells.cell_of({kMax, kMax}), 0U);
}

TEST(GridCells, OfBoundsBeyondInt32AreThoseOfThePlane) {
    const GridCells cells(kPlane.grown_by(1'000'000), 1 << 30, 1'000);
    EXPECT_EQ(cells.columns(), 4U);
    EXPECT_EQ(cells.cell_of({kMax, kMin}), 3U);
}

TEST(GridCells, ClipAnAreaToTheMap) {
    const GridCells cells({0, 0, 39, 39}, 10, 1'000);
    const std::optional<MapArea> area = cells.clip({-5, 12, 15, 99});
    ASSERT_TRUE(area.has_value());
    const CellRange range = cells.range_of(*area);
    EXPECT_EQ(range.first_column, 0U);
    EXPECT_EQ(range.last_column, 1U);
    EXPECT_EQ(range.first_row, 1U);
    EXPECT_EQ(range.last_row, 3U);
    EXPECT_FALSE(cells.clip({40, 0, 50, 39}).has_value());
    EXPECT_FALSE(cells.clip({5, 5, 4, 6}).has_value());
}

class RandomGrid : public ::testing::TestWithParam<Ground> {};

TEST_P(RandomGrid, StaysBelowTheLimitAndHoldsEveryPosition) {
    const Ground& ground = GetParam();
    check_property([&] {
        const auto cell_mm = *rc::gen::inRange(1, kMax);
        const auto cells_max = *rc::gen::inRange<std::size_t>(1, 5'000);
        const GridCells cells(ground.bounds, cell_mm, cells_max);
        RC_ASSERT(cells.size() <= cells_max);
        RC_ASSERT(cells.cell_of(*position_on(ground)) < cells.size());
    });
}

TEST_P(RandomGrid, ACellThatIsInsideARangeIsInsideTheArea) {
    const Ground& ground = GetParam();
    check_property([&] {
        const GridCells cells(ground.bounds, ground.cell_mm, ground.cells_max);
        const auto area = cells.clip(square_around(*position_on(ground), *radius_on(ground)));
        RC_ASSERT(area.has_value());
        const CellRange range = cells.range_of(*area);
        const Position at = *position_on(ground);
        const std::uint32_t cell = cells.cell_of(at);
        if (range.is_inside(cell % cells.columns(), cell / cells.columns())) {
            RC_ASSERT(area->contains(at.x, at.y));
        }
    });
}

INSTANTIATE_TEST_SUITE_P(On, RandomGrid, ::testing::ValuesIn(grounds()),
                         [](const auto& ground) { return ground.param.name; });

}  // namespace
}  // namespace marchland::engine::testing
