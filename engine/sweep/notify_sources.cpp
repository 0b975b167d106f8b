#include "engine/sweep/notify_sources.h"

#include "engine/assert.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace marchland::engine {

void NotifySources::insert(Slot slot, Position at, std::int32_t leave_radius_mm) {
    const Cells cells = cells_of(at, leave_radius_mm);
    for (std::size_t i = 0; i < cells.count; ++i) {
        in_cells_.emplace(cells.keys[i], slot);
    }
    const unsigned level = level_of(leave_radius_mm);
    ++at_level_[level];
    levels_in_use_ |= std::uint64_t{1} << level;
}

void NotifySources::erase(Slot slot, Position at, std::int32_t leave_radius_mm) {
    const Cells cells = cells_of(at, leave_radius_mm);
    for (std::size_t i = 0; i < cells.count; ++i) {
        const std::size_t erased = in_cells_.erase({cells.keys[i], slot});
        MARCHLAND_ASSERT(erased == 1);
    }
    const unsigned level = level_of(leave_radius_mm);
    if (--at_level_[level] == 0) {
        levels_in_use_ &= ~(std::uint64_t{1} << level);
    }
}

void NotifySources::move(Slot slot, Position from, Position to, std::int32_t leave_radius_mm) {
    if (cells_of(from, leave_radius_mm) != cells_of(to, leave_radius_mm)) {
        erase(slot, from, leave_radius_mm);
        insert(slot, to, leave_radius_mm);
    }
}

/// The lowest whose cells, 2^level wide, are at least as wide as the range across.
unsigned NotifySources::level_of(std::int32_t leave_radius_mm) {
    MARCHLAND_ASSERT(leave_radius_mm > 0);
    const auto across = 2 * static_cast<std::uint64_t>(leave_radius_mm);
    return std::max(kLevelMin, static_cast<unsigned>(std::bit_width(across - 1)));
}

/// x and y lie within int32; counted from its lower end they are not negative.
std::uint64_t NotifySources::key_of(unsigned level, std::int64_t x, std::int64_t y) {
    constexpr std::int64_t kLowest = std::numeric_limits<std::int32_t>::min();
    constexpr unsigned kCellDigits = 32 - kLevelMin;
    const std::uint64_t column = static_cast<std::uint64_t>(x - kLowest) >> level;
    const std::uint64_t row = static_cast<std::uint64_t>(y - kLowest) >> level;
    return (std::uint64_t{level} << (2 * kCellDigits)) | (row << kCellDigits) | column;
}

NotifySources::Cells NotifySources::cells_of(Position at, std::int32_t leave_radius_mm) {
    return cells_touched(level_of(leave_radius_mm), square_around(at, leave_radius_mm));
}

/// By a square no wider than they are; what of it lies past int32 nobody can ask for.
NotifySources::Cells NotifySources::cells_touched(unsigned level, const Rect& square) {
    Cells cells;
    for (const std::int64_t y : {square.min_y, square.max_y}) {
        for (const std::int64_t x : {square.min_x, square.max_x}) {
            const std::uint64_t key = key_of(level, clamped_to_int32(x), clamped_to_int32(y));
            const auto end = cells.keys.begin() + static_cast<std::ptrdiff_t>(cells.count);
            if (std::find(cells.keys.begin(), end, key) == end) {
                cells.keys[cells.count++] = key;
            }
        }
    }
    return cells;
}

}  // namespace marchland::engine
