#pragma once

#include "engine/index/index.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace marchland::engine::testing {

/// An area larger than the largest map.
inline constexpr Rect kEverything{2 * std::int64_t{std::numeric_limits<std::int32_t>::min()},
                                  2 * std::int64_t{std::numeric_limits<std::int32_t>::min()},
                                  2 * std::int64_t{std::numeric_limits<std::int32_t>::max()},
                                  2 * std::int64_t{std::numeric_limits<std::int32_t>::max()}};

using Numbers = std::vector<std::uint32_t>;

/// What a query finds, as numbers in ascending order; one that is found twice is there twice.
inline Numbers found_in(const Index& index, const Rect& area) {
    std::vector<Slot> slots;
    index.query(area, slots);
    Numbers numbers;
    for (const Slot slot : slots) {
        numbers.push_back(to_number(slot));
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

}  // namespace marchland::engine::testing
