#include "net/admission.h"
#include "net/decode_client.h"
#include "net/encode_server.h"
#include "net/session.h"

#include <utility>

// What a session does with each message. session.cpp has the rest of it.

namespace marchland::net {

namespace {

engine::Position corner(std::int64_t x, std::int64_t y, std::int32_t z) {
    return {static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), z};
}

}  // namespace

void Session::handle_message(std::span<const std::byte> message, TimePoint now) {
    heard_at_ = now;
    LaneCounters::add(context_.counters.messages_in_total);
    if (!message_limit_.take(1, now)) {
        close_with(ErrorCode::too_fast, "too many messages per second");
        return;
    }
    auto decoded = decode_client(message);
    if (auto* const error = std::get_if<ErrorMessage>(&decoded)) {
        close_with(error->code, std::move(error->text));
        return;
    }
    auto& what = std::get<ClientMessage>(decoded);
    if (std::holds_alternative<SkippedMessage>(what)) {
        return;
    }
    const bool is_first = state_ == State::waiting_for_hello;
    if (std::holds_alternative<Hello>(what) != is_first) {
        close_with(ErrorCode::out_of_order,
                   is_first ? "the first message must be Hello" : "Hello may come only once");
        return;
    }
    if (!is_permitted(what)) {
        return;
    }
    std::visit(
        [this](const auto& body) {
            if constexpr (requires { handle(body); }) {
                handle(body);
            } else {
                close_with(ErrorCode::not_allowed, "this server does not take such messages");
            }
        },
        what);
}

void Session::handle(const Hello& hello) {
    const shards::ZoneOptions& zone = context_.zone.options();
    auto wanted = entity_for(hello, context_.options, zone);
    if (auto* const error = std::get_if<ErrorMessage>(&wanted)) {
        close_with(error->code, std::move(error->text));
        return;
    }
    auto& entity = std::get<engine::Entity>(wanted);
    entity.id = context_.zone.new_id();
    const Welcome welcome{kProtocolMajor,
                          kProtocolMinor,
                          entity.id,
                          zone_tick(),
                          static_cast<std::uint16_t>(zone.tick_rate_hz),
                          zone.dimensions,
                          corner(zone.world.min_x, zone.world.min_y, INT32_MIN),
                          corner(zone.world.max_x, zone.world.max_y, INT32_MAX),
                          entity.position,
                          entity.view,
                          zone.leave_radius_mm_max,
                          zone.crowd,
                          {},
                          1,
                          {},
                          0,
                          false,
                          {},
                          {}};

    auto port = std::make_shared<PlayerPort>(context_.lane, zone.tick_rate_hz, context_.mailbox,
                                             context_.counters);
    port->attach(*this);
    if (!context_.zone.join({std::move(entity), port})) {
        close_with(ErrorCode::full, "the zone holds as many entities as it may");
        return;
    }
    // Its first frame comes through the mailbox, to this thread: so it comes after the Welcome.
    port_ = std::move(port);
    outbox_.push(encode(context_.control_builder, welcome));
    state_ = State::playing;
    LaneCounters::add(context_.counters.players);
}

void Session::handle(const Move& move) {
    if (auto error = check_position(move.position, context_.zone.options())) {
        close_with(error->code, std::move(error->text));
        return;
    }
    port_->ask_move(move.seq, move.position, move.facing);
}

void Session::handle(const SetView& set_view) {
    if (auto error = check_view(set_view.view, context_.zone.options())) {
        close_with(error->code, std::move(error->text));
        return;
    }
    port_->ask_view(set_view.view);
}

void Session::handle(const Ping& ping) {
    const auto pong = encode(context_.control_builder, Pong{ping.nonce, zone_tick()});
    if (!outbox_.has_room(pong.size())) {
        close_with(ErrorCode::too_slow, "pings are not answered to who does not read");
        return;
    }
    outbox_.push(pong);
}

void Session::handle(const LeaveZone&) {
    begin_closing();
}

/// For orientation: the newest tick that the zone has begun.
engine::Tick Session::zone_tick() const {
    return context_.zone.tick();
}

}  // namespace marchland::net
