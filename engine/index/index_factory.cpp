#include "engine/index/index_factory.h"

#include "engine/index/cross_list.h"
#include "engine/index/geohash.h"
#include "engine/index/grid.h"
#include "engine/index/grid_cross_list.h"
#include "engine/index/quadtree.h"
#include "engine/index/towers.h"

#include <algorithm>
#include <array>

namespace marchland::engine {
namespace {

using Made = std::unique_ptr<Index>;

GridOptions grid_options(const IndexOptions& options) {
    return {options.bounds, options.cell_mm, options.cells_max};
}

Made make_default(const IndexOptions& options) {
    return make_grid_cross_list(grid_options(options));
}
Made make_cross_list(const IndexOptions& options) {
    return std::make_unique<CrossList>(options.bounds, options.dimensions);
}
Made make_grid(const IndexOptions& options) {
    return std::make_unique<Grid>(grid_options(options));
}
Made make_tower(const IndexOptions& options) {
    return std::make_unique<Towers>(grid_options(options));
}
Made make_quadtree(const IndexOptions& options) {
    return std::make_unique<Quadtree>(
        QuadtreeOptions{options.bounds, options.quadtree_node_capacity, options.quadtree_depth_max,
                        options.quadtree_is_loose});
}
Made make_geohash(const IndexOptions& options) {
    return std::make_unique<Geohash>(options.bounds);
}

constexpr std::array<std::string_view, 6> kNames{"grid_cross_list", "cross_list", "grid",
                                                 "tower",           "quadtree",   "geohash"};
/// In the order of kNames.
constexpr std::array<Made (*)(const IndexOptions&), kNames.size()> kMakers{
    make_default, make_cross_list, make_grid, make_tower, make_quadtree, make_geohash};

}  // namespace

std::span<const std::string_view> index_names() {
    return kNames;
}

std::unique_ptr<Index> make_index(std::string_view name, const IndexOptions& options) {
    const auto found = std::find(kNames.begin(), kNames.end(), name);
    return found == kNames.end()
               ? nullptr
               : kMakers[static_cast<std::size_t>(found - kNames.begin())](options);
}

}  // namespace marchland::engine
