#include "config/layout_draft.h"

#include "engine/assert.h"
#include "config/metres.h"

#include <algorithm>
#include <utility>

namespace marchland::config {

namespace {

using shards::LayoutError;

constexpr std::size_t kNameBytesMax = 64;
const std::string kKey = "shard";
const std::string kNameKey = "shard.name";
const std::string kEdgesKey = "shard.rect_m";

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

std::string in_metres(const engine::Rect& inclusive, const engine::Rect& world) {
    return edges_text(to_edges(inclusive, world)) + " (metres)";
}

std::string named(const ShardEntry& entry) {
    return '\'' + entry.name + "' (line " + std::to_string(entry.edges_place.line) + ')';
}

/// A grid has no rectangles to blame: its error is reported at the number that is written, columns
/// first.
void refuse_grid(const LayoutError& error, const std::string& grid_key, Reading& reading) {
    const std::string columns_key = dotted(grid_key, "columns");
    const std::string rows_key = dotted(grid_key, "rows");
    const std::string& key = reading.place_of(columns_key) ? columns_key : rows_key;
    reading.refuse(reading.place_of(key).value_or(Place{}), key, error.message);
}

/// A gap belongs to no shard: it is reported at the first one that touches it, which is the one to
/// grow or the one beside which another is missing.
void refuse_gap(const LayoutError& error, const LayoutDraft& draft, const engine::Rect& world,
                Reading& reading) {
    const auto beside = std::ranges::find_if(draft.shards, [&](const ShardEntry& entry) {
        return to_inclusive(entry.edges, world).touches(error.where.grown_by(1));
    });
    const bool is_beside = beside != draft.shards.end();
    reading.refuse(is_beside ? beside->edges_place : Place{}, kKey,
                   "no shard owns " + in_metres(error.where, world) +
                       (is_beside ? ", beside '" + beside->name + '\'' : ""),
                   "neighbours share an edge: max of one is min of the next");
}

/// Says what `error` means in the file that the draft came from: at the line that is to blame, with
/// rectangles as the file writes them.
void refuse_layout(const LayoutError& error, const LayoutDraft& draft, const engine::Rect& world,
                   const std::string& grid_key, Reading& reading) {
    if (draft.shards.empty()) {
        refuse_grid(error, grid_key, reading);
        return;
    }
    if (error.kind == LayoutError::Kind::gap) {
        refuse_gap(error, draft, world, reading);
        return;
    }
    const ShardEntry& entry = draft.shards.at(error.region);
    const ShardEntry& other = draft.shards.at(error.other);
    // Of two shards that disagree `region` is the later one in the file, `other` the earlier.
    switch (error.kind) {
        case LayoutError::Kind::duplicate_name:
            reading.refuse(entry.name_place, kNameKey, "is also the name of " + named(other));
            return;
        case LayoutError::Kind::outside:
            reading.refuse(entry.edges_place, kEdgesKey,
                           edges_text(entry.edges) + " reaches outside the world, " +
                               edges_text(world) + " (metres)");
            return;
        case LayoutError::Kind::overlap:
            reading.refuse(entry.edges_place, kEdgesKey,
                           "overlaps " + named(other) + " in " + in_metres(error.where, world));
            return;
        default:
            reading.refuse(entry.edges_place, kEdgesKey, error.message);
    }
}

}  // namespace

Fields<engine::Rect> rect_fields() {
    using engine::Rect;
    return {required(metres<Rect>("min_x", &Rect::min_x, kAnywhereMm)),
            required(metres<Rect>("min_y", &Rect::min_y, kAnywhereMm)),
            required(metres<Rect>("max_x", &Rect::max_x, kAnywhereMm)),
            required(metres<Rect>("max_y", &Rect::max_y, kAnywhereMm))};
}

void check_rect(const engine::Rect& edges, const std::string& key, Place place, Reading& reading) {
    // Edges that coincide have nothing between them.
    const auto check_axis = [&](const std::string& axis, std::int64_t min, std::int64_t max) {
        if (max <= min) {
            reading.refuse(place, key,
                           "max_" + axis + " (" + metres_text(max) + ") must be greater than min_" +
                               axis + " (" + metres_text(min) + ")");
        }
    };
    check_axis("x", edges.min_x, edges.max_x);
    check_axis("y", edges.min_y, edges.max_y);
}

// Not required: a grid of one row is a grid.
Fields<GridShape> grid_fields() {
    return {whole<GridShape>("columns", &GridShape::columns, kAlongAnAxis),
            whole<GridShape>("rows", &GridShape::rows, kAlongAnAxis)};
}

Fields<ShardEntry> entry_fields() {
    return {required(text<ShardEntry>("name", &ShardEntry::name, check_name)),
            required(table<ShardEntry>("rect_m", &ShardEntry::edges, rect_fields(), check_rect))};
}

void read_shard_entries(const Node& node, const std::string& key, std::vector<ShardEntry>& entries,
                        Reading& reading) {
    const auto* nodes = std::get_if<NodeList>(&node.value);
    if (nodes == nullptr || nodes->empty()) {
        reading.refuse(node.place, key, "must be one or more tables",
                       "write [[shard]], name and rect_m once for each shard");
        return;
    }
    // Reported once, and before the entries are read: those over the limit have no errors of their
    // own.
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
        table<LayoutDraft>("grid", &LayoutDraft::grid, grid_fields()),
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
    for (const auto& error : std::get<std::vector<LayoutError>>(result)) {
        refuse_layout(error, draft, world, grid_key, reading);
    }
    return std::nullopt;
}

}  // namespace marchland::config
