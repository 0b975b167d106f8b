#include "engine/index/sparse_cells.h"

#include "engine/assert.h"

#include <algorithm>

namespace marchland::engine {

void SparseCells::add(Chain& chain, Slot slot, Position at) {
    if (chain.size % kLanes == 0) {
        push_block(chain);
    }
    blocks_[chain.head].entries[chain.size % kLanes] = {slot, at.x, at.y};
    ++chain.size;
}

/// The last entity of the first block takes the place of the one that goes.
void SparseCells::remove(Chain& chain, Slot slot, Position at) {
    Entry& gap = entry_of(chain, slot, at);
    gap = blocks_[chain.head].entries[lanes_in_head(chain) - 1];
    --chain.size;
    if (chain.size % kLanes == 0) {
        pop_block(chain);
    }
}

void SparseCells::move(const Chain& chain, Slot slot, Position from, Position to) {
    entry_of(chain, slot, from) = {slot, to.x, to.y};
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

SparseCells::Entry& SparseCells::entry_of(const Chain& chain, Slot slot, Position at) {
    std::uint32_t lanes = lanes_in_head(chain);
    for (std::uint32_t block = chain.head; block != kNoBlock; block = blocks_[block].next) {
        const auto first = blocks_[block].entries.begin();
        const auto entry = std::find_if(first, first + lanes,
                                        [slot](const Entry& each) { return each.slot == slot; });
        if (entry != first + lanes) {
            MARCHLAND_ASSERT(entry->x == at.x && entry->y == at.y);
            return *entry;
        }
        lanes = kLanes;
    }
    report_broken_promise("the slot is in its cell", __FILE__, __LINE__);
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
