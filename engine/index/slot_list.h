#pragma once

#include "engine/assert.h"
#include "engine/ids.h"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace marchland::engine {

/// Some of the slots, each at most once, in no order.
///
/// Cost     O(1) each; four bytes for every slot up to the highest that was ever added.
class SlotList {
public:
    [[nodiscard]] std::span<const Slot> slots() const { return slots_; }
    [[nodiscard]] std::size_t size() const { return slots_.size(); }
    [[nodiscard]] bool contains(Slot slot) const {
        return to_number(slot) < place_of_.size() && place_of_[to_number(slot)] != kNowhere;
    }

    void add(Slot slot) {
        MARCHLAND_ASSERT(!contains(slot));
        if (place_of_.size() <= to_number(slot)) {
            place_of_.resize(to_number(slot) + 1, kNowhere);
        }
        place_of_[to_number(slot)] = static_cast<std::uint32_t>(slots_.size());
        slots_.push_back(slot);
    }

    void remove(Slot slot) {
        MARCHLAND_ASSERT(contains(slot));
        const std::uint32_t place = place_of_[to_number(slot)];
        slots_[place] = slots_.back();
        place_of_[to_number(slots_[place])] = place;
        place_of_[to_number(slot)] = kNowhere;
        slots_.pop_back();
    }

    void clear() {
        for (const Slot slot : slots_) {
            place_of_[to_number(slot)] = kNowhere;
        }
        slots_.clear();
    }

private:
    static constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

    std::vector<Slot> slots_;
    std::vector<std::uint32_t> place_of_;  ///< by slot
};

}  // namespace marchland::engine
