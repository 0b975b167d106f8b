#include "engine/index/sparse_cells.h"

#include "engine/assert.h"

namespace marchland::engine {

void SparseCells::add(Chain& chain, Slot slot, Position at) {
    if (chain.size % kLanes == 0) {
        push_block(chain);
    }
    const std::uint32_t lane = chain.size % kLanes;
    Block& head = blocks_[chain.head];
    head.xs[lane] = at.x;
    head.ys[lane] = at.y;
    head.slots[lane] = slot;
    ++chain.size;
}

/// The last entity of the first block takes the place of the one that goes.
void SparseCells::remove(Chain& chain, Slot slot, Position at) {
    const Place gap = place_of(chain, slot, at);
    const std::uint32_t last = lanes_in_head(chain) - 1;
    const Block& head = blocks_[chain.head];
    Block& block = blocks_[gap.block];
    block.xs[gap.lane] = head.xs[last];
    block.ys[gap.lane] = head.ys[last];
    block.slots[gap.lane] = head.slots[last];
    --chain.size;
    if (chain.size % kLanes == 0) {
        pop_block(chain);
    }
}

void SparseCells::move(const Chain& chain, Slot slot, Position from, Position to) {
    const Place place = place_of(chain, slot, from);
    blocks_[place.block].xs[place.lane] = to.x;
    blocks_[place.block].ys[place.lane] = to.y;
}

void SparseCells::append_all(const Chain& chain, std::vector<Slot>& out) const {
    for_each(chain, [&out](Slot slot, Position) { out.push_back(slot); });
}

/// Every slot is written and only those inside advance the end: a branch here would be guessed
/// wrong for every other entity, which costs more than all the rest of the loop.
void SparseCells::append_inside(const Chain& chain, const MapArea& area,
                                std::vector<Slot>& out) const {
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

SparseCells::Place SparseCells::place_of(const Chain& chain, Slot slot, Position at) const {
    std::uint32_t lanes = lanes_in_head(chain);
    for (std::uint32_t block = chain.head; block != kNoBlock; block = blocks_[block].next) {
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
            if (blocks_[block].slots[lane] == slot) {
                MARCHLAND_ASSERT(blocks_[block].xs[lane] == at.x &&
                                 blocks_[block].ys[lane] == at.y);
                return {block, lane};
            }
        }
        lanes = kLanes;
    }
    const bool slot_is_in_its_cell = false;
    MARCHLAND_ASSERT(slot_is_in_its_cell);
    return {};
}

void SparseCells::clear(Chain& chain) {
    while (chain.head != kNoBlock) {
        pop_block(chain);
    }
    chain.size = 0;
}

void SparseCells::push_block(Chain& chain) {
    if (free_ == kNoBlock) {
        free_ = static_cast<std::uint32_t>(blocks_.size());
        blocks_.emplace_back();
    }
    const std::uint32_t block = free_;
    free_ = blocks_[block].next;
    blocks_[block].next = chain.head;
    chain.head = block;
}

void SparseCells::pop_block(Chain& chain) {
    const std::uint32_t block = chain.head;
    chain.head = blocks_[block].next;
    blocks_[block].next = free_;
    free_ = block;
}

}  // namespace marchland::engine
