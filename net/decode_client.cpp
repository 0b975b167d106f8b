#include "net/decode_client.h"

#include "net/verify_message.h"
#include "net/wire_values.h"

#include <spdlog/fmt/fmt.h>

namespace marchland::net {

namespace {

using Decoded = std::variant<ClientMessage, ErrorMessage>;

/// What is wrong with it wherever it is meant for; whether it fits the zone is for the session.
const char* flaw_of(const engine::View& view) {
    return engine::flaw_of(view, engine::Dimensions::three);
}

ErrorMessage bad_view(const char* flaw) {
    return {ErrorCode::malformed, fmt::format("the view {}", flaw)};
}

Decoded decode(const wire::Hello& hello) {
    if (hello.protocol_major() != kProtocolMajor) {
        return ErrorMessage{
            ErrorCode::unsupported_version,
            fmt::format("this server speaks protocol {}.{}, the client {}.{}", kProtocolMajor,
                        kProtocolMinor, hello.protocol_major(), hello.protocol_minor())};
    }
    Hello decoded{hello.protocol_major(), hello.protocol_minor(), hello.kind(), {}, {}, {}};
    if (hello.spawn() != nullptr) {
        decoded.spawn = from_wire(*hello.spawn());
    }
    if (hello.view() != nullptr) {
        decoded.view = from_wire(*hello.view());
        if (const char* const flaw = flaw_of(*decoded.view)) {
            return bad_view(flaw);
        }
    }
    const std::span<const std::byte> blob = from_wire(hello.blob());
    if (blob.size() > engine::kBlobBytesMax) {
        return ErrorMessage{ErrorCode::too_large, fmt::format("a blob of {} bytes; the limit is {}",
                                                              blob.size(), engine::kBlobBytesMax)};
    }
    decoded.blob.assign(blob.begin(), blob.end());
    decoded.facing = hello.facing();
    return decoded;
}

Decoded decode(const wire::SetView& set_view) {
    const engine::View view = from_wire(*set_view.view());
    if (const char* const flaw = flaw_of(view)) {
        return bad_view(flaw);
    }
    return SetView{view};
}

Decoded decode(const wire::Move& move) {
    Move decoded{move.seq(), from_wire(*move.position())};
    if (const auto facing = move.facing()) {
        decoded.facing = *facing;
    }
    return decoded;
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
        case wire::Body::Ping:
            return Ping{verified->body_as_Ping()->nonce()};
        case wire::Body::Leave:
            return LeaveZone{};
        case wire::Body::Welcome:
        case wire::Body::Pong:
        case wire::Body::Frame:
        case wire::Body::Error:
            return ErrorMessage{
                ErrorCode::out_of_order,
                fmt::format("only a server sends {}", wire::EnumNameBody(verified->body_type()))};
        case wire::Body::NONE:
            break;
    }
    return ErrorMessage{
        ErrorCode::malformed,
        fmt::format("unknown message type {}", static_cast<unsigned>(verified->body_type()))};
}

}  // namespace marchland::net
