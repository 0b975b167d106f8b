#include "engine/index/grid_cells.h"

#include <limits>

namespace marchland::engine {
namespace {

std::uint64_t cells_along(std::uint64_t length_mm, std::uint64_t edge_mm) {
    return (length_mm + edge_mm - 1) / edge_mm;
}

/// The smallest edge from `wanted_mm` up that gives at most `cells_max` cells, by bisection.
std::uint64_t edge_that_fits(std::uint64_t width_mm, std::uint64_t height_mm,
                             std::uint64_t wanted_mm, std::uint64_t cells_max) {
    const auto fits = [&](std::uint64_t edge_mm) {
        // Not as a product, which can need more than 64 bits.
        return cells_along(width_mm, edge_mm) <= cells_max / cells_along(height_mm, edge_mm);
    };
    std::uint64_t low = wanted_mm;
    std::uint64_t high = std::max({wanted_mm, width_mm, height_mm});  // one cell
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (fits(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/// Of a rectangle on the int32 plane; nothing where it is empty.
std::optional<MapArea> map_area_of(const Rect& area) {
    if (area.is_empty()) {
        return std::nullopt;
    }
    return MapArea{static_cast<std::int32_t>(area.min_x), static_cast<std::int32_t>(area.min_y),
                   static_cast<std::int32_t>(area.max_x), static_cast<std::int32_t>(area.max_y)};
}

}  // namespace

GridCells::GridCells(const Rect& bounds, std::int32_t cell_mm, std::size_t cells_max) {
    MARCHLAND_ASSERT(cell_mm > 0);
    MARCHLAND_ASSERT(cells_max > 0 && cells_max <= std::numeric_limits<std::uint32_t>::max());
    const std::optional<MapArea> on_map = map_area_of(bounds.common_part(kInt32Plane));
    MARCHLAND_ASSERT(on_map.has_value());
    bounds_ = *on_map;
    const auto length_of = [](std::int64_t min, std::int64_t max) {
        return static_cast<std::uint64_t>(max - min + 1);
    };
    const std::uint64_t width_mm = length_of(bounds_.min_x, bounds_.max_x);
    const std::uint64_t height_mm = length_of(bounds_.min_y, bounds_.max_y);
    const std::uint64_t edge_mm =
        edge_that_fits(width_mm, height_mm, static_cast<std::uint64_t>(cell_mm), cells_max);
    columns_ = static_cast<std::uint32_t>(cells_along(width_mm, edge_mm));
    rows_ = static_cast<std::uint32_t>(cells_along(height_mm, edge_mm));
    edge_mm_ = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(edge_mm, std::numeric_limits<std::uint32_t>::max()));
}

std::optional<MapArea> GridCells::clip(const Rect& area) const {
    return map_area_of(
        area.common_part({bounds_.min_x, bounds_.min_y, bounds_.max_x, bounds_.max_y}));
}

}  // namespace marchland::engine
