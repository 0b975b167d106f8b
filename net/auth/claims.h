#pragma once

#include "net/auth/auth_options.h"
#include "net/auth/permit.h"

#include <chrono>
#include <string>
#include <variant>

namespace marchland::net {

/// What the claims of a token allow, if they hold now. The string says, for people, why not.
///
///     aud   string or list, must name the audience        role  "player" (when absent) or "service"
///     exp   seconds since 1970, needed                    kind  0 to 65535
///     nbf   likewise, may be absent                       spawn { "x": mm, "y": mm, "z": mm }, z may be absent
///     sub   who it is; may be needed                          view_leave_radius_mm_max  0 and more
///                                                             frames_hz  1 and more
///
/// Those that `claims_for_services` names are copied for services, in a player's token.
///
/// kind, spawn, the view's limit and the rate are players': in a service's token they are passed over, as other claims
/// are in any. Of a claim that is there twice the last one counts. Source: RFC 7519; from `role` on the names
/// are Marchland's.
std::variant<Permit, std::string> permit_from(const std::string& claims, const AuthOptions& options,
                                              std::chrono::system_clock::time_point now);

}  // namespace marchland::net
