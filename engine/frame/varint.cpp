#include "engine/frame/varint.h"

namespace marchland::engine {

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
