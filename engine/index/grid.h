#pragma once

#include "engine/index/grid_cells.h"
#include "engine/index/index.h"
#include "engine/index/index_storage.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace marchland::engine {

/// Options for a grid of a chosen number of cells: square ones, as small as `cells_max` allows.
/// (IndexOptions itself chooses their size.)
IndexOptions grid_of_cells(const Rect& bounds, std::size_t cells_max);

/// Which entities are in this part of the map? A grid of cells, unordered within: "cell space".
///
///        +---+---+---+---+       Two questions. query: exactly those inside a rectangle. The
///        | 1 | 2 | 3 |   |       classic one, query_nine_cells: all in the cell of a position and
///        +---+---+---+---+       in the eight around it, without looking at a single position.
///        | 4 |5 *| 6 |   |
///        +---+---+---+---+
///        | 7 | 8 | 9 |   |
///
/// Shapes   C = columns * rows cells, row-major, row 0 at min_y; N entities over all cells. 28
///          bytes an entity, 4 a cell.
/// Cost     insert, erase, move O(1); query O(cells touched + entities in them).
/// Errors   Those of Index.
/// Choose   for entities that are spread evenly, and for many moves between few queries. Not for
///          crowds: in a full cell each query looks at everybody.
/// Source   Cell-space partitioning as in Buckland, "Programming Game AI by Example" (2005), ch. 3;
///          fixed cells for near neighbours: Bentley and Friedman, "Data Structures for Range
///          Searching", ACM Computing Surveys 11 (1979).
class Grid : public PositionedIndex {
public:
    explicit Grid(const IndexOptions& options);

    /// A cell that lies inside wholly is taken without looking.
    void query(const Rect& area, std::vector<Slot>& out) const override;

    /// Appends all in the cell of `around`, which is on the map, and in its up to eight neighbours.
    /// Candidates: whoever is within one cell's edge along both axes is among them, and others are.
    void query_nine_cells(Position around, std::vector<Slot>& out) const;

    [[nodiscard]] const GridCells& cells() const { return cells_; }

protected:
    /// All of one cell, of a block of cells.
    void append_cell(std::uint32_t cell, std::vector<Slot>& out) const;
    void append_cells(const CellRange& range, std::vector<Slot>& out) const;

    /// The one cell that holds `at`, as a block. `at` is on the map.
    [[nodiscard]] CellRange cell_around(Position at) const;

private:
    void put(Slot slot, Position at) override;
    void take(Slot slot, Position at) override;
    void shift(Slot slot, Position from, Position to) override;

    const GridCells cells_;
    SlotLists lists_;  ///< one a cell
};

}  // namespace marchland::engine
