#include "net/service_session.h"

#include "engine/assert.h"
#include "shards/state/keeper.h"
#include "net/admission.h"
#include "net/encode_server.h"
#include "net/input_port.h"
#include "net/packed_moves.h"
#include "net/permit_rules.h"
#include "marchland_generated.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <utility>

namespace marchland::net {

namespace {

/// A PlayerJoined with the largest state and claims, and all that it can carry, without its
/// subject; or as many positions as one message has.
constexpr std::size_t kNoticeBytesMax =
    std::max(engine::kStateBytesMax + kClaimsBytesMax + engine::kBlobBytesMax,
             kServiceItemsMax * 16) +
    160;
/// Notices leave so much of the room to answers: more than those to one message, of which each item
/// is refused with some 56 bytes or spawned with 16.
constexpr std::size_t kKeptForAnswersBytes =
    ServiceSession::kAnswerBytesMax - ServiceSession::kAnswerBytesMark;
static_assert(kKeptForAnswersBytes > kServiceItemsMax * 80);

struct TypeOf {
    wire::Body operator()(const Spawn&) const { return wire::Body::Spawn; }
    wire::Body operator()(const Despawn&) const { return wire::Body::Despawn; }
    wire::Body operator()(const MoveMany&) const { return wire::Body::MoveMany; }
    wire::Body operator()(const Change&) const { return wire::Body::Change; }
    wire::Body operator()(const TransferPlayer&) const { return wire::Body::TransferPlayer; }
    wire::Body operator()(const SendMessages&) const { return wire::Body::SendMessages; }
};

}  // namespace

auto ServiceSession::admit(Connection& connection, const ServiceHello& hello) -> Admitted {
    SessionContext& context = connection.context();
    const bool resumes = !hello.resume_token.empty();
    std::shared_ptr<ServiceEntities> entities;
    TokensGiven given;
    if (resumes) {
        auto resumable = context.store.take<ResumableService>(
            hello.resume_token, connection.permit().subject, std::chrono::steady_clock::now());
        if (!resumable) {
            return ErrorMessage{ErrorCode::resume_refused, "no service waits for this token"};
        }
        entities = std::move(resumable->entities);
        given = resumable->tokens;
    } else {
        entities = std::make_shared<ServiceEntities>(context.directory.new_owner());
    }
    const std::size_t services_max =
        resumes ? std::numeric_limits<std::size_t>::max() : context.options.services.services_max;
    std::unique_ptr<ServiceSession> session;
    try {
        session = std::make_unique<ServiceSession>(connection, entities, hello.admits);
        if (!context.directory.notices().open_queue(session->queue_, services_max)) {
            session->leave(PlayerLeftReason::closed);
            return ErrorMessage{ErrorCode::full, "the server holds as many services as it may"};
        }
        session->begin(hello.name, given);
    } catch (...) {
        if (session) {
            session->lose();  // its connection does not have it yet, and so would not
        } else {
            entities->leave_all();
        }
        throw;
    }
    return session;
}

ServiceSession::ServiceSession(Connection& connection, std::shared_ptr<ServiceEntities> entities,
                               bool admits)
    : connection_(connection),
      context_(connection.context()),
      entities_(std::move(entities)),
      holder_(entities_->move_in()),
      queue_(std::make_shared<NoticeQueue>(context_.mailbox, connection, admits)) {
    IoThreadCounters::add(context_.counters.services);
}

/// `name`: what it calls itself, for the log. `given`: none if the service is new.
/// Frames and notices come through the mailbox, to this thread: so they come after the welcome.
void ServiceSession::begin(const std::string& name, TokensGiven given) {
    if (context_.store.is_open<ResumableService>()) {
        pass_ = context_.store.issue(ResumableService{entities_, given}, connection_.owner());
    }
    const ServiceOptions& options = context_.options.services;
    connection_.widen({options.message_bytes_max, options.messages_per_second_max,
                       options.bytes_per_second_max, kAnswerBytesMax, kAnswerBytesMark});
    if (given.newest != 0) {
        IoThreadCounters::add(context_.counters.resumes_total);
    }
    if (auto access = entities_->enter(holder_)) {
        take_over_watchers(*access);
        welcome(*access, given.newest != 0);
        connection_.log(
            fmt::format("service '{}', with {} entities", printable(name), access->size()));
    }
}

/// They are in the world: ports of ours take the place of those that the last connection had.
void ServiceSession::take_over_watchers(Access& access) {
    for (auto next = access.all().begin(); next != access.all().end();) {
        auto& [entity, holding] = *next++;
        if (!holding.watches) {
            continue;
        }
        auto successor = make_watcher(entity, true);
        auto& before = static_cast<PlayerPort&>(*holding.port);
        const auto take_over = [&] { return before.hand_over_to(successor); };
        watchers_.emplace(entity,
                          successor);  // first: what it throws leaves the port before in its place
        if (context_.directory.hand_over(entity, successor, take_over)) {
            holding.port = std::move(successor);
        } else {
            watchers_.erase(entity);
            access.erase(entity);  // it took no frame for too long, and is out of the zone
        }
    }
}

void ServiceSession::welcome(const Access& access, bool is_resumed) {
    const shards::ZoneOptions& zone = context_.zone.options();
    const ServiceOptions& options = context_.options.services;
    ServiceWelcome welcome;
    welcome.tick = context_.zone.tick();
    welcome.server_time_us = context_.zone.server_time_us();
    describe(zone, welcome);
    welcome.leave_radius_mm_max = zone.leave_radius_mm_max;
    welcome.notify_leave_radius_mm_max = zone.notify_leave_radius_mm_max;
    if (pass_) {
        welcome.resume_token = context_.store.sign(*pass_);
        welcome.resume_grace_ms = context_.store.grace_ms<ResumableService>();
        welcome.restart_grace_ms = context_.store.restart_grace_ms();
    }
    welcome.resumed = is_resumed;
    welcome.message_bytes_max = static_cast<std::uint32_t>(options.message_bytes_max);
    welcome.entities_max = static_cast<std::uint32_t>(options.entities_max);
    welcome.watchers_max = static_cast<std::uint32_t>(options.watchers_max);
    welcome.entities = access.list();
    connection_.push(encode(context_.control_builder, std::move(welcome)));
}

void ServiceSession::handle(const Ping& ping) {
    connection_.answer(encode(context_.control_builder, pong_to(ping, context_)));
}

void ServiceSession::handle(const KeyframeRequest&) {
    for (const auto& [entity, port] : watchers_) {
        port->inputs().put_keyframe();
    }
}

void ServiceSession::handle(const Subscribe& subscribe) {
    context_.directory.notices().subscribe(*queue_, subscribe, context_.zone.options().dimensions,
                                           context_.zone.tick() + 1);
}

void ServiceSession::handle(const LeaveZone&) {
    connection_.begin_closing();
}

void ServiceSession::check() {
    const bool is_holder = entities_->enter(holder_).has_value();
    if (!is_holder) {
        connection_.close_with(ErrorCode::superseded, "the service goes on in another connection");
    }
}

// Frames

void ServiceSession::on_frame(PlayerPort& port) {
    frames_.push_back(std::static_pointer_cast<PlayerPort>(port.shared_from_this()));
    if (frames_.size() == 1) {
        connection_.put_frame(port.frame());
    }
}

void ServiceSession::on_frame_sent() {
    frames_.front()->frame_sent();
    frames_.pop_front();
    if (!frames_.empty()) {
        connection_.put_frame(frames_.front()->frame());
    }
}

/// Its frame, if it waits, is not sent; one that is with the connection is.
void ServiceSession::forget_watcher(engine::EntityId entity) {
    const auto found = watchers_.find(entity);
    MARCHLAND_ASSERT(found != watchers_.end());
    const auto port = found->second;
    watchers_.erase(found);
    if (!frames_.empty()) {
        frames_.erase(std::remove(frames_.begin() + 1, frames_.end(), port), frames_.end());
    }
}

void ServiceSession::on_removed(PlayerPort& port) {
    forget_watcher(port.tag());
    if (auto access = entities_->enter(holder_)) {
        access->erase(port.tag());
    }
    connection_.close_with(ErrorCode::too_slow, "no frame was taken for too long");
}

// Notices

void ServiceSession::on_notices() {
    is_short_of_room_ = false;
    // A subject is shorter than the message with its token.
    const std::size_t bytes_max = kNoticeBytesMax + context_.options.message_bytes_max;
    while (connection_.has_room(bytes_max + kKeptForAnswersBytes)) {
        auto notice = context_.directory.notices().take(*queue_);
        if (!notice) {
            return;
        }
        std::visit(
            [this](auto& one) {
                connection_.push(encode(context_.control_builder, std::move(one)));
            },
            *notice);
    }
    is_short_of_room_ = true;
}

void ServiceSession::on_said() {
    if (is_short_of_room_) {
        on_notices();
    }
}

// Commands

/// Nothing is sent while the entities are held: what is sent may end the session, and that needs
/// it.
template <typename Command>
void ServiceSession::execute(const Command& command) {
    Error error = ErrorMessage{ErrorCode::superseded, "the service goes on in another connection"};
    if (auto access = entities_->enter(holder_)) {
        error = carry_out(*access, command);
    }
    answer_refused(static_cast<std::uint8_t>(TypeOf{}(command)));
    if constexpr (std::is_same_v<Command, Spawn>) {
        connection_.answer(encode(context_.control_builder, Spawned{std::exchange(spawned_, {})}));
    }
    if (error) {
        connection_.close_with(error->code, std::move(error->text));
    }
}

void ServiceSession::receive(ClientMessage&& message) {
    if (pass_ && !std::exchange(has_spoken_, true)) {
        context_.store.confirm(*pass_);
    }
    std::visit(
        [this](const auto& body) {
            if constexpr (requires { handle(body); }) {
                handle(body);
            } else if constexpr (requires(Access & access) { carry_out(access, body); }) {
                execute(body);
            } else {
                connection_.close_with(ErrorCode::out_of_order, "a service does not send this now");
            }
        },
        message);
}

/// A list of players may have more that are not there: the first of them say what is wrong.
void ServiceSession::answer_refused(std::uint8_t command) {
    if (refused_.size() > kServiceItemsMax) {
        refused_.erase(refused_.begin() + kServiceItemsMax, refused_.end());
    }
    for (CommandRefused& refused : refused_) {
        refused.command = command;
        connection_.answer(encode(context_.control_builder, refused));
    }
    refused_.clear();
}

void ServiceSession::refuse_if(std::optional<RefusalReason> reason, engine::EntityId entity,
                               std::uint32_t ref) {
    if (reason) {
        refused_.push_back({0, entity, ref, *reason});
    }
}

// Own entities come and go

auto ServiceSession::carry_out(Access& access, const Spawn& spawn) -> Error {
    for (const SpawnOne& one : spawn.entities) {
        refuse_if(spawn_one(access, one), {}, one.ref);
    }
    return std::nullopt;
}

std::optional<RefusalReason> ServiceSession::spawn_one(Access& access, const SpawnOne& one) {
    const ServiceOptions& options = context_.options.services;
    if (access.size() >= options.entities_max ||
        (one.watches && access.watchers() >= options.watchers_max)) {
        return RefusalReason::too_many;
    }
    auto wanted = entity_for(one, context_.zone.options());
    if (const auto* const reason = std::get_if<RefusalReason>(&wanted)) {
        return *reason;
    }
    auto& entity = std::get<engine::Entity>(wanted);
    const engine::EntityId id = context_.zone.new_id();
    entity.id = id;
    const std::shared_ptr<InputPort> port =
        one.watches ? std::shared_ptr<InputPort>(make_watcher(id, false))
                    : std::make_shared<ServicePort>();
    const auto join = [&] { return context_.zone.join({std::move(entity), port, one.watches}); };
    shards::StateKeeper* const keeper = context_.zone.keeper();
    const auto take_back = [&] {
        watchers_.erase(id);
        access.erase(id);
        if (keeper != nullptr) {
            keeper->disown(id);
        }
    };
    // The zone comes last: what throws leaves no entity there that is nobody's.
    spawned_.push_back({id, one.ref});
    bool is_in = false;
    try {
        if (one.watches) {
            watchers_.emplace(id, std::static_pointer_cast<PlayerPort>(port));
        }
        access.add(id, {one.ref, port, one.watches, std::nullopt});
        if (keeper != nullptr) {
            keeper->own(id, {static_cast<std::uint64_t>(entities_->owner()), one.ref});
        }
        is_in = context_.directory.enter(id, {port, entities_->owner()}, std::nullopt, join);
    } catch (...) {
        take_back();
        throw;
    }
    if (!is_in) {
        take_back();
        spawned_.pop_back();
        return RefusalReason::zone_full;
    }
    return std::nullopt;
}

std::shared_ptr<PlayerPort> ServiceSession::make_watcher(engine::EntityId entity, bool is_resumed) {
    const shards::ZoneOptions& zone = context_.zone.options();
    auto options = PlayerPort::options_for(context_.io_thread, zone, context_.options);
    options.tag = entity;
    if (is_resumed) {
        options.resumes_after = engine::kNever;
    }
    const SpeedLimit no_limit(0, zone.tick_rate_hz, zone.dimensions, {});
    auto port =
        std::make_shared<PlayerPort>(options, no_limit, context_.mailbox, context_.counters);
    port->attach(connection_);
    if (is_resumed) {
        port->inputs().put_keyframe();
    }
    return port;
}

void ServiceSession::despawn_own(Access& access, engine::EntityId entity) {
    const ServiceEntities::Holding& holding = *access.find(entity);
    if (holding.watches) {
        watchers_.at(entity)->park();
        forget_watcher(entity);
    }
    holding.port->dismiss();
    access.erase(entity);
}

auto ServiceSession::carry_out(Access& access, const Despawn& despawn) -> Error {
    for (const engine::EntityId entity : despawn.entities) {
        if (access.find(entity) != nullptr) {
            despawn_own(access, entity);
            continue;
        }
        const auto dismiss = [](InputPort& port) -> std::optional<RefusalReason> {
            port.dismiss();
            return std::nullopt;
        };
        refuse_if(with_port(access, entity, dismiss), entity);
    }
    return std::nullopt;
}

// Inputs

/// Calls `use(port)` for a player's entity. `if_own`: the refusal for an entity of the service
/// itself.
template <typename Use>
std::optional<RefusalReason> ServiceSession::with_player(engine::EntityId entity, Use&& use,
                                                         RefusalReason if_own) {
    std::optional<RefusalReason> reason = RefusalReason::not_there;
    context_.directory.with(entity, [&](const Directory::Listing& listing) {
        if (listing.owner == kPlayers) {
            reason = use(*listing.port);
        } else {
            reason = listing.owner == entities_->owner() ? if_own : RefusalReason::not_yours;
        }
    });
    return reason;
}

/// Calls `use(port)` for an entity of its own or a player's.
template <typename Use>
std::optional<RefusalReason> ServiceSession::with_port(Access& access, engine::EntityId entity,
                                                       Use&& use) {
    if (ServiceEntities::Holding* const own = access.find(entity)) {
        return use(*own->port);
    }
    // One of its own that is listed still is on its way out.
    return with_player(entity, use, RefusalReason::not_there);
}

auto ServiceSession::carry_out(Access& access, const MoveMany& move_many) -> Error {
    const shards::ZoneOptions& zone = context_.zone.options();
    for (const Moved& moved : move_many.moves) {
        ServiceEntities::Holding* const own = access.find(moved.entity);
        if (own == nullptr) {
            const auto refuse = [](InputPort&) { return std::optional(RefusalReason::not_yours); };
            refuse_if(with_port(access, moved.entity, refuse), moved.entity);
            continue;
        }
        if (moved.is_relative && !own->sent) {
            return ErrorMessage{ErrorCode::malformed,
                                "a difference, and no position was sent before it"};
        }
        own->sent = position_after(moved, own->sent.value_or(engine::Position{}), zone.quantum_mm);
        if (!own->sent) {
            return ErrorMessage{ErrorCode::malformed, "a move to where no position is"};
        }
        const auto place = place_for(*own->sent, zone);
        if (const auto* const reason = std::get_if<RefusalReason>(&place)) {
            refuse_if(*reason, moved.entity);
            continue;
        }
        own->port->inputs().put_place(std::get<engine::Position>(place));
    }
    return std::nullopt;
}

auto ServiceSession::carry_out(Access& access, const Change& change) -> Error {
    for (const ChangeOne& one : change.entities) {
        const ServiceEntities::Holding* const own = access.find(one.entity);
        auto wanted = inputs_for(one, own != nullptr, own == nullptr || own->watches,
                                 context_.zone.options());
        const auto give = [&](InputPort& port) -> std::optional<RefusalReason> {
            if (const auto* const reason = std::get_if<RefusalReason>(&wanted)) {
                return *reason;
            }
            port.inputs().put_commands(
                std::move(std::get<shards::Inputs>(wanted)),
                {one.speed_percent, one.authority, one.move_ack, one.frames_hz});
            return std::nullopt;
        };
        refuse_if(with_port(access, one.entity, give), one.entity);
    }
    return std::nullopt;
}

/// What is wrong with it is refused, and may be answered again.
void ServiceSession::handle(const AdmitPlayer& admit) {
    auto given = inputs_for(admit.given, true, true, context_.zone.options());
    std::optional<RefusalReason> reason;
    if (const auto* const flaw = std::get_if<RefusalReason>(&given)) {
        reason = *flaw;
    } else if (!context_.directory.notices().answer(
                   *queue_, admit.request,
                   {std::move(std::get<shards::Inputs>(given)), admit.refusal})) {
        reason = RefusalReason::not_there;
    }
    refuse_if(reason, engine::EntityId{admit.request});
    answer_refused(static_cast<std::uint8_t>(wire::Body::AdmitPlayer));
}

auto ServiceSession::carry_out(Access&, const TransferPlayer& transfer) -> Error {
    const auto send_away = [&](InputPort& port) {
        const bool is_sent = port.send_away({transfer.address, transfer.token, transfer.carried});
        return is_sent ? std::nullopt : std::optional(RefusalReason::away);
    };
    refuse_if(with_player(transfer.entity, send_away), transfer.entity);
    return std::nullopt;
}

/// To who sees an entity: that entity's shard adds it to what it sends of it. All others: each
/// shard finds whom they are for among its own.
auto ServiceSession::carry_out(Access& access, const SendMessages& send_messages) -> Error {
    const engine::Tick tick = context_.zone.tick();
    for (const MessageTo& message : send_messages.messages) {
        engine::GameMessage content{message.kind, blob_of(message.payload)};
        if (message.to_viewers_of != engine::EntityId{}) {
            const auto say = [&](InputPort& port) {
                const bool has_room = port.inputs().put_to_viewers(std::move(content));
                return has_room ? std::nullopt : std::optional(RefusalReason::too_many);
            };
            refuse_if(with_port(access, message.to_viewers_of, say), message.to_viewers_of);
            continue;
        }
        const bool is_to_some = !message.to_everybody && !message.within && message.layers == 0;
        const std::size_t count =
            is_to_some ? message.to.size() : context_.directory.notices().player_count();
        if (!access.take_deliveries(tick, std::max<std::size_t>(count, 1))) {
            refused_.push_back({0, {}, 0, RefusalReason::too_many});
            continue;
        }
        shards::Audience audience;
        if (is_to_some) {
            audience.to = players_among(message.to);
        }
        if (message.within) {
            audience.within = {message.within->centre, message.within->radius_mm};
        }
        if (message.layers != 0) {
            audience.layers = message.layers;
        }
        context_.zone.say({std::move(content), std::move(audience)});
    }
    return std::nullopt;
}

/// What else is there is refused.
std::vector<engine::EntityId> ServiceSession::players_among(
    const std::vector<engine::EntityId>& to) {
    std::vector<engine::EntityId> players;
    players.reserve(to.size());
    for (const engine::EntityId entity : to) {
        const auto add = [&](InputPort&) {
            players.push_back(entity);
            return std::optional<RefusalReason>();
        };
        refuse_if(with_player(entity, add), entity);
    }
    std::ranges::sort(players);
    players.erase(std::unique(players.begin(), players.end()), players.end());
    return players;
}

// The end

void ServiceSession::leave(PlayerLeftReason) {
    end();
    if (!pass_ || context_.store.forget(*pass_)) {
        entities_->leave_all();
    }
}

void ServiceSession::lose() {
    if (!pass_) {
        leave(PlayerLeftReason::lost);
        return;
    }
    end();
    context_.store.rest(*pass_, std::chrono::steady_clock::now());
}

/// From here on nobody calls for this session, but for a frame that has begun to leave.
void ServiceSession::end() {
    context_.directory.notices().close_queue(*queue_);
    for (const auto& [entity, port] : watchers_) {
        port->park();
    }
    watchers_.clear();
    frames_.resize(std::min<std::size_t>(frames_.size(), 1));
    IoThreadCounters::subtract(context_.counters.services);
}

}  // namespace marchland::net
