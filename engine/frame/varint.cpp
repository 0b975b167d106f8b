#include "engine/frame/varint.h"

#include <algorithm>

namespace marchland::engine {

std::optional<std::uint64_t> VarintReader::read() {
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

std::optional<std::int64_t> VarintReader::read_zigzag() {
    const std::optional<std::uint64_t> value = read();
    return value ? std::optional(unzigzag(*value)) : std::nullopt;
}

std::optional<std::span<const std::byte>> VarintReader::take(std::size_t count) {
    if (count > rest_.size()) {
        return std::nullopt;
    }
    const std::span<const std::byte> taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
}

}  // namespace marchland::engine
