#include "net/encode_server.h"

#include "engine/assert.h"
#include "net/wire_values.h"

namespace marchland::net {

using Builder = flatbuffers::FlatBufferBuilder;

std::span<const std::byte> encode(Builder& builder, const Welcome& welcome) {
    builder.Clear();
    const auto view = to_wire(builder, welcome.view);
    const auto crowd = to_wire(builder, welcome.crowd);
    const wire::Position world_min = to_wire(welcome.world_min);
    const wire::Position world_max = to_wire(welcome.world_max);
    const wire::Position spawn = to_wire(welcome.spawn);
    const auto resume_token = to_wire(builder, welcome.resume_token);
    const auto slots = to_wire(builder, welcome.slots);
    const wire::SendLimit messages(welcome.messages.per_second_max, welcome.messages.bytes_max);
    const auto body = wire::CreateWelcome(
        builder, welcome.protocol_major, welcome.protocol_minor, to_number(welcome.entity),
        welcome.tick, welcome.tick_rate_hz, static_cast<std::uint8_t>(welcome.dimensions),
        &world_min, &world_max, &spawn, view, welcome.leave_radius_mm_max, crowd,
        welcome.server_time_us, welcome.quantum_mm, resume_token, welcome.resume_grace_ms,
        welcome.resumed, welcome.states_per_second_max,
        welcome.messages == SendLimit{} ? nullptr : &messages, welcome.message_number, slots,
        welcome.frames_hz, welcome.prediction_error_mm, welcome.prediction_ms_max,
        welcome.restart_grace_ms);
    return finish_message(builder, wire::Body::Welcome, body.Union());
}

std::span<const std::byte> encode(Builder& builder, const Pong& pong) {
    builder.Clear();
    const auto body = wire::CreatePong(builder, pong.nonce, pong.tick, pong.safe_tick);
    return finish_message(builder, wire::Body::Pong, body.Union());
}

std::span<const std::byte> encode(Builder& builder, const ErrorMessage& error) {
    builder.Clear();
    const auto text = builder.CreateString(error.text);
    const auto body = wire::CreateError(builder, static_cast<std::uint16_t>(error.code), text);
    return finish_message(builder, wire::Body::Error, body.Union());
}

std::span<const std::byte> encode(Builder& builder, const Notice& notice) {
    builder.Clear();
    const auto text = builder.CreateString(notice.text);
    const auto body = wire::CreateNotice(builder, text, notice.stops_in_ms);
    return finish_message(builder, wire::Body::Notice, body.Union(), true);
}

std::span<const std::byte> encode(Builder& builder, const Transfer& transfer) {
    builder.Clear();
    const auto address = builder.CreateString(transfer.address);
    const auto token = to_wire(builder, transfer.token);
    const auto body =
        wire::CreateTransfer(builder, address, token, to_wire(builder, transfer.carried));
    return finish_message(builder, wire::Body::Transfer, body.Union());
}

namespace {

flatbuffers::Offset<flatbuffers::Vector<const wire::SpawnedOne*>> spawned_to_wire(
    Builder& builder, const std::vector<SpawnedOne>& entities) {
    return builder.CreateVectorOfStructs<wire::SpawnedOne>(
        entities.size(), [&](std::size_t i, wire::SpawnedOne* out) {
            *out = wire::SpawnedOne(to_number(entities[i].entity), entities[i].ref);
        });
}

}  // namespace

std::span<const std::byte> encode(Builder& builder, const ServiceWelcome& welcome) {
    builder.Clear();
    const auto resume_token = to_wire(builder, welcome.resume_token);
    const auto entities = spawned_to_wire(builder, welcome.entities);
    const auto slots = to_wire(builder, welcome.slots);
    const wire::Position world_min = to_wire(welcome.world_min);
    const wire::Position world_max = to_wire(welcome.world_max);
    const auto body = wire::CreateServiceWelcome(
        builder, welcome.protocol_major, welcome.protocol_minor, welcome.tick,
        welcome.server_time_us, welcome.tick_rate_hz, static_cast<std::uint8_t>(welcome.dimensions),
        &world_min, &world_max, welcome.leave_radius_mm_max, welcome.notify_leave_radius_mm_max,
        welcome.quantum_mm, resume_token, welcome.resume_grace_ms, welcome.resumed,
        welcome.message_bytes_max, welcome.entities_max, welcome.watchers_max, entities, slots,
        welcome.restart_grace_ms);
    return finish_message(builder, wire::Body::ServiceWelcome, body.Union());
}

std::span<const std::byte> encode(Builder& builder, const Spawned& spawned) {
    builder.Clear();
    const auto body = wire::CreateSpawned(builder, spawned_to_wire(builder, spawned.entities));
    return finish_message(builder, wire::Body::Spawned, body.Union());
}

std::span<const std::byte> encode(Builder& builder, const PlayerJoined& joined) {
    builder.Clear();
    const auto state = to_wire(builder, joined.state);
    const wire::Position position = to_wire(joined.position);
    const auto subject = to_wire(builder, joined.subject);
    const auto claims = to_wire(builder, joined.claims);
    const auto carried = to_wire(builder, joined.carried);
    const auto body =
        wire::CreatePlayerJoined(builder, to_number(joined.entity), joined.kind, &position, state,
                                 subject, claims, carried, joined.request);
    return finish_message(builder, wire::Body::PlayerJoined, body.Union());
}

std::span<const std::byte> encode(Builder& builder, const PlayerLeft& left) {
    builder.Clear();
    const auto body = wire::CreatePlayerLeft(builder, to_number(left.entity),
                                             static_cast<wire::PlayerLeftReason>(left.reason));
    return finish_message(builder, wire::Body::PlayerLeft, body.Union());
}

/// A service of an older minor skips it, as the one below.
std::span<const std::byte> encode(Builder& builder, const PlayerAway& away) {
    builder.Clear();
    const auto body = wire::CreatePlayerAway(builder, to_number(away.entity), away.grace_ms);
    return finish_message(builder, wire::Body::PlayerAway, body.Union(), true);
}

std::span<const std::byte> encode(Builder& builder, const PlayerBack& back) {
    builder.Clear();
    const auto claims = to_wire(builder, back.claims);
    const auto body = wire::CreatePlayerBack(builder, to_number(back.entity), claims);
    return finish_message(builder, wire::Body::PlayerBack, body.Union(), true);
}

std::span<const std::byte> encode(Builder& builder, const PlayerMessage& message) {
    builder.Clear();
    const auto payload = to_wire(builder, message.payload);
    const wire::Position position = to_wire(message.position);
    const auto body = wire::CreatePlayerMessage(builder, to_number(message.entity), message.kind,
                                                message.tick, &position, payload);
    return finish_message(builder, wire::Body::PlayerMessage, body.Union());
}

std::span<const std::byte> encode(Builder& builder, const PlayerAsks& asks) {
    builder.Clear();
    const wire::Position spawn = to_wire(asks.spawn.value_or(engine::Position{}));
    const auto subject = to_wire(builder, asks.subject);
    const auto claims = to_wire(builder, asks.claims);
    const auto carried = to_wire(builder, asks.carried);
    const auto body =
        wire::CreatePlayerAsks(builder, asks.request, asks.kind, asks.spawn ? &spawn : nullptr,
                               subject, claims, carried, asks.wait_ms);
    return finish_message(builder, wire::Body::PlayerAsks, body.Union());
}

std::span<const std::byte> encode(Builder& builder, const PlayerMove& move) {
    builder.Clear();
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
    const auto body = table.Finish();
    return finish_message(builder, wire::Body::PlayerMove, body.Union());
}

std::span<const std::byte> encode(Builder& builder, const Positions& positions) {
    builder.Clear();
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
    const auto body =
        wire::CreatePositions(builder, positions.tick, first, players, positions.has_more,
                              positions.border_stale, positions.ticks_lost);
    return finish_message(builder, wire::Body::Positions, body.Union());
}

std::span<const std::byte> encode(Builder& builder, const PlayersListed&) {
    builder.Clear();
    const auto body = wire::CreatePlayersListed(builder);
    return finish_message(builder, wire::Body::PlayersListed, body.Union(), true);
}

std::span<const std::byte> encode(Builder& builder, const MessagesLost& lost) {
    builder.Clear();
    const auto body = wire::CreateMessagesLost(builder, lost.count);
    return finish_message(builder, wire::Body::MessagesLost, body.Union());
}

std::span<const std::byte> encode(Builder& builder, const CommandRefused& refused) {
    builder.Clear();
    const auto body =
        wire::CreateCommandRefused(builder, refused.command, to_number(refused.entity), refused.ref,
                                   static_cast<wire::RefusalReason>(refused.reason));
    return finish_message(builder, wire::Body::CommandRefused, body.Union());
}

}  // namespace marchland::net
