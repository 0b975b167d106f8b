#include "engine/index/grid.h"

#include <algorithm>

namespace marchland::engine {

IndexOptions grid_of_cells(const Rect& bounds, std::size_t cells_max) {
    return {.bounds = bounds, .cell_mm = 1, .cells_max = cells_max};
}

void Grid::query_nine_cells(Position around, std::vector<Slot>& out) const {
    CellRange range = cell_around(around);
    range.first_column -= std::min(range.first_column, 1U);
    range.first_row -= std::min(range.first_row, 1U);
    range.last_column = std::min(range.last_column + 1, cells().columns() - 1);
    range.last_row = std::min(range.last_row + 1, cells().rows() - 1);
    append_cells(range, out);
}

}  // namespace marchland::engine
