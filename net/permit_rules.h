#pragma once

#include "net/auth/token_gate.h"
#include "net/messages.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace marchland::net {

// What a permit changes in what a client asks for. An error is what to answer with.

/// What the token allows who wants to come in as this; `unauthorized` when that is nothing.
std::variant<Permit, ErrorMessage> permit_for(const TokenGate& gate, const std::string& token,
                                              Permit::Role role,
                                              std::chrono::system_clock::time_point now);

/// Its subject for a line of the log: printable, and not all of a long one.
std::string logged_subject(const Permit& permit);
/// What an operator or a stranger wrote, for a line of the log: nothing in it begins another.
std::string printable(std::string text);
constexpr std::size_t kLoggedSubjectBytesMax = 64;

/// Kind and place are the permit's, where it names them. A view that was not asked for is the
/// default, as far as the permit lets it reach.
void apply(const Permit& permit, const engine::View& default_view, Hello& hello);

/// The view, reaching no further than that along x and along y.
engine::View cut(engine::View view, std::int32_t reach_mm);

/// How far a view may reach: the lesser of the permit's limit and the zone's.
std::int32_t longest_reach_mm(const Permit& permit, std::int32_t zone_mm_max);

/// `out_of_range` when the view reaches further than the permit allows.
std::optional<ErrorMessage> check_reach(const Permit& permit, const engine::View& view);

}  // namespace marchland::net
