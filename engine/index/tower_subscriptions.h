#pragma once

#include "engine/ids.h"
#include "engine/index/grid_cells.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace marchland::engine {

/// Which watchers listen at which tower? A watcher's towers are always a block of them, so whether
/// it listens at a given one is a comparison; who listens at a tower is a list.
///
///    of a tower     [w3] <-> [w7] <-> [w1]       one record for each pair of watcher and tower,
///    of a watcher   [t4]  -> [t5]  -> [t9]       in both lists, from one pool
///
/// Shapes   Records are numbered in the pool; freed ones are used again, the last one first.
/// Cost     add and remove O(towers of the block); change O(towers of both blocks). 20 bytes a
///          record, 4 a tower.
/// Bounds   At most `subscriptions_max` records: add and change say no, and change nothing, when
///          there would be more.
/// Errors   Adding a watcher that is there, naming one that is not, asserts.
class TowerSubscriptions {
public:
    TowerSubscriptions(std::uint32_t columns, std::uint32_t rows, std::size_t subscriptions_max);

    [[nodiscard]] bool add(Slot watcher, const CellRange& towers);
    [[nodiscard]] bool change(Slot watcher, const CellRange& towers);
    void remove(Slot watcher);

    [[nodiscard]] bool contains(Slot watcher) const {
        return to_number(watcher) < watchers_.size() && watchers_[to_number(watcher)].is_here;
    }
    [[nodiscard]] const CellRange& towers_of(Slot watcher) const;
    [[nodiscard]] std::size_t size() const { return size_; }

    /// Calls `visit(Slot)` for each watcher that listens at the tower.
    template <typename Visit>
    void for_each_at(std::uint32_t column, std::uint32_t row, Visit&& visit) const {
        for (std::uint32_t at = first_at_[tower_at(column, row)]; at != kNone;
             at = records_[at].next_at_tower) {
            visit(records_[at].watcher);
        }
    }

private:
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    struct Record {
        Slot watcher{};
        std::uint32_t tower = kNone;
        std::uint32_t next_at_tower = kNone;
        std::uint32_t previous_at_tower = kNone;
        std::uint32_t next_of_watcher = kNone;  ///< of a free record: the next free one
    };
    struct Watcher {
        CellRange towers;
        std::uint32_t first = kNone;
        bool is_here = false;
    };

    [[nodiscard]] std::uint32_t tower_at(std::uint32_t column, std::uint32_t row) const {
        return row * columns_ + column;
    }
    void subscribe(Slot watcher, std::uint32_t tower);
    void drop_all_outside(Watcher& watcher, const CellRange& kept);
    void unlink_from_tower(const Record& record);
    void release(std::uint32_t record);

    const std::uint32_t columns_;
    const std::size_t subscriptions_max_;
    std::vector<std::uint32_t> first_at_;  ///< by tower
    std::vector<Watcher> watchers_;        ///< by slot
    std::vector<Record> records_;
    std::uint32_t free_ = kNone;
    std::size_t size_ = 0;
};

constexpr bool is_in_block(const CellRange& block, std::uint32_t column, std::uint32_t row) {
    return column >= block.first_column && column <= block.last_column && row >= block.first_row &&
           row <= block.last_row;
}

}  // namespace marchland::engine
