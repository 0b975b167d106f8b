#pragma once

#include "engine/geometry.h"
#include "shards/layout/layout.h"
#include "config/config.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace marchland::layout {

/// Ground that another shard owns afterwards.
struct OwnerChange {
    engine::Rect area;
    std::string from;
    std::string to;
};

/// What happens when `after` takes the place of `before` in a running zone of the same world: a
/// shard goes on where its name stays, or where it is given the id of one that goes.
struct Comparison {
    engine::Rect world;
    std::vector<std::string> added;    ///< threads that start
    std::vector<std::string> retired;  ///< threads that end
    std::vector<OwnerChange> changes;  ///< by area of before, then of after; none overlap
    double changed_share = 0;          ///< of the world's area, 0 to 1
    /// Of the positions that were given, how many change owner: fewer are handed over, for who is
    /// within the hysteresis stays.
    std::size_t positions_changed = 0;
};

Comparison compare(const shards::Layout& before, const shards::Layout& after,
                   std::span<const engine::Position> positions);

/// How many of the positions each region holds, in the order of layout.shards().
std::vector<std::size_t> count_in_regions(const shards::Layout& layout,
                                          std::span<const engine::Position> positions);

// What the commands say: a text for people, without its last newline, and a JSON object in one
// line. Lengths in metres, areas in square metres.

std::string check_text(const std::string& file, const shards::Layout& layout);
std::string check_json(const shards::Layout& layout);
std::string errors_json(const config::Diagnostics& errors);

/// `counts`: of each shard's positions; none: nothing is said of them. `ghosts`: of the entities
/// where they are last, in all shards, where how far they look is known.
std::string show_text(const shards::Layout& layout, std::span<const std::size_t> counts,
                      std::optional<std::size_t> ghosts);
std::string show_json(const shards::Layout& layout, std::span<const std::size_t> counts,
                      std::optional<std::size_t> ghosts);

/// `entities`: how many positions were compared, where there were any to compare.
std::string diff_text(const Comparison& comparison, std::optional<std::size_t> entities);
std::string diff_json(const Comparison& comparison, std::optional<std::size_t> entities);

/// A layout as a picture: SVG, north (large y) up, each shard in a colour of its own with its name
/// where there is room for it, edges in metres along the world's sides.
///
/// `positions` become dots, at most some thousands of them, evenly chosen. `changes` are hatched.
/// Names from a file are escaped: they may hold anything but control characters.
std::string draw(const shards::Layout& layout, std::span<const engine::Position> positions,
                 const std::vector<OwnerChange>& changes);

}  // namespace marchland::layout
