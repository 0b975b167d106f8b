#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace marchland::tests {

/// "0a0b0c0d 0e0f": lower case, a space after each four bytes.
std::string hex_of(std::span<const std::byte> bytes);

/// The bytes of such a text; spaces anywhere.
std::vector<std::byte> bytes_of(const std::string& hex);

}  // namespace marchland::tests
