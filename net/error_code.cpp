#include "net/error_code.h"

#include <array>

namespace marchland::net {

namespace {

/// By number; the first stands for a code that a newer server added.
constexpr std::array<std::string_view, kErrorCodesEnd> kNames{
    "unknown",        "malformed",   "too_large",         "unsupported_version", "out_of_order",
    "out_of_range",   "too_fast",    "handshake_timeout", "idle_timeout",        "too_slow",
    "full",           "stopping",    "unauthorized",      "address_limit",       "not_allowed",
    "resume_refused", "superseded",  "removed",           "second_login",        "overloaded",
    "transferred",    "not_admitted"};
static_assert(kNames.back() == "not_admitted");

}  // namespace

std::string_view name_of(ErrorCode code) {
    const auto number = static_cast<std::size_t>(code);
    return number < kNames.size() ? kNames[number] : kNames[0];
}

}  // namespace marchland::net
