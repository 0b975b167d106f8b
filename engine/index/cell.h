#pragma once

#include "engine/geometry.h"

#include <cstdint>

namespace marchland::engine {

/// A square of an endless grid over the plane: whoever uses it holds the length of its edge.
struct Cell {
    std::int32_t column = 0;
    std::int32_t row = 0;

    friend bool operator==(const Cell&, const Cell&) = default;
};

/// The cells of a grid whose edge is edge_mm, 1 or more. Cell (0, 0) has its lower left corner at
/// the origin, so that every shard cuts the plane alike.
constexpr Cell cell_of(std::int32_t x, std::int32_t y, std::int32_t edge_mm) {
    const auto cut = [edge_mm](std::int32_t at) {
        return at / edge_mm - (at % edge_mm < 0 ? 1 : 0);
    };
    return {cut(x), cut(y)};
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

}  // namespace marchland::engine
