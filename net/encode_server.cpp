#include "net/encode_server.h"

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
    const wire::SendLimit events(welcome.events.per_second_max, welcome.events.bytes_max);
    const wire::SendLimit states(welcome.states.per_second_max, welcome.states.bytes_max);
    const wire::SendLimit messages(welcome.messages.per_second_max, welcome.messages.bytes_max);
    const auto body = wire::CreateWelcome(
        builder, welcome.protocol_major, welcome.protocol_minor, to_number(welcome.entity),
        welcome.tick, welcome.tick_rate_hz, static_cast<std::uint8_t>(welcome.dimensions),
        &world_min, &world_max, &spawn, view, welcome.leave_radius_mm_max, crowd,
        welcome.server_time_us, welcome.quantum_mm, resume_token, welcome.resume_grace_ms,
        welcome.resumed, welcome.events == SendLimit{} ? nullptr : &events,
        welcome.states == SendLimit{} ? nullptr : &states,
        welcome.messages == SendLimit{} ? nullptr : &messages, welcome.message_number);
    return finish_message(builder, wire::Body::Welcome, body.Union());
}

std::span<const std::byte> encode(Builder& builder, const Pong& pong) {
    builder.Clear();
    const auto body = wire::CreatePong(builder, pong.nonce, pong.tick);
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

namespace {

/// No text, no string.
flatbuffers::Offset<flatbuffers::String> to_wire(Builder& builder, const std::string& text) {
    return text.empty() ? 0 : builder.CreateString(text);
}

flatbuffers::Offset<flatbuffers::Vector<const wire::SpawnedOne*>> to_wire(
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
    const auto entities = to_wire(builder, welcome.entities);
    const wire::Position world_min = to_wire(welcome.world_min);
    const wire::Position world_max = to_wire(welcome.world_max);
    const auto body = wire::CreateServiceWelcome(
        builder, welcome.protocol_major, welcome.protocol_minor, welcome.tick,
        welcome.server_time_us, welcome.tick_rate_hz, static_cast<std::uint8_t>(welcome.dimensions),
        &world_min, &world_max, welcome.leave_radius_mm_max, welcome.notify_leave_radius_mm_max,
        welcome.quantum_mm, resume_token, welcome.resume_grace_ms, welcome.resumed,
        welcome.message_bytes_max, welcome.entities_max, welcome.watchers_max, entities);
    return finish_message(builder, wire::Body::ServiceWelcome, body.Union());
}

std::span<const std::byte> encode(Builder& builder, const Spawned& spawned) {
    builder.Clear();
    const auto body = wire::CreateSpawned(builder, to_wire(builder, spawned.entities));
    return finish_message(builder, wire::Body::Spawned, body.Union());
}

std::span<const std::byte> encode(Builder& builder, const PlayerJoined& joined) {
    builder.Clear();
    const auto blob = to_wire(builder, joined.blob);
    const wire::Position position = to_wire(joined.position);
    const auto subject = to_wire(builder, joined.subject);
    const auto claims = to_wire(builder, joined.claims);
    const auto body = wire::CreatePlayerJoined(builder, to_number(joined.entity), joined.kind,
                                               &position, blob, subject, claims);
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
