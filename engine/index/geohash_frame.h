#pragma once

#include "engine/geometry.h"
#include "engine/index/geohash_cell.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace marchland::engine {

/// One axis of a map, halved again and again. Halving by hand, the classic way, asks "in the upper
/// half?" 32 times; its answers are the binary digits of (value - min) / (max - min), so here it is
/// one division: the number of the cell that holds the value, out of 2^32.
///
/// Exact: the edges of cells are the fractions themselves, not rounded ones. An axis is shorter than
/// 2^32 mm, so no two values share a number. As in the classic algorithm a value on an edge is in
/// the upper cell, and the end of the axis in the last.
class GeohashAxis {
public:
    /// Both inclusive.
    GeohashAxis(std::int32_t min, std::int32_t max);

    [[nodiscard]] std::uint32_t number_of(std::int64_t value) const;

    struct Span {
        std::int64_t min = 0;
        std::int64_t max = 0;
    };
    /// The values in cell `number` of 2^bits, none (max < min) where cells are below a millimetre.
    [[nodiscard]] Span values_of(std::uint32_t number, std::uint32_t bits) const;

    /// Numbers of the first and the last value of the part of [min, max] that is on the axis.
    struct Numbers {
        std::uint32_t first = 0;
        std::uint32_t last = 0;
    };
    [[nodiscard]] std::optional<Numbers> numbers_of(std::int64_t min, std::int64_t max) const;

private:
    [[nodiscard]] std::int64_t first_value_of(std::uint64_t number, std::uint32_t bits) const;

    std::int64_t min_;
    std::int64_t max_;
    std::uint64_t length_mm_;  ///< max - min: below 2^32
};

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

/// Which cell of a geohash is which part of this map?
///
/// Cost     cell_of: two divisions. cover: O(length of the cells + kCellsMax).
class GeohashFrame {
public:
    /// `bounds` is on the int32 plane and not empty.
    explicit GeohashFrame(const Rect& bounds);

    /// The smallest cell, of full length. `at` is inside the bounds.
    [[nodiscard]] GeohashCell cell_of(Position at) const;
    /// All positions in a cell, both ends inclusive; max < min where it holds none.
    [[nodiscard]] Rect area_of(const GeohashCell& cell) const;
    [[nodiscard]] GeohashCover cover(const Rect& area) const;

private:
    GeohashAxis x_;
    GeohashAxis y_;
};

}  // namespace marchland::engine
