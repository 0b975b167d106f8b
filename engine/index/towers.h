#pragma once

#include "engine/ids.h"
#include "engine/index/grid.h"
#include "engine/index/grid_cells.h"
#include "engine/index/index.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace marchland::engine {

constexpr bool is_in_block(const CellRange& block, std::uint32_t column, std::uint32_t row) {
    return column >= block.first_column && column <= block.last_column && row >= block.first_row &&
           row <= block.last_row;
}

/// Whom a change may concern, by towers alone: the caller asks for the exact distance of each and
/// drops the one that changed itself. Calls append; the order is none.
struct TowerCandidates {
    std::vector<Slot> entered;  ///< not reached by any tower in common before
    std::vector<Slot> left;     ///< no longer reached
    std::vector<Slot> stayed;   ///< reached before and after: moved, or a matter of distance
};

/// Which entities are in this part of the map, and who has to be notified? Lighthouses on a grid: a
/// marker is registered in exactly one tower, the one whose cell it stands in; a watcher listens
/// at every tower that the square of its range touches.
///
///        +---+---+---+---+
///        |   | T | T | T |      w's range (the square) touches six towers: it listens there.
///        +---+-[-+---+-]-+      m is registered in one of them, so whoever asks that tower
///        |   | T | w |mT |      finds w. A step of m inside its cell concerns its tower alone.
///        +---+-[-+---+-]-+
///
/// So the question is turned round: not "whom does this watcher see" by a search in every tick, but
/// "who listens where this marker goes" in the moment it goes there.
///
/// Shapes   T = columns * rows towers, row-major, row 0 at min_y; a cell is one tower's. Markers
///          are the slots of Index; watchers are slots too, in a register of their own: the same
///          slot may be either, or both. 0 is a slot like any other.
/// Cost     insert, erase, move O(1); query O(towers touched + markers in them); load O(N); watch
///          O(towers of the range + markers in them); change_range and unwatch the same, and a walk
///          over the watchers of each tower that is left; watchers_near and watchers_of_step
///          O(watchers that listen there). 4 bytes for each pair of watcher and tower, and 24 a tower.
/// Bounds   Pairs of watcher and tower are at most subscriptions_max.
/// Errors   Watching twice, or naming one that does not watch, asserts.
/// Choose   for many markers and few watchers, or ranges of few sizes, where events matter and not
///          sets. Not for ranges of many towers each, nor for watchers in a crowd: each pair costs
///          memory and time with every step over a tower's edge.
/// Source   The "lighthouse" or "tower" AOI of MMO servers, as in NetEase's pomelo-aoi.
class Towers final : public Grid {
public:
    /// 4 bytes each, up to 8 while lists grow: 32 MiB at most.
    static constexpr std::size_t kSubscriptionsMax = std::size_t{1} << 22U;

    explicit Towers(const IndexOptions& options, std::size_t subscriptions_max = kSubscriptionsMax);

    /// `watcher` begins to listen around `at`, which is on the map: all markers in its towers have
    /// `entered`. False, and nothing happened, when subscriptions_max does not allow it.
    [[nodiscard]] bool watch(Slot watcher, Position at, std::int32_t range_mm,
                             TowerCandidates& markers);
    /// It goes elsewhere, or its range changes, or both. False: it listens where it did.
    [[nodiscard]] bool change_range(Slot watcher, Position at, std::int32_t range_mm,
                                    TowerCandidates& markers);
    /// It stops listening: all markers in its towers have `left`.
    void unwatch(Slot watcher, TowerCandidates& markers);
    [[nodiscard]] bool is_watching(Slot watcher) const {
        return to_number(watcher) < towers_of_.size() && towers_of_[to_number(watcher)];
    }

    /// Appends who listens at the tower of `at`: all whose range holds that place, and others.
    void watchers_near(Position at, std::vector<Slot>& out) const;
    /// Whom a marker's step concerns. Asks only; the step itself is a move.
    void watchers_of_step(Position from, Position to, TowerCandidates& watchers) const;

    [[nodiscard]] std::size_t subscription_count() const { return subscription_count_; }

private:
    [[nodiscard]] CellRange towers_around(Position at, std::int32_t range_mm) const;
    [[nodiscard]] const CellRange& towers_of(Slot watcher) const;
    /// Who listens at the one tower of this block.
    [[nodiscard]] const std::vector<Slot>& listeners_at(const CellRange& tower) const;
    void subscribe(Slot watcher, std::uint32_t tower);
    void unsubscribe(Slot watcher, std::uint32_t tower);

    const std::size_t subscriptions_max_;
    std::size_t subscription_count_ = 0;
    std::vector<std::vector<Slot>> listeners_;         ///< by tower
    std::vector<std::optional<CellRange>> towers_of_;  ///< by slot of a watcher
};

}  // namespace marchland::engine
