#include "engine/index/axis_order.h"

#include "engine/assert.h"
#include "engine/index/grid_cells.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace marchland::engine {
namespace {

/// std::lower_bound branches on each comparison, and the branch is guessed wrong every other time;
/// here the comparison is a factor.
std::size_t lower_bound_in(const std::vector<std::uint64_t>& sorted, std::uint64_t key) {
    const std::uint64_t* const keys = sorted.data();
    std::size_t first = 0;
    std::size_t count = sorted.size();
    while (count > 1) {
        const std::size_t half = count / 2;
        first += half * static_cast<std::size_t>(keys[first + half - 1] < key);
        count -= half;
    }
    return count == 0 ? 0 : first + static_cast<std::size_t>(keys[first] < key);
}

auto at(auto& list, std::size_t place) {
    return list.begin() + static_cast<std::ptrdiff_t>(place);
}

}  // namespace

void AxisOrder::insert(Slot slot, std::int32_t coordinate, std::int32_t other) {
    const std::uint64_t key = key_of(coordinate, to_number(slot));
    const Place place = lower_bound(key);
    Block& block = blocks_[place.block];
    block.keys.insert(at(block.keys, place.offset), key);
    block.others.insert(at(block.others, place.offset), other);
    ++size_;
    if (block.keys.size() > kBlockMax) {
        split(place.block);
    }
}

void AxisOrder::erase(Slot slot, std::int32_t coordinate) {
    const Place place = place_of(key_of(coordinate, to_number(slot)));
    Block& block = blocks_[place.block];
    block.keys.erase(at(block.keys, place.offset));
    block.others.erase(at(block.others, place.offset));
    --size_;
    if (place.block + 1 < blocks_.size()) {
        join_if_small(place.block);
    } else if (place.block > 0) {
        join_if_small(place.block - 1);
    }
}

/// Step by step, as in insertion sort: from one tick to the next an entity passes few neighbours.
void AxisOrder::move(Slot slot, std::int32_t from, std::int32_t to, std::int32_t other) {
    const Place here = place_of(key_of(from, to_number(slot)));
    const std::uint64_t key = key_of(to, to_number(slot));
    if (block_of(key) != here.block) {
        erase(slot, from);
        insert(slot, to, other);
        return;
    }
    std::vector<std::uint64_t>& keys = blocks_[here.block].keys;
    std::vector<std::int32_t>& others = blocks_[here.block].others;
    std::size_t place = here.offset;
    for (; place > 0 && keys[place - 1] > key; --place) {
        keys[place] = keys[place - 1];
        others[place] = others[place - 1];
    }
    for (; place + 1 < keys.size() && keys[place + 1] < key; ++place) {
        keys[place] = keys[place + 1];
        others[place] = others[place + 1];
    }
    keys[place] = key;
    others[place] = other;
}

void AxisOrder::clear() {
    for (Block& block : blocks_) {
        block.keys.clear();
        block.others.clear();
    }
    while (blocks_.size() > 1) {
        spare_.push_back(std::move(blocks_.back()));
        blocks_.pop_back();
    }
    size_ = 0;
}

AxisOrder::Span AxisOrder::span(std::int32_t min, std::int32_t max) const {
    // No slot has the largest number, so the two bounds are one kind of search.
    const Place first = lower_bound(key_of(min, 0));
    const Place last = lower_bound(key_of(max, std::numeric_limits<std::uint32_t>::max()));
    std::size_t before_last = last.offset;
    for (std::size_t block = first.block; block < last.block; ++block) {
        before_last += blocks_[block].keys.size();
    }
    return {first, last, before_last - first.offset};
}

/// Without a branch on what is inside: see SparseCells::append_inside (grid_cross_list.cpp).
void AxisOrder::append_inside(const Span& span, std::int32_t other_min, std::int32_t other_max,
                              std::vector<Slot>& out) const {
    const std::size_t size_before = out.size();
    out.resize(size_before + span.size);
    Slot* const first = out.data() + size_before;
    std::size_t inside = 0;
    for_each_in(span, [&](Slot slot, std::int32_t other) {
        first[inside] = slot;
        inside += MapArea::is_between(other, other_min, other_max) ? 1U : 0U;
    });
    out.resize(size_before + inside);
}

/// The last one that does not begin above `key`, or the first.
std::size_t AxisOrder::block_of(std::uint64_t key) const {
    if (blocks_.size() == 1) {
        return 0;
    }
    const auto above = std::upper_bound(
        blocks_.begin() + 1, blocks_.end(), key,
        [](std::uint64_t wanted, const Block& block) { return wanted < block.keys.front(); });
    return static_cast<std::size_t>(above - blocks_.begin()) - 1;
}

AxisOrder::Place AxisOrder::lower_bound(std::uint64_t key) const {
    const std::size_t block = block_of(key);
    return {block, lower_bound_in(blocks_[block].keys, key)};
}

AxisOrder::Place AxisOrder::place_of(std::uint64_t key) const {
    const Place place = lower_bound(key);
    const std::vector<std::uint64_t>& keys = blocks_[place.block].keys;
    MARCHLAND_ASSERT(place.offset < keys.size() && keys[place.offset] == key);
    return place;
}

void AxisOrder::add_block_after(std::size_t block) {
    if (spare_.empty()) {
        spare_.emplace_back();
    }
    blocks_.insert(at(blocks_, block + 1), std::move(spare_.back()));
    spare_.pop_back();
}

/// The upper half goes to a block of its own.
void AxisOrder::split(std::size_t block) {
    add_block_after(block);
    Block& lower = blocks_[block];
    Block& upper = blocks_[block + 1];
    const std::size_t middle = lower.keys.size() / 2;
    upper.keys.assign(at(lower.keys, middle), lower.keys.end());
    upper.others.assign(at(lower.others, middle), lower.others.end());
    lower.keys.resize(middle);
    lower.others.resize(middle);
}

/// Makes one of a block and the next: only where the two have half of what fits, so that one entity
/// that comes and goes does not split and join in turn; and always where one is empty.
void AxisOrder::join_if_small(std::size_t left) {
    Block& lower = blocks_[left];
    Block& upper = blocks_[left + 1];
    const bool is_one_empty = lower.keys.empty() || upper.keys.empty();
    if (!is_one_empty && lower.keys.size() + upper.keys.size() > kBlockMax / 2) {
        return;
    }
    lower.keys.insert(lower.keys.end(), upper.keys.begin(), upper.keys.end());
    lower.others.insert(lower.others.end(), upper.others.begin(), upper.others.end());
    upper.keys.clear();
    upper.others.clear();
    spare_.push_back(std::move(upper));
    blocks_.erase(at(blocks_, left + 1));
}

}  // namespace marchland::engine
