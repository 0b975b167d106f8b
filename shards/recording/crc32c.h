#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace marchland::shards {

/// CRC-32C: finds every burst of damage up to 32 bits and every three flipped bits in what a block
/// of a recording may hold, which a hash of that size only does with high probability. `before`:
/// the checksum of what stands before these bytes.
///
/// Source  Castagnoli's polynomial as in RFC 3720 (iSCSI), appendix B.4.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0);

}  // namespace marchland::shards
