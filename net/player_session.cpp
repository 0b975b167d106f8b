#include "net/player_session.h"

#include "shards/state/keeper.h"
#include "net/admission.h"
#include "net/encode_server.h"
#include "net/permit_rules.h"
#include "net/quantum.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace marchland::net {

namespace {

/// As a Welcome holds it: nothing at all, or how much.
SendLimit allowed(const SendLimit& send_limit) {
    return send_limit.per_second_max == 0 ? SendLimit{} : send_limit;
}

using SecondLogin = AuthOptions::SecondLogin;

/// Is one subject one entity?
bool is_exclusive(const SessionContext& context) {
    return context.options.auth.second_login != SecondLogin::allow;
}

shards::SessionKey session_of(engine::EntityId entity) {
    return {shards::SessionKey::Kind::player, to_number(entity)};
}

void apply(const shards::Inputs& given, engine::Entity& entity) {
    entity.position = given.move.value_or(entity.position);
    entity.view = given.view.value_or(entity.view);
    entity.facing = given.facing.value_or(entity.facing);
    entity.notify = given.notify.value_or(entity.notify);
    if (given.layers) {
        entity.layers = given.layers->layers;
        entity.layers_seen = given.layers->layers_seen;
    }
    if (!given.state.empty()) {
        entity.state = engine::with(entity.state, given.state, engine::kNever);
    }
}

ErrorMessage second_login() {
    return {ErrorCode::second_login, "the token's subject is in the zone already"};
}

PlayerPort::Options port_options(Connection& connection, const Hello& hello) {
    const SessionContext& context = connection.context();
    auto options =
        PlayerPort::options_for(context.io_thread, context.zone.options(), context.options);
    options.frames_hz = connection.permit().frames_hz.value_or(options.frames_hz);
    options.expected_hz =
        hello.protocol_minor >= FrameTimes::kLeftOutFrom ? context.zone.options().tick_rate_hz : 0;
    options.reads_ranks = hello.reads_ranks;
    return options;
}

/// But for what is about this connection.
Welcome welcome_to(const ResumablePlayer& player, const SessionContext& context) {
    const shards::ZoneOptions& zone = context.zone.options();
    Welcome welcome;
    welcome.entity = player.entity;
    welcome.tick = context.zone.tick();
    welcome.server_time_us = context.zone.server_time_us();
    describe(zone, welcome);
    welcome.spawn = player.spawn;
    welcome.view = player.view;
    welcome.crowd = zone.crowd;
    welcome.states_per_second_max = context.options.player_states_per_second_max;
    welcome.messages = allowed(context.options.player_messages);
    welcome.prediction_error_mm = static_cast<std::uint32_t>(zone.prediction_error_mm);
    welcome.prediction_ms_max =
        zone.prediction_error_mm > 0 ? context.options.prediction_ms_max : 0;
    welcome.resumed = player.tokens.newest != 0;
    return welcome;
}

}  // namespace

/// Whoever has sent a Hello that is not answered yet. What it sends meanwhile waits.
class PlayerSession::Waiting : public Session {
public:
    Waiting(Connection& connection, Hello hello)
        : connection_(connection), hello_(std::move(hello)) {}

    void receive(ClientMessage&&) final {}
    [[nodiscard]] bool is_held_up(TimePoint) final { return true; }
    [[nodiscard]] bool awaits_successor() const final { return true; }

protected:
    Connection& connection_;
    const Hello hello_;
};

/// While its subject's entity, which its player left just now, is on its way out of the zone, or
/// that of another login of the subject on its way in.
class PlayerSession::Leaving final : public Waiting {
public:
    using Waiting::Waiting;

    [[nodiscard]] std::optional<Admitted> successor(TimePoint now) override {
        // Another login of its subject may have come in meanwhile.
        if (auto admitted = replace(connection_, hello_)) {
            return admitted;
        }
        if (!connection_.context().directory.is_claimed(connection_.permit().subject)) {
            return ask_or_join(connection_, hello_, now);
        }
        return now < over_at_ ? std::nullopt : std::optional<Admitted>(second_login());
    }

private:
    const TimePoint over_at_ =
        connection_.now() +
        std::chrono::milliseconds(connection_.context().options.handshake_timeout_ms);
};

/// While a service is asked whether it may come in.
class PlayerSession::Asking final : public Waiting {
public:
    Asking(Connection& connection, Hello hello, TimePoint now)
        : Waiting(connection, std::move(hello)),
          notices_(connection.context().directory.notices()),
          options_(connection.context().options.services),
          over_at_(now + std::chrono::milliseconds(options_.admission_ms_max)) {
        const Permit& permit = connection.permit();
        const PlayerAsks asks{0,
                              hello_.kind,
                              hello_.spawn,
                              permit.subject,
                              permit.claims,
                              hello_.carried,
                              options_.admission_ms_max};
        player_ =
            std::make_shared<AskedFor>(AskedFor{asks, connection.context().mailbox, &connection});
        notices_.ask(player_);
    }

    [[nodiscard]] std::optional<Admitted> successor(TimePoint now) override;
    void leave(PlayerLeftReason) override { end(); }
    void lose() override { end(); }

private:
    void end() {
        notices_.withdraw(*player_);
        player_->connection = nullptr;
    }

    PlayerNotices& notices_;
    const ServiceOptions& options_;
    const TimePoint over_at_;
    std::shared_ptr<AskedFor> player_;
};

auto PlayerSession::Asking::successor(TimePoint now) -> std::optional<Admitted> {
    const bool is_over = now >= over_at_;
    if (is_over) {
        notices_.withdraw(*player_);  // from here on there is an answer, or there will be none
    }
    const auto answer = notices_.answer_to(*player_);
    if (!answer && !is_over) {
        return std::nullopt;
    }
    end();
    if (answer && answer->refusal) {
        return ErrorMessage{ErrorCode::not_admitted, *answer->refusal};
    }
    if (!answer && options_.admission == ServiceOptions::Admission::required) {
        return ErrorMessage{ErrorCode::not_admitted, "no service answered in time"};
    }
    // Another login of its subject may have come in meanwhile.
    if (auto admitted = replace(connection_, hello_)) {
        return admitted;
    }
    return answer ? join(connection_, hello_, answer->given, player_->asks.request)
                  : join(connection_, hello_, {}, 0);
}

auto PlayerSession::admit(Connection& connection, Hello hello) -> Admitted {
    const ServerOptions& options = connection.context().options;
    if (!options.spawn_by_client) {
        hello.spawn.reset();
    }
    apply(connection.permit(), options.default_view, hello);
    if (hello.view) {
        if (auto error = check_reach(connection.permit(), *hello.view)) {
            return *std::move(error);
        }
    }
    if (!hello.resume_token.empty()) {
        return resume(connection, hello);
    }
    if (auto admitted = replace(connection, hello)) {
        return *std::move(admitted);
    }
    if (options.auth.second_login == SecondLogin::replace &&
        connection.context().directory.is_claimed(connection.permit().subject)) {
        return std::make_unique<Leaving>(connection, std::move(hello));
    }
    const TimePoint now = connection.received_at();
    return ask_or_join(connection, std::move(hello), now);
}

auto PlayerSession::ask_or_join(Connection& connection, Hello hello, TimePoint now) -> Admitted {
    const SessionContext& context = connection.context();
    if (context.options.services.admission == ServiceOptions::Admission::open) {
        return join(connection, hello, {}, 0);
    }
    // What is wrong with it no service can mend.
    auto wanted = entity_for(hello, context.options, context.zone.options());
    if (auto* const error = std::get_if<ErrorMessage>(&wanted)) {
        return std::move(*error);
    }
    return std::make_unique<Asking>(connection, std::move(hello), now);
}

/// `given`: what a service gives it. What is absent: as it asks to. `request`: the service's answer
/// was to that one; 0: there was none.
auto PlayerSession::join(Connection& connection, const Hello& hello, const shards::Inputs& given,
                         std::uint64_t request) -> Admitted {
    SessionContext& context = connection.context();
    const shards::ZoneOptions& zone = context.zone.options();
    auto wanted = entity_for(hello, context.options, zone);
    if (auto* const error = std::get_if<ErrorMessage>(&wanted)) {
        return std::move(*error);
    }
    if (context.directory.is_closed()) {
        return ErrorMessage{ErrorCode::full, "the server has no memory for more: try again later"};
    }
    if (context.rules.is_draining()) {
        return ErrorMessage{ErrorCode::stopping, "the server is about to stop: no player comes in"};
    }
    if (!context.zone.is_open()) {
        IoThreadCounters::add(context.counters.overloaded_joins_total);
        return ErrorMessage{ErrorCode::overloaded,
                            "the zone is overloaded: try again in 10 seconds"};
    }
    auto& entity = std::get<engine::Entity>(wanted);
    apply(given, entity);
    entity.id = context.zone.new_id();
    const auto options = port_options(connection, hello);
    const SpeedLimit speed(context.options.speed_max_mm_per_s, zone.tick_rate_hz, zone.dimensions,
                           entity.position);
    auto port = std::make_shared<PlayerPort>(options, speed, context.mailbox, context.counters);
    port->attach(connection);
    ResumablePlayer resumable{entity.id, port, entity.position, entity.view};
    const Permit& permit = connection.permit();
    const PlayerNotices::Player player{{entity.id, entity.kind, entity.position,
                                        engine::writes_of(entity.state), permit.subject,
                                        permit.claims, hello.carried, request}};
    auto session = std::make_unique<PlayerSession>(connection, port, entity.id);
    bool was_in_zone = false;
    const auto enter_zone = [&] {
        was_in_zone = context.zone.join({std::move(entity), port});
        return was_in_zone;
    };
    shards::StateKeeper* const keeper = context.zone.keeper();
    const std::string claimed = is_exclusive(context) ? permit.subject : std::string();
    const auto take_back = [&] {
        context.directory.release(claimed);
        if (keeper != nullptr) {
            keeper->close(session_of(resumable.entity));
        }
    };
    if (!claimed.empty() && !context.directory.claim(claimed)) {
        if (context.options.auth.second_login != SecondLogin::replace) {
            return second_login();
        }
        return std::make_unique<Leaving>(connection, hello);
    }
    try {
        if (keeper != nullptr) {
            keeper->open({session_of(resumable.entity), permit.subject, permit.claims, 1});
        }
        if (!context.directory.enter(resumable.entity, {port, kPlayers, claimed}, player,
                                     enter_zone)) {
            take_back();
            return ErrorMessage{ErrorCode::full, "the zone holds as many entities as it may"};
        }
    } catch (...) {
        port->leave(PlayerLeftReason::lost);
        // The claim and the kept session of an entity that was in the zone end with it, and may
        // have ended.
        if (!was_in_zone) {
            take_back();
        }
        throw;
    }
    resumable.joined_at = std::chrono::steady_clock::now();
    session->begin(resumable, 0);
    return session;
}

auto PlayerSession::resume(Connection& connection, const Hello& hello) -> Admitted {
    auto resumable = connection.context().store.take<ResumablePlayer>(
        hello.resume_token, connection.permit().subject, std::chrono::steady_clock::now());
    if (resumable) {
        if (auto session = take_over(connection, hello, *std::move(resumable))) {
            return session;
        }
    }
    return ErrorMessage{ErrorCode::resume_refused, "no session waits for this token"};
}

/// Another login of the entity's subject. Of its Hello counts the view alone: the entity stays what
/// and where it is. Nothing when the subject has no entity that can be taken over, or none is to
/// be.
auto PlayerSession::replace(Connection& connection, const Hello& hello) -> std::optional<Admitted> {
    SessionContext& context = connection.context();
    if (context.options.auth.second_login != SecondLogin::replace) {
        return std::nullopt;
    }
    if (hello.view) {
        if (auto error = check_view(*hello.view, context.zone.options())) {
            return *std::move(error);
        }
    }
    Hello fresh = hello;
    fresh.last_tick = engine::kNever;
    const std::string& subject = connection.permit().subject;
    if (context.store.is_of_later(subject, connection.came_at())) {
        return second_login();
    }
    auto resumable = context.store.take_of(subject, std::chrono::steady_clock::now());
    if (!resumable) {
        return std::nullopt;
    }
    auto session = take_over(connection, fresh, *std::move(resumable));
    if (!session) {
        return std::nullopt;  // the entity is on its way out of the zone
    }
    IoThreadCounters::add(context.counters.replaced_logins_total);
    return session;
}

/// The entity is in the world: a port of ours takes the place of the one that its last session had.
/// Nothing when the entity is out of the zone.
std::unique_ptr<PlayerSession> PlayerSession::take_over(Connection& connection, const Hello& hello,
                                                        ResumablePlayer resumable) {
    SessionContext& context = connection.context();
    std::shared_ptr<PlayerPort> port;
    std::unique_ptr<PlayerSession> session;
    try {
        const shards::ZoneOptions& zone = context.zone.options();
        auto options = port_options(connection, hello);
        options.resumes_after = hello.last_tick;
        // The port before it hands its own speed limit over.
        const SpeedLimit speed(0, zone.tick_rate_hz, zone.dimensions, {});
        port = std::make_shared<PlayerPort>(options, speed, context.mailbox, context.counters);
        port->attach(connection);
        session = std::make_unique<PlayerSession>(connection, port, resumable.entity);
    } catch (...) {
        resumable.give_up();  // it is no longer in the store: nobody else would ever end it
        throw;
    }
    const auto reach_mm_max = connection.permit().leave_radius_mm_max;
    const bool asks_for_view = hello.resume_token.empty() && hello.view;
    resumable.view = asks_for_view
                         ? *hello.view
                         : resumable.port->inputs().newest_view().value_or(resumable.view);
    if (reach_mm_max) {
        resumable.view = cut(resumable.view, *reach_mm_max);  // this token may allow less
    }
    if (asks_for_view || reach_mm_max) {
        port->inputs().put_view(resumable.view);
    }
    const std::uint32_t message_number = resumable.port->inputs().end_messages();
    port->inputs().begin_messages(message_number);
    const auto take_place = [&] { return resumable.port->hand_over_to(port); };
    if (!context.directory.hand_over(resumable.entity, port, take_place)) {
        return nullptr;
    }
    resumable.port = std::move(port);
    session->begin(resumable, message_number);
    return session;
}

PlayerSession::PlayerSession(Connection& connection, std::shared_ptr<PlayerPort> port,
                             engine::EntityId entity)
    : connection_(connection),
      context_(connection.context()),
      port_(std::move(port)),
      entity_(entity),
      state_limit_(context_.options.player_states_per_second_max, connection.received_at(),
                   TokenBucket::kSilenceSecondsMax),
      message_limit_(context_.options.player_messages.per_second_max, connection.received_at(),
                     TokenBucket::kSilenceSecondsMax) {}

/// The entity is in the zone, and `player.port` is this session's. The first frame comes through
/// the mailbox, to this thread: so it comes after the Welcome.
void PlayerSession::begin(const ResumablePlayer& player, std::uint32_t message_number) try {
    IoThreadCounters::add(context_.counters.players);
    Welcome welcome = welcome_to(player, context_);
    welcome.message_number = message_number;
    welcome.frames_hz = static_cast<std::uint16_t>(
        std::min<std::uint32_t>(port_->frames_hz(), welcome.tick_rate_hz));
    welcome.leave_radius_mm_max =
        longest_reach_mm(connection_.permit(), context_.zone.options().leave_radius_mm_max);
    if (welcome.resumed) {
        // Before its pass: whoever takes the session over with that comes back later.
        line_ = context_.directory.notices().come_back(entity_, connection_.permit().claims);
        IoThreadCounters::add(context_.counters.resumes_total);
    }
    const bool may_come_back = context_.store.is_open<ResumablePlayer>();
    if (may_come_back || is_exclusive(context_)) {
        pass_ = context_.store.issue(player, connection_.owner());
        if (may_come_back) {
            welcome.resume_token = context_.store.sign(*pass_);
            welcome.resume_grace_ms = context_.store.grace_ms<ResumablePlayer>();
            welcome.restart_grace_ms = context_.store.restart_grace_ms();
        }
    }
    connection_.push(encode(context_.control_builder, welcome));
    if (const auto notice = context_.rules.drain_notice(connection_.now())) {
        notify(*notice);
    }
} catch (...) {  // its connection does not have it yet, and so would not end it
    if (player.tokens.newest != 0) {
        lose();
    } else {
        leave(PlayerLeftReason::lost);  // its client has no token to come back with
    }
    throw;
}

/// Whoever does not know the message skips it. One that does not read anyway learns nothing.
void PlayerSession::notify(const Notice& notice) {
    const auto message = encode(context_.control_builder, notice);
    if (connection_.has_room(message.size())) {
        connection_.push(message);
    }
}

/// Its port is another's: what it asks would count as that one's, or be refused on its account.
void PlayerSession::receive(ClientMessage&& message) {
    if (port_->is_superseded()) {
        check();
        return;
    }
    if (pass_ && !std::exchange(has_spoken_, true)) {
        context_.store.confirm(*pass_);
    }
    std::visit(
        [this](const auto& body) {
            if constexpr (requires { handle(body); }) {
                handle(body);
            } else {
                connection_.close_with(ErrorCode::out_of_order, "only a service sends this");
            }
        },
        message);
}

void PlayerSession::handle(const Hello&) {
    connection_.close_with(ErrorCode::out_of_order, "Hello may come only once");
}

void PlayerSession::handle(const Move& move) {
    const shards::ZoneOptions& zone = context_.zone.options();
    Move placed = move;
    if (context_.options.edge == ServerOptions::Edge::clamp) {
        placed.position = nearest_inside(move.position, zone.world);
    }
    const bool is_outside = !zone.world.contains(placed.position);
    if (!is_outside) {
        placed.position = on_grid(placed.position, zone.quantum_mm, zone.world);
        placed.velocity = on_grid(move.velocity, zone.quantum_mm);
    }
    port_->ask_move(placed, is_outside);
}

void PlayerSession::handle(const SetView& set_view) {
    auto error = check_reach(connection_.permit(), set_view.view);
    if (!error) {
        error = check_view(set_view.view, context_.zone.options());
    }
    if (error) {
        connection_.close_with(error->code, std::move(error->text));
        return;
    }
    port_->inputs().put_view(set_view.view);
}

void PlayerSession::handle(const SetFrameRate& rate) {
    port_->ask_frames_hz(rate.frames_hz);
}

void PlayerSession::handle(const Ping& ping) {
    connection_.answer(encode(context_.control_builder, pong_to(ping, context_)));
}

void PlayerSession::handle(const KeyframeRequest&) {
    port_->inputs().put_keyframe();
}

void PlayerSession::handle(const SetState& set_state) {
    if (auto error = check_player_state(set_state.state, context_.zone.options())) {
        connection_.close_with(error->code, std::move(error->text));
    } else if (take_credit({context_.options.player_states_per_second_max, 0}, state_limit_, 0)) {
        port_->inputs().put_state(set_state.state);
    }
}

void PlayerSession::handle(SendMessage message) {
    if (take_credit(context_.options.player_messages, message_limit_, message.payload.size())) {
        waiting_message_ = std::move(message);
        if (pass_on()) {
            waiting_message_.reset();
        }
    }
}

bool PlayerSession::is_held_up(TimePoint now) {
    if (!waiting_message_) {
        return false;
    }
    // A port that is superseded takes nothing more: the next message finds that out.
    if (!port_->is_superseded() && !pass_on()) {
        return true;
    }
    waiting_message_.reset();
    state_limit_.make_up_for(connection_.received_at(), now);
    message_limit_.make_up_for(connection_.received_at(), now);
    return false;
}

/// False: the next tick has no room for it.
bool PlayerSession::pass_on() {
    const auto& [number, kind, payload] = *waiting_message_;
    const auto put = port_->inputs().put_message(number, {kind, blob_of(payload)});
    if (put == PendingInputs::Put::gap) {
        connection_.close_with(ErrorCode::out_of_order,
                               fmt::format("message {} does not follow the last one", number));
    }
    return put != PendingInputs::Put::no_room;
}

void PlayerSession::make_up_for(TimePoint::duration time) {
    state_limit_.make_up_for(time);
    message_limit_.make_up_for(time);
}

/// False when it closed the connection instead.
bool PlayerSession::take_credit(const SendLimit& send_limit, TokenBucket& bucket,
                                std::size_t bytes) {
    if (send_limit.per_second_max == 0) {
        connection_.close_with(ErrorCode::not_allowed, "players may not send this here");
    } else if (bytes > send_limit.bytes_max) {
        connection_.close_with(ErrorCode::too_large, fmt::format("{} bytes; the limit is {}", bytes,
                                                                 send_limit.bytes_max));
    } else if (!bucket.take(1, connection_.received_at())) {
        connection_.close_with(ErrorCode::too_fast, "too many states or messages per second");
    } else {
        return true;
    }
    return false;
}

void PlayerSession::handle(const LeaveZone&) {
    connection_.begin_closing();
}

void PlayerSession::check() {
    switch (port_->takeover()) {
        case PlayerPort::Takeover::none:
            break;
        case PlayerPort::Takeover::resumed:
            connection_.close_with(ErrorCode::superseded,
                                   "the session goes on in another connection");
            break;
        case PlayerPort::Takeover::replaced:
            connection_.close_with(ErrorCode::second_login,
                                   "another login of yours has the entity now");
            break;
    }
}

void PlayerSession::on_frame(PlayerPort& port) {
    connection_.put_frame(port.frame());
}

void PlayerSession::on_frame_sent() {
    port_->frame_sent();
}

void PlayerSession::on_removed(PlayerPort& port) {
    if (const auto transfer = port.inputs().transfer()) {
        connection_.push(encode(context_.control_builder, *transfer));
        connection_.close_with(ErrorCode::transferred, "the game sent the player to another zone");
    } else if (port.is_dismissed()) {
        connection_.close_with(ErrorCode::removed, "the game took the entity out of the zone");
    } else {
        connection_.close_with(ErrorCode::too_slow, "no frame was taken for too long");
    }
}

void PlayerSession::leave(PlayerLeftReason why) {
    if (pass_ && !context_.store.forget(*pass_)) {
        port_->park();
    } else {
        port_->leave(why);
    }
    IoThreadCounters::subtract(context_.counters.players);
}

void PlayerSession::lose() {
    if (!pass_ || !context_.store.is_open<ResumablePlayer>()) {
        leave(PlayerLeftReason::lost);
        return;
    }
    port_->park();
    try {
        context_.directory.notices().lose(entity_, line_,
                                          context_.store.grace_ms<ResumablePlayer>());
        context_.store.rest(*pass_, std::chrono::steady_clock::now());
    } catch (...) {  // what does not rest is never over
        if (context_.store.forget(*pass_)) {
            port_->ask_leave();
        }
        IoThreadCounters::subtract(context_.counters.players);
        throw;
    }
    IoThreadCounters::subtract(context_.counters.players);
}

}  // namespace marchland::net
