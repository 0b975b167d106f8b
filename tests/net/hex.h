#pragma once

#include "engine/state.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace marchland::tests {

/// "0a0b0c0d 0e0f": lower case, a space after each four bytes.
std::string hex_of(std::span<const std::byte> bytes);

/// The bytes of such a text; spaces anywhere.
std::vector<std::byte> bytes_of(const std::string& hex);

/// With these bytes in slot 0.
std::vector<engine::StateWrite> state_of(std::vector<std::byte> bytes);

}  // namespace marchland::tests
