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
    const auto body = wire::CreateWelcome(
        builder, welcome.protocol_major, welcome.protocol_minor, to_number(welcome.entity),
        welcome.tick, welcome.tick_rate_hz, static_cast<std::uint8_t>(welcome.dimensions),
        &world_min, &world_max, &spawn, view, welcome.leave_radius_mm_max, crowd);
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

}  // namespace marchland::net
