#include "engine/assert.h"
#include "tools/bench/contender.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

namespace marchland::bench {
namespace {

/// The neighbour search that most projects write themselves: a hash table of square cells with the
/// radius as their edge, each an unordered array, and a look at 3 x 3 of them. Flat.
///
/// Tuned as one would in an afternoon: positions and layers stand in the cells, so a look around
/// reads memory in a row; a move inside a cell touches nothing else; leaving one is a swap with its
/// last entry.
///
/// Cost  move O(1), visit_around O(entities in 9 cells).
class HashGrid {
public:
    struct Entry {
        std::int32_t x = 0;
        std::int32_t y = 0;
        std::uint32_t entity = 0;
        std::uint32_t layers = 0;

        [[nodiscard]] std::int64_t squared_distance_to(engine::Position at) const {
            const std::int64_t dx = std::int64_t{x} - at.x;
            const std::int64_t dy = std::int64_t{y} - at.y;
            return dx * dx + dy * dy;
        }
    };

    /// `edge_mm` is the largest radius that anybody asks for.
    HashGrid(std::int32_t edge_mm, Positions at, std::span<const Senses> senses)
        : edge_mm_(edge_mm), places_(at.size()) {
        for (std::uint32_t entity = 0; entity < at.size(); ++entity) {
            add({at[entity].x, at[entity].y, entity, senses[entity].layers});
        }
    }

    void move(std::uint32_t entity, engine::Position to) {
        const Place place = places_[entity];
        Entry& entry = (*place.cell)[place.index];
        if (key_at(to.x, to.y) == place.key) {
            entry.x = to.x;
            entry.y = to.y;
            return;
        }
        const Entry moved{to.x, to.y, entity, entry.layers};
        remove(place);
        add(moved);
    }

    /// Calls `visit(Entry)` for all in the cell of `at` and the eight around it.
    template <typename Visit>
    void visit_around(engine::Position at, Visit&& visit) const {
        const std::int32_t column = cell_along(at.x);
        const std::int32_t row = cell_along(at.y);
        for (std::int32_t r = row - 1; r <= row + 1; ++r) {
            for (std::int32_t c = column - 1; c <= column + 1; ++c) {
                const auto cell = cells_.find(key_of(c, r));
                if (cell == cells_.end()) continue;
                for (const Entry& entry : cell->second) {
                    visit(entry);
                }
            }
        }
    }

    /// Is `other` within what visit_around(at) visits?
    [[nodiscard]] bool is_around(engine::Position at, engine::Position other) const {
        return std::abs(cell_along(at.x) - cell_along(other.x)) <= 1 &&
               std::abs(cell_along(at.y) - cell_along(other.y)) <= 1;
    }

    [[nodiscard]] engine::Position position_of(std::uint32_t entity) const {
        const Place& place = places_[entity];
        const Entry& entry = (*place.cell)[place.index];
        return {entry.x, entry.y, 0};
    }

private:
    using Cell = std::vector<Entry>;

    /// Cell coordinates, mixed: std::hash of a number is that number, and neighbours would collide.
    struct Hash {
        std::size_t operator()(std::uint64_t key) const {
            key *= 0x9e3779b97f4a7c15U;
            return static_cast<std::size_t>(key ^ (key >> 32U));
        }
    };
    struct Place {
        Cell* cell = nullptr;  ///< stays valid: a map of nodes never moves them
        std::uint64_t key = 0;
        std::size_t index = 0;
    };

    /// Rounds down, so that the cell at 0 is no wider than the others.
    [[nodiscard]] std::int32_t cell_along(std::int32_t at_mm) const {
        const std::int32_t cell = at_mm / edge_mm_;
        return at_mm % edge_mm_ < 0 ? cell - 1 : cell;
    }
    static std::uint64_t key_of(std::int32_t column, std::int32_t row) {
        return (std::uint64_t{static_cast<std::uint32_t>(column)} << 32U) |
               static_cast<std::uint32_t>(row);
    }
    [[nodiscard]] std::uint64_t key_at(std::int32_t x, std::int32_t y) const {
        return key_of(cell_along(x), cell_along(y));
    }
    void add(const Entry& entry) {
        const std::uint64_t key = key_at(entry.x, entry.y);
        Cell& cell = cells_[key];
        places_[entry.entity] = {&cell, key, cell.size()};
        cell.push_back(entry);
    }
    void remove(const Place& place) {
        Cell& cell = *place.cell;
        places_[cell.back().entity].index = place.index;
        cell[place.index] = cell.back();
        cell.pop_back();
    }

    const std::int32_t edge_mm_;
    std::unordered_map<std::uint64_t, Cell, Hash> cells_;
    std::vector<Place> places_;  ///< by entity
};

using Set = std::vector<std::uint32_t>;  ///< entities, ascending

void add(EventTotals& totals, std::uint32_t watcher, EventKind kind, const Set& targets) {
    totals.add(watcher, kind, targets.size(),
               std::accumulate(targets.begin(), targets.end(), std::uint64_t{0}));
}

/// Between the enter and the leave radius the old set decides, which costs a bit in the sorted
/// numbers and no look-up.
class HashGridContender final : public Contender {
public:
    HashGridContender(const Workload& workload, Positions at)
        : is_mutual_(is_mutual(workload)),
          senses_(senses_of(workload)),
          grid_(reach_mm(workload), at, senses_),
          visible_(at.size()),
          has_moved_(at.size()) {
        MARCHLAND_ASSERT(is_usual(workload));
        for (const Senses& senses : senses_) {
            const std::int64_t radius_mm = senses.radius_mm;
            const std::int64_t leave_radius_mm = senses.leave_radius_mm;
            ranges_.push_back({radius_mm * radius_mm, leave_radius_mm * leave_radius_mm});
        }
        for (std::uint32_t watcher = 0; watcher < at.size(); ++watcher) {
            compare(watcher);
        }
    }

    [[nodiscard]] std::string_view name() const override { return "hash_grid"; }

    EventTotals run_tick(Positions to) override {
        for (std::uint32_t entity = 0; entity < to.size(); ++entity) {
            has_moved_[entity] = grid_.position_of(entity) != to[entity] ? 1 : 0;
            grid_.move(entity, to[entity]);
        }
        EventTotals totals;
        for (std::uint32_t watcher = 0; watcher < to.size(); ++watcher) {
            compare(watcher);
            moves_.clear();
            for (const std::uint32_t target : stays_) {
                if (has_moved_[target] != 0) moves_.push_back(target);
            }
            add(totals, watcher, EventKind::enter, enters_);
            add(totals, watcher, EventKind::leave, leaves_);
            add(totals, watcher, EventKind::move, moves_);
        }
        return totals;
    }

    EventTotals run_moves(std::span<const Move> moves) override {
        EventTotals totals;
        for (const Move& move : moves) {
            const engine::Position from = grid_.position_of(move.entity);
            if (from == move.to) continue;
            grid_.move(move.entity, move.to);
            compare(move.entity);
            add(totals, move.entity, EventKind::enter, enters_);
            add(totals, move.entity, EventKind::leave, leaves_);
            if (is_mutual_) {
                update_mutual_watchers(move.entity, totals);
            } else {
                update_watchers_around(move.entity, from, totals);
            }
        }
        return totals;
    }

private:
    /// Squared distances, ready to be compared.
    struct Range {
        std::int64_t enter = 0;
        std::int64_t leave = 0;
    };

    static void insert(Set& set, std::uint32_t entity) {
        set.insert(std::lower_bound(set.begin(), set.end(), entity), entity);
    }
    static void erase(Set& set, std::uint32_t entity) {
        set.erase(std::lower_bound(set.begin(), set.end(), entity));
    }

    /// Sets the lists for this watcher, and its visible set to what it sees now.
    void compare(std::uint32_t watcher) {
        query(watcher);
        now_visible_.clear();
        enters_.clear();
        leaves_.clear();
        stays_.clear();
        Set& before = visible_[watcher];
        auto old_one = before.begin();
        for (const std::uint32_t candidate : in_range_) {
            const std::uint32_t entity = candidate / 2;
            while (old_one != before.end() && *old_one < entity) {
                leaves_.push_back(*old_one++);
            }
            if (old_one != before.end() && *old_one == entity) {
                ++old_one;
                stays_.push_back(entity);
            } else if (candidate % 2 == 0) {
                enters_.push_back(entity);
            } else {
                continue;
            }
            now_visible_.push_back(entity);
        }
        leaves_.insert(leaves_.end(), old_one, before.end());
        std::swap(before, now_visible_);
    }

    /// Sets in_range_.
    void query(std::uint32_t watcher) {
        const engine::Position at = grid_.position_of(watcher);
        const Range range = ranges_[watcher];
        const std::uint32_t layers_seen = senses_[watcher].layers_seen;
        in_range_.clear();
        grid_.visit_around(at, [&](const HashGrid::Entry& entry) {
            const std::int64_t distance = entry.squared_distance_to(at);
            if (distance > range.leave || entry.entity == watcher) return;
            if ((entry.layers & layers_seen) == 0) return;
            in_range_.push_back(entry.entity * 2 + (distance > range.enter ? 1 : 0));
        });
        std::sort(in_range_.begin(), in_range_.end());
    }

    /// Where whoever the mover sees sees the mover, its own events are the others', turned round.
    void update_mutual_watchers(std::uint32_t mover, EventTotals& totals) {
        for (const std::uint32_t watcher : enters_) {
            insert(visible_[watcher], mover);
            totals.add(watcher, EventKind::enter, 1, mover);
        }
        for (const std::uint32_t watcher : leaves_) {
            erase(visible_[watcher], mover);
            totals.add(watcher, EventKind::leave, 1, mover);
        }
        for (const std::uint32_t watcher : stays_) {
            totals.add(watcher, EventKind::move, 1, mover);
        }
    }

    /// The others may see it who are around where it was or around where it is.
    void update_watchers_around(std::uint32_t mover, engine::Position from, EventTotals& totals) {
        const engine::Position to = grid_.position_of(mover);
        grid_.visit_around(from, [&](const HashGrid::Entry& watcher) {
            update_watcher(watcher, mover, from, to, totals);
        });
        grid_.visit_around(to, [&](const HashGrid::Entry& watcher) {
            if (grid_.is_around(from, {watcher.x, watcher.y, 0})) return;
            update_watcher(watcher, mover, from, to, totals);
        });
    }

    void update_watcher(const HashGrid::Entry& watcher, std::uint32_t mover, engine::Position from,
                        engine::Position to, EventTotals& totals) {
        const Range range = ranges_[watcher.entity];
        const std::int64_t before = watcher.squared_distance_to(from);
        const std::int64_t now = watcher.squared_distance_to(to);
        if ((before > range.leave && now > range.leave) || watcher.entity == mover) return;
        if ((senses_[mover].layers & senses_[watcher.entity].layers_seen) == 0) return;
        Set& visible = visible_[watcher.entity];
        const bool was_visible =
            before <= range.enter ||
            (before <= range.leave && std::binary_search(visible.begin(), visible.end(), mover));
        const bool is_visible = now <= range.enter || (was_visible && now <= range.leave);
        if (was_visible && is_visible) {
            totals.add(watcher.entity, EventKind::move, 1, mover);
        } else if (is_visible) {
            insert(visible, mover);
            totals.add(watcher.entity, EventKind::enter, 1, mover);
        } else if (was_visible) {
            erase(visible, mover);
            totals.add(watcher.entity, EventKind::leave, 1, mover);
        }
    }

    const bool is_mutual_;
    const std::vector<Senses> senses_;  ///< by entity
    std::vector<Range> ranges_;         ///< by entity
    HashGrid grid_;
    std::vector<Set> visible_;     ///< by watcher
    std::vector<char> has_moved_;  ///< by entity, in this tick

    // Of one watcher; scratch memory.
    Set in_range_;  ///< entity * 2, + 1 beyond the enter radius
    Set now_visible_;
    Set enters_;
    Set leaves_;
    Set stays_;
    Set moves_;
};

}  // namespace

std::unique_ptr<Contender> make_hash_grid(const Workload& workload, Positions at) {
    return std::make_unique<HashGridContender>(workload, at);
}

}  // namespace marchland::bench
