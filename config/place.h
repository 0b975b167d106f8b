#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace marchland::config {

/// Where something stands in a file: line and column from 1, columns counted in characters. Line 0
/// is the file as a whole.
struct Place {
    std::uint32_t line = 0;
    std::uint32_t column = 0;

    friend auto operator<=>(const Place&, const Place&) = default;
};

/// Why a file could not be taken in at all.
struct FileProblem {
    Place place;
    std::string reason;
    std::string hint;
};

}  // namespace marchland::config
