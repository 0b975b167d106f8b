#include "engine/assert.h"
#include "shards/state/keeper.h"
#include "net/blob_of.h"
#include "net/encode_server.h"
#include "net/packed_moves.h"
#include "net/service_admission.h"
#include "net/service_port.h"
#include "net/service_session.h"
#include "marchland_generated.h"

#include <memory>
#include <utility>

// What a service's commands do. service_session.cpp has the rest of it.

namespace marchland::net {

namespace {

constexpr wire::Body type_of(const Spawn&) {
    return wire::Body::Spawn;
}
constexpr wire::Body type_of(const Despawn&) {
    return wire::Body::Despawn;
}
constexpr wire::Body type_of(const MoveMany&) {
    return wire::Body::MoveMany;
}
constexpr wire::Body type_of(const Change&) {
    return wire::Body::Change;
}
constexpr wire::Body type_of(const SendEvents&) {
    return wire::Body::SendEvents;
}
constexpr wire::Body type_of(const SendMessages&) {
    return wire::Body::SendMessages;
}

}  // namespace

/// Nothing is said while the entities is held: what is said may end the session, and that needs it.
template <typename Command>
void ServiceSession::obey(const Command& command) {
    Error error = ErrorMessage{ErrorCode::superseded, "the service goes on in another connection"};
    if (auto access = entities_->enter(holder_)) {
        error = carry_out(*access, command);
    }
    answer_refused(static_cast<std::uint8_t>(type_of(command)));
    if constexpr (std::is_same_v<Command, Spawn>) {
        connection_.answer(encode(context_.control_builder, Spawned{std::exchange(spawned_, {})}));
    }
    if (error) {
        connection_.close_with(error->code, std::move(error->text));
    }
}

template void ServiceSession::obey(const Spawn& command);
template void ServiceSession::obey(const Despawn& command);
template void ServiceSession::obey(const MoveMany& command);
template void ServiceSession::obey(const Change& command);
template void ServiceSession::obey(const SendEvents& command);
template void ServiceSession::obey(const SendMessages& command);

void ServiceSession::answer_refused(std::uint8_t command) {
    for (CommandRefused& refused : refused_) {
        refused.command = command;
        connection_.answer(encode(context_.control_builder, refused));
    }
    refused_.clear();
}

// Own entities come and go

auto ServiceSession::carry_out(Access& access, const Spawn& spawn) -> Error {
    for (const SpawnOne& one : spawn.entities) {
        if (const auto reason = spawn_one(access, one)) {
            refused_.push_back({0, {}, one.ref, *reason});
        }
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
    auto port = make_port(id, one.watches);
    const auto join = [&] { return context_.zone.join({std::move(entity), port, one.watches}); };
    shards::StateKeeper* const keeper = context_.zone.keeper();
    if (keeper != nullptr) {
        keeper->own(id, {static_cast<std::uint64_t>(entities_->owner()), one.ref});
    }
    if (!context_.directory.enter(id, {port, entities_->owner()}, std::nullopt, join)) {
        if (keeper != nullptr) {
            keeper->disown(id);
        }
        return RefusalReason::zone_full;
    }
    if (one.watches) {
        watchers_.emplace(id, std::static_pointer_cast<PlayerPort>(port));
    }
    access.add(id, {one.ref, std::move(port), one.watches, std::nullopt});
    spawned_.push_back({id, one.ref});
    return std::nullopt;
}

std::shared_ptr<InputPort> ServiceSession::make_port(engine::EntityId entity, bool watches) {
    if (!watches) {
        return std::make_shared<ServicePort>();
    }
    return make_watcher(entity, false);
}

std::shared_ptr<PlayerPort> ServiceSession::make_watcher(engine::EntityId entity, bool is_resumed) {
    const shards::ZoneOptions& zone = context_.zone.options();
    PlayerPort::Options options{context_.io_thread, zone.tick_rate_hz, zone.quantum_mm, entity};
    if (is_resumed) {
        options.resumes_after = engine::kNever;
    }
    const SpeedLimit no_limit(0, zone.tick_rate_hz, zone.dimensions, {});
    auto port =
        std::make_shared<PlayerPort>(options, no_limit, context_.mailbox, context_.counters);
    port->attach(connection_);
    if (is_resumed) {
        port->ask_keyframe();
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
        if (const auto reason = with_port(access, entity, dismiss)) {
            refused_.push_back({0, entity, 0, *reason});
        }
    }
    return std::nullopt;
}

// Orders

/// Calls `use(port)` for an entity of its own or a player's.
template <typename Use>
std::optional<RefusalReason> ServiceSession::with_port(Access& access, engine::EntityId entity,
                                                       Use&& use) {
    if (ServiceEntities::Holding* const own = access.find(entity)) {
        return use(*own->port);
    }
    // One of its own that is listed still is on its way out.
    std::optional<RefusalReason> reason = RefusalReason::not_there;
    context_.directory.with(entity, [&](const Directory::Listing& listing) {
        if (listing.owner == kPlayers) {
            reason = use(*listing.port);
        } else if (listing.owner != entities_->owner()) {
            reason = RefusalReason::not_yours;
        }
    });
    return reason;
}

auto ServiceSession::carry_out(Access& access, const MoveMany& move_many) -> Error {
    const shards::ZoneOptions& zone = context_.zone.options();
    for (const Moved& moved : move_many.moves) {
        ServiceEntities::Holding* const own = access.find(moved.entity);
        if (own == nullptr) {
            auto reason = RefusalReason::not_there;
            context_.directory.with(moved.entity, [&](const Directory::Listing& listing) {
                reason = listing.owner == entities_->owner() ? reason : RefusalReason::not_yours;
            });
            refused_.push_back({0, moved.entity, 0, reason});
            continue;
        }
        if (moved.is_relative && !own->sent) {
            return ErrorMessage{ErrorCode::malformed,
                                "a difference, and no position was told before it"};
        }
        own->sent = position_after(moved, own->sent.value_or(engine::Position{}), zone.quantum_mm);
        if (!own->sent) {
            return ErrorMessage{ErrorCode::malformed, "a move to where no position is"};
        }
        const auto place = place_for(*own->sent, zone);
        if (const auto* const reason = std::get_if<RefusalReason>(&place)) {
            refused_.push_back({0, moved.entity, 0, *reason});
            continue;
        }
        shards::Inputs commands;
        commands.move = std::get<engine::Position>(place);
        own->port->inputs().put_commands(std::move(commands));
    }
    return std::nullopt;
}

auto ServiceSession::carry_out(Access& access, const Change& change) -> Error {
    for (const ChangeOne& one : change.entities) {
        const ServiceEntities::Holding* const own = access.find(one.entity);
        auto wanted = inputs_for(one, own == nullptr || own->watches, context_.zone.options());
        const auto give = [&](InputPort& port) -> std::optional<RefusalReason> {
            if (const auto* const reason = std::get_if<RefusalReason>(&wanted)) {
                return *reason;
            }
            port.inputs().put_commands(std::move(std::get<shards::Inputs>(wanted)));
            return std::nullopt;
        };
        if (const auto reason = with_port(access, one.entity, give)) {
            refused_.push_back({0, one.entity, 0, *reason});
        }
    }
    return std::nullopt;
}

auto ServiceSession::carry_out(Access& access, const SendEvents& send_events) -> Error {
    const engine::Tick tick = context_.zone.tick();
    for (const EventOf& event : send_events.events) {
        const auto say = [&](InputPort& port) -> std::optional<RefusalReason> {
            const bool has_room =
                access.take_namings(tick, event.to.size()) &&
                port.inputs().put_service_event({blob_of(event.payload), event.to});
            return has_room ? std::nullopt : std::optional(RefusalReason::too_many);
        };
        if (const auto reason = with_port(access, event.source, say)) {
            refused_.push_back({0, event.source, 0, *reason});
        }
    }
    return std::nullopt;
}

/// Directed ones: which client reads them depends on nobody's view, so they go past the shards' pipeline to the
/// players' ports.
auto ServiceSession::carry_out(Access& access, const SendMessages& send_messages) -> Error {
    const engine::Tick tick = context_.zone.tick();
    for (const MessageTo& message : send_messages.messages) {
        const auto to = message.to_everybody ? context_.directory.notices().players() : message.to;
        if (!access.take_deliveries(tick, to.size())) {
            refused_.push_back({0, {}, 0, RefusalReason::too_many});
            continue;
        }
        const Said said{message.kind, blob_of(message.payload)};
        for (const engine::EntityId entity : to) {
            auto reason = RefusalReason::not_there;
            bool is_player = false;
            context_.directory.with(entity, [&](const Directory::Listing& listing) {
                is_player = listing.owner == kPlayers;
                reason = RefusalReason::not_yours;
                if (is_player) {
                    listing.port->inputs().put_to_client(said);
                }
            });
            // Of everybody some may have gone meanwhile.
            if (!is_player && !message.to_everybody) {
                refused_.push_back({0, entity, 0, reason});
            }
        }
    }
    return std::nullopt;
}

}  // namespace marchland::net
