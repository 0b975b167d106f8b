#pragma once

#include "marchland_generated.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace marchland::net {

/// The length prefix of every message: bytes after it, little-endian.
inline constexpr std::size_t kLengthPrefixBytes = 4;

/// Finds the message in foreign bytes: one whole one, its length prefix included, that begins at a
/// multiple of 8. nullptr when its structure is not sound. Values are the caller's to check.
///
/// Writers align 8-byte numbers in one of two ways: from the length prefix on (FinishSizePrefixed),
/// or from behind it (Finish, and a prefix written by hand). Both are read; the second is copied to
/// `realigned`, which must then live as long as the result is used.
const wire::Message* verify_message(std::span<const std::byte> message,
                                    std::vector<std::uint64_t>& realigned);

}  // namespace marchland::net
