#include "engine/index/geohash_frame.h"

#include "engine/assert.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace marchland::engine {
namespace {

constexpr std::uint32_t kAxisBits = 32;

/// A block of cells of one size, both ends inclusive.
struct Block {
    std::uint32_t length_bits = 0;
    GeohashAxis::Numbers columns;
    GeohashAxis::Numbers rows;

    [[nodiscard]] std::uint64_t size() const {
        return (std::uint64_t{columns.last} - columns.first + 1) *
               (std::uint64_t{rows.last} - rows.first + 1);
    }
};

GeohashAxis::Numbers first_bits_of(GeohashAxis::Numbers numbers, std::uint32_t bits) {
    const auto cut = [bits](std::uint32_t number) {
        return static_cast<std::uint32_t>(std::uint64_t{number} >> (kAxisBits - bits));
    };
    return {cut(numbers.first), cut(numbers.last)};
}

Block block_of(GeohashAxis::Numbers x, GeohashAxis::Numbers y, std::uint32_t length_bits) {
    const GeohashCell any{0, length_bits};
    return {length_bits, first_bits_of(x, any.column_bits()), first_bits_of(y, any.row_bits())};
}

/// The finest one of at most kCellsMax cells. Up to where the corners' bits differ it is one cell.
Block finest_block(GeohashAxis::Numbers x, GeohashAxis::Numbers y) {
    const std::uint64_t corner_min =
        GeohashCell::at(x.first, y.first, GeohashCell::kLengthMax).bits;
    const std::uint64_t corner_max = GeohashCell::at(x.last, y.last, GeohashCell::kLengthMax).bits;
    auto length_bits = static_cast<std::uint32_t>(std::countl_zero(corner_min ^ corner_max));
    Block block = block_of(x, y, length_bits);
    while (length_bits < GeohashCell::kLengthMax) {
        const Block finer = block_of(x, y, ++length_bits);
        if (finer.size() > GeohashCover::kCellsMax) {
            break;
        }
        block = finer;
    }
    return block;
}

void add_cells(const Block& block, GeohashCover& cover) {
    for (std::uint64_t row = block.rows.first; row <= block.rows.last; ++row) {
        for (std::uint64_t column = block.columns.first; column <= block.columns.last; ++column) {
            const GeohashCell cell =
                GeohashCell::at(static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(row),
                                block.length_bits);
            cover.storage[cover.size++] = {cell.bits, cell.last_bits()};
        }
    }
}

void sort_and_join(GeohashCover& cover) {
    const auto begin = cover.storage.begin();
    std::sort(begin, begin + static_cast<std::ptrdiff_t>(cover.size),
              [](const auto& a, const auto& b) { return a.first_bits < b.first_bits; });
    std::size_t joined = 0;
    for (std::size_t i = 1; i < cover.size; ++i) {
        if (cover.storage[joined].last_bits + 1 == cover.storage[i].first_bits) {
            cover.storage[joined].last_bits = cover.storage[i].last_bits;
        } else {
            cover.storage[++joined] = cover.storage[i];
        }
    }
    cover.size = joined + 1;
}

}  // namespace

GeohashAxis::GeohashAxis(std::int32_t min, std::int32_t max)
    : min_(min), max_(max), length_mm_(static_cast<std::uint64_t>(max_ - min_)) {
    MARCHLAND_ASSERT(min <= max);
}

std::uint32_t GeohashAxis::number_of(std::int64_t value) const {
    MARCHLAND_ASSERT(value >= min_ && value <= max_);
    const auto offset = static_cast<std::uint64_t>(value - min_);
    if (offset == length_mm_) {
        return std::numeric_limits<std::uint32_t>::max();
    }
    return static_cast<std::uint32_t>((offset << kAxisBits) / length_mm_);
}

GeohashAxis::Span GeohashAxis::values_of(std::uint32_t number, std::uint32_t bits) const {
    const std::uint64_t next = std::uint64_t{number} + 1;
    const bool is_last = next == std::uint64_t{1} << bits;
    return {first_value_of(number, bits), is_last ? max_ : first_value_of(next, bits) - 1};
}

std::optional<GeohashAxis::Numbers> GeohashAxis::numbers_of(std::int64_t min,
                                                            std::int64_t max) const {
    const std::int64_t first = std::max(min, min_);
    const std::int64_t last = std::min(max, max_);
    if (first > last) {
        return std::nullopt;
    }
    return Numbers{number_of(first), number_of(last)};
}

/// The first value from number / 2^bits of the length on. `number` is below 2^bits, and so is the
/// length below 2^32: the product and what rounds it up fit 64 bits.
std::int64_t GeohashAxis::first_value_of(std::uint64_t number, std::uint32_t bits) const {
    const std::uint64_t cells = std::uint64_t{1} << bits;
    return min_ + static_cast<std::int64_t>((number * length_mm_ + cells - 1) >> bits);
}

GeohashFrame::GeohashFrame(const Rect& bounds)
    : x_(static_cast<std::int32_t>(bounds.min_x), static_cast<std::int32_t>(bounds.max_x)),
      y_(static_cast<std::int32_t>(bounds.min_y), static_cast<std::int32_t>(bounds.max_y)) {}

GeohashCell GeohashFrame::cell_of(Position at) const {
    return GeohashCell::at(x_.number_of(at.x), y_.number_of(at.y), GeohashCell::kLengthMax);
}

Rect GeohashFrame::area_of(const GeohashCell& cell) const {
    const GeohashAxis::Span x = x_.values_of(cell.column(), cell.column_bits());
    const GeohashAxis::Span y = y_.values_of(cell.row(), cell.row_bits());
    return {x.min, y.min, x.max, y.max};
}

GeohashCover GeohashFrame::cover(const Rect& area) const {
    const auto x = x_.numbers_of(area.min_x, area.max_x);
    const auto y = y_.numbers_of(area.min_y, area.max_y);
    GeohashCover cover;
    if (x && y) {
        add_cells(finest_block(*x, *y), cover);
        sort_and_join(cover);
    }
    return cover;
}

}  // namespace marchland::engine
