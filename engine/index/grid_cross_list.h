#pragma once

#include "engine/index/index.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace marchland::engine {

/// Which entities are in this part of the map? A grid of cells; a crowded cell keeps its entities
/// in two orders, by x and by y (the cross list), so a query enters it at the right place and walks
/// the shorter of the two spans.
///
///        |  cell  |   .   |
///        | x: a<c<b       |        the query's span in x holds a, c; in y only a: walk y
///        | y: a<b<c       |
///
/// Shapes   C = columns * rows cells, row-major, row 0 at min_y; N entities over all cells.
/// Cost     insert, erase and move O(steps passed in the cell), in a crowded one bounded by
///          AxisOrder::kBlockMax; query O(cells touched + entities of the shorter spans).
/// Source   The cross-list of KBEngine and BigWorld, cut into cells so that neither a crowd nor a
///          large map makes it quadratic.
std::unique_ptr<Index> make_grid_cross_list(const IndexOptions& options);

}  // namespace marchland::engine
