#pragma once

#include "engine/ids.h"
#include "engine/index/grid.h"

#include <cstddef>
#include <cstdint>
#include <limits>
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
/// Cost     insert, erase, move O(1); query O(towers touched + markers in them); watch,
///          change_range, unwatch O(towers of the range + markers in them); watchers_near and
///          watchers_of_step O(watchers that listen there).
/// Bounds   Pairs of watcher and tower are at most subscriptions_max. 20 bytes each, from one pool,
///          and 8 a tower.
/// Choose   for many markers and few watchers, or ranges of few sizes, where events matter and not
///          sets. Not for ranges of many towers each, nor for watchers in a crowd: each pair costs
///          memory and time with every step over a tower's edge.
/// Source   The "lighthouse" or "tower" AOI of MMO servers, as in NetEase's pomelo-aoi.
class Towers final : public Grid {
public:
    /// 20 bytes each, and 4 when it is freed: 96 MiB at most.
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
        return to_number(watcher) < watchers_.size() && watchers_[to_number(watcher)].is_here;
    }

    /// Appends who listens at the tower of `at`: all whose range holds that place, and others.
    void watchers_near(Position at, std::vector<Slot>& out) const;
    /// Whom a marker's step concerns. Asks only; the step itself is a move.
    void watchers_of_step(Position from, Position to, TowerCandidates& watchers) const;

    [[nodiscard]] std::size_t subscription_count() const { return pairs_.size() - free_.size(); }

private:
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    /// That a watcher listens at a tower:
    ///
    ///    of a tower     [w3] <-> [w7] <-> [w1]       listeners_, where pairs are the slots
    ///    of a watcher   [t4]  -> [t5]  -> [t9]       next_of_watcher
    struct Pair {
        Slot watcher{};
        std::uint32_t next_of_watcher = kNone;
    };
    /// Its towers are always a block, so whether it listens at a given one is a comparison.
    struct Watcher {
        CellRange towers;
        std::uint32_t first = kNone;  ///< pair
        bool is_here = false;
    };

    [[nodiscard]] CellRange towers_around(Position at, std::int32_t range_mm) const;
    [[nodiscard]] const CellRange& towers_of(Slot watcher) const;
    void subscribe(Slot watcher, std::uint32_t tower);
    template <typename IsKept>
    void drop_all_but(Watcher& watcher, IsKept&& is_kept);
    /// Calls `visit(Slot)` for each watcher that listens there.
    template <typename Visit>
    void for_each_at(std::uint32_t tower, Visit&& visit) const {
        listeners_.for_each(tower, [&](Slot pair) { visit(pairs_[to_number(pair)].watcher); });
    }

    const std::size_t subscriptions_max_;
    std::vector<Watcher> watchers_;  ///< by slot
    std::vector<Pair> pairs_;
    std::vector<std::uint32_t> free_;  ///< pairs
    SlotLists listeners_;              ///< one a tower
};

}  // namespace marchland::engine
