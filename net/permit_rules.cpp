#include "net/permit_rules.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>

namespace marchland::net {

std::variant<Permit, ErrorMessage> permit_for(const TokenGate& gate, const std::string& token,
                                              Permit::Role role,
                                              std::chrono::system_clock::time_point now) {
    auto checked = gate.check(token, now);
    if (auto* const reason = std::get_if<std::string>(&checked)) {
        return ErrorMessage{ErrorCode::unauthorized, "token: " + *reason};
    }
    auto& permit = std::get<Permit>(checked);
    if (gate.is_open_to_all()) {
        permit.role = role;
    }
    if (permit.role != role) {
        return ErrorMessage{ErrorCode::unauthorized, role == Permit::Role::player
                                                         ? "token: it is a service's"
                                                         : "token: it is a player's"};
    }
    return std::move(permit);
}

/// Nothing that could forge a line.
std::string logged_subject(const Permit& permit) {
    return printable(permit.subject.substr(0, kLoggedSubjectBytesMax));
}

std::string printable(std::string text) {
    for (char& c : text) {
        c = c >= ' ' && c <= '~' ? c : '?';
    }
    return text;
}

void apply(const Permit& permit, const engine::View& default_view, Hello& hello) {
    hello.kind = permit.kind.value_or(hello.kind);
    if (permit.spawn) {
        hello.spawn = permit.spawn;
    }
    if (!hello.view && permit.leave_radius_mm_max) {
        hello.view = cut(default_view, *permit.leave_radius_mm_max);
    }
}

engine::View cut(engine::View view, std::int32_t reach_mm) {
    for (std::int32_t* const size :
         {&view.radius_mm, &view.leave_radius_mm, &view.half_y_mm, &view.leave_half_y_mm}) {
        *size = std::min(*size, reach_mm);
    }
    return view;
}

std::int32_t longest_reach_mm(const Permit& permit, std::int32_t zone_mm_max) {
    return std::min(permit.leave_radius_mm_max.value_or(zone_mm_max), zone_mm_max);
}

std::optional<ErrorMessage> check_reach(const Permit& permit, const engine::View& view) {
    const std::int32_t reach_mm = engine::leave_reach_mm(view);
    if (!permit.leave_radius_mm_max || reach_mm <= *permit.leave_radius_mm_max) {
        return std::nullopt;
    }
    return ErrorMessage{ErrorCode::out_of_range,
                        fmt::format("a leave range of {} mm; the token allows {}", reach_mm,
                                    *permit.leave_radius_mm_max)};
}

}  // namespace marchland::net
