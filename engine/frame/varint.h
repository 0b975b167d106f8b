#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace marchland::engine {

// Numbers of few bytes: LEB128, seven bits a byte, the lowest first, the top bit set on all but the
// last byte. Source: the encoding of Protocol Buffers and DWARF.

inline constexpr std::size_t kVarintBytesMax = 10;  ///< of a number of 64 bits

/// Small numbers of either sign become small numbers: 0, -1, 1, -2, 2 -> 0, 1, 2, 3, 4.
constexpr std::uint64_t zigzag(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63);
}

constexpr std::int64_t unzigzag(std::uint64_t value) {
    return static_cast<std::int64_t>((value >> 1U) ^ (~(value & 1U) + 1U));
}

/// Writes up to kVarintBytesMax bytes and returns the end of them.
inline std::byte* write_varint(std::uint64_t value, std::byte* out) {
    while (value >= 0x80U) {
        *out++ = static_cast<std::byte>(value | 0x80U);
        value >>= 7U;
    }
    *out++ = static_cast<std::byte>(value);
    return out;
}

inline void append_varint(std::uint64_t value, std::vector<std::byte>& out) {
    if (value < 0x80U) {
        out.push_back(static_cast<std::byte>(value));
        return;
    }
    std::array<std::byte, kVarintBytesMax> room{};
    out.insert(out.end(), room.data(), write_varint(value, room.data()));
}

// Of fixed length, the lowest byte first.

inline void append_u32(std::uint32_t value, std::vector<std::byte>& out) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
        out.push_back(static_cast<std::byte>(value >> shift));
    }
}

inline void append_u64(std::uint64_t value, std::vector<std::byte>& out) {
    append_u32(static_cast<std::uint32_t>(value), out);
    append_u32(static_cast<std::uint32_t>(value >> 32U), out);
}

/// Of the first four, or eight, bytes.
inline std::uint32_t read_u32(std::span<const std::byte> bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < sizeof value; ++i) {
        value |= std::to_integer<std::uint32_t>(bytes[i]) << (8U * i);
    }
    return value;
}

inline std::uint64_t read_u64(std::span<const std::byte> bytes) {
    return read_u32(bytes) | (std::uint64_t{read_u32(bytes.subspan(4))} << 32U);
}

/// Reads varints from foreign bytes. Strict: each number has exactly one encoding.
class VarintReader {
public:
    explicit VarintReader(std::span<const std::byte> bytes) : rest_(bytes) {}

    [[nodiscard]] bool is_at_end() const { return rest_.empty(); }
    [[nodiscard]] std::span<const std::byte> rest() const { return rest_; }

    /// Nothing when the number is cut off, longer than it need be, or does not fit 64 bits.
    std::optional<std::uint64_t> read();
    std::optional<std::int64_t> read_zigzag() {
        const std::optional<std::uint64_t> value = read();
        return value ? std::optional(unzigzag(*value)) : std::nullopt;
    }
    /// The next `count` bytes as they are; nothing when there are fewer.
    std::optional<std::span<const std::byte>> take(std::size_t count) {
        if (count > rest_.size()) {
            return std::nullopt;
        }
        const std::span<const std::byte> taken = rest_.first(count);
        rest_ = rest_.subspan(count);
        return taken;
    }

private:
    std::span<const std::byte> rest_;
};

inline std::optional<std::uint64_t> VarintReader::read() {
    std::uint64_t value = 0;
    const std::size_t bytes_max = std::min(rest_.size(), kVarintBytesMax);
    for (std::size_t i = 0; i < bytes_max; ++i) {
        const auto byte = std::to_integer<std::uint64_t>(rest_[i]);
        value |= (byte & 0x7fU) << (7U * i);
        if ((byte & 0x80U) != 0) {
            continue;
        }
        const bool is_overlong = byte == 0 && i > 0;
        const bool is_over_64_bits = i == kVarintBytesMax - 1 && byte > 1;
        if (is_overlong || is_over_64_bits) {
            return std::nullopt;
        }
        rest_ = rest_.subspan(i + 1);
        return value;
    }
    return std::nullopt;
}

}  // namespace marchland::engine
