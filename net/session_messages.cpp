#include "net/admission.h"
#include "net/decode_client.h"
#include "net/encode_server.h"
#include "net/quantum.h"
#include "net/session.h"

#include <spdlog/fmt/fmt.h>

#include <memory>
#include <utility>

// What a session does with each message. session.cpp has the rest of it.

namespace marchland::net {

namespace {

engine::Position corner(std::int64_t x, std::int64_t y, std::int32_t z) {
    return {static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), z};
}

/// As a Welcome says it: nothing at all, or how much.
Allowance allowed(const Allowance& allowance) {
    return allowance.per_second_max == 0 ? Allowance{} : allowance;
}

/// What a new player is told; what is about now is added last.
Welcome welcome_to(const engine::Entity& entity, const ServerOptions& server,
                   const shards::ZoneOptions& zone) {
    Welcome welcome;
    welcome.entity = entity.id;
    welcome.tick_rate_hz = static_cast<std::uint16_t>(zone.tick_rate_hz);
    welcome.dimensions = zone.dimensions;
    welcome.world_min = corner(zone.world.min_x, zone.world.min_y, INT32_MIN);
    welcome.world_max = corner(zone.world.max_x, zone.world.max_y, INT32_MAX);
    welcome.spawn = entity.position;
    welcome.view = entity.view;
    welcome.leave_radius_mm_max = zone.leave_radius_mm_max;
    welcome.crowd = zone.crowd;
    welcome.quantum_mm = static_cast<std::uint32_t>(zone.quantum_mm);
    welcome.events = allowed(server.player_events);
    welcome.states = allowed(server.player_states);
    return welcome;
}

engine::Blob blob_of(const std::vector<std::byte>& bytes) {
    return bytes.empty() ? nullptr : std::make_shared<const std::vector<std::byte>>(bytes);
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
    if (!hello.resume_token.empty()) {
        resume(hello);
        return;
    }
    const shards::ZoneOptions& zone = context_.zone.options();
    auto wanted = entity_for(hello, context_.options, zone);
    if (auto* const error = std::get_if<ErrorMessage>(&wanted)) {
        close_with(error->code, std::move(error->text));
        return;
    }
    auto& entity = std::get<engine::Entity>(wanted);
    entity.id = context_.zone.new_id();
    const PlayerPort::Options options{
        context_.lane, zone.tick_rate_hz, zone.quantum_mm, {}, hello.protocol_minor >= 2, {}};
    const SpeedLimit speed(context_.options.speed_max_mm_per_s, zone.tick_rate_hz, zone.dimensions,
                           entity.position);
    auto port = std::make_shared<PlayerPort>(options, speed, context_.mailbox, context_.counters);
    port->attach(*this);
    Welcome welcome = welcome_to(entity, context_.options, zone);
    if (!context_.zone.join({std::move(entity), port})) {
        close_with(ErrorCode::full, "the zone holds as many entities as it may");
        return;
    }
    play(std::move(port), std::move(welcome));
}

/// The entity is in the world: a port of ours takes the place of the one that its last session had.
void Session::resume(const Hello& hello) {
    auto seat = context_.desk.take(hello.resume_token, permit_.subject, heard_at_);
    const shards::ZoneOptions& zone = context_.zone.options();
    const PlayerPort::Options options{
        context_.lane,  zone.tick_rate_hz, zone.quantum_mm, {}, hello.protocol_minor >= 2,
        hello.last_tick};
    // The port before it hands its own speed limit over.
    const SpeedLimit speed(0, zone.tick_rate_hz, zone.dimensions, {});
    auto port = std::make_shared<PlayerPort>(options, speed, context_.mailbox, context_.counters);
    port->attach(*this);
    if (!seat || !seat->port->hand_over_to(port)) {
        close_with(ErrorCode::resume_refused, "no session waits for this token");
        return;
    }
    seat->welcome.resumed = true;
    play(std::move(port), std::move(seat->welcome));
}

void Session::play(std::shared_ptr<PlayerPort> port, Welcome welcome) {
    // Its first frame comes through the mailbox, to this thread: so it comes after the Welcome.
    port_ = std::move(port);
    is_in_zone_ = true;
    state_ = State::playing;
    welcome.tick = zone_tick();
    welcome.server_time_us = context_.zone.server_time_us();
    if (context_.desk.is_open()) {
        token_ = ResumeDesk::make_token();
        welcome.resume_token.assign(token_->begin(), token_->end());
        welcome.resume_grace_ms = context_.desk.grace_ms();
        context_.desk.issue(*token_, {port_, welcome, permit_.subject});
    }
    outbox_.push(encode(context_.control_builder, welcome));
    LaneCounters::add(context_.counters.players);
}

void Session::handle(const Move& move) {
    if (auto error = check_position(move.position, context_.zone.options())) {
        close_with(error->code, std::move(error->text));
        return;
    }
    Move placed = move;
    placed.position =
        on_grid(move.position, context_.zone.options().quantum_mm, context_.zone.options().world);
    port_->ask_move(placed);
}

void Session::handle(const SetView& set_view) {
    if (auto error = check_view(set_view.view, context_.zone.options())) {
        close_with(error->code, std::move(error->text));
        return;
    }
    port_->ask_view(set_view.view);
    if (token_) {
        context_.desk.note_view(*token_, set_view.view);
    }
}

void Session::handle(const Ping& ping) {
    const auto pong = encode(context_.control_builder, Pong{ping.nonce, zone_tick()});
    if (!outbox_.has_room(pong.size())) {
        close_with(ErrorCode::too_slow, "pings are not answered to who does not read");
        return;
    }
    outbox_.push(pong);
}

void Session::handle(const KeyframeRequest&) {
    port_->ask_keyframe();
}

void Session::handle(const SetState& set_state) {
    if (take_allowance(context_.options.player_states, state_limit_, set_state.blob.size())) {
        port_->ask_state(blob_of(set_state.blob));
    }
}

void Session::handle(const SendEvent& event) {
    if (!take_allowance(context_.options.player_events, event_limit_, event.payload.size())) {
        return;
    }
    if (!port_->ask_event({blob_of(event.payload), event.to})) {
        close_with(ErrorCode::too_fast, "too many events in one tick");
    }
}

/// False when it closed the connection instead.
bool Session::take_allowance(const Allowance& allowance, TokenBucket& bucket, std::size_t bytes) {
    if (allowance.per_second_max == 0) {
        close_with(ErrorCode::not_allowed, "players may not send this here");
    } else if (bytes > allowance.bytes_max) {
        close_with(ErrorCode::too_large,
                   fmt::format("{} bytes; the limit is {}", bytes, allowance.bytes_max));
    } else if (!bucket.take(1, heard_at_)) {
        close_with(ErrorCode::too_fast, "too many states or events per second");
    } else {
        return true;
    }
    return false;
}

void Session::handle(const LeaveZone&) {
    begin_closing();
}

/// For orientation: the newest tick that the zone has begun.
engine::Tick Session::zone_tick() const {
    return context_.zone.tick();
}

}  // namespace marchland::net
