#include "tools/bots/violations.h"

#include <fmt/format.h>

namespace marchland::bots {

std::string_view name_of(Violation kind) {
    static constexpr std::array<std::string_view, kViolationKinds> kNames = {
        "malformed",     "unexpected",   "tick_order",    "list_order",   "wrong_ack",
        "own_id",        "double_enter", "unknown_leave", "unknown_move", "moved_on_enter",
        "outside_world", "silent",       "missing",       "must_not_see", "wrong_position",
        "wrong_reason",  "still_seen",   "wrong_cap"};
    return kNames.at(static_cast<std::size_t>(kind));
}

void ViolationLog::print(Violation kind, const std::string& text, bool is_last) {
    fmt::print(out_, "violation: {}: {}\n", name_of(kind), text);
    if (is_last) {
        fmt::print(out_, "violation: {}: further ones are only counted\n", name_of(kind));
    }
}

}  // namespace marchland::bots
