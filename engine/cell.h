#pragma once

#include "engine/geometry.h"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace marchland::engine {

/// A square of an endless grid over the plane: whoever uses it holds the length of its edge.
struct Cell {
    std::int32_t column = 0;
    std::int32_t row = 0;

    friend bool operator==(const Cell&, const Cell&) = default;

    /// The cell itself and the eight around it.
    [[nodiscard]] constexpr bool is_beside(Cell other) const {
        return is_beside(column, other.column) && is_beside(row, other.row);
    }

private:
    static constexpr bool is_beside(std::int64_t a, std::int64_t b) {
        return a - b >= -1 && a - b <= 1;
    }
};

/// The cells of a grid whose edge is edge_mm, 1 or more. Cell (0, 0) has its lower left corner at
/// the origin, so that every shard cuts the plane alike.
constexpr Cell cell_of(std::int32_t x, std::int32_t y, std::int32_t edge_mm) {
    const auto cut = [edge_mm](std::int32_t at) {
        return at / edge_mm - (at % edge_mm < 0 ? 1 : 0);
    };
    return {cut(x), cut(y)};
}

/// cell_of(x, y, edge_mm) == cell, without a division.
constexpr bool is_in_cell(std::int32_t x, std::int32_t y, Cell cell, std::int32_t edge_mm) {
    const std::int64_t from_left = x - std::int64_t{cell.column} * edge_mm;
    const std::int64_t from_below = y - std::int64_t{cell.row} * edge_mm;
    // Unsigned, so that one comparison does for two.
    return static_cast<std::uint64_t>(from_left) < static_cast<std::uint64_t>(edge_mm) &&
           static_cast<std::uint64_t>(from_below) < static_cast<std::uint64_t>(edge_mm);
}

/// Calls `visit` for the cell and the eight around it, those beyond the last int32 left out.
template <typename Visit>
void for_each_beside(Cell cell, Visit&& visit) {
    for (std::int64_t row = std::int64_t{cell.row} - 1; row <= std::int64_t{cell.row} + 1; ++row) {
        for (std::int64_t column = std::int64_t{cell.column} - 1;
             column <= std::int64_t{cell.column} + 1; ++column) {
            const Cell beside{static_cast<std::int32_t>(column), static_cast<std::int32_t>(row)};
            if (beside.column == column && beside.row == row) {
                visit(beside);
            }
        }
    }
}

struct CellHash {
    std::size_t operator()(Cell cell) const {
        const auto column = static_cast<std::uint32_t>(cell.column);
        const auto row = static_cast<std::uint32_t>(cell.row);
        const std::uint64_t both = (std::uint64_t{column} << 32U) | row;
        return static_cast<std::size_t>((both * 0x9E37'79B9'7F4A'7C15U) >> 16U);
    }
};

}  // namespace marchland::engine
