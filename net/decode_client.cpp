#include "net/decode_client.h"

#include "net/content_checks.h"
#include "net/decode_service.h"
#include "net/verify_message.h"
#include "net/wire_values.h"

#include <spdlog/fmt/fmt.h>

namespace marchland::net {

namespace {

using Decoded = std::variant<ClientMessage, ErrorMessage>;

Decoded decode(const wire::Hello& hello) {
    if (hello.protocol_major() != kProtocolMajor) {
        return other_major(hello.protocol_major(), hello.protocol_minor());
    }
    Hello decoded{hello.protocol_major(), hello.protocol_minor(), hello.kind(), {}, {}, {}};
    if (hello.spawn() != nullptr) {
        decoded.spawn = from_wire(*hello.spawn());
    }
    if (hello.view() != nullptr) {
        decoded.view = from_wire(*hello.view());
        if (auto error = check_shape(*decoded.view)) {
            return *std::move(error);
        }
    }
    if (auto error = read_state(hello.state(), decoded.state)) {
        return *std::move(error);
    }
    if (auto error = check_blob(hello.carried())) {
        return *std::move(error);
    }
    decoded.carried = bytes_from_wire(hello.carried());
    decoded.facing = hello.facing();
    decoded.token = text_from_wire(hello.token());
    decoded.resume_token = bytes_from_wire(hello.resume_token());
    decoded.last_tick = hello.last_tick();
    return decoded;
}

Decoded decode(const wire::SetView& set_view) {
    const engine::View view = from_wire(*set_view.view());
    if (auto error = check_shape(view)) {
        return *std::move(error);
    }
    return SetView{view};
}

Decoded decode(const wire::Move& move) {
    Move decoded{move.seq(), from_wire(*move.position())};
    if (const auto facing = move.facing()) {
        decoded.facing = *facing;
    }
    decoded.correction_seen = move.correction_seen();
    decoded.velocity = from_wire(move.velocity());
    return decoded;
}

Decoded decode(const wire::SetState& set_state) {
    SetState decoded;
    if (auto error = read_state(set_state.state(), decoded.state)) {
        return *std::move(error);
    }
    return decoded;
}

Decoded decode(const wire::SendMessage& message) {
    if (auto error = check_blob(message.payload())) {
        return *std::move(error);
    }
    return SendMessage{message.number(), message.kind(), bytes_from_wire(message.payload())};
}

}  // namespace

std::variant<ClientMessage, ErrorMessage> decode_client(std::span<const std::byte> message) {
    std::vector<std::uint64_t> realigned;
    const wire::Message* const verified = verify_message(message, realigned);
    if (verified == nullptr) {
        return ErrorMessage{ErrorCode::malformed, "not a message of this protocol"};
    }
    switch (verified->body_type()) {
        case wire::Body::Hello:
            return decode(*verified->body_as_Hello());
        case wire::Body::Move:
            return decode(*verified->body_as_Move());
        case wire::Body::SetView:
            return decode(*verified->body_as_SetView());
        case wire::Body::SetFrameRate:
            return SetFrameRate{verified->body_as_SetFrameRate()->frames_hz()};
        case wire::Body::Ping:
            return Ping{verified->body_as_Ping()->nonce()};
        case wire::Body::Leave:
            return LeaveZone{};
        case wire::Body::KeyframeRequest:
            return KeyframeRequest{};
        case wire::Body::SetState:
            return decode(*verified->body_as_SetState());
        case wire::Body::SendMessage:
            return decode(*verified->body_as_SendMessage());
        case wire::Body::Subscribe:
        case wire::Body::SendMessages:
        case wire::Body::ServiceHello:
        case wire::Body::Spawn:
        case wire::Body::Despawn:
        case wire::Body::MoveMany:
        case wire::Body::Change:
        case wire::Body::TransferPlayer:
        case wire::Body::AdmitPlayer:
            return decode_service(*verified, message.size());
        case wire::Body::Welcome:
        case wire::Body::Pong:
        case wire::Body::Frame:
        case wire::Body::Error:
        case wire::Body::ServiceWelcome:
        case wire::Body::Spawned:
        case wire::Body::PlayerJoined:
        case wire::Body::PlayerLeft:
        case wire::Body::CommandRefused:
        case wire::Body::Notice:
        case wire::Body::PlayerAway:
        case wire::Body::PlayerBack:
        case wire::Body::PlayerMessage:
        case wire::Body::MessagesLost:
        case wire::Body::Transfer:
        case wire::Body::PlayerAsks:
        case wire::Body::Positions:
        case wire::Body::PlayerMove:
        case wire::Body::PlayersListed:
            return ErrorMessage{
                ErrorCode::out_of_order,
                fmt::format("only a server sends {}", wire::EnumNameBody(verified->body_type()))};
        case wire::Body::NONE:
            break;
    }
    if (verified->optional()) {
        return SkippedMessage{};
    }
    return ErrorMessage{
        ErrorCode::malformed,
        fmt::format("unknown message type {}", static_cast<unsigned>(verified->body_type()))};
}

}  // namespace marchland::net
