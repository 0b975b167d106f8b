#include "engine/index/grid.h"

#include "tests/engine/found_in.h"
#include "tests/engine/ground.h"
#include "tests/engine/property.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace marchland::engine::testing {
namespace {

/// Five columns, five rows, 10 mm each, an entity in the middle of each cell: slot = row * 5 +
/// column.
class OneInEachCell : public ::testing::Test {
protected:
    OneInEachCell() {
        for (std::uint32_t slot = 0; slot < 25; ++slot) {
            const auto column = static_cast<std::int32_t>(slot % 5);
            const auto row = static_cast<std::int32_t>(slot / 5);
            grid_.insert(Slot{slot}, {column * 10 + 5, row * 10 + 5});
        }
    }
    [[nodiscard]] Numbers nine_cells(Position around) const {
        std::vector<Slot> slots;
        grid_.query_nine_cells(around, slots);
        Numbers numbers;
        for (const Slot slot : slots) {
            numbers.push_back(to_number(slot));
        }
        std::sort(numbers.begin(), numbers.end());
        return numbers;
    }

    Grid grid_{{{0, 0, 49, 49}, 10, 100}};
};

TEST_F(OneInEachCell, NineCellsAreFoundInTheMiddleOfTheMap) {
    EXPECT_EQ(nine_cells({20, 20}), (Numbers{6, 7, 8, 11, 12, 13, 16, 17, 18}));
    EXPECT_EQ(nine_cells({29, 29}), (Numbers{6, 7, 8, 11, 12, 13, 16, 17, 18}));
}

TEST_F(OneInEachCell, SixCellsAreFoundAtAnEdge) {
    EXPECT_EQ(nine_cells({0, 20}), (Numbers{5, 6, 10, 11, 15, 16}));
    EXPECT_EQ(nine_cells({25, 49}), (Numbers{16, 17, 18, 21, 22, 23}));
}

TEST_F(OneInEachCell, FourCellsAreFoundInACorner) {
    EXPECT_EQ(nine_cells({0, 0}), (Numbers{0, 1, 5, 6}));
    EXPECT_EQ(nine_cells({49, 0}), (Numbers{3, 4, 8, 9}));
    EXPECT_EQ(nine_cells({0, 49}), (Numbers{15, 16, 20, 21}));
    EXPECT_EQ(nine_cells({49, 49}), (Numbers{18, 19, 23, 24}));
}

TEST(Grid, CanBeCutIntoAChosenNumberOfCells) {
    const Grid sixteen(grid_of_cells({0, 0, 99, 99}, 16));
    EXPECT_EQ(sixteen.cells().columns(), 4U);
    EXPECT_EQ(sixteen.cells().rows(), 4U);
    const Grid eight(grid_of_cells({0, 0, 199, 99}, 8));
    EXPECT_EQ(eight.cells().columns(), 4U);
    EXPECT_EQ(eight.cells().rows(), 2U);
}

class NineCells : public ::testing::TestWithParam<Ground> {};

TEST_P(NineCells, HoldWhoeverIsWithinACellsEdgeOnBothAxes) {
    check_property([] {
        const Ground& ground = GetParam();
        const auto places = *rc::gen::container<std::vector<Position>>(60, position_on(ground));
        const Position middle = *position_on(ground);
        Grid grid({ground.bounds, ground.cell_mm, ground.cells_max});
        for (std::uint32_t number = 0; number < places.size(); ++number) {
            grid.insert(Slot{number}, places[number]);
        }
        std::vector<Slot> candidates;
        grid.query_nine_cells(middle, candidates);
        std::sort(candidates.begin(), candidates.end());
        RC_ASSERT(std::adjacent_find(candidates.begin(), candidates.end()) == candidates.end());
        for (std::uint32_t number = 0; number < places.size(); ++number) {
            RC_ASSERT((!square_around(middle, ground.cell_mm).contains(places[number]) ||
                       std::binary_search(candidates.begin(), candidates.end(), Slot{number})));
        }
    });
}

INSTANTIATE_TEST_SUITE_P(On, NineCells, ::testing::ValuesIn(grounds()),
                         [](const auto& ground) { return ground.param.name; });

}  // namespace
}  // namespace marchland::engine::testing
