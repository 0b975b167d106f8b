#pragma once

#include "engine/geometry.h"
#include "engine/index/index.h"
#include "engine/index/index_storage.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace marchland::engine {

/// A cell of a geohash: what is left of a map after halving it `length_bits` times, the first time
/// in x, then in y, and so on in turn. Bit 63 names the first half: 0 the lower, 1 the upper.
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

/// 60 bits; the four that a text cannot hold are below a millimetre on any map of up to 1,073 km.
inline constexpr std::size_t kGeohashTextMax = 12;

/// The text form of the first whole characters. 0-9 and b-z without a, i, l and o.
std::string to_text(const GeohashCell& cell);

/// Nothing when there are more than kGeohashTextMax characters, or one that no geohash has.
std::optional<GeohashCell> geohash_from_text(std::string_view text);

/// Few cells of one size that together hold an area: as fine as can be without being more than
/// kCellsMax.
struct GeohashCover {
    /// Finer cells would fit the area better and cost a search each.
    static constexpr std::size_t kCellsMax = 16;

    /// First and last bits, both inclusive: cells that follow one another are one.
    struct Range {
        std::uint64_t first_bits = 0;
        std::uint64_t last_bits = 0;
    };
    std::array<Range, kCellsMax> storage{};
    std::size_t size = 0;

    /// Ascending, with gaps between them.
    [[nodiscard]] std::span<const Range> ranges() const { return {storage.data(), size}; }
};

/// Which cell of a geohash is which part of this map? Halving by hand, the classic way, asks "in
/// the upper half?" 32 times on each axis; its answers are the binary digits of (value - min) /
/// (max - min), so here it is one division: the number of the cell that holds the value, out of
/// 2^32.
///
/// Exact: the edges of cells are the fractions themselves, not rounded ones. An axis is shorter
/// than 2^32 mm, so no two values share a number. As in the classic algorithm a value on an edge is
/// in the upper cell, and the end of the axis in the last.
///
/// Cost     cell_of: two divisions. cover: O(length of the cells + kCellsMax).
class GeohashFrame {
public:
    /// `bounds` is on the int32 plane and not empty.
    explicit GeohashFrame(const Rect& bounds);

    /// The smallest cell, of full length. `at` is inside the bounds.
    [[nodiscard]] GeohashCell cell_of(Position at) const;
    [[nodiscard]] GeohashCover cover(const Rect& area) const;

private:
    Rect bounds_;
};

/// Which entities are in this part of the map? Those whose geohash begins like this: entities in
/// the order of their cells' bits (GeohashCell), so that each cell of each size is one stretch of
/// it.
///
///        like 'u4pr%'   ... u4pq7 | u4pr0 u4pr2 u4prz | u4ps1 ...
///
/// A rectangle is covered by a few cells, and what stands in those is asked for its position: cells
/// that are neighbours on the map may be far apart in the order, and none is missed.
///
/// Shapes   N entities in one sorted container.
/// Order    Of a cell's entities: by bits, then by slot. Of a rectangle's: none.
/// Cost     insert, erase, move O(log N); query O(log N) for each of at most 16 stretches, and the
///          entities in them: one and a half to some three times the area. An insert allocates a
///          node, a move does not. 80 bytes an entity or so.
/// Choose   where the same question is also asked of a database or a service that speaks geohashes,
///          or by name ("who is in u4pru?"). As a shard's index a grid does the same for less.
/// Source   Niemeyer, geohash.org (2008); Morton order (1966); the sorted set of Redis' GEO
///          commands.
class Geohash final : public PositionedIndex {
public:
    explicit Geohash(const IndexOptions& options);

    void query(const Rect& area, std::vector<Slot>& out) const override;

    /// Appends exactly those in the cell.
    void query_cell(const GeohashCell& cell, std::vector<Slot>& out) const;
    /// The same by text: "u4pr" asks for all that begin so, "" for all. False, and nothing is
    /// appended, when the text is no geohash.
    [[nodiscard]] bool query_prefix(std::string_view prefix, std::vector<Slot>& out) const;

    /// The geohash of an entity that is here, `characters` long (1 to kGeohashTextMax).
    [[nodiscard]] std::string text_of(Slot slot, std::size_t characters) const;

    [[nodiscard]] const GeohashFrame& frame() const { return frame_; }

private:
    void put(Slot slot, Position at) override;
    void take(Slot slot, Position at) override;
    void shift(Slot slot, Position from, Position to) override;

    struct Entry {
        std::uint64_t bits = 0;
        Slot slot{};

        friend auto operator<=>(const Entry&, const Entry&) = default;
    };

    [[nodiscard]] Entry entry_of(Slot slot, Position at) const {
        return {frame_.cell_of(at).bits, slot};
    }
    template <typename Visit>
    void for_each_in(std::uint64_t first_bits, std::uint64_t last_bits, Visit&& visit) const;

    const GeohashFrame frame_;
    std::set<Entry> entries_;
};

}  // namespace marchland::engine
