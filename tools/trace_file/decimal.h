#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace marchland::trace {

enum class DecimalProblem {
    not_a_decimal,      ///< not of the form -?digits[.digits]: no '+', no exponent, no spaces
    too_many_decimals,  ///< with Rounding::refuse: a digit other than 0 would be lost
    out_of_range,       ///< the result does not fit 64 bits
};

/// What becomes of digits beyond those that are kept.
enum class Rounding {
    half_away_from_zero,  ///< 0.0005 -> 0.001 and -0.0005 -> -0.001, whatever the machine's mode
    refuse,               ///< zeros may go, anything else is an error
};

/// Reads a decimal number and returns it times 10^decimals. Digits only, never a floating-point
/// number: so every machine reads the same value.
///
/// Cost  O(length of the text). `decimals` is at most 18.
std::variant<std::int64_t, DecimalProblem> parse_decimal(std::string_view text, unsigned decimals,
                                                         Rounding rounding);

/// The same of what was typed for an option: from 0 to `max`, and no digit is lost; or why it is
/// none.
std::variant<std::int64_t, std::string> read_decimal(std::string_view option,
                                                     std::string_view typed, unsigned decimals,
                                                     std::int64_t max);

}  // namespace marchland::trace
