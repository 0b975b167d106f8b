#pragma once

#include "engine/geometry.h"
#include "engine/index/index.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace marchland::engine {

/// What any of the indexes may want to know; each takes what concerns it. docs/indexes.md compares
/// them.
struct IndexOptions {
    Rect bounds;                              ///< the world; positions outside are a broken promise
    Dimensions dimensions = Dimensions::two;  ///< cross_list: a list for z, too
    std::int32_t cell_mm = 50'000;      ///< grid_cross_list, grid, tower: wanted edge of a cell
    std::size_t cells_max = 1U << 20U;  ///< grid_cross_list, grid, tower: cells, towers
    std::uint32_t quadtree_node_capacity = 10;  ///< quadtree: a node with more splits
    std::uint32_t quadtree_depth_max = 5;       ///< quadtree: levels below the root
    bool quadtree_is_loose = false;             ///< quadtree: for objects with extents
};

/// The names that make_index knows, the default first.
std::span<const std::string_view> index_names();

/// Null when there is no index of that name.
std::unique_ptr<Index> make_index(std::string_view name, const IndexOptions& options);

}  // namespace marchland::engine
