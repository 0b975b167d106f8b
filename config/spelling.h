#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace marchland::config {

/// The candidate that `word` was most likely meant to be, if any is close: at most a third of its
/// letters changed, added, left out or swapped with their neighbour. The first of equals.
std::optional<std::string_view> closest_to(std::string_view word,
                                           std::span<const std::string_view> candidates);

/// "a, b, c"
std::string listing(std::span<const std::string_view> words);

}  // namespace marchland::config
