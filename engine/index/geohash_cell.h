#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace marchland::engine {

/// A cell of a geohash: what is left of a map after halving it `length_bits` times, the first time
/// in x, then in y, and so on in turn. Bit 63 tells the first half: 0 the lower, 1 the upper.
///
///        bits  x y x y ...           after 0   +-------+   1   +---+---+   2   +---+---+
///                                              |       |       | 0 | 1 |       |01 |11 |
///        the cell 10 holds all                 |       |       |   |   |       +---+---+
///        cells whose bits begin                |       |       |   |   |       |00 |10 |
///        with 10                               +-------+       +---+---+       +---+---+
///
/// Five bits make a character of the text form, so `u4pru` holds `u4pruydqqvj`.
///
/// Units    None: what part of a map a cell is, GeohashFrame knows.
/// Order    By bits: cells that begin alike are beside each other (Morton's curve).
/// Source   Niemeyer, geohash.org (2008); Morton, "A Computer Oriented Geodetic Data Base" (1966).
struct GeohashCell {
    static constexpr std::uint32_t kLengthMax = 64;

    std::uint64_t bits = 0;  ///< those behind the first length_bits are 0
    std::uint32_t length_bits = 0;

    friend bool operator==(const GeohashCell&, const GeohashCell&) = default;

    /// The cell at that column and row of the grid into which length_bits halvings cut the map.
    static GeohashCell at(std::uint32_t column, std::uint32_t row, std::uint32_t length_bits);

    [[nodiscard]] std::uint32_t column_bits() const { return (length_bits + 1) / 2; }
    [[nodiscard]] std::uint32_t row_bits() const { return length_bits / 2; }
    [[nodiscard]] std::uint32_t column() const;
    [[nodiscard]] std::uint32_t row() const;

    /// The bits of the cell's last cell of full length: bits to last_bits() is all that it holds.
    [[nodiscard]] std::uint64_t last_bits() const {
        return length_bits == kLengthMax ? bits : bits | ~std::uint64_t{0} >> length_bits;
    }

    /// The cell of the same size so many columns and rows away; none beyond the map's edge, which
    /// does not wrap.
    [[nodiscard]] std::optional<GeohashCell> neighbour(std::int32_t columns,
                                                       std::int32_t rows) const;
    /// Those of the eight around it that are on the map, row by row.
    [[nodiscard]] std::vector<GeohashCell> neighbours() const;
};

/// 60 bits; the four that a text cannot tell are below a millimetre on any map of up to 1,073 km.
inline constexpr std::size_t kGeohashTextMax = 12;

/// The text form of the first whole characters. 0-9 and b-z without a, i, l and o.
std::string to_text(const GeohashCell& cell);

/// Nothing when there are more than kGeohashTextMax characters, or one that no geohash has.
std::optional<GeohashCell> geohash_from_text(std::string_view text);

}  // namespace marchland::engine
