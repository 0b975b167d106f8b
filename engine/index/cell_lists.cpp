#include "engine/index/cell_lists.h"

#include "engine/assert.h"

#include <optional>

namespace marchland::engine {

CellLists::CellLists(const GridOptions& options)
    : cells_(options.bounds, options.cell_mm, options.cells_max),
      positions_(options.bounds),
      lists_(cells_.size()) {}

void CellLists::insert(Slot slot, Position at) {
    positions_.insert(slot, at);
    lists_.push(cells_.cell_of(at), slot);
}

void CellLists::erase(Slot slot, Position at) {
    positions_.erase(slot, at);
    lists_.remove(slot);
}

void CellLists::move(Slot slot, Position from, Position to) {
    positions_.move(slot, from, to);
    const std::uint32_t cell = cells_.cell_of(to);
    if (lists_.list_of(slot) != cell) {
        lists_.remove(slot);
        lists_.push(cell, slot);
    }
}

void CellLists::append_inside(const Rect& area, std::vector<Slot>& out) const {
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
            const Position at = positions_.at(slot);
            if (on_map->contains(at.x, at.y)) {
                out.push_back(slot);
            }
        });
    });
}

void CellLists::append_cell(std::uint32_t cell, std::vector<Slot>& out) const {
    lists_.for_each(cell, [&out](Slot slot) { out.push_back(slot); });
}

void CellLists::append_cells(const CellRange& range, std::vector<Slot>& out) const {
    for_each_cell(range, [&](std::uint32_t column, std::uint32_t row) {
        append_cell(cells_.cell_at(column, row), out);
    });
}

CellRange CellLists::cell_around(Position at) const {
    MARCHLAND_ASSERT(positions_.bounds().contains(at));
    return cells_.range_of({at.x, at.y, at.x, at.y});
}

}  // namespace marchland::engine
