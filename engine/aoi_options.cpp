#include "engine/aoi_options.h"

#include "engine/index/quadtree.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace marchland::engine {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();

bool is_on_plane(const Rect& bounds) {
    return bounds.min_x <= bounds.max_x && bounds.min_y <= bounds.max_y && bounds.min_x >= kMin &&
           bounds.min_y >= kMin && bounds.max_x <= kMax && bounds.max_y <= kMax;
}

}  // namespace

std::string_view what_is_wrong_with(const AoiOptions& options) {
    const std::span<const std::string_view> names = index_names();
    const IndexOptions& index = options.index;
    if (std::find(names.begin(), names.end(), options.index_name) == names.end()) {
        return "index_name is none of index_names()";
    }
    if (!is_on_plane(index.bounds)) {
        return "index.bounds have min <= max, and are within int32";
    }
    if (index.dimensions != Dimensions::two && index.dimensions != Dimensions::three) {
        return "index.dimensions is two or three";
    }
    if (index.cell_mm < 1) {
        return "index.cell_mm is at least 1";
    }
    if (index.cells_max < 1 || index.cells_max > AoiOptions::kCellsMax) {
        return "index.cells_max is from 1 to 2^24";
    }
    if (index.quadtree_node_capacity < 1) {
        return "index.quadtree_node_capacity is at least 1";
    }
    if (index.quadtree_depth_max > QuadtreeOptions::kDepthMax) {
        return "index.quadtree_depth_max is at most 16";
    }
    if (options.entities_max < 1 || options.entities_max > AoiOptions::kEntitiesMax) {
        return "entities_max is from 1 to 2^27";
    }
    if (const char* const flaw = flaw_of(options.crowd)) {
        return flaw;
    }
    return {};
}

}  // namespace marchland::engine
