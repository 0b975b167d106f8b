#include "shards/layout/layout.h"

#include "engine/assert.h"
#include "shards/layout/layout_check.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace marchland::shards {

Layout::Layout(engine::Rect world, std::vector<Region> regions)
    : world_(world), regions_(std::move(regions)) {
    for (std::size_t i = 0; i < regions_.size(); ++i) {
        shards_.push_back(static_cast<ShardId>(i));
    }
}

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

Layout Layout::following(const Layout& before) const {
    std::array<const Region*, kShardsMax> region_of{};
    std::vector<const Region*> without_id;
    for (const Region& region : regions_) {
        const auto same_name = std::ranges::find(before.regions_, region.name, &Region::name);
        if (same_name == before.regions_.end()) {
            without_id.push_back(&region);
        } else {
            const auto place = static_cast<std::size_t>(same_name - before.regions_.begin());
            region_of[to_number(before.shards_[place])] = &region;
        }
    }
    auto next = without_id.begin();
    Layout result(world_, {});
    for (std::size_t id = 0; id < region_of.size(); ++id) {
        if (region_of[id] == nullptr && next != without_id.end()) {
            region_of[id] = *next++;
        }
        if (region_of[id] != nullptr) {
            result.shards_.push_back(static_cast<ShardId>(id));
            result.regions_.push_back(*region_of[id]);
        }
    }
    return result;
}

bool Layout::contains(ShardId shard) const {
    return std::ranges::binary_search(shards_, shard);
}

const Region& Layout::region(ShardId shard) const {
    MARCHLAND_ASSERT(contains(shard));
    return regions_[static_cast<std::size_t>(std::ranges::lower_bound(shards_, shard) -
                                             shards_.begin())];
}

ShardId Layout::owner_of(engine::Position at) const {
    MARCHLAND_ASSERT(world_.contains(at));
    std::size_t place = 0;
    while (!regions_[place].area.contains(at)) {
        ++place;  // ends: the regions tile the world
    }
    return shards_[place];
}

}  // namespace marchland::shards
