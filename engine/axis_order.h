#pragma once

#include "engine/ids.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace marchland::engine {

/// Entities in the order of one coordinate, with the other coordinate beside: one of the two lists
/// of a cross list. Ties are in the order of the slots, so that each entity has one place, found by
/// bisection even where a thousand stand on one line.
///
/// Shapes   keys_[i]: the coordinate, biased to be unsigned, above the slot. others_[i] belongs to it.
/// Cost     span O(log n); insert and erase O(log n) and a memmove of what is behind; move O(log n)
///          and the steps that it passes.
/// Errors   Erasing or moving what is not there asserts.
class AxisOrder {
public:
    /// Places, the last one exclusive.
    struct Span {
        std::size_t first = 0;
        std::size_t last = 0;

        [[nodiscard]] std::size_t size() const { return last - first; }
    };

    void insert(Slot slot, std::int32_t at, std::int32_t other);
    void erase(Slot slot, std::int32_t at);
    /// `other` is the other coordinate's new value.
    void move(Slot slot, std::int32_t from, std::int32_t to, std::int32_t other);
    void clear();

    struct Entry {
        Slot slot{};
        std::int32_t at = 0;
        std::int32_t other = 0;
    };
    /// Inserts these, in whatever order they come: O(m log m + n) for m, where one by one would cost
    /// m memmoves.
    void load(std::span<const Entry> entries);

    /// Those with min <= coordinate <= max.
    [[nodiscard]] Span span(std::int32_t min, std::int32_t max) const;
    /// Appends those of the span whose other coordinate is between the two, both ends inclusive.
    void append_inside(Span span, std::int32_t other_min, std::int32_t other_max,
                       std::vector<Slot>& out) const;

    [[nodiscard]] std::size_t size() const { return keys_.size(); }
    [[nodiscard]] Slot slot_at(std::size_t place) const {
        return static_cast<Slot>(static_cast<std::uint32_t>(keys_[place]));
    }
    [[nodiscard]] std::int32_t coordinate_at(std::size_t place) const {
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(keys_[place] >> 32U) ^ kSign);
    }
    [[nodiscard]] std::int32_t other_at(std::size_t place) const { return others_[place]; }

private:
    static constexpr std::uint32_t kSign = 0x8000'0000U;

    static std::uint64_t key_of(std::int32_t coordinate, std::uint32_t slot) {
        const std::uint64_t biased = static_cast<std::uint32_t>(coordinate) ^ kSign;
        return biased << 32U | slot;
    }
    /// The first place whose key is not below `key`.
    [[nodiscard]] std::size_t lower_bound(std::uint64_t key) const;
    [[nodiscard]] std::size_t place_of(std::uint64_t key) const;

    std::vector<std::uint64_t> keys_;  ///< strictly ascending
    std::vector<std::int32_t> others_;
};

}  // namespace marchland::engine
