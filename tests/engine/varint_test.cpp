#include "engine/frame/varint.h"

#include "tests/net/hex.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <limits>

namespace marchland::tests {

namespace {

std::string written(std::uint64_t value) {
    std::array<std::byte, engine::kVarintBytesMax> bytes{};
    std::byte* const end = engine::write_varint(value, bytes.data());
    return hex_of({bytes.data(), end});
}

std::optional<std::uint64_t> read(const std::string& hex) {
    const std::vector<std::byte> bytes = bytes_of(hex);
    return engine::VarintReader(bytes).read();
}

}  // namespace

TEST(Varint, HasSevenBitsAByteLowestFirst) {
    EXPECT_EQ(written(0), "00");
    EXPECT_EQ(written(127), "7f");
    EXPECT_EQ(written(128), "8001");
    EXPECT_EQ(written(300), "ac02");
    EXPECT_EQ(written(std::numeric_limits<std::uint64_t>::max()), "ffffffff ffffffff ff01");
}

RC_GTEST_PROP(Varint, IsReadAsItWasWritten, (std::uint64_t value)) {
    RC_ASSERT(read(written(value)) == value);
}

TEST(Varint, IsReadAsItWasWrittenAtEveryPowerOfTwo) {
    for (unsigned bit = 0; bit < 64; ++bit) {
        const std::uint64_t power = std::uint64_t{1} << bit;
        EXPECT_EQ(read(written(power)), power);
        EXPECT_EQ(read(written(power - 1)), power - 1);
    }
}

TEST(Varint, RefusesANumberThatIsCutOff) {
    EXPECT_FALSE(read(""));
    EXPECT_FALSE(read("80"));
    EXPECT_FALSE(read("ffffffff ffffffff ff"));
}

TEST(Varint, RefusesASecondWayToWriteANumber) {
    EXPECT_FALSE(read("8000"));
    EXPECT_FALSE(read("ff00"));
    EXPECT_FALSE(read("80808080 80808080 8000"));
}

TEST(Varint, RefusesWhatDoesNotFit64Bits) {
    EXPECT_FALSE(read("ffffffff ffffffff ff02"));
    EXPECT_FALSE(read("ffffffff ffffffff ff81 01"));
}

TEST(Zigzag, TurnsSmallNumbersOfEitherSignIntoSmallNumbers) {
    EXPECT_EQ(engine::zigzag(0), 0U);
    EXPECT_EQ(engine::zigzag(-1), 1U);
    EXPECT_EQ(engine::zigzag(1), 2U);
    EXPECT_EQ(engine::zigzag(-2), 3U);
    EXPECT_EQ(engine::zigzag(std::numeric_limits<std::int64_t>::min()),
              std::numeric_limits<std::uint64_t>::max());
}

RC_GTEST_PROP(Zigzag, IsUndoneByUnzigzag, (std::int64_t value)) {
    RC_ASSERT(engine::unzigzag(engine::zigzag(value)) == value);
}

}  // namespace marchland::tests
