#include "shards/layout/layout.h"

#include "engine/assert.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

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

namespace {

using engine::Rect;

/// In metres, edge to edge: the last millimetre of an inclusive rectangle ends one further on.
std::string in_metres(const Rect& r) {
    const auto metres = [](std::int64_t mm) { return static_cast<double>(mm) / 1000.0; };
    return fmt::format("x {} to {}, y {} to {}", metres(r.min_x), metres(r.max_x + 1),
                       metres(r.min_y), metres(r.max_y + 1));
}

/// Two shards of one name could not be distinguished in a log, a metric or a command.
void check_names(const std::vector<Region>& regions, std::vector<LayoutError>& errors) {
    for (std::size_t i = 0; i < regions.size(); ++i) {
        for (std::size_t earlier = 0; earlier < i; ++earlier) {
            if (regions[earlier].name == regions[i].name) {
                errors.push_back({LayoutError::Kind::duplicate_name, i, earlier, regions[i].area,
                                  fmt::format("another shard is named '{}' too", regions[i].name)});
                break;
            }
        }
    }
}

void check_each(const Rect& world, const std::vector<Region>& regions,
                std::vector<LayoutError>& errors) {
    for (std::size_t i = 0; i < regions.size(); ++i) {
        const Region& region = regions[i];
        if (region.area.is_empty()) {
            errors.push_back(
                {LayoutError::Kind::empty_region, i, i, region.area,
                 fmt::format("shard '{}' is empty: {}", region.name, in_metres(region.area))});
        } else if (region.area.common_part(world) != region.area) {
            errors.push_back({LayoutError::Kind::outside, i, i, region.area,
                              fmt::format("shard '{}' ({}) reaches outside the world ({})",
                                          region.name, in_metres(region.area), in_metres(world))});
        }
    }
}

void check_overlaps(const std::vector<Region>& regions, std::vector<LayoutError>& errors) {
    for (std::size_t i = 0; i < regions.size(); ++i) {
        for (std::size_t earlier = 0; earlier < i; ++earlier) {
            const Rect shared = regions[earlier].area.common_part(regions[i].area);
            if (!shared.is_empty() && !regions[i].area.is_empty() &&
                !regions[earlier].area.is_empty()) {
                errors.push_back(
                    {LayoutError::Kind::overlap, i, earlier, shared,
                     fmt::format("shards '{}' and '{}' overlap at {}", regions[earlier].name,
                                 regions[i].name, in_metres(shared))});
            }
        }
    }
}

/// The y at which some region begins or ends: between two of them the picture does not change.
std::vector<std::int64_t> cuts_in_y(const Rect& world, const std::vector<Region>& regions) {
    std::vector<std::int64_t> cuts{world.min_y, world.max_y + 1};
    for (const Region& region : regions) {
        for (const std::int64_t y : {region.area.min_y, region.area.max_y + 1}) {
            if (y > world.min_y && y <= world.max_y) {
                cuts.push_back(y);
            }
        }
    }
    std::ranges::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    return cuts;
}

/// Adds a bare stretch, to the one below it when both have the same x.
void add_gap(std::vector<Rect>& gaps, const Rect& gap) {
    const auto below = std::ranges::find_if(gaps, [&](const Rect& g) {
        return g.max_y + 1 == gap.min_y && g.min_x == gap.min_x && g.max_x == gap.max_x;
    });
    if (below != gaps.end()) {
        below->max_y = gap.max_y;
    } else {
        gaps.push_back(gap);
    }
}

/// Walks the strip from left to right over the regions in it, and notes what they leave bare.
void find_gaps_in_strip(const Rect& strip, const std::vector<Region>& by_min_x,
                        std::vector<Rect>& gaps) {
    std::int64_t covered_to = strip.min_x;
    for (const Region& region : by_min_x) {
        if (region.area.is_empty() || !region.area.touches(strip)) {
            continue;
        }
        if (region.area.min_x > covered_to) {
            add_gap(gaps, {covered_to, strip.min_y, region.area.min_x - 1, strip.max_y});
        }
        covered_to = std::max(covered_to, region.area.max_x + 1);
    }
    if (covered_to <= strip.max_x) {
        add_gap(gaps, {covered_to, strip.min_y, strip.max_x, strip.max_y});
    }
}

void check_gaps(const Rect& world, std::vector<Region> regions, std::vector<LayoutError>& errors) {
    std::ranges::sort(regions, {}, [](const Region& region) { return region.area.min_x; });
    const std::vector<std::int64_t> cuts = cuts_in_y(world, regions);
    std::vector<Rect> gaps;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        find_gaps_in_strip({world.min_x, cuts[i], world.max_x, cuts[i + 1] - 1}, regions, gaps);
    }
    for (const Rect& gap : gaps) {
        errors.push_back({LayoutError::Kind::gap, LayoutError::kNoRegion, LayoutError::kNoRegion,
                          gap, fmt::format("no shard owns {}", in_metres(gap))});
    }
}

}  // namespace

std::vector<LayoutError> check_layout(const Rect& world, const std::vector<Region>& regions) {
    std::vector<LayoutError> errors;
    if (regions.empty()) {
        errors.push_back({LayoutError::Kind::no_regions, LayoutError::kNoRegion,
                          LayoutError::kNoRegion, world, "a layout needs at least one shard"});
        return errors;
    }
    if (regions.size() > kShardsMax) {
        errors.push_back(
            {LayoutError::Kind::too_many_regions, kShardsMax, kShardsMax, world,
             fmt::format("{} shards are over the limit of {}", regions.size(), kShardsMax)});
        return errors;
    }
    check_names(regions, errors);
    check_each(world, regions, errors);
    check_overlaps(regions, errors);
    check_gaps(world, regions, errors);
    return errors;
}

std::optional<LayoutError> check_grid(const Rect& world, std::uint32_t columns,
                                      std::uint32_t rows) {
    const auto error = [&](LayoutError::Kind kind, std::string message) {
        return LayoutError{kind, LayoutError::kNoRegion, LayoutError::kNoRegion, world,
                           std::move(message)};
    };
    if (columns == 0 || rows == 0) {
        return error(LayoutError::Kind::no_regions, "a grid needs at least one column and one row");
    }
    if (std::uint64_t{columns} * rows > kShardsMax) {
        return error(LayoutError::Kind::too_many_regions,
                     fmt::format("{} columns by {} rows are over the limit of {} shards", columns,
                                 rows, kShardsMax));
    }
    if (world.max_x - world.min_x + 1 < columns || world.max_y - world.min_y + 1 < rows) {
        return error(LayoutError::Kind::empty_region,
                     fmt::format("the world ({}) is too small for {} columns by {} rows",
                                 in_metres(world), columns, rows));
    }
    return std::nullopt;
}

}  // namespace marchland::shards
