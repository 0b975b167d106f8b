#pragma once

#include "engine/geometry.h"
#include "engine/ids.h"
#include "engine/index/grid_cells.h"
#include "engine/index/grid_cross_list.h"
#include "engine/index/slot_lists.h"
#include "engine/index/slot_positions.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace marchland::engine {

/// Entities on a map that is cut into cells, unordered in each cell: what `grid` is, and where the
/// markers of `tower` are registered.
///
/// Cost     insert, erase, move O(1); query O(cells touched + entities in them). 28 bytes an entity,
///          8 a cell.
/// Errors   Those of Index.
class CellLists {
public:
    explicit CellLists(const GridOptions& options);

    void insert(Slot slot, Position at);
    void erase(Slot slot, Position at);
    void move(Slot slot, Position from, Position to);

    /// Exactly those inside `area`. A cell that lies inside wholly is taken without looking.
    void append_inside(const Rect& area, std::vector<Slot>& out) const;
    /// All of one cell, of a block of cells.
    void append_cell(std::uint32_t cell, std::vector<Slot>& out) const;
    void append_cells(const CellRange& range, std::vector<Slot>& out) const;

    /// The one cell that holds `at`, as a block. `at` is on the map.
    [[nodiscard]] CellRange cell_around(Position at) const;

    [[nodiscard]] const GridCells& cells() const { return cells_; }
    [[nodiscard]] const SlotPositions& positions() const { return positions_; }

private:
    const GridCells cells_;
    SlotPositions positions_;
    SlotLists lists_;  ///< one a cell
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

}  // namespace marchland::engine
