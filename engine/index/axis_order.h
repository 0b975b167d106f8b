#pragma once

#include "engine/ids.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace marchland::engine {

/// Entities in the order of one coordinate, with the other coordinate beside: one of the lists
/// of a cross list. Ties are in the order of the slots, so that each entity has one place, found by
/// bisection even where a thousand stand on one line.
///
///    [ a b c ] [ d e ] [ f g h i ]      blocks of at most kBlockMax: what an insert or a step
///                                       moves in memory is bounded, however large the crowd
///
/// Shapes   In a block keys[i]: the coordinate, biased to be unsigned, above the slot; others[i]
///          belongs to it. Two neighbours with few between them are one block.
/// Cost     For n in b = n / kBlockMax blocks: insert and erase O(log n), a memmove in the block
///          and, rarely, one of b; move the same, or in the block the steps that it passes; span
///          O(log n + blocks in the span).
/// Errors   Erasing or moving what is not there asserts.
class AxisOrder {
public:
    static constexpr std::size_t kBlockMax = 512;

    struct Place {
        std::size_t block = 0;
        std::size_t offset = 0;
    };
    /// Places, the last one exclusive, and how many there are between them.
    struct Span {
        Place first;
        Place last;
        std::size_t size = 0;
    };

    void insert(Slot slot, std::int32_t at, std::int32_t other);
    void erase(Slot slot, std::int32_t at);
    /// `other` is the other coordinate's new value.
    void move(Slot slot, std::int32_t from, std::int32_t to, std::int32_t other);
    /// Keeps the memory.
    void clear();

    /// Those with min <= coordinate <= max.
    [[nodiscard]] Span span(std::int32_t min, std::int32_t max) const;
    /// Calls `visit(Slot, other)` for those in the span, in their order.
    template <typename Visit>
    void for_each_in(const Span& span, Visit&& visit) const {
        for (std::size_t number = span.first.block; number <= span.last.block; ++number) {
            const Block& block = blocks_[number];
            const bool is_last = number == span.last.block;
            const std::size_t end = is_last ? span.last.offset : block.keys.size();
            std::size_t place = number == span.first.block ? span.first.offset : 0;
            for (; place < end; ++place) {
                visit(slot_of(block.keys[place]), block.others[place]);
            }
        }
    }
    /// Appends those of the span whose other coordinate is between the two, both ends inclusive.
    void append_inside(const Span& span, std::int32_t other_min, std::int32_t other_max,
                       std::vector<Slot>& out) const;

    /// Calls `visit(Slot, coordinate, other)` in their order.
    template <typename Visit>
    void for_each(Visit&& visit) const {
        for (const Block& block : blocks_) {
            for (std::size_t place = 0; place < block.keys.size(); ++place) {
                visit(slot_of(block.keys[place]), coordinate_of(block.keys[place]),
                      block.others[place]);
            }
        }
    }

    [[nodiscard]] std::size_t size() const { return size_; }

private:
    static constexpr std::uint32_t kSign = 0x8000'0000U;

    struct Block {
        std::vector<std::uint64_t> keys;  ///< strictly ascending, also from block to block
        std::vector<std::int32_t> others;
    };

    static std::uint64_t key_of(std::int32_t coordinate, std::uint32_t slot) {
        const std::uint64_t biased = static_cast<std::uint32_t>(coordinate) ^ kSign;
        return biased << 32U | slot;
    }
    static Slot slot_of(std::uint64_t key) {
        return static_cast<Slot>(static_cast<std::uint32_t>(key));
    }
    static std::int32_t coordinate_of(std::uint64_t key) {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(key >> 32U) ^ kSign);
    }
    /// The block that a key belongs to, whether it is there or not.
    [[nodiscard]] std::size_t block_of(std::uint64_t key) const;
    /// The first place whose key is not below `key`.
    [[nodiscard]] Place lower_bound(std::uint64_t key) const;
    [[nodiscard]] Place place_of(std::uint64_t key) const;
    void add_block_after(std::size_t block);
    void split(std::size_t block);
    void join_if_small(std::size_t left);

    std::vector<Block> blocks_{Block{}};  ///< one at least; only the one of an empty order is empty
    std::vector<Block> spare_;            ///< empty, their memory kept
    std::size_t size_ = 0;
};

}  // namespace marchland::engine
