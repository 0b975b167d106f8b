#include "tools/layout/report.h"

#include "config/metres.h"
#include "tools/command_line/json_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace marchland::layout {
namespace {

using tools::json_text;

using engine::Rect;

/// In square metres.
double area_m2(const Rect& area) {
    return static_cast<double>(area.max_x - area.min_x + 1) *
           static_cast<double>(area.max_y - area.min_y + 1) / 1e6;
}

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

std::string json_rect(const Rect& edges) {
    return fmt::format(R"({{"min_x":{},"min_y":{},"max_x":{},"max_y":{}}})",
                       config::metres_text(edges.min_x), config::metres_text(edges.min_y),
                       config::metres_text(edges.max_x), config::metres_text(edges.max_y));
}

std::int64_t shortest_side_mm(const Rect& area) {
    return std::min(area.max_x - area.min_x, area.max_y - area.min_y) + 1;
}

std::int64_t shortest_side_mm(const shards::Layout& layout) {
    std::int64_t shortest = shortest_side_mm(layout.world());
    for (const shards::ShardId shard : layout.shards()) {
        shortest = std::min(shortest, shortest_side_mm(layout.region(shard).area));
    }
    return shortest;
}

/// How much more than an equal share the most crowded shard has: 1 is even.
double imbalance(std::span<const std::size_t> counts) {
    std::size_t sum = 0;
    for (const std::size_t count : counts) {
        sum += count;
    }
    return sum == 0 ? 1
                    : static_cast<double>(*std::ranges::max_element(counts)) *
                          static_cast<double>(counts.size()) / static_cast<double>(sum);
}

}  // namespace

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

std::string check_text(const std::string& file, const shards::Layout& layout) {
    return fmt::format("{}: {} shards tile {}; the shortest side is {} m", file, layout.size(),
                       config::edges_text(config::to_edges(layout.world(), layout.world())),
                       config::metres_text(shortest_side_mm(layout)));
}

std::string check_json(const shards::Layout& layout) {
    return fmt::format(R"({{"valid":true,"shards":{},"world_m":{},"shortest_side_m":{}}})",
                       layout.size(), json_rect(config::to_edges(layout.world(), layout.world())),
                       config::metres_text(shortest_side_mm(layout)));
}

std::string errors_json(const config::Diagnostics& errors) {
    return fmt::format(
        R"({{"valid":false,"errors":[{}]}})",
        tools::json_list(errors, [](const config::Diagnostic& error) {
            return fmt::format(
                R"({{"file":{},"line":{},"column":{},"key":{},"reason":{},"hint":{}}})",
                json_text(error.file), error.line, error.column, json_text(error.key),
                json_text(error.reason), json_text(error.hint));
        }));
}

std::string show_text(const shards::Layout& layout, std::span<const std::size_t> counts,
                      std::optional<std::size_t> ghosts) {
    std::string text = fmt::format("{:<20} {:<40} {:>14}{}\n", "shard", "edges, metres", "area, m2",
                                   counts.empty() ? "" : "     positions");
    for (std::size_t i = 0; i < layout.size(); ++i) {
        const auto& [name, area] = layout.region(layout.shards()[i]);
        text +=
            fmt::format("{:<20} {:<40} {:>14.0f}", name,
                        config::edges_text(config::to_edges(area, layout.world())), area_m2(area));
        text += counts.empty() ? "\n" : fmt::format("{:>14}\n", counts[i]);
    }
    text += fmt::format("{} shards", layout.size());
    if (!counts.empty()) {
        text +=
            fmt::format("; the most crowded has {:.2f} times an equal share", imbalance(counts));
    }
    if (ghosts) {
        text += fmt::format("; {} ghosts, each about as much work as an entity", *ghosts);
    }
    return text;
}

std::string show_json(const shards::Layout& layout, std::span<const std::size_t> counts,
                      std::optional<std::size_t> ghosts) {
    std::vector<std::string> objects;
    for (std::size_t i = 0; i < layout.size(); ++i) {
        const auto& [name, area] = layout.region(layout.shards()[i]);
        objects.push_back(
            fmt::format(R"({{"name":{},"rect_m":{}{}}})", json_text(name),
                        json_rect(config::to_edges(area, layout.world())),
                        counts.empty() ? "" : fmt::format(",\"positions\":{}", counts[i])));
    }
    return fmt::format(
        R"({{"shards":[{}]{}{}}})", fmt::join(objects, ","),
        counts.empty() ? "" : fmt::format(",\"imbalance\":{:.4f}", imbalance(counts)),
        ghosts ? fmt::format(",\"ghosts\":{}", *ghosts) : "");
}

std::string diff_text(const Comparison& comparison, std::optional<std::size_t> entities) {
    std::string text;
    for (const std::string& name : comparison.added) {
        text += fmt::format("starts   {}\n", name);
    }
    for (const std::string& name : comparison.retired) {
        text += fmt::format("ends     {}\n", name);
    }
    for (const OwnerChange& change : comparison.changes) {
        text += fmt::format("changes  {} -> {}: {:.0f} m2\n", change.from, change.to,
                            area_m2(change.area));
    }
    text += fmt::format("{:.2f} % of the world changes owner", comparison.changed_share * 100);
    if (entities) {
        text +=
            fmt::format("; {} of {} entities are there", comparison.positions_changed, *entities);
    }
    return text;
}

std::string diff_json(const Comparison& comparison, std::optional<std::size_t> entities) {
    const std::string changes = tools::json_list(comparison.changes, [&](const OwnerChange& it) {
        return fmt::format(R"({{"from":{},"to":{},"rect_m":{},"area_m2":{:.3f}}})",
                           json_text(it.from), json_text(it.to),
                           json_rect(config::to_edges(it.area, comparison.world)),
                           area_m2(it.area));
    });
    return fmt::format(R"({{"starts":[{}],"ends":[{}],"changes":[{}],"changed_share":{:.4f}{}}})",
                       tools::json_list(comparison.added, json_text),
                       tools::json_list(comparison.retired, json_text), changes,
                       comparison.changed_share,
                       entities ? fmt::format(R"(,"entities":{},"entities_changed":{})", *entities,
                                              comparison.positions_changed)
                                : "");
}

}  // namespace marchland::layout
