#pragma once

#include <cstdint>

namespace marchland::net {

/// docs/wire_format.md, "Versions".
inline constexpr std::uint16_t kProtocolMajor = 1;
inline constexpr std::uint16_t kProtocolMinor = 4;

}  // namespace marchland::net
