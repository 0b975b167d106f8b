#include "engine/sweep/notify_sources.h"

#include "engine/assert.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace marchland::engine {

void NotifySources::insert(Slot slot, Position at, std::int32_t leave_radius_mm) {
    const Cells cells = cells_of(at, leave_radius_mm);
    for (std::size_t i = 0; i < cells.count; ++i) {
        add(cells.keys[i], slot);
    }
    const unsigned level = level_of(leave_radius_mm);
    ++at_level_[level];
    levels_in_use_ |= std::uint64_t{1} << level;
}

void NotifySources::erase(Slot slot, Position at, std::int32_t leave_radius_mm) {
    const Cells cells = cells_of(at, leave_radius_mm);
    for (std::size_t i = 0; i < cells.count; ++i) {
        remove(cells.keys[i], slot);
    }
    const unsigned level = level_of(leave_radius_mm);
    if (--at_level_[level] == 0) {
        levels_in_use_ &= ~(std::uint64_t{1} << level);
    }
}

bool NotifySources::move(Slot slot, Position from, Position to, std::int32_t leave_radius_mm) {
    const bool goes = cells_of(from, leave_radius_mm) != cells_of(to, leave_radius_mm);
    if (goes) {
        erase(slot, from, leave_radius_mm);
        insert(slot, to, leave_radius_mm);
    }
    return goes;
}

unsigned NotifySources::lowest_level(std::uint64_t levels) {
    return static_cast<unsigned>(std::countr_zero(levels));
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
    const auto clamped = [](std::int64_t value) {
        return std::clamp<std::int64_t>(value, std::numeric_limits<std::int32_t>::min(),
                                        std::numeric_limits<std::int32_t>::max());
    };
    Cells cells;
    for (const std::int64_t y : {square.min_y, square.max_y}) {
        for (const std::int64_t x : {square.min_x, square.max_x}) {
            const std::uint64_t key = key_of(level, clamped(x), clamped(y));
            const auto end = cells.keys.begin() + static_cast<std::ptrdiff_t>(cells.count);
            if (std::find(cells.keys.begin(), end, key) == end) {
                cells.keys[cells.count++] = key;
            }
        }
    }
    return cells;
}

std::size_t NotifySources::bucket_of(std::uint64_t key) const {
    constexpr std::uint64_t kGoldenRatio = 0x9E37'79B9'7F4A'7C15;  // Knuth, TAOCP vol. 3, 6.4
    return static_cast<std::size_t>((key * kGoldenRatio) >> 32U) & (buckets_.size() - 1);
}

void NotifySources::add(std::uint64_t key, Slot slot) {
    if (free_ == kNone) {
        grow();
    }
    const std::uint32_t taken = free_;
    free_ = chained_[taken].next;
    std::uint32_t& head = buckets_[bucket_of(key)];
    chained_[taken] = {key, slot, head};
    head = taken;
}

void NotifySources::remove(std::uint64_t key, Slot slot) {
    MARCHLAND_ASSERT(!buckets_.empty());
    std::uint32_t* link = &buckets_[bucket_of(key)];
    while (*link != kNone && (chained_[*link].key != key || chained_[*link].slot != slot)) {
        link = &chained_[*link].next;
    }
    MARCHLAND_ASSERT(*link != kNone);
    const std::uint32_t removed = *link;
    *link = chained_[removed].next;
    chained_[removed].next = free_;
    free_ = removed;
}

/// Twice as many registrations, and as many buckets: every chain is made anew. None is free.
void NotifySources::grow() {
    constexpr std::size_t kFirst = 16;
    const std::size_t taken = chained_.size();
    chained_.resize(std::max(kFirst, 2 * taken));
    buckets_.assign(chained_.size(), kNone);
    for (std::uint32_t i = 0; i < chained_.size(); ++i) {
        std::uint32_t& head = i < taken ? buckets_[bucket_of(chained_[i].key)] : free_;
        chained_[i].next = head;
        head = i;
    }
}

}  // namespace marchland::engine
