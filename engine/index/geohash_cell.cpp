#include "engine/index/geohash_cell.h"

#include "engine/assert.h"

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

}  // namespace marchland::engine
