#include "tools/trace_file/decimal.h"

#include "engine/assert.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace marchland::trace {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool are_digits(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

/// Appends a decimal digit; false when the value would not fit any more.
bool append_digit(std::int64_t& value, char digit) {
    const std::int64_t added = digit - '0';
    if (value > (kMax - added) / 10) return false;
    value = value * 10 + added;
    return true;
}

bool append_digits(std::int64_t& value, std::string_view digits) {
    return std::all_of(digits.begin(), digits.end(),
                       [&value](char digit) { return append_digit(value, digit); });
}

}  // namespace

std::variant<std::int64_t, DecimalProblem> parse_decimal(std::string_view text, unsigned decimals,
                                                         Rounding rounding) {
    MARCHLAND_ASSERT(decimals <= 18);
    const bool is_negative = text.starts_with('-');
    if (is_negative) text.remove_prefix(1);

    const std::size_t point = text.find('.');
    const std::string_view whole = text.substr(0, point);
    std::string_view fraction;
    if (point != std::string_view::npos) {
        fraction = text.substr(point + 1);
        if (!are_digits(fraction)) return DecimalProblem::not_a_decimal;
    }
    if (!are_digits(whole)) return DecimalProblem::not_a_decimal;

    const std::string_view kept = fraction.substr(0, decimals);
    const std::string_view lost = fraction.substr(kept.size());
    std::int64_t size = 0;
    if (!append_digits(size, whole) || !append_digits(size, kept)) {
        return DecimalProblem::out_of_range;
    }
    for (std::size_t i = kept.size(); i < decimals; ++i) {
        if (!append_digit(size, '0')) return DecimalProblem::out_of_range;
    }

    if (rounding == Rounding::refuse && lost.find_first_not_of('0') != std::string_view::npos) {
        return DecimalProblem::too_many_decimals;
    }
    // The first lost digit alone decides: from 5 on, the rest is half of the last kept one or more.
    if (!lost.empty() && lost.front() >= '5') {
        if (size == kMax) return DecimalProblem::out_of_range;
        ++size;
    }
    return is_negative ? -size : size;
}

std::variant<std::int64_t, std::string> read_decimal(std::string_view option,
                                                     std::string_view typed, unsigned decimals,
                                                     std::int64_t max) {
    const auto parsed = parse_decimal(typed, decimals, Rounding::refuse);
    if (const auto* number = std::get_if<std::int64_t>(&parsed)) {
        if (*number >= 0 && *number <= max) return *number;
        return fmt::format("{}: {} is out of range", option, typed);
    }
    switch (std::get<DecimalProblem>(parsed)) {
        case DecimalProblem::too_many_decimals:
            return fmt::format("{}: {} has more than {} decimals", option, typed, decimals);
        case DecimalProblem::out_of_range:
            return fmt::format("{}: {} is out of range", option, typed);
        case DecimalProblem::not_a_decimal:
            break;
    }
    return fmt::format("{}: '{}' is not a decimal number, such as 12.5", option, typed);
}

}  // namespace marchland::trace
