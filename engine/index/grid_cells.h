#pragma once

#include "engine/assert.h"
#include "engine/geometry.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace marchland::engine {

/// The part of a query's area that lies on the map: so small that it fits int32, both ends
/// inclusive.
struct MapArea {
    std::int32_t min_x = 0;
    std::int32_t min_y = 0;
    std::int32_t max_x = 0;
    std::int32_t max_y = 0;

    /// Both axes are compared always: && would be a branch, guessed wrong for every other entity,
    /// and a fifth of a frame's cost.
    [[nodiscard]] constexpr bool contains(std::int32_t x, std::int32_t y) const {
        const auto is_in_x = static_cast<unsigned>(is_between(x, min_x, max_x));
        const auto is_in_y = static_cast<unsigned>(is_between(y, min_y, max_y));
        return (is_in_x & is_in_y) != 0;
    }

    /// Unsigned differences wrap, so that one comparison does for two.
    static constexpr bool is_between(std::int32_t value, std::int32_t min, std::int32_t max) {
        const auto base = static_cast<std::uint32_t>(min);
        return static_cast<std::uint32_t>(value) - base <= static_cast<std::uint32_t>(max) - base;
    }
};

/// A block of cells, all ends inclusive.
struct CellRange {
    std::uint32_t first_column = 0;
    std::uint32_t first_row = 0;
    std::uint32_t last_column = 0;
    std::uint32_t last_row = 0;

    /// A cell that is not on the rim of an area's range lies in the area wholly.
    [[nodiscard]] constexpr bool is_inside(std::uint32_t column, std::uint32_t row) const {
        return column > first_column && column < last_column && row > first_row && row < last_row;
    }
};

/// Calls `visit(column, row)` for each cell of the block, row by row.
template <typename Visit>
void for_each_cell(const CellRange& range, Visit&& visit) {
    for (std::uint32_t row = range.first_row; row <= range.last_row; ++row) {
        for (std::uint32_t column = range.first_column; column <= range.last_column; ++column) {
            visit(column, row);
        }
    }
}

/// How a map is cut into cells: which cell holds a position, which ones an area touches.
///
///    row 1   4  5  6  7      C = columns * rows cells, row-major from (min_x, min_y); the last
///    row 0   0  1  2  3      column and row may stick out over the map's edge
///
/// Cost     A division an axis.
class GridCells {
public:
    /// `bounds` may reach past int32, but holds some int32 position. The cells are `cell_mm` wide,
    /// or as much wider as it takes to have at most `cells_max` of them.
    GridCells(const Rect& bounds, std::int32_t cell_mm, std::size_t cells_max);

    [[nodiscard]] std::uint32_t columns() const { return columns_; }
    [[nodiscard]] std::uint32_t rows() const { return rows_; }
    [[nodiscard]] std::size_t size() const { return std::size_t{columns_} * rows_; }

    /// `at` is on the map.
    [[nodiscard]] std::uint32_t cell_of(Position at) const {
        MARCHLAND_ASSERT(bounds_.contains(at.x, at.y));
        return cell_at(column_of(at.x), row_of(at.y));
    }
    [[nodiscard]] std::uint32_t cell_at(std::uint32_t column, std::uint32_t row) const {
        return row * columns_ + column;
    }

    /// Nothing when no part of `area` is on the map.
    [[nodiscard]] std::optional<MapArea> clip(const Rect& area) const;
    [[nodiscard]] CellRange range_of(const MapArea& area) const {
        return {column_of(area.min_x), row_of(area.min_y), column_of(area.max_x),
                row_of(area.max_y)};
    }

private:
    [[nodiscard]] std::uint32_t column_of(std::int32_t x) const {
        return std::min(steps(x, bounds_.min_x), columns_ - 1);
    }
    [[nodiscard]] std::uint32_t row_of(std::int32_t y) const {
        return std::min(steps(y, bounds_.min_y), rows_ - 1);
    }
    [[nodiscard]] std::uint32_t steps(std::int32_t to, std::int32_t from) const {
        return (static_cast<std::uint32_t>(to) - static_cast<std::uint32_t>(from)) / edge_mm_;
    }

    MapArea bounds_;
    /// A map of 2^32 mm that is one cell wide needs an edge one larger than fits: hence the
    /// std::min above, which keeps its last millimetre in that cell.
    std::uint32_t edge_mm_ = 1;
    std::uint32_t columns_ = 1;
    std::uint32_t rows_ = 1;
};

}  // namespace marchland::engine
