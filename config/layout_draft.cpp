#include "config/layout_draft.h"

#include "engine/assert.h"
#include "config/geometry_fields.h"
#include "config/layout_refusal.h"

#include <algorithm>
#include <utility>

namespace marchland::config {

namespace {

constexpr std::size_t kNameBytesMax = 64;

/// Names are shown in logs, metrics and commands.
std::string check_name(const std::string& name) {
    const bool is_visible =
        std::ranges::none_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
    if (name.empty() || name.size() > kNameBytesMax || !is_visible) {
        return "is no name: 1 to " + std::to_string(kNameBytesMax) +
               " bytes, no control characters";
    }
    return "";
}

std::vector<shards::Region> to_regions(const LayoutDraft& draft, const engine::Rect& world) {
    std::vector<shards::Region> regions;
    for (const ShardEntry& entry : draft.shards) {
        regions.push_back({entry.name, to_inclusive(entry.edges, world)});
    }
    return regions;
}

}  // namespace

// Not required: a grid of one row is a grid.
Fields<GridShape> grid_fields() {
    return {whole<GridShape>(
                "columns", [](auto& grid) -> auto& { return grid.columns; }, kAlongAnAxis),
            whole<GridShape>(
                "rows", [](auto& grid) -> auto& { return grid.rows; }, kAlongAnAxis)};
}

Fields<ShardEntry> entry_fields() {
    return {required(text<ShardEntry>(
                "name", [](auto& entry) -> auto& { return entry.name; }, check_name)),
            required(table<ShardEntry>(
                "rect_m", [](auto& entry) -> auto& { return entry.edges; }, rect_fields(),
                check_rect))};
}

void read_shard_entries(const Node& node, const std::string& key, std::vector<ShardEntry>& entries,
                        Reading& reading) {
    const auto* nodes = std::get_if<NodeList>(&node.value);
    if (nodes == nullptr || nodes->empty()) {
        reading.refuse(node.place, key, "must be one or more tables",
                       "write [[shard]], name and rect_m once for each shard");
        return;
    }
    // Reported once, and before the entries are read: those over the limit have no errors of their own.
    if (nodes->size() > shards::kShardsMax) {
        reading.refuse((*nodes)[shards::kShardsMax].place, key,
                       std::to_string(nodes->size()) + " shards, the limit is " +
                           std::to_string(shards::kShardsMax));
        return;
    }
    const Fields<ShardEntry> fields = entry_fields();
    for (const Node& entry_node : *nodes) {
        ShardEntry entry;
        read_table(entry_node, key, fields, entry, reading);
        // The newest place of each key is this entry's own: both are required.
        entry.name_place = reading.place_of(dotted(key, "name")).value_or(entry_node.place);
        entry.edges_place = reading.place_of(dotted(key, "rect_m")).value_or(entry_node.place);
        entries.push_back(std::move(entry));
    }
}

void read_layout(const Node& document, LayoutDraft& draft, Reading& reading) {
    const Fields<LayoutDraft> fields = {
        table<LayoutDraft>(
            "grid", [](auto& d) -> auto& { return d.grid; }, grid_fields()),
        {"shard",
         [](const Node& node, const std::string& key, LayoutDraft& d, Reading& r) {
             read_shard_entries(node, key, d.shards, r);
         },
         nullptr}};
    read_table(document, "", fields, draft, reading);
    // A file in which only unknown keys stand has been refused for those.
    const auto grid = reading.place_of("grid");
    const auto shard = reading.place_of("shard");
    if (grid && shard) {
        reading.refuse(std::max(*grid, *shard), "", "[grid] and [[shard]] exclude each other",
                       "keep the one that says how the world is divided");
    } else if (!grid && !shard && reading.refused_count() == 0) {
        reading.refuse({}, "", "holds no layout", "write [grid] or [[shard]]; see docs/layouts.md");
    }
}

engine::Rect edges_around(const std::vector<ShardEntry>& shards) {
    MARCHLAND_ASSERT(!shards.empty());
    engine::Rect around = shards.front().edges;
    for (const ShardEntry& shard : shards) {
        around = {
            std::min(around.min_x, shard.edges.min_x), std::min(around.min_y, shard.edges.min_y),
            std::max(around.max_x, shard.edges.max_x), std::max(around.max_y, shard.edges.max_y)};
    }
    return around;
}

std::optional<shards::Layout> build_layout(const LayoutDraft& draft, const engine::Rect& world,
                                           const std::string& grid_key, Reading& reading) {
    auto result = draft.shards.empty()
                      ? shards::Layout::grid(world, draft.grid.columns, draft.grid.rows)
                      : shards::Layout::from_regions(world, to_regions(draft, world));
    if (auto* layout = std::get_if<shards::Layout>(&result)) {
        return std::move(*layout);
    }
    for (const auto& error : std::get<std::vector<shards::LayoutError>>(result)) {
        refuse_layout(error, draft, world, grid_key, reading);
    }
    return std::nullopt;
}

}  // namespace marchland::config
