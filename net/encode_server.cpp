#include "net/encode_server.h"

#include "engine/assert.h"
#include "net/wire_values.h"

#include <type_traits>

namespace marchland::net {

namespace {

using Builder = flatbuffers::FlatBufferBuilder;

/// By a client or a service of an older minor, which does not know it.
template <typename Message>
constexpr bool kMayBeSkipped =
    std::is_same_v<Message, Notice> || std::is_same_v<Message, PlayerAway> ||
    std::is_same_v<Message, PlayerBack> || std::is_same_v<Message, PlayersListed>;

flatbuffers::Offset<wire::Welcome> write(Builder& builder, const Welcome& welcome) {
    const auto view = to_wire(builder, welcome.view);
    const auto crowd = to_wire(builder, welcome.crowd);
    const wire::Position world_min = to_wire(welcome.world_min);
    const wire::Position world_max = to_wire(welcome.world_max);
    const wire::Position spawn = to_wire(welcome.spawn);
    const auto resume_token = to_wire(builder, welcome.resume_token);
    const auto slots = to_wire(builder, welcome.slots);
    const wire::SendLimit messages(welcome.messages.per_second_max, welcome.messages.bytes_max);
    return wire::CreateWelcome(
        builder, welcome.protocol_major, welcome.protocol_minor, to_number(welcome.entity),
        welcome.tick, welcome.tick_rate_hz, static_cast<std::uint8_t>(welcome.dimensions),
        &world_min, &world_max, &spawn, view, welcome.leave_radius_mm_max, crowd,
        welcome.server_time_us, welcome.quantum_mm, resume_token, welcome.resume_grace_ms,
        welcome.resumed, welcome.states_per_second_max,
        welcome.messages == SendLimit{} ? nullptr : &messages, welcome.message_number, slots,
        welcome.frames_hz, welcome.prediction_error_mm, welcome.prediction_ms_max,
        welcome.restart_grace_ms);
}

flatbuffers::Offset<wire::Pong> write(Builder& builder, const Pong& pong) {
    return wire::CreatePong(builder, pong.nonce, pong.tick, pong.safe_tick);
}

flatbuffers::Offset<wire::Error> write(Builder& builder, const ErrorMessage& error) {
    const auto text = builder.CreateString(error.text);
    return wire::CreateError(builder, static_cast<std::uint16_t>(error.code), text);
}

flatbuffers::Offset<wire::Notice> write(Builder& builder, const Notice& notice) {
    return wire::CreateNotice(builder, builder.CreateString(notice.text), notice.stops_in_ms);
}

flatbuffers::Offset<wire::Transfer> write(Builder& builder, const Transfer& transfer) {
    const auto address = builder.CreateString(transfer.address);
    const auto token = to_wire(builder, transfer.token);
    return wire::CreateTransfer(builder, address, token, to_wire(builder, transfer.carried));
}

// ---- to services

flatbuffers::Offset<flatbuffers::Vector<const wire::SpawnedOne*>> spawned_to_wire(
    Builder& builder, const std::vector<SpawnedOne>& entities) {
    return builder.CreateVectorOfStructs<wire::SpawnedOne>(
        entities.size(), [&](std::size_t i, wire::SpawnedOne* out) {
            *out = wire::SpawnedOne(to_number(entities[i].entity), entities[i].ref);
        });
}

flatbuffers::Offset<wire::ServiceWelcome> write(Builder& builder, const ServiceWelcome& welcome) {
    const auto resume_token = to_wire(builder, welcome.resume_token);
    const auto entities = spawned_to_wire(builder, welcome.entities);
    const auto slots = to_wire(builder, welcome.slots);
    const wire::Position world_min = to_wire(welcome.world_min);
    const wire::Position world_max = to_wire(welcome.world_max);
    return wire::CreateServiceWelcome(
        builder, welcome.protocol_major, welcome.protocol_minor, welcome.tick,
        welcome.server_time_us, welcome.tick_rate_hz, static_cast<std::uint8_t>(welcome.dimensions),
        &world_min, &world_max, welcome.leave_radius_mm_max, welcome.notify_leave_radius_mm_max,
        welcome.quantum_mm, resume_token, welcome.resume_grace_ms, welcome.resumed,
        welcome.message_bytes_max, welcome.entities_max, welcome.watchers_max, entities, slots,
        welcome.restart_grace_ms);
}

flatbuffers::Offset<wire::Spawned> write(Builder& builder, const Spawned& spawned) {
    return wire::CreateSpawned(builder, spawned_to_wire(builder, spawned.entities));
}

flatbuffers::Offset<wire::PlayerJoined> write(Builder& builder, const PlayerJoined& joined) {
    const auto state = to_wire(builder, joined.state);
    const wire::Position position = to_wire(joined.position);
    const auto subject = to_wire(builder, joined.subject);
    const auto claims = to_wire(builder, joined.claims);
    const auto carried = to_wire(builder, joined.carried);
    return wire::CreatePlayerJoined(builder, to_number(joined.entity), joined.kind, &position,
                                    state, subject, claims, carried, joined.request);
}

flatbuffers::Offset<wire::PlayerLeft> write(Builder& builder, const PlayerLeft& left) {
    return wire::CreatePlayerLeft(builder, to_number(left.entity),
                                  static_cast<wire::PlayerLeftReason>(left.reason));
}

flatbuffers::Offset<wire::PlayerAway> write(Builder& builder, const PlayerAway& away) {
    return wire::CreatePlayerAway(builder, to_number(away.entity), away.grace_ms);
}

flatbuffers::Offset<wire::PlayerBack> write(Builder& builder, const PlayerBack& back) {
    return wire::CreatePlayerBack(builder, to_number(back.entity), to_wire(builder, back.claims));
}

flatbuffers::Offset<wire::PlayerMessage> write(Builder& builder, const PlayerMessage& message) {
    const auto payload = to_wire(builder, message.payload);
    const wire::Position position = to_wire(message.position);
    return wire::CreatePlayerMessage(builder, to_number(message.entity), message.kind, message.tick,
                                     &position, payload);
}

flatbuffers::Offset<wire::PlayerAsks> write(Builder& builder, const PlayerAsks& asks) {
    const wire::Position spawn = to_wire(asks.spawn.value_or(engine::Position{}));
    const auto subject = to_wire(builder, asks.subject);
    const auto claims = to_wire(builder, asks.claims);
    const auto carried = to_wire(builder, asks.carried);
    return wire::CreatePlayerAsks(builder, asks.request, asks.kind, asks.spawn ? &spawn : nullptr,
                                  subject, claims, carried, asks.wait_ms);
}

flatbuffers::Offset<wire::PlayerMove> write(Builder& builder, const PlayerMove& move) {
    const wire::Position position = to_wire(move.position);
    const wire::Velocity velocity = to_wire(move.velocity);
    wire::PlayerMoveBuilder table(builder);
    table.add_entity(to_number(move.entity));
    table.add_seq(move.seq);
    table.add_tick(move.tick);
    table.add_position(&position);
    if (move.facing) {
        table.add_facing(*move.facing);
    }
    table.add_velocity(move.velocity == engine::Step{} ? nullptr : &velocity);
    return table.Finish();
}

flatbuffers::Offset<wire::Positions> write(Builder& builder, const Positions& positions) {
    const std::uint64_t first =
        positions.players.empty() ? 0 : to_number(positions.players.front().entity);
    std::uint64_t before = first;
    const auto players = builder.CreateVectorOfStructs<wire::Placed>(
        positions.players.size(), [&](std::size_t i, wire::Placed* out) {
            const Placed& one = positions.players[i];
            const std::uint64_t step = to_number(one.entity) - before;
            MARCHLAND_ASSERT(step <= UINT32_MAX);
            *out = wire::Placed(static_cast<std::uint32_t>(step), to_wire(one.position));
            before = to_number(one.entity);
        });
    return wire::CreatePositions(builder, positions.tick, first, players, positions.has_more,
                                 positions.border_stale, positions.ticks_lost);
}

flatbuffers::Offset<wire::PlayersListed> write(Builder& builder, const PlayersListed&) {
    return wire::CreatePlayersListed(builder);
}

flatbuffers::Offset<wire::MessagesLost> write(Builder& builder, const MessagesLost& lost) {
    return wire::CreateMessagesLost(builder, lost.count);
}

flatbuffers::Offset<wire::CommandRefused> write(Builder& builder, const CommandRefused& refused) {
    return wire::CreateCommandRefused(builder, refused.command, to_number(refused.entity),
                                      refused.ref,
                                      static_cast<wire::RefusalReason>(refused.reason));
}

}  // namespace

std::span<const std::byte> encode(Builder& builder, const ServerMessage& message) {
    builder.Clear();
    return std::visit(
        [&](const auto& body) -> std::span<const std::byte> {
            using Message = std::decay_t<decltype(body)>;
            if constexpr (std::is_same_v<Message, FrameMessage> ||
                          std::is_same_v<Message, SkippedMessage>) {
                MARCHLAND_ASSERT(false);
                return {};
            } else {
                return finish_message(builder, write(builder, body), kMayBeSkipped<Message>);
            }
        },
        message);
}

}  // namespace marchland::net
