#include "net/decode_server.h"
#include "tools/bots/swarm.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

// What the server says, and what a player makes of it. A connection is being read meanwhile: so it
// may be closed here, and is put away by who reads.

namespace marchland::bots {
namespace {

template <typename... Visitors>
struct Overloaded : Visitors... {
    using Visitors::operator()...;
};
template <typename... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

}  // namespace

bool Swarm::on_message(PlayerIndex player, std::span<const std::byte> bytes) {
    if (at(player).state == State::playing && !referee_.looks_into(player) &&
        net::decode_frame_head(bytes, head_)) {
        on_frame(player, head_);
        return true;
    }
    if (const auto problem = net::decode_server(bytes, decoded_)) {
        return refuse(player, Violation::malformed, problem->text);
    }
    const State state = at(player).state;
    const bool is_in = state == State::playing || state == State::leaving;
    return std::visit(
        Overloaded{
            [&](const net::FrameMessage& frame) {
                if (!is_in) {
                    return refuse(player, Violation::unexpected, "a Frame before the Welcome");
                }
                on_frame(player, frame);
                return true;
            },
            [&](const net::Welcome& welcome) { return on_welcome(player, welcome); },
            [&](const net::Pong&) {
                return is_in || refuse(player, Violation::unexpected, "a Pong nobody asked for");
            },
            [&](const net::ErrorMessage& error) { return on_error(player, error); },
            [&](const net::SkippedMessage&) { return true; },
            [&](const net::Notice&) { return true; },
            [&](const auto&) {
                return refuse(player, Violation::unexpected, "a message for services");
            },
        },
        std::as_const(decoded_));
}

void Swarm::on_frame(PlayerIndex player, const net::FrameMessage& frame) {
    Player& it = at(player);
    it.last_frame = Clock::now();
    if (it.lost_at) {
        ++fates_.resumed_after_restart;
        fates_.return_ms_max = std::max<std::uint64_t>(
            fates_.return_ms_max,
            std::chrono::duration_cast<std::chrono::milliseconds>(it.last_frame - *it.lost_at)
                .count());
        it.lost_at.reset();
    }
    const std::uint32_t correction_before = referee_.correction_seen(player);
    referee_.on_frame(player, frame, it.last_frame);
    if (referee_.correction_seen(player) != correction_before) {
        it.position = frame.correction->position;
        it.way.put(it.position);
    }
}

bool Swarm::on_welcome(PlayerIndex player, const net::Welcome& welcome) {
    Player& it = at(player);
    if (it.state != State::greeting) {
        return refuse(player, Violation::unexpected, "a second Welcome");
    }
    it.last_frame = Clock::now();
    if (!it.resume_token.empty()) {
        return on_resumed(player, welcome);
    }
    it.resume_token = welcome.resume_token;
    if (!referee_.on_welcome(player, welcome, it.last_frame)) {
        drop(player, "an unusable Welcome");
        return false;
    }
    ++fates_.joined;
    start_playing(player);
    if (it.state == State::playing && it.position != welcome.spawn) {
        send_move(player, it.position);
    }
    return true;
}

bool Swarm::on_resumed(PlayerIndex player, const net::Welcome& welcome) {
    Player& it = at(player);
    it.resume_token = welcome.resume_token;
    if (!referee_.on_resumed(player, welcome)) {
        drop(player, "another entity than before");
        return false;
    }
    fates_.resumed += it.lost_at ? 0U : 1U;
    start_playing(player);
    return true;
}

void Swarm::start_playing(PlayerIndex player) {
    enter_state(player, State::playing);
    // With fewer frames than ticks nobody could tell in which tick a move was made, and from where
    // it goes on.
    at(player).way = options_.frames_hz == 0 ? referee_.way() : client::OwnWay();
    if (options_.frames_hz != 0) {
        (void)send(player, net::SetFrameRate{options_.frames_hz});
    }
    if (at(player).is_to_leave) {
        leave(player);
    }
}

bool Swarm::on_error(PlayerIndex player, const net::ErrorMessage& error) {
    Player& it = at(player);
    ++fates_.errors[error.code];
    it.is_refused = it.is_refused || error.code == net::ErrorCode::resume_refused;
    it.has_left = false;  // it may be lost instead, and then its entity stays for a while
    if (it.state != State::leaving &&
        (options_.restart_max == Clock::duration::zero() || it.is_refused)) {
        note_trouble(player, fmt::format("the server says {} ({}): {}", net::name_of(error.code),
                                         static_cast<unsigned>(error.code), error.text));
    }
    return true;  // the server closes now
}

bool Swarm::refuse(PlayerIndex player, Violation kind, const std::string& what) {
    referee_.on_violation(player, kind, what);
    drop(player, what);
    return false;
}

}  // namespace marchland::bots
