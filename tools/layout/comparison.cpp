#include "tools/layout/comparison.h"

#include <algorithm>

namespace marchland::layout {

namespace {

using engine::Rect;

Rect common_part(const Rect& a, const Rect& b) {
    return {std::max(a.min_x, b.min_x), std::max(a.min_y, b.min_y), std::min(a.max_x, b.max_x),
            std::min(a.max_y, b.max_y)};
}

/// The names of the shards of `of` whose id is none of `other`.
std::vector<std::string> names_only_in(const shards::Layout& of, const shards::Layout& other) {
    std::vector<std::string> names;
    for (const shards::ShardId shard : of.shards()) {
        if (!other.contains(shard)) {
            names.push_back(of.region(shard).name);
        }
    }
    return names;
}

}  // namespace

double area_m2(const Rect& area) {
    return static_cast<double>(area.max_x - area.min_x + 1) *
           static_cast<double>(area.max_y - area.min_y + 1) / 1e6;
}

Comparison compare(const shards::Layout& before, const shards::Layout& after_anew,
                   std::span<const engine::Position> positions) {
    const shards::Layout after = after_anew.following(before);
    Comparison comparison;
    comparison.world = before.world();
    comparison.added = names_only_in(after, before);
    comparison.retired = names_only_in(before, after);
    double changed_m2 = 0;
    for (const shards::ShardId from : before.shards()) {
        for (const shards::ShardId to : after.shards()) {
            const Rect shared = common_part(before.region(from).area, after.region(to).area);
            if (from != to && shared.min_x <= shared.max_x && shared.min_y <= shared.max_y) {
                comparison.changes.push_back(
                    {shared, before.region(from).name, after.region(to).name});
                changed_m2 += area_m2(shared);
            }
        }
    }
    comparison.changed_share = changed_m2 / area_m2(before.world());
    comparison.positions_changed = static_cast<std::size_t>(std::ranges::count_if(
        positions, [&](engine::Position at) { return before.owner_of(at) != after.owner_of(at); }));
    return comparison;
}

std::vector<std::size_t> count_in_regions(const shards::Layout& layout,
                                          std::span<const engine::Position> positions) {
    std::vector<std::size_t> by_id(shards::kShardsMax);
    for (const engine::Position& at : positions) {
        ++by_id[to_number(layout.owner_of(at))];
    }
    std::vector<std::size_t> counts;
    for (const shards::ShardId shard : layout.shards()) {
        counts.push_back(by_id[to_number(shard)]);
    }
    return counts;
}

}  // namespace marchland::layout
