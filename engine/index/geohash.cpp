#include "engine/index/geohash.h"

#include "engine/assert.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <utility>

namespace marchland::engine {
namespace {

constexpr std::string_view kAlphabet = "0123456789bcdefghjkmnpqrstuvwxyz";
constexpr std::uint32_t kBitsPerCharacter = 5;

/// Puts a 0 above each bit: abcd becomes 0a0b0c0d. Doubling the gaps, as in Warren, "Hacker's
/// Delight", 7-2.
std::uint64_t spread(std::uint32_t value) {
    std::uint64_t bits = value;
    bits = (bits | bits << 16U) & 0x0000'FFFF'0000'FFFFU;
    bits = (bits | bits << 8U) & 0x00FF'00FF'00FF'00FFU;
    bits = (bits | bits << 4U) & 0x0F0F'0F0F'0F0F'0F0FU;
    bits = (bits | bits << 2U) & 0x3333'3333'3333'3333U;
    return (bits | bits << 1U) & 0x5555'5555'5555'5555U;
}

/// Takes every other bit, the way back.
std::uint32_t gather(std::uint64_t bits) {
    bits &= 0x5555'5555'5555'5555U;
    bits = (bits | bits >> 1U) & 0x3333'3333'3333'3333U;
    bits = (bits | bits >> 2U) & 0x0F0F'0F0F'0F0F'0F0FU;
    bits = (bits | bits >> 4U) & 0x00FF'00FF'00FF'00FFU;
    bits = (bits | bits >> 8U) & 0x0000'FFFF'0000'FFFFU;
    return static_cast<std::uint32_t>(bits | bits >> 16U);
}

/// A number of so many bits (0 to 32), and the same at the upper end of 32.
std::uint32_t raised(std::uint32_t number, std::uint32_t bits) {
    return static_cast<std::uint32_t>(std::uint64_t{number} << (32U - bits));
}
std::uint32_t lowered(std::uint32_t number, std::uint32_t bits) {
    return static_cast<std::uint32_t>(std::uint64_t{number} >> (32U - bits));
}

}  // namespace

GeohashCell GeohashCell::at(std::uint32_t column, std::uint32_t row, std::uint32_t length_bits) {
    MARCHLAND_ASSERT(length_bits <= kLengthMax);
    GeohashCell cell{0, length_bits};
    cell.bits =
        spread(raised(column, cell.column_bits())) << 1U | spread(raised(row, cell.row_bits()));
    return cell;
}

std::uint32_t GeohashCell::column() const {
    return lowered(gather(bits >> 1U), column_bits());
}

std::uint32_t GeohashCell::row() const {
    return lowered(gather(bits), row_bits());
}

std::optional<GeohashCell> GeohashCell::neighbour(std::int32_t columns, std::int32_t rows) const {
    const std::int64_t to_column = std::int64_t{column()} + columns;
    const std::int64_t to_row = std::int64_t{row()} + rows;
    const std::int64_t column_count = std::int64_t{1} << column_bits();
    const std::int64_t row_count = std::int64_t{1} << row_bits();
    if (to_column < 0 || to_column >= column_count || to_row < 0 || to_row >= row_count) {
        return std::nullopt;
    }
    return at(static_cast<std::uint32_t>(to_column), static_cast<std::uint32_t>(to_row),
              length_bits);
}

std::vector<GeohashCell> GeohashCell::neighbours() const {
    std::vector<GeohashCell> around;
    for (std::int32_t rows = -1; rows <= 1; ++rows) {
        for (std::int32_t columns = -1; columns <= 1; ++columns) {
            const auto cell = neighbour(columns, rows);
            if (cell && *cell != *this) {
                around.push_back(*cell);
            }
        }
    }
    return around;
}

std::string to_text(const GeohashCell& cell) {
    std::string text;
    for (std::uint32_t length = kBitsPerCharacter; length <= cell.length_bits;
         length += kBitsPerCharacter) {
        const std::uint64_t digit = cell.bits >> (GeohashCell::kLengthMax - length) & 31U;
        text += kAlphabet[digit];
    }
    return text;
}

std::optional<GeohashCell> geohash_from_text(std::string_view text) {
    if (text.size() > kGeohashTextMax) {
        return std::nullopt;
    }
    GeohashCell cell;
    for (const char character : text) {
        const std::size_t digit = kAlphabet.find(character);
        if (digit == std::string_view::npos) {
            return std::nullopt;
        }
        cell.length_bits += kBitsPerCharacter;
        cell.bits |= std::uint64_t{digit} << (GeohashCell::kLengthMax - cell.length_bits);
    }
    return cell;
}

namespace {

/// A block of cells of one size, both ends inclusive.
struct Block {
    GeohashCell first;
    GeohashCell last;

    [[nodiscard]] std::uint64_t size() const {
        return (std::uint64_t{last.column()} - first.column() + 1) *
               (std::uint64_t{last.row()} - first.row() + 1);
    }
};

/// The cell of so many halvings that holds one of full length.
GeohashCell first_halvings(const GeohashCell& cell, std::uint32_t length_bits) {
    const std::uint64_t behind = GeohashCell{0, length_bits}.last_bits();
    return {cell.bits & ~behind, length_bits};
}

/// The finest block from corner to corner of at most kCellsMax cells. Up to where their bits differ
/// it is one cell.
Block finest_block(const GeohashCell& first, const GeohashCell& last) {
    auto length_bits = static_cast<std::uint32_t>(std::countl_zero(first.bits ^ last.bits));
    Block block{first_halvings(first, length_bits), first_halvings(last, length_bits)};
    while (length_bits < GeohashCell::kLengthMax) {
        ++length_bits;
        const Block finer{first_halvings(first, length_bits), first_halvings(last, length_bits)};
        if (finer.size() > GeohashCover::kCellsMax) {
            break;
        }
        block = finer;
    }
    return block;
}

void add_cells(const Block& block, GeohashCover& cover) {
    for (std::uint64_t row = block.first.row(); row <= block.last.row(); ++row) {
        for (std::uint64_t column = block.first.column(); column <= block.last.column(); ++column) {
            const GeohashCell cell =
                GeohashCell::at(static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(row),
                                block.first.length_bits);
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

/// Of the cell, out of 2^32 along an axis, that holds the value.
std::uint32_t number_of(std::int64_t value, std::int64_t min, std::int64_t max) {
    if (value == max) {
        return std::numeric_limits<std::uint32_t>::max();
    }
    const auto offset = static_cast<std::uint64_t>(value - min);
    return static_cast<std::uint32_t>((offset << 32U) / static_cast<std::uint64_t>(max - min));
}

}  // namespace

GeohashFrame::GeohashFrame(const Rect& bounds) : bounds_(bounds) {
    MARCHLAND_ASSERT(!bounds.is_empty() && bounds.common_part(kInt32Plane) == bounds);
}

GeohashCell GeohashFrame::cell_of(Position at) const {
    MARCHLAND_ASSERT(bounds_.contains(at));
    return GeohashCell::at(number_of(at.x, bounds_.min_x, bounds_.max_x),
                           number_of(at.y, bounds_.min_y, bounds_.max_y), GeohashCell::kLengthMax);
}

GeohashCover GeohashFrame::cover(const Rect& area) const {
    const Rect on_map = area.common_part(bounds_);
    GeohashCover cover;
    if (!on_map.is_empty()) {
        const auto corner = [this](std::int64_t x, std::int64_t y) {
            return cell_of({static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), 0});
        };
        add_cells(
            finest_block(corner(on_map.min_x, on_map.min_y), corner(on_map.max_x, on_map.max_y)),
            cover);
        sort_and_join(cover);
    }
    return cover;
}

Geohash::Geohash(const IndexOptions& options) : PositionedIndex(options.bounds), frame_(bounds()) {}

void Geohash::put(Slot slot, Position at) {
    entries_.insert(entry_of(slot, at));
}

void Geohash::take(Slot slot, Position at) {
    entries_.erase(entry_of(slot, at));
}

/// The node is taken out and put in again, with its memory.
void Geohash::shift(Slot slot, Position from, Position to) {
    auto node = entries_.extract(entry_of(slot, from));
    MARCHLAND_ASSERT(!node.empty());
    node.value() = entry_of(slot, to);
    entries_.insert(std::move(node));
}

void Geohash::query(const Rect& area, std::vector<Slot>& out) const {
    const GeohashCover cover = frame_.cover(area);
    for (const GeohashCover::Range& range : cover.ranges()) {
        for_each_in(range.first_bits, range.last_bits, [&](Slot slot) {
            if (area.contains(position_of(slot))) {
                out.push_back(slot);
            }
        });
    }
}

void Geohash::query_cell(const GeohashCell& cell, std::vector<Slot>& out) const {
    for_each_in(cell.bits, cell.last_bits(), [&out](Slot slot) { out.push_back(slot); });
}

bool Geohash::query_prefix(std::string_view prefix, std::vector<Slot>& out) const {
    const std::optional<GeohashCell> cell = geohash_from_text(prefix);
    if (cell) {
        query_cell(*cell, out);
    }
    return cell.has_value();
}

std::string Geohash::text_of(Slot slot, std::size_t characters) const {
    MARCHLAND_ASSERT(characters >= 1 && characters <= kGeohashTextMax);
    return to_text(frame_.cell_of(position_of(slot))).substr(0, characters);
}

template <typename Visit>
void Geohash::for_each_in(std::uint64_t first_bits, std::uint64_t last_bits, Visit&& visit) const {
    for (auto at = entries_.lower_bound({first_bits, Slot{0}});
         at != entries_.end() && at->bits <= last_bits; ++at) {
        visit(at->slot);
    }
}

}  // namespace marchland::engine
