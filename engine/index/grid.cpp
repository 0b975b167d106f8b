#include "engine/index/grid.h"

#include "engine/assert.h"

#include <algorithm>
#include <optional>

namespace marchland::engine {

IndexOptions grid_of_cells(const Rect& bounds, std::size_t cells_max) {
    return {.bounds = bounds, .cell_mm = 1, .cells_max = cells_max};
}

Grid::Grid(const IndexOptions& options)
    : PositionedIndex(options.bounds),
      cells_(options.bounds, options.cell_mm, options.cells_max),
      lists_(cells_.size()) {}

void Grid::put(Slot slot, Position at) {
    lists_.push(cells_.cell_of(at), slot);
}

void Grid::take(Slot slot, Position /*at*/) {
    lists_.remove(slot);
}

void Grid::shift(Slot slot, Position /*from*/, Position to) {
    const std::uint32_t cell = cells_.cell_of(to);
    if (lists_.list_of(slot) != cell) {
        lists_.remove(slot);
        lists_.push(cell, slot);
    }
}

void Grid::query(const Rect& area, std::vector<Slot>& out) const {
    const std::optional<MapArea> on_map = cells_.clip(area);
    if (!on_map) {
        return;
    }
    const CellRange range = cells_.range_of(*on_map);
    for_each_cell(range, [&](std::uint32_t column, std::uint32_t row) {
        const std::uint32_t cell = cells_.cell_at(column, row);
        if (range.is_inside(column, row)) {
            append_cell(cell, out);
            return;
        }
        lists_.for_each(cell, [&](Slot slot) {
            const Position at = position_of(slot);
            if (on_map->contains(at.x, at.y)) {
                out.push_back(slot);
            }
        });
    });
}

void Grid::query_nine_cells(Position around, std::vector<Slot>& out) const {
    CellRange range = cell_around(around);
    range.first_column -= std::min(range.first_column, 1U);
    range.first_row -= std::min(range.first_row, 1U);
    range.last_column = std::min(range.last_column + 1, cells_.columns() - 1);
    range.last_row = std::min(range.last_row + 1, cells_.rows() - 1);
    append_cells(range, out);
}

void Grid::append_cell(std::uint32_t cell, std::vector<Slot>& out) const {
    lists_.for_each(cell, [&out](Slot slot) { out.push_back(slot); });
}

void Grid::append_cells(const CellRange& range, std::vector<Slot>& out) const {
    for_each_cell(range, [&](std::uint32_t column, std::uint32_t row) {
        append_cell(cells_.cell_at(column, row), out);
    });
}

CellRange Grid::cell_around(Position at) const {
    MARCHLAND_ASSERT(bounds().contains(at));
    return cells_.range_of({at.x, at.y, at.x, at.y});
}

}  // namespace marchland::engine
