#include "net/decode_to_service.h"

#include "engine/assert.h"
#include "net/wire_values.h"

namespace marchland::net {

namespace {

using ServiceFinding = const char*;

std::vector<SpawnedOne> spawned_from_wire(
    const flatbuffers::Vector<const wire::SpawnedOne*>* list) {
    std::vector<SpawnedOne> read;
    for (flatbuffers::uoffset_t i = 0; list != nullptr && i < list->size(); ++i) {
        const auto one = element_of<wire::SpawnedOne>(*list, i);
        read.push_back({static_cast<engine::EntityId>(one.entity()), one.ref()});
    }
    return read;
}

ServiceFinding decode(const wire::ServiceWelcome& welcome, ServerMessage& into) {
    if (welcome.dimensions() != 2 && welcome.dimensions() != 3) {
        return "ServiceWelcome: dimensions are neither 2 nor 3";
    }
    if (welcome.quantum_mm() == 0 || welcome.quantum_mm() > INT32_MAX) {
        return "ServiceWelcome: the quantum is no length";
    }
    auto slots = slots_from_wire(welcome.slots());
    if (!slots) {
        return "ServiceWelcome: the slots are not sound";
    }
    into = ServiceWelcome{welcome.protocol_major(),
                          welcome.protocol_minor(),
                          welcome.tick(),
                          welcome.server_time_us(),
                          welcome.tick_rate_hz(),
                          static_cast<engine::Dimensions>(welcome.dimensions()),
                          from_wire(*welcome.world_min()),
                          from_wire(*welcome.world_max()),
                          welcome.leave_radius_mm_max(),
                          welcome.notify_leave_radius_mm_max(),
                          welcome.quantum_mm(),
                          bytes_from_wire(welcome.resume_token()),
                          welcome.resume_grace_ms(),
                          welcome.resumed(),
                          welcome.message_bytes_max(),
                          welcome.entities_max(),
                          welcome.watchers_max(),
                          spawned_from_wire(welcome.entities()),
                          std::move(*slots),
                          welcome.restart_grace_ms()};
    return nullptr;
}

ServiceFinding decode(const wire::PlayerJoined& joined, ServerMessage& into) {
    auto state = state_from_wire(joined.state());
    if (!state) {
        return "PlayerJoined: the state is not sound";
    }
    into = PlayerJoined{static_cast<engine::EntityId>(joined.entity()),
                        joined.kind(),
                        from_wire(*joined.position()),
                        std::move(*state),
                        text_from_wire(joined.subject()),
                        text_from_wire(joined.claims()),
                        bytes_from_wire(joined.carried()),
                        joined.request()};
    return nullptr;
}

PlayerLeft from_wire(const wire::PlayerLeft& left) {
    return {static_cast<engine::EntityId>(left.entity()),
            static_cast<PlayerLeftReason>(left.reason())};
}

PlayerAway from_wire(const wire::PlayerAway& away) {
    return {static_cast<engine::EntityId>(away.entity()), away.grace_ms()};
}

PlayerBack from_wire(const wire::PlayerBack& back) {
    return {static_cast<engine::EntityId>(back.entity()), text_from_wire(back.claims())};
}

PlayerMessage from_wire(const wire::PlayerMessage& message) {
    return {static_cast<engine::EntityId>(message.entity()), message.kind(), message.tick(),
            net::from_wire(*message.position()), bytes_from_wire(message.payload())};
}

PlayerMove from_wire(const wire::PlayerMove& move) {
    PlayerMove decoded{static_cast<engine::EntityId>(move.entity()), move.seq(), move.tick(),
                       net::from_wire(*move.position())};
    if (const auto facing = move.facing()) {
        decoded.facing = *facing;
    }
    decoded.velocity = net::from_wire(move.velocity());
    return decoded;
}

ServiceFinding decode(const wire::Positions& positions, ServerMessage& into) {
    Positions decoded{positions.tick(),
                      {},
                      positions.has_more(),
                      positions.border_stale(),
                      positions.ticks_lost()};
    std::uint64_t id = positions.first();
    const auto* const players = positions.players();
    for (flatbuffers::uoffset_t i = 0; players != nullptr && i < players->size(); ++i) {
        const auto one = element_of<wire::Placed>(*players, i);
        if ((one.step() == 0) != (i == 0) || id + one.step() < id) {
            return "Positions: ids do not ascend";
        }
        id += one.step();
        decoded.players.push_back({engine::EntityId{id}, net::from_wire(one.position())});
    }
    into = std::move(decoded);
    return nullptr;
}

PlayerAsks from_wire(const wire::PlayerAsks& asks) {
    PlayerAsks decoded{asks.request(), asks.kind()};
    if (asks.spawn() != nullptr) {
        decoded.spawn = net::from_wire(*asks.spawn());
    }
    decoded.subject = text_from_wire(asks.subject());
    decoded.claims = text_from_wire(asks.claims());
    decoded.carried = bytes_from_wire(asks.carried());
    decoded.wait_ms = asks.wait_ms();
    return decoded;
}

ServiceFinding decode(const wire::CommandRefused& refused, ServerMessage& into) {
    if (refused.reason() == wire::RefusalReason::none) {
        return "CommandRefused: without a reason";
    }
    into = CommandRefused{refused.command(), static_cast<engine::EntityId>(refused.entity()),
                          refused.ref(), static_cast<RefusalReason>(refused.reason())};
    return nullptr;
}

}  // namespace

const char* decode_to_service(const wire::Message& message, ServerMessage& into) {
    switch (message.body_type()) {
        case wire::Body::ServiceWelcome:
            return decode(*message.body_as_ServiceWelcome(), into);
        case wire::Body::Spawned:
            into = Spawned{spawned_from_wire(message.body_as_Spawned()->entities())};
            return nullptr;
        case wire::Body::PlayerJoined:
            return decode(*message.body_as_PlayerJoined(), into);
        case wire::Body::PlayerLeft:
            into = from_wire(*message.body_as_PlayerLeft());
            return nullptr;
        case wire::Body::PlayerAway:
            into = from_wire(*message.body_as_PlayerAway());
            return nullptr;
        case wire::Body::PlayerBack:
            into = from_wire(*message.body_as_PlayerBack());
            return nullptr;
        case wire::Body::PlayerMessage:
            into = from_wire(*message.body_as_PlayerMessage());
            return nullptr;
        case wire::Body::MessagesLost:
            into = MessagesLost{message.body_as_MessagesLost()->count()};
            return nullptr;
        case wire::Body::PlayersListed:
            into = PlayersListed{};
            return nullptr;
        case wire::Body::PlayerAsks:
            into = from_wire(*message.body_as_PlayerAsks());
            return nullptr;
        case wire::Body::PlayerMove:
            into = from_wire(*message.body_as_PlayerMove());
            return nullptr;
        case wire::Body::Positions:
            return decode(*message.body_as_Positions(), into);
        default:
            MARCHLAND_ASSERT(message.body_type() == wire::Body::CommandRefused);
            return decode(*message.body_as_CommandRefused(), into);
    }
}

}  // namespace marchland::net
