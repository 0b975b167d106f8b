#pragma once

#include "engine/geometry.h"
#include "shards/layout/layout.h"
#include "config/fields.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace marchland::config {

/// Columns, and rows: of a grid with one row, and with one column.
inline constexpr WholeRange kAlongAnAxis{1, static_cast<std::int64_t>(shards::kShardsMax)};

/// Any distance along an axis that the engine can hold.
inline constexpr WholeRange kAnywhereMm{kMillimetresMin, kMillimetresMax};

struct GridShape {
    std::uint32_t columns = 1;
    std::uint32_t rows = 1;
};

/// One [[shard]] as it stands in a file.
struct ShardEntry {
    std::string name;
    engine::Rect edges;  ///< see to_inclusive
    Place name_place;
    Place edges_place;
};

/// A layout as it stands in a file: whether it is one depends on the world that it is to tile.
struct LayoutDraft {
    GridShape grid;
    std::vector<ShardEntry> shards;  ///< where there are any, the grid is not used
};

/// { min_x = -100, min_y = -100, max_x = 100, max_y = 100 }, as edges (see to_inclusive).
Fields<engine::Rect> rect_fields();

/// Refuses a rectangle without an inside.
void check_rect(const engine::Rect& edges, const std::string& key, Place place, Reading& reading);

Fields<GridShape> grid_fields();
Fields<ShardEntry> entry_fields();

/// Reads the array of tables [[shard]]: every entry, up to the limit.
void read_shard_entries(const Node& node, const std::string& key, std::vector<ShardEntry>& entries,
                        Reading& reading);

/// Reads a layout file, which holds either [grid] or [[shard]].
void read_layout(const Node& document, LayoutDraft& draft, Reading& reading);

/// The rectangle around all shards, as edges. There must be some.
engine::Rect edges_around(const std::vector<ShardEntry>& shards);

/// The layout that the draft is, in this world; nothing when it is none, which is then refused at
/// the lines that are to blame. `grid_key` is the table that has the columns.
std::optional<shards::Layout> build_layout(const LayoutDraft& draft, const engine::Rect& world,
                                           const std::string& grid_key, Reading& reading);

}  // namespace marchland::config
