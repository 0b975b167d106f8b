#include "shards/layout.h"

#include "engine/assert.h"
#include "shards/layout_check.h"

#include <string>
#include <utility>

namespace marchland::shards {

Layout::Layout(engine::Rect world, std::vector<Region> regions)
    : world_(world), regions_(std::move(regions)) {}

Layout::Result Layout::from_regions(engine::Rect world, std::vector<Region> regions) {
    if (std::vector<LayoutError> errors = check_layout(world, regions); !errors.empty()) {
        return errors;
    }
    return Layout(world, std::move(regions));
}

Layout::Result Layout::grid(engine::Rect world, std::uint32_t columns, std::uint32_t rows) {
    if (const auto error = check_grid(world, columns, rows)) {
        return std::vector<LayoutError>{*error};
    }
    const std::int64_t width = world.max_x - world.min_x + 1;
    const std::int64_t height = world.max_y - world.min_y + 1;
    std::vector<Region> regions;
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t column = 0; column < columns; ++column) {
            regions.push_back(
                {"c" + std::to_string(column) + "r" + std::to_string(row),
                 {world.min_x + column * width / columns, world.min_y + row * height / rows,
                  world.min_x + (column + 1) * width / columns - 1,
                  world.min_y + (row + 1) * height / rows - 1}});
        }
    }
    return Layout(world, std::move(regions));
}

const Region& Layout::region(ShardId shard) const {
    MARCHLAND_ASSERT(to_number(shard) < regions_.size());
    return regions_[to_number(shard)];
}

ShardId Layout::owner_of(engine::Position at) const {
    MARCHLAND_ASSERT(world_.contains(at));
    std::uint16_t shard = 0;
    while (!regions_[shard].area.contains(at)) {
        ++shard;  // ends: the regions tile the world
    }
    return static_cast<ShardId>(shard);
}

}  // namespace marchland::shards
