#pragma once

#include "engine/assert.h"
#include "engine/ids.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace marchland::engine {

/// Something for some of the slots.
///
/// Shapes   `slots_` and `values_` are dense and parallel; `place_of_[slot]` points into them.
/// Order    Of slots(): none that means anything.
/// Cost     O(1) each, and clear() O(size); four bytes for every slot up to the highest that was
///          ever added.
/// Errors   Adding a slot that is there, or naming one that is not, asserts.
template <typename Value>
class SlotMap {
public:
    void add(Slot slot, Value value) {
        MARCHLAND_ASSERT(!contains(slot));
        if (place_of_.size() <= to_number(slot)) {
            place_of_.resize(std::size_t{to_number(slot)} + 1, kNowhere);
        }
        place_of_[to_number(slot)] = static_cast<std::uint32_t>(slots_.size());
        slots_.push_back(slot);
        values_.push_back(std::move(value));
    }
    Value remove(Slot slot) {
        MARCHLAND_ASSERT(contains(slot));
        const std::uint32_t place = std::exchange(place_of_[to_number(slot)], kNowhere);
        Value value = std::move(values_[place]);
        if (const Slot last = slots_.back(); last != slot) {
            slots_[place] = last;
            values_[place] = std::move(values_.back());
            place_of_[to_number(last)] = place;
        }
        slots_.pop_back();
        values_.pop_back();
        return value;
    }
    void clear() {
        for (const Slot slot : slots_) {
            place_of_[to_number(slot)] = kNowhere;
        }
        slots_.clear();
        values_.clear();
    }

    [[nodiscard]] bool contains(Slot slot) const {
        return to_number(slot) < place_of_.size() && place_of_[to_number(slot)] != kNowhere;
    }
    [[nodiscard]] Value& at(Slot slot) {
        MARCHLAND_ASSERT(contains(slot));
        return values_[place_of_[to_number(slot)]];
    }
    [[nodiscard]] std::span<const Slot> slots() const { return slots_; }
    [[nodiscard]] std::size_t size() const { return slots_.size(); }

private:
    static constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

    std::vector<Slot> slots_;
    std::vector<Value> values_;
    std::vector<std::uint32_t> place_of_;  ///< by slot
};

}  // namespace marchland::engine
