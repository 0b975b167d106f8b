#pragma once

#include "engine/ids.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace marchland::engine::testing {

/// What is found has no order of its own: these put it in one. A slot that is there twice stays
/// twice.
inline std::vector<Slot> sorted(std::vector<Slot> slots) {
    std::sort(slots.begin(), slots.end());
    return slots;
}

/// Of two in ascending order.
inline std::vector<Slot> only_in_first(const std::vector<Slot>& first,
                                       const std::vector<Slot>& second) {
    std::vector<Slot> slots;
    std::set_difference(first.begin(), first.end(), second.begin(), second.end(),
                        std::back_inserter(slots));
    return slots;
}
inline std::vector<Slot> in_both(const std::vector<Slot>& first, const std::vector<Slot>& second) {
    std::vector<Slot> slots;
    std::set_intersection(first.begin(), first.end(), second.begin(), second.end(),
                          std::back_inserter(slots));
    return slots;
}

}  // namespace marchland::engine::testing
