#pragma once

#include <cstdint>

namespace marchland::net {

/// docs/wire_format.md, "Versions".
inline constexpr std::uint16_t kProtocolMajor = 3;
inline constexpr std::uint16_t kProtocolMinor = 1;

}  // namespace marchland::net
