#include "engine/index/geohash.h"
#include "tests/engine/property.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace marchland::engine::testing {
namespace {

GeohashCell cell_called(const std::string& text) {
    return geohash_from_text(text).value();
}

std::vector<std::string> neighbours_of(const std::string& text) {
    std::vector<std::string> texts;
    for (const GeohashCell& cell : cell_called(text).neighbours()) {
        texts.push_back(to_text(cell));
    }
    std::sort(texts.begin(), texts.end());
    return texts;
}

TEST(GeohashCell, FirstBitHalvesInXAndTheSecondInY) {
    EXPECT_EQ(GeohashCell::at(1, 0, 1), (GeohashCell{0x8000'0000'0000'0000U, 1}));
    EXPECT_EQ(GeohashCell::at(0, 1, 2), (GeohashCell{0x4000'0000'0000'0000U, 2}));
    EXPECT_EQ(GeohashCell::at(0b10, 0b1, 3), (GeohashCell{0xC000'0000'0000'0000U, 3}));
    EXPECT_EQ(GeohashCell::at(0, 0, 0), (GeohashCell{0, 0}));
}

TEST(GeohashCell, TextAndCellAreTheSame) {
    EXPECT_EQ(to_text(GeohashCell::at(0, 0, 5)), "0");
    EXPECT_EQ(to_text(GeohashCell::at(7, 3, 5)), "z");
    EXPECT_EQ(to_text(GeohashCell::at(0, 0, 4)), "");
    EXPECT_EQ(to_text(GeohashCell::at(7, 7, 6)), "z");
    for (const std::string text :
         {"", "0", "9b", "ezs42", "u4pruydqqvj", "0123456789bc", "defghjkmnpqr", "stuvwxyzzzzz"}) {
        EXPECT_EQ(to_text(cell_called(text)), text);
    }
}

TEST(GeohashCell, TextThatIsNoGeohashIsRefused) {
    for (const std::string text : {"a", "i", "l", "o", "U4", "u4 ", "u4-", "0123456789bcd"}) {
        EXPECT_FALSE(geohash_from_text(text).has_value()) << text;
    }
    EXPECT_FALSE(geohash_from_text(std::string_view("u\0", 2)).has_value());
}

TEST(GeohashCell, HoldsTheCellsThatBeginWithIt) {
    const GeohashCell outer = cell_called("u4pr");
    const GeohashCell inner = cell_called("u4pruydqqvj");
    const GeohashCell beside = cell_called("u4ps");
    EXPECT_GE(inner.bits, outer.bits);
    EXPECT_LE(inner.last_bits(), outer.last_bits());
    EXPECT_EQ(outer.last_bits() + 1, beside.bits);
    EXPECT_EQ(cell_called("").last_bits(), ~std::uint64_t{0});
    EXPECT_EQ(GeohashCell::at(3, 4, 64).last_bits(), GeohashCell::at(3, 4, 64).bits);
}

/// As published for the classic algorithm: n, ne, e, se, s, sw, w, nw of dqcjq.
TEST(GeohashCell, NeighboursOfAPublishedExample) {
    const GeohashCell cell = cell_called("dqcjq");
    const auto text_at = [&](std::int32_t columns, std::int32_t rows) {
        return to_text(cell.neighbour(columns, rows).value());
    };
    EXPECT_EQ(text_at(0, 1), "dqcjw");
    EXPECT_EQ(text_at(1, 1), "dqcjx");
    EXPECT_EQ(text_at(1, 0), "dqcjr");
    EXPECT_EQ(text_at(1, -1), "dqcjp");
    EXPECT_EQ(text_at(0, -1), "dqcjn");
    EXPECT_EQ(text_at(-1, -1), "dqcjj");
    EXPECT_EQ(text_at(-1, 0), "dqcjm");
    EXPECT_EQ(text_at(-1, 1), "dqcjt");
}

TEST(GeohashCell, NeighbourAcrossTheEdgeOfALargerCellSharesNoPrefix) {
    EXPECT_EQ(to_text(cell_called("7zzzz").neighbour(0, 1).value()), "ebpbp");
    EXPECT_EQ(to_text(cell_called("7zzzz").neighbour(1, 0).value()), "kpbpb");
}

TEST(GeohashCell, MapsEdgeHasNoNeighbourBeyond) {
    EXPECT_EQ(neighbours_of("00").size(), 3U);
    EXPECT_EQ(neighbours_of("zz").size(), 3U);
    EXPECT_EQ(cell_called("zz").neighbour(1, 0), std::nullopt);
    EXPECT_EQ(cell_called("zz").neighbour(0, 1), std::nullopt);
    EXPECT_EQ(cell_called("00").neighbour(-1, 0), std::nullopt);
    EXPECT_EQ(cell_called("00").neighbour(0, -1), std::nullopt);
    EXPECT_TRUE(cell_called("").neighbours().empty());
    EXPECT_EQ(neighbours_of("0"), (std::vector<std::string>{"1", "2", "3"}));
}

TEST(GeohashCell, ColumnRowAndNeighboursAgreeAtEachLength) {
    check_property([] {
        const auto length = *rc::gen::inRange(0U, 65U);
        const auto number = [](std::uint32_t bits) {
            return static_cast<std::uint32_t>(*rc::gen::arbitrary<std::uint32_t>() &
                                              ((std::uint64_t{1} << bits) - 1));
        };
        const GeohashCell shape{0, length};
        const std::uint32_t column = number(shape.column_bits());
        const std::uint32_t row = number(shape.row_bits());
        const GeohashCell cell = GeohashCell::at(column, row, length);
        RC_ASSERT(cell.column() == column);
        RC_ASSERT(cell.row() == row);
        for (const GeohashCell& neighbour : cell.neighbours()) {
            RC_ASSERT(neighbour.length_bits == length);
            RC_ASSERT(std::abs(std::int64_t{neighbour.column()} - column) <= 1);
            RC_ASSERT(std::abs(std::int64_t{neighbour.row()} - row) <= 1);
            const auto back = neighbour.neighbours();
            RC_ASSERT(std::find(back.begin(), back.end(), cell) != back.end());
        }
    });
}

}  // namespace
}  // namespace marchland::engine::testing
