#include "config/layout_refusal.h"

#include "config/metres.h"

#include <algorithm>

namespace marchland::config {

namespace {

using shards::LayoutError;

const std::string kKey = "shard";
const std::string kNameKey = "shard.name";
const std::string kEdgesKey = "shard.rect_m";

std::string in_metres(const engine::Rect& inclusive, const engine::Rect& world) {
    return edges_text(to_edges(inclusive, world)) + " (metres)";
}

std::string named(const ShardEntry& entry) {
    return '\'' + entry.name + "' (line " + std::to_string(entry.edges_place.line) + ')';
}

/// A grid has no rectangles to blame: its error is reported at the number that is written, columns first.
void refuse_grid(const LayoutError& error, const std::string& grid_key, Reading& reading) {
    const std::string columns_key = dotted(grid_key, "columns");
    const std::string rows_key = dotted(grid_key, "rows");
    const std::string& key = reading.place_of(columns_key) ? columns_key : rows_key;
    reading.refuse(reading.place_of(key).value_or(Place{}), key, error.message);
}

/// A gap belongs to no shard: it is reported at the first one that touches it, which is the one to grow
/// or the one beside which another is missing.
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

}  // namespace

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

}  // namespace marchland::config
