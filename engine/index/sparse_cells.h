#pragma once

#include "engine/geometry.h"
#include "engine/ids.h"
#include "engine/index/grid_cells.h"

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace marchland::engine {

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
        std::uint32_t head = kNoBlock;
        std::uint32_t size = 0;
    };

    void add(Chain& chain, Slot slot, Position at);
    void remove(Chain& chain, Slot slot, Position at);
    void move(const Chain& chain, Slot slot, Position from, Position to);

    void append_inside(const Chain& chain, const MapArea& area, std::vector<Slot>& out) const;

    /// Calls `visit(Slot, Position)`; z is 0.
    template <typename Visit>
    void for_each(const Chain& chain, Visit&& visit) const {
        std::uint32_t lanes = lanes_in_head(chain);
        for (std::uint32_t at = chain.head; at != kNoBlock; at = blocks_[at].next) {
            const auto& entries = blocks_[at].entries;
            for (std::uint32_t lane = 0; lane < lanes; ++lane) {
                visit(entries[lane].slot, Position{entries[lane].x, entries[lane].y, 0});
            }
            lanes = kLanes;
        }
    }

    /// Gives all blocks of the chain back.
    void clear(Chain& chain);

private:
    static constexpr std::uint32_t kNoBlock = std::numeric_limits<std::uint32_t>::max();
    static constexpr std::uint32_t kLanes = 8;

    struct Entry {
        Slot slot;
        std::int32_t x;
        std::int32_t y;
    };
    struct Block {
        std::array<Entry, kLanes> entries;
        std::uint32_t next = kNoBlock;
    };
    [[nodiscard]] static std::uint32_t lanes_in_head(const Chain& chain) {
        return chain.size == 0 ? 0 : (chain.size - 1) % kLanes + 1;
    }
    [[nodiscard]] Entry& entry_of(const Chain& chain, Slot slot, Position at);
    void push_block(Chain& chain);
    void pop_block(Chain& chain);

    std::vector<Block> blocks_;
    std::uint32_t free_ = kNoBlock;  ///< a chain of blocks that no cell uses
};

}  // namespace marchland::engine
