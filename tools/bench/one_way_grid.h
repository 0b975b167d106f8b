#pragma once

#include "engine/grid_cross_list.h"
#include "engine/index.h"

#include <memory>

namespace marchland::bench {

/// grid_cross_list without its choice: all its cells are kept in x and y order, however few stand in
/// them, or none is, however many. To see from how many on the order pays.
std::unique_ptr<engine::Index> make_ordered_cells(const engine::GridOptions& options);
std::unique_ptr<engine::Index> make_unordered_cells(const engine::GridOptions& options);

}  // namespace marchland::bench
