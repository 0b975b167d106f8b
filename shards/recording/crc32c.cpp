#include "shards/recording/crc32c.h"

#include <array>

namespace marchland::shards {

namespace {

constexpr std::uint32_t kPolynomialReflected = 0x82f63b78U;

using Table = std::array<std::uint32_t, 256>;
constexpr std::size_t kStep = 8;

/// Table n: what a byte does to the checksum with n bytes behind it.
constexpr std::array<Table, kStep> make_tables() {
    std::array<Table, kStep> tables{};
    for (std::uint32_t byte = 0; byte < Table().size(); ++byte) {
        std::uint32_t rest = byte;
        for (std::size_t n = 0; n < kStep; ++n) {
            for (int bit = 0; bit < 8; ++bit) {
                rest = (rest >> 1U) ^ ((rest & 1U) != 0 ? kPolynomialReflected : 0U);
            }
            tables[n][byte] = rest;
        }
    }
    return tables;
}

constexpr std::array<Table, kStep> kTables = make_tables();

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before) {
    std::uint32_t crc = ~before;
    for (; bytes.size() >= kStep; bytes = bytes.subspan(kStep)) {
        std::uint32_t next = 0;
        for (std::size_t i = 0; i < kStep; ++i) {
            const std::uint32_t of_crc = i < sizeof crc ? crc >> (8 * i) : 0;
            next ^=
                kTables[kStep - 1 - i][(of_crc ^ std::to_integer<std::uint32_t>(bytes[i])) & 0xffU];
        }
        crc = next;
    }
    for (const std::byte byte : bytes) {
        crc = (crc >> 8U) ^ kTables[0][(crc ^ std::to_integer<std::uint32_t>(byte)) & 0xffU];
    }
    return ~crc;
}

}  // namespace marchland::shards
