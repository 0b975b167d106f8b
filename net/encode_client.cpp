#include "net/encode_client.h"

#include "net/wire_values.h"

namespace marchland::net {

namespace {

using Builder = flatbuffers::FlatBufferBuilder;

std::span<const std::byte> finish(Builder& builder, const Hello& hello) {
    const auto blob = to_wire(builder, hello.blob);
    const auto view = hello.view ? to_wire(builder, *hello.view) : 0;
    const wire::Position spawn = to_wire(hello.spawn.value_or(engine::Position{}));
    const auto body =
        wire::CreateHello(builder, hello.protocol_major, hello.protocol_minor, hello.kind,
                          hello.spawn ? &spawn : nullptr, view, blob, hello.facing);
    return finish_message(builder, wire::Body::Hello, body.Union());
}

std::span<const std::byte> finish(Builder& builder, const Move& move) {
    const wire::Position position = to_wire(move.position);
    wire::MoveBuilder body(builder);
    body.add_position(&position);
    body.add_seq(move.seq);
    if (move.facing) {
        body.add_facing(*move.facing);
    }
    return finish_message(builder, wire::Body::Move, body.Finish().Union());
}

std::span<const std::byte> finish(Builder& builder, const SetView& set_view) {
    const auto body = wire::CreateSetView(builder, to_wire(builder, set_view.view));
    return finish_message(builder, wire::Body::SetView, body.Union());
}

std::span<const std::byte> finish(Builder& builder, const Ping& ping) {
    const auto body = wire::CreatePing(builder, ping.nonce);
    return finish_message(builder, wire::Body::Ping, body.Union());
}

std::span<const std::byte> finish(Builder& builder, const LeaveZone&) {
    return finish_message(builder, wire::Body::Leave, wire::CreateLeave(builder).Union());
}

}  // namespace

std::span<const std::byte> encode(Builder& builder, const ClientMessage& message) {
    builder.Clear();
    return std::visit([&](const auto& body) { return finish(builder, body); }, message);
}

}  // namespace marchland::net
