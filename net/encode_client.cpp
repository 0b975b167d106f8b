#include "net/encode_client.h"

#include "net/encode_service.h"
#include "net/wire_values.h"

namespace marchland::net {

namespace {

using Builder = flatbuffers::FlatBufferBuilder;

std::span<const std::byte> finish(Builder& builder, const Hello& hello) {
    const auto state = to_wire(builder, hello.state);
    const auto view = hello.view ? to_wire(builder, *hello.view) : 0;
    const auto token = to_wire(builder, hello.token);
    const auto resume_token = to_wire(builder, hello.resume_token);
    const auto carried = to_wire(builder, hello.carried);
    const wire::Position spawn = to_wire(hello.spawn.value_or(engine::Position{}));
    const auto body =
        wire::CreateHello(builder, hello.protocol_major, hello.protocol_minor, hello.kind,
                          hello.spawn ? &spawn : nullptr, view, state, hello.facing, token,
                          resume_token, hello.last_tick, carried);
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
    body.add_correction_seen(move.correction_seen);
    const wire::Velocity velocity = to_wire(move.velocity);
    body.add_velocity(move.velocity == engine::Step{} ? nullptr : &velocity);
    return finish_message(builder, wire::Body::Move, body.Finish().Union());
}

std::span<const std::byte> finish(Builder& builder, const SetView& set_view) {
    const auto body = wire::CreateSetView(builder, to_wire(builder, set_view.view));
    return finish_message(builder, wire::Body::SetView, body.Union());
}

std::span<const std::byte> finish(Builder& builder, const SetFrameRate& rate) {
    const auto body = wire::CreateSetFrameRate(builder, rate.frames_hz);
    return finish_message(builder, wire::Body::SetFrameRate, body.Union());
}

std::span<const std::byte> finish(Builder& builder, const Ping& ping) {
    const auto body = wire::CreatePing(builder, ping.nonce);
    return finish_message(builder, wire::Body::Ping, body.Union());
}

std::span<const std::byte> finish(Builder& builder, const LeaveZone&) {
    return finish_message(builder, wire::Body::Leave, wire::CreateLeave(builder).Union());
}

std::span<const std::byte> finish(Builder& builder, const KeyframeRequest&) {
    const auto body = wire::CreateKeyframeRequest(builder);
    return finish_message(builder, wire::Body::KeyframeRequest, body.Union());
}

std::span<const std::byte> finish(Builder& builder, const SetState& set_state) {
    const auto body = wire::CreateSetState(builder, to_wire(builder, set_state.state));
    return finish_message(builder, wire::Body::SetState, body.Union());
}

std::span<const std::byte> finish(Builder& builder, const SendMessage& message) {
    const auto payload = to_wire(builder, message.payload);
    const auto body = wire::CreateSendMessage(builder, message.number, message.kind, payload);
    return finish_message(builder, wire::Body::SendMessage, body.Union());
}

/// Of a type that nobody has: a Leave by another number.
std::span<const std::byte> finish(Builder& builder, const SkippedMessage&) {
    const auto body = wire::CreateLeave(builder).Union();
    return finish_message(builder, kSkippedBody, body, true);
}

}  // namespace

std::span<const std::byte> encode(Builder& builder, const ClientMessage& message) {
    builder.Clear();
    return std::visit(
        [&](const auto& body) {
            if constexpr (requires { finish_service_message(builder, body); }) {
                return finish_service_message(builder, body);
            } else {
                return finish(builder, body);
            }
        },
        message);
}

}  // namespace marchland::net
