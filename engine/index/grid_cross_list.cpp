#include "engine/index/grid_cross_list.h"

#include "engine/assert.h"
#include "engine/index/axis_order.h"
#include "engine/index/grid_cells.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

namespace marchland::engine {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// The entities of all cells that hold few, in no order. A cell is a chain of blocks of a fixed
/// size, out of one pool for the whole map: a cell that empties gives its memory to the next one
/// that fills, so a crowd that wanders over the map allocates nothing and leaves nothing behind.
///
///    chain -> [ x x x . ] -> [ x x x x ] -> [ x x x x ]     only the first block has free lanes
///
/// Shapes   A block is kLanes entries, 12 bytes each, and the number of the next block.
/// Cost     add O(1); remove and move O(entities in the cell); append O(entities in the cell).
/// Errors   Removing or moving what is not in the chain, at that very place, asserts.
class SparseCells {
public:
    struct Chain {
        std::uint32_t head = kNone;
        std::uint32_t size = 0;
    };

    void add(Chain& chain, Slot slot, Position at) {
        if (chain.size % kLanes == 0) {
            push_block(chain);
        }
        blocks_[chain.head].entries[chain.size % kLanes] = {slot, at.x, at.y};
        ++chain.size;
    }

    /// The last entity of the first block takes the place of the one that goes.
    void remove(Chain& chain, Slot slot, Position at) {
        Entry& gap = entry_of(chain, slot, at);
        gap = blocks_[chain.head].entries[lanes_in_head(chain) - 1];
        --chain.size;
        if (chain.size % kLanes == 0) {
            pop_block(chain);
        }
    }

    void move(const Chain& chain, Slot slot, Position from, Position to) {
        entry_of(chain, slot, from) = {slot, to.x, to.y};
    }

    /// Every slot is written and only those inside advance the end: a branch here would be guessed
    /// wrong for every other entity, which costs more than all the rest of the loop.
    void append_inside(const Chain& chain, const MapArea& area, std::vector<Slot>& out) const {
        const std::size_t size_before = out.size();
        out.resize(size_before + chain.size);
        Slot* const first = out.data() + size_before;
        std::size_t inside = 0;
        for_each(chain, [&](Slot slot, Position at) {
            first[inside] = slot;
            inside += area.contains(at.x, at.y) ? 1U : 0U;
        });
        out.resize(size_before + inside);
    }

    /// Calls `visit(Slot, Position)`; z is 0.
    template <typename Visit>
    void for_each(const Chain& chain, Visit&& visit) const {
        std::uint32_t lanes = lanes_in_head(chain);
        for (std::uint32_t at = chain.head; at != kNone; at = blocks_[at].next) {
            const auto& entries = blocks_[at].entries;
            for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                visit(entries[lane].slot, Position{entries[lane].x, entries[lane].y, 0});
            }
            lanes = kLanes;
        }
    }

    /// Gives all blocks of the chain back.
    void clear(Chain& chain) {
        while (chain.head != kNone) {
            pop_block(chain);
        }
        chain.size = 0;
    }

private:
    static constexpr std::uint32_t kLanes = 8;

    struct Entry {
        Slot slot;
        std::int32_t x;
        std::int32_t y;
    };
    struct Block {
        std::array<Entry, kLanes> entries;
        std::uint32_t next = kNone;
    };
    [[nodiscard]] static std::uint32_t lanes_in_head(const Chain& chain) {
        return chain.size == 0 ? 0 : (chain.size - 1) % kLanes + 1;
    }
    [[nodiscard]] Entry& entry_of(const Chain& chain, Slot slot, Position at) {
        std::uint32_t lanes = lanes_in_head(chain);
        for (std::uint32_t block = chain.head; block != kNone; block = blocks_[block].next) {
            const auto first = blocks_[block].entries.begin();
            const auto entry = std::find_if(
                first, first + lanes, [slot](const Entry& each) { return each.slot == slot; });
            if (entry != first + lanes) {
                MARCHLAND_ASSERT(entry->x == at.x && entry->y == at.y);
                return *entry;
            }
            lanes = kLanes;
        }
        report_broken_promise("the slot is in its cell", __FILE__, __LINE__);
    }

    void push_block(Chain& chain) {
        if (free_ == kNone) {
            free_ = static_cast<std::uint32_t>(blocks_.size());
            blocks_.emplace_back();
        }
        const std::uint32_t block = free_;
        free_ = blocks_[block].next;
        blocks_[block].next = chain.head;
        chain.head = block;
    }

    void pop_block(Chain& chain) {
        const std::uint32_t block = chain.head;
        chain.head = blocks_[block].next;
        blocks_[block].next = free_;
        free_ = block;
    }

    std::vector<Block> blocks_;
    std::uint32_t free_ = kNone;  ///< a chain of blocks that no cell uses
};

/// The entities of one cell that holds many, in x order and in y order. A query finds its span in
/// both and walks the shorter one:
///
///        y
///        |   . a .  .  .  .        The area [ ] spans 3 of the cell in x and 9 in y: walk the
///        | . [ . b ] . .  .        3 in x order, keep those whose y fits.
///        +----------------- x
///
/// Cost     As AxisOrder, twice. 24 bytes an entity, and as much again where blocks are half full.
class CrowdedCell {
public:
    void add(Slot slot, Position at) {
        by_x_.insert(slot, at.x, at.y);
        by_y_.insert(slot, at.y, at.x);
    }
    void remove(Slot slot, Position at) {
        by_x_.erase(slot, at.x);
        by_y_.erase(slot, at.y);
    }
    void move(Slot slot, Position from, Position to) {
        by_x_.move(slot, from.x, to.x, to.y);
        by_y_.move(slot, from.y, to.y, to.x);
    }
    /// Keeps the memory.
    void clear() {
        by_x_.clear();
        by_y_.clear();
    }

    void append_inside(const MapArea& area, std::vector<Slot>& out) const {
        const AxisOrder::Span in_x = by_x_.span(area.min_x, area.max_x);
        const AxisOrder::Span in_y = by_y_.span(area.min_y, area.max_y);
        if (in_x.size <= in_y.size) {
            by_x_.append_inside(in_x, area.min_y, area.max_y, out);
        } else {
            by_y_.append_inside(in_y, area.min_x, area.max_x, out);
        }
    }

    /// Calls `visit(Slot, Position)`; z is 0.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        by_x_.for_each([&visit](Slot slot, std::int32_t x, std::int32_t y) {
            visit(slot, Position{x, y, 0});
        });
    }

    [[nodiscard]] std::size_t size() const { return by_x_.size(); }

private:
    AxisOrder by_x_;
    AxisOrder by_y_;
};

/// A cell with more than this is kept in order. With 16 to 64 entities a scan of them all costs
/// less than the four bisections (45 ns against 65 ns at 32), with 96 they are even for a view that
/// is small beside the cell, with 256 the orders are 1.4 to 2.3 times faster; a move in order costs
/// twice one without. (A loop over queries of one cell, g++ 12 -O3, a busy machine: the order of
/// magnitude counts.) Whole ticks of crowded worlds show no difference between 64 and 256.
constexpr std::uint32_t kSparseMax = 96;

/// A crowded cell with fewer than this is no longer kept in order. Well below kSparseMax, so that
/// one entity that paces over the edge of a cell does not sort the whole cell again and again.
constexpr std::uint32_t kCrowdedMin = kSparseMax / 2;

class GridCrossList final : public Index {
public:
    explicit GridCrossList(const IndexOptions& options)
        : grid_(options.bounds, options.cell_mm, options.cells_max), cells_(grid_.size()) {}

    void insert(Slot slot, Position at) override {
        const std::uint32_t place = grid_.cell_of(at);
        note_cell(slot, place);
        add(place, slot, at);
        ++size_;
    }

    void erase(Slot slot, Position at) override {
        remove(cell_with(slot), slot, at);
        cell_of_[to_number(slot)] = kNone;
        --size_;
    }

    void move(Slot slot, Position from, Position to) override {
        const std::uint32_t cell_from = cell_with(slot);
        const std::uint32_t cell_to = grid_.cell_of(to);
        if (cell_from != cell_to) {
            remove(cell_from, slot, from);
            add(cell_to, slot, to);
            return;
        }
        const Cell& cell = cells_[cell_from];
        if (cell.is_crowded()) {
            crowds_[cell.crowd].move(slot, from, to);
        } else {
            sparse_.move(cell.chain, slot, from, to);
        }
    }

    void query(const Rect& area, std::vector<Slot>& out) const override {
        const std::optional<MapArea> on_map = grid_.clip(area);
        if (!on_map) {
            return;
        }
        const CellRange range = grid_.range_of(*on_map);
        for_each_cell(range, [&](std::uint32_t column, std::uint32_t row) {
            const Cell& cell = cells_[grid_.cell_at(column, row)];
            if (range.is_inside(column, row)) {
                for_each(cell, [&out](Slot slot, Position) { out.push_back(slot); });
            } else {
                append_inside(cell, *on_map, out);
            }
        });
    }

    void walk(const std::function<void(Slot, Position)>& visit) const override {
        for (const Cell& cell : cells_) {
            for_each(cell, visit);
        }
    }

    [[nodiscard]] std::size_t size() const override { return size_; }
    [[nodiscard]] bool serves_cells() const override { return true; }

private:
    /// Sparse: `chain` holds its entities. Crowded: crowds_[crowd] does, and the chain is empty.
    struct Cell {
        SparseCells::Chain chain;
        std::uint32_t crowd = kNone;

        [[nodiscard]] bool is_crowded() const { return crowd != kNone; }
    };

    [[nodiscard]] std::uint32_t cell_with(Slot slot) const {
        MARCHLAND_ASSERT(to_number(slot) < cell_of_.size());
        MARCHLAND_ASSERT(cell_of_[to_number(slot)] != kNone);
        return cell_of_[to_number(slot)];
    }

    /// Of a slot that is not here yet.
    void note_cell(Slot slot, std::uint32_t place) {
        const std::uint32_t number = to_number(slot);
        if (number >= cell_of_.size()) {
            cell_of_.resize(std::size_t{number} + 1, kNone);
        }
        MARCHLAND_ASSERT(cell_of_[number] == kNone);
        cell_of_[number] = place;
    }

    template <typename Visit>
    void for_each(const Cell& cell, Visit&& visit) const {
        if (cell.is_crowded()) {
            crowds_[cell.crowd].for_each(visit);
        } else {
            sparse_.for_each(cell.chain, visit);
        }
    }

    void append_inside(const Cell& cell, const MapArea& area, std::vector<Slot>& out) const {
        if (cell.is_crowded()) {
            crowds_[cell.crowd].append_inside(area, out);
        } else {
            sparse_.append_inside(cell.chain, area, out);
        }
    }

    void add(std::uint32_t place, Slot slot, Position at) {
        cell_of_[to_number(slot)] = place;
        Cell& cell = cells_[place];
        if (cell.is_crowded()) {
            crowds_[cell.crowd].add(slot, at);
            return;
        }
        sparse_.add(cell.chain, slot, at);
        if (cell.chain.size > kSparseMax) {
            put_in_order(cell);
        }
    }

    void remove(std::uint32_t place, Slot slot, Position at) {
        Cell& cell = cells_[place];
        if (!cell.is_crowded()) {
            sparse_.remove(cell.chain, slot, at);
            return;
        }
        crowds_[cell.crowd].remove(slot, at);
        if (crowds_[cell.crowd].size() < kCrowdedMin) {
            put_out_of_order(cell);
        }
    }

    void put_in_order(Cell& cell) {
        if (free_crowds_.empty()) {
            free_crowds_.push_back(static_cast<std::uint32_t>(crowds_.size()));
            crowds_.emplace_back();
        }
        cell.crowd = free_crowds_.back();
        free_crowds_.pop_back();
        sparse_.for_each(cell.chain,
                         [&](Slot slot, Position at) { crowds_[cell.crowd].add(slot, at); });
        sparse_.clear(cell.chain);
    }

    void put_out_of_order(Cell& cell) {
        CrowdedCell& crowd = crowds_[cell.crowd];
        crowd.for_each([&](Slot slot, Position at) { sparse_.add(cell.chain, slot, at); });
        crowd.clear();
        free_crowds_.push_back(cell.crowd);
        cell.crowd = kNone;
    }

    const GridCells grid_;
    std::vector<Cell> cells_;
    std::vector<std::uint32_t> cell_of_;  ///< by slot; kNone: not here
    SparseCells sparse_;
    std::vector<CrowdedCell> crowds_;
    std::vector<std::uint32_t> free_crowds_;  ///< empty, their memory kept
    std::size_t size_ = 0;
};

}  // namespace

std::unique_ptr<Index> make_grid_cross_list(const IndexOptions& options) {
    return std::make_unique<GridCrossList>(options);
}

}  // namespace marchland::engine
