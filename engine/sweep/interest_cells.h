#pragma once

#include "engine/entity_store.h"
#include "engine/geometry.h"
#include "engine/sweep/candidates.h"
#include "engine/sweep/watcher.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

namespace marchland::engine {

/// A square of an endless grid over the plane: whoever uses it holds the length of its edge.
struct Cell {
    std::int32_t column = 0;
    std::int32_t row = 0;

    friend bool operator==(const Cell&, const Cell&) = default;
};

/// The cells of a grid whose edge is edge_mm, 1 or more. Cell (0, 0) has its lower left corner at
/// the origin, so that every shard cuts the plane alike.
constexpr Cell cell_of(std::int32_t x, std::int32_t y, std::int32_t edge_mm) {
    const auto cut = [edge_mm](std::int32_t at) {
        return at / edge_mm - (at % edge_mm < 0 ? 1 : 0);
    };
    return {cut(x), cut(y)};
}

/// How many columns or rows, whichever are more.
constexpr std::uint64_t cells_apart(Cell a, Cell b) {
    const auto apart = [](std::int64_t one, std::int64_t other) {
        return static_cast<std::uint64_t>(one > other ? one - other : other - one);
    };
    return std::max(apart(a.column, b.column), apart(a.row, b.row));
}

/// Calls `visit` for the cells at most so many columns and rows away, those beyond the last int32
/// left out.
template <typename Visit>
void for_each_near(Cell center, std::uint32_t reach_cells, Visit&& visit) {
    const std::int64_t reach = reach_cells;
    for (std::int64_t row = center.row - reach; row <= center.row + reach; ++row) {
        for (std::int64_t column = center.column - reach; column <= center.column + reach;
             ++column) {
            const Cell near{static_cast<std::int32_t>(column), static_cast<std::int32_t>(row)};
            if (near.column == column && near.row == row) {
                visit(near);
            }
        }
    }
}

/// A square of the grid. Whom the watchers in it may see is the same list for all of them.
///
///        +---+---+---+      residents  who stands in o
///        |   |   |   |      members    who stands in the nine cells, and who is seen from as far
///        +---+---+---+                 as here
///        |   | o |   |      known      a row of bits for each watcher in o: bit i is set when its
///        +---+---+---+                 client knows members[i]
///
/// Members are kept only where watchers stand.
struct InterestCell {
    explicit InterestCell(std::pmr::memory_resource& blocks)
        : residents(&blocks), ids(&blocks), slots(&blocks), watchers(&blocks), known(&blocks) {}

    Cell at;
    std::pmr::vector<Slot> residents;  ///< in no order

    bool has_members = false;
    bool is_wanted = false;          ///< some watcher in it is to get a frame
    bool has_orphans = false;        ///< a watcher here got one since this was reset
    std::pmr::vector<EntityId> ids;  ///< of the members, ascending
    std::pmr::vector<Slot> slots;    ///< beside ids
    std::pmr::vector<Watcher> watchers;
    std::pmr::vector<std::uint64_t> known;  ///< `stride` words for each watcher
    std::size_t stride = 1;

    std::uint32_t first_edit = 0;  ///< of this tick's, as a place in a list; 0: none
    Tick changed_tick = kNever;    ///< in which members came or went last

    [[nodiscard]] std::uint64_t* known_of(std::size_t row) { return known.data() + row * stride; }
};

/// Who stands where, and who may see whom: the grid over which frames are built.
///
///   insert, erase, move, watch ...   note what changes
///   settle()                         members, known sets and watchers follow, cell by cell
///
/// A watcher whose view reaches further than a cell is wide (few do, see choose_edge) stands in no
/// cell: it is in loose(), and its candidates come from a query for it alone.
///
/// Invariants, after settle()
///  1. members of a cell with watchers = residents of the nine cells around it and every entity
///     whose notification range reaches into it; ids strictly ascending.
///  2. For each watcher: known bits of its row, and its orphans, are what its client knows.
///  3. waiting_ is empty; slots of erased entities are free again.
///
/// Threads  One at a time; between two changes cells may be worked on side by side, each by one.
/// Cost     insert, move O(1); erase O(cells that it is a member of); watch, unwatch O(known);
///          settle O(cells touched by what crossed, with all their members and known bits). Where
///          more than a quarter of all crossed, everything is built anew.
class InterestCells {
public:
    /// `are_in_cells` false: all watchers are loose.
    InterestCells(EntityStore& entities, bool are_in_cells);

    // Entities. The record in EntityStore has each change already.
    void insert(Slot slot);
    /// Before its record is erased. It does not watch. False: nobody names its slot, it had not
    /// been settled.
    bool erase(Slot slot);
    /// `at`: as its record has it, which need not be read for that.
    void move(Slot slot, Position at) {
        Target& target = targets_[to_number(slot)];
        target.x = at.x;
        target.y = at.y;
        target.z = at.z;
        if (!is_at_home(slot)) {
            touch(slot);
        }
    }
    void set_moved_tick(Slot slot, Tick tick) {
        targets_[to_number(slot)].moved_tick = static_cast<std::uint32_t>(tick);
    }
    /// Before each tick in whose number bit 31 changes: the low half of a tick is enough for so
    /// long.
    void forget_old_moves(Tick now);
    void set_layers(Slot slot, LayerMask layers) { targets_[to_number(slot)].layers = layers; }
    void set_notify(Slot slot, NotifyRange notify);

    // Watchers.
    /// `known` in ascending id.
    void watch(const Watcher& watcher, std::span<const Known> known);
    [[nodiscard]] bool is_watched(Slot slot) const {
        return to_number(slot) < places_.size() && places_[to_number(slot)].where != kNotWatching;
    }
    [[nodiscard]] Watcher& watcher_of(Slot slot);
    /// Stops watching. What it knew goes to `known`, in ascending id.
    void unwatch(Slot slot, std::vector<Known>& known);
    /// Its view changed.
    void review(Slot slot, std::int32_t reach_mm_before);
    [[nodiscard]] std::size_t watcher_count() const { return watcher_count_; }

    /// Whom the watcher's client knows, as settled, in ascending id.
    void list_known(Slot watcher, std::vector<EntityId>& out) const;
    /// Of those that stand in the grid; and of who may see whom, and knows whom.
    [[nodiscard]] std::size_t entity_bytes() const;
    [[nodiscard]] std::size_t known_bytes() const;

    void settle(Tick now);

    /// Prefetches what the frames of the next three cells read, each in the order in which pointers
    /// lead there: of the first its members' targets, of the second its lists, of the third the
    /// cell itself, which has the lists. Inline, because g++ 12 takes a function that only
    /// prefetches for one without effect, and its calls away.
    [[gnu::always_inline]] void prefetch(const InterestCell& next, const InterestCell& second,
                                         const InterestCell& third) const {
        constexpr std::size_t kMembersMax = 256;
        for (std::size_t i = 0; i < std::min(next.slots.size(), kMembersMax); ++i) {
            __builtin_prefetch(&targets_[to_number(next.slots[i])]);
        }
        prefetch_list(second.slots);
        prefetch_list(second.ids);
        prefetch_list(second.watchers);
        prefetch_list(second.known);
        for (std::size_t at = 0; at < sizeof third; at += 64) {
            __builtin_prefetch(reinterpret_cast<const char*>(&third) + at);
        }
    }

    [[nodiscard]] std::span<InterestCell> cells() { return cells_; }
    [[nodiscard]] std::span<LooseWatcher> loose() { return loose_; }
    /// Of a watcher: its cell, or null for a loose one.
    [[nodiscard]] InterestCell* cell_of_watcher(Slot slot);
    [[nodiscard]] std::span<const Target> targets() const { return targets_; }
    /// The lower left corner, which may be beyond int32: clamped to it.
    [[nodiscard]] Position corner_of(const InterestCell& cell) const;
    /// Calls `visit(InterestCell&)` for all cells with watchers that may see the entity, as
    /// settled.
    template <typename Visit>
    void for_each_around(Slot slot, Visit&& visit) {
        const Home& home = homes_[to_number(slot)];
        if (home.cell != kNone) {
            for_each_with_members(cells_[home.cell].at, home.reach_cells, visit);
        }
    }

private:
    static constexpr std::uint32_t kNone = UINT32_MAX;
    static constexpr std::uint32_t kNotWatching = UINT32_MAX;
    static constexpr std::uint32_t kLoose = UINT32_MAX - 1;
    static constexpr std::uint32_t kWaiting = UINT32_MAX - 2;
    /// Edges stay below this, so that floats hold every member's place.
    static constexpr std::int32_t kEdgeMaxMm = Candidates::kExactMm / 4 - 1;
    /// Until somebody sees something.
    static constexpr std::int32_t kFirstEdgeMm = 50'000;
    /// Room for so many known entities of watchers between two cells is kept in any case.
    static constexpr std::size_t kKeptKnownMax = 65'536;
    /// What is larger than that is given back to the system.
    static constexpr std::size_t kBlockBytesMax = 65'536;
    /// Before cells become narrower again.
    static constexpr Tick kEdgeTicksMin = 64;

    /// Where an entity stands, as settled last.
    struct Home {
        std::uint32_t cell = kNone;
        std::uint32_t place = 0;   ///< among its residents
        std::int64_t left_mm = 0;  ///< the cell's corner
        std::int64_t bottom_mm = 0;
        /// It is a member of the cells up to so many columns and rows away.
        std::uint32_t reach_cells = 1;
        bool is_touched = false;
    };
    /// Where a watcher is: a cell or a list, and the row there.
    struct Place {
        std::uint32_t where = kNotWatching;
        std::uint32_t row = 0;
    };
    /// A watcher between two cells, or that is new. Its known set is a stretch of waiting_known_.
    struct WaitingWatcher {
        Watcher watcher;
        std::size_t first_known = 0;
        std::size_t known_count = 0;
    };
    /// One member more or less.
    struct Edit {
        EntityId id{};
        Slot slot{};
        bool is_add = false;
        std::uint32_t next = 0;
    };
    /// A stretch of members that stay beside each other.
    struct Run {
        std::uint32_t from = 0;
        std::uint32_t to = 0;
        std::uint32_t length = 0;
    };

    /// The first part of it: inline, as prefetch() is.
    template <typename List>
    [[gnu::always_inline]] static void prefetch_list(const List& list) {
        constexpr std::size_t kBytesMax = 1'024;
        const auto* const data = reinterpret_cast<const char*>(list.data());
        const std::size_t bytes = std::min(list.size() * sizeof(list[0]), kBytesMax);
        for (std::size_t at = 0; at < bytes; at += 64) {
            __builtin_prefetch(data + at);
        }
    }
    [[nodiscard]] bool is_at_home(Slot slot) const {
        const Home& home = homes_[to_number(slot)];
        const Target& target = targets_[to_number(slot)];
        const auto in = [this](std::int64_t at, std::int64_t corner) {
            return static_cast<std::uint64_t>(at - corner) < static_cast<std::uint64_t>(edge_mm_);
        };
        return home.cell != kNone && in(target.x, home.left_mm) && in(target.y, home.bottom_mm);
    }
    void touch(Slot slot);
    [[nodiscard]] std::uint32_t reach_cells_of(const NotifyRange& notify) const;
    [[nodiscard]] bool fits_cells(Slot slot) const;
    [[nodiscard]] static std::size_t size_class(std::int32_t reach_mm);
    void count_reach(std::int32_t reach_mm, std::int32_t change);
    [[nodiscard]] bool choose_edge(Tick now);

    [[nodiscard]] static EntityId key_of(Cell at);
    [[nodiscard]] std::uint32_t find(Cell at) const;
    std::uint32_t find_or_add(Cell at);
    void drop_if_empty(std::uint32_t cell);

    /// `visit(cell)` for the cells with members at most so many columns and rows away.
    template <typename Visit>
    void for_each_with_members(Cell center, std::uint32_t reach_cells, Visit&& visit) {
        const std::uint64_t across = 2 * std::uint64_t{reach_cells} + 1;
        if (reach_cells > 1 && across * across > cells_.size()) {
            for (InterestCell& cell : cells_) {
                if (cell.has_members && cells_apart(cell.at, center) <= reach_cells) {
                    visit(cell);
                }
            }
            return;
        }
        for_each_near(center, reach_cells, [&](Cell at) {
            const std::uint32_t cell = find(at);
            if (cell != kNone && cells_[cell].has_members) {
                visit(cells_[cell]);
            }
        });
    }

    void begin_anew();
    void rehome(Slot slot);
    void leave_home(Slot slot);
    void note_edits(Slot slot, std::uint32_t from, std::uint32_t from_reach, std::uint32_t to,
                    std::uint32_t to_reach);
    void note_edit(InterestCell& cell, EntityId id, Slot slot, bool is_add);
    void apply_edits(InterestCell& cell, Tick now);
    void follow_members(InterestCell& cell);
    void build_members(InterestCell& cell, Tick now);
    void lift(Slot slot);
    void copy_known(const InterestCell& cell, std::size_t row, std::vector<KnownEntity>& out) const;
    void wait(Watcher watcher, std::size_t first_known);
    [[nodiscard]] std::span<const KnownEntity> known_of(const WaitingWatcher& waiting) const {
        return std::span(waiting_known_).subspan(waiting.first_known, waiting.known_count);
    }
    void remove_row(InterestCell& cell, std::size_t row);
    void place_watchers(Tick now);
    void put_into_cell(WaitingWatcher& waiting, InterestCell& cell);
    template <typename List>
    void remove_from(List& list, Place place);
    [[nodiscard]] Known known_at(const InterestCell& cell, std::size_t member) const;

    EntityStore& entities_;
    const bool are_in_cells_;
    std::int32_t edge_mm_ = kFirstEdgeMm;
    std::size_t usual_class_ = 0;  ///< for which the edge was chosen; 0: not yet
    Tick chosen_tick_ = kNever;    ///< and when

    std::vector<Target> targets_;  ///< these three by slot
    std::vector<Home> homes_;
    std::vector<Place> places_;

    /// Memory of cells' lists. What a cell gives back is used for the next, so that walkers
    /// allocate nothing; as much stays as there were of lists of each size.
    std::pmr::unsynchronized_pool_resource blocks_{
        {.max_blocks_per_chunk = 0, .largest_required_pool_block = kBlockBytesMax}};
    IdTable cell_at_;  ///< by key_of
    std::vector<InterestCell> cells_;
    std::vector<std::uint32_t> free_cells_;

    std::vector<LooseWatcher> loose_;
    std::vector<WaitingWatcher> waiting_;
    std::vector<KnownEntity> waiting_known_;  ///< each one's in ascending id; empty with waiting_
    Tick placed_tick_ = kNever;               ///< in which there were some last
    std::size_t watcher_count_ = 0;
    std::array<std::uint32_t, 129> of_class_{};  ///< watchers by size_class
    bool have_reaches_changed_ = false;

    std::vector<Slot> touched_;
    std::pmr::unordered_set<Slot> far_seen_{&blocks_};  ///< members of more than nine cells
    std::vector<Edit> edits_{Edit{}};                   ///< from place 1 on
    std::vector<std::uint32_t> dirty_;                  ///< cells with edits
    // Scratch.
    std::vector<Edit> cell_edits_;
    std::vector<std::pair<EntityId, Slot>> built_members_;
    std::vector<Cell> wanted_cells_;
    std::vector<EntityId> merged_ids_;
    std::vector<Slot> merged_slots_;
    std::vector<Run> runs_;
    std::vector<std::uint32_t> removed_;
    std::vector<std::uint64_t> old_known_;
};

}  // namespace marchland::engine
