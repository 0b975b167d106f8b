#include "net/decode_client.h"

#include "net/packed_moves.h"
#include "net/wire_values.h"

#include <spdlog/fmt/fmt.h>

#include <array>
#include <utility>

namespace marchland::net {

namespace {

using Decoded = std::variant<ClientMessage, ErrorMessage>;
using OptionalError = std::optional<ErrorMessage>;

// ---- what is wrong with a content, whatever zone it is meant for; whether it fits the zone is for the session

OptionalError check_shape(const engine::View& view) {
    if (const char* const flaw = engine::flaw_of(view, engine::Dimensions::three)) {
        return ErrorMessage{ErrorCode::malformed, fmt::format("the view {}", flaw)};
    }
    return std::nullopt;
}

OptionalError check_blob(const flatbuffers::Vector<std::uint8_t>* blob) {
    if (blob != nullptr && blob->size() > engine::kBlobBytesMax) {
        return ErrorMessage{ErrorCode::too_large, fmt::format("a blob of {} bytes; the limit is {}",
                                                              blob->size(), engine::kBlobBytesMax)};
    }
    return std::nullopt;
}

OptionalError read_state(const flatbuffers::Vector<std::uint8_t>* packed,
                         std::vector<engine::StateWrite>& into) {
    auto state = state_from_wire(packed);
    if (!state) {
        return ErrorMessage{ErrorCode::malformed, "the packed state is not sound"};
    }
    into = std::move(*state);
    return std::nullopt;
}

OptionalError check_transfer(const flatbuffers::String* address,
                             const flatbuffers::Vector<std::uint8_t>* carried) {
    if (address->size() == 0 || address->size() > kAddressBytesMax) {
        return ErrorMessage{ErrorCode::too_large,
                            fmt::format("an address of {} bytes; 1 to {} may be", address->size(),
                                        kAddressBytesMax)};
    }
    return check_blob(carried);
}

ErrorMessage other_major(std::uint16_t major, std::uint16_t minor) {
    return {ErrorCode::unsupported_version,
            fmt::format("this server speaks protocol {}.{}, the client {}.{}", kProtocolMajor,
                        kProtocolMinor, major, minor)};
}

// ---- of players

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

Decoded decode(const wire::SetFrameRate& rate) {
    return SetFrameRate{rate.frames_hz()};
}

Decoded decode(const wire::Ping& ping) {
    return Ping{ping.nonce()};
}

Decoded decode(const wire::Leave&) {
    return LeaveZone{};
}

Decoded decode(const wire::KeyframeRequest&) {
    return KeyframeRequest{};
}

// ---- of services

OptionalError check_count(std::size_t items) {
    if (items <= kServiceItemsMax) {
        return std::nullopt;
    }
    return ErrorMessage{ErrorCode::too_large,
                        fmt::format("a message about {} entities or messages; the limit is {}",
                                    items, kServiceItemsMax)};
}

Layers layers_from_wire(const wire::Layers& layers) {
    return {layers.layers(), layers.layers_seen()};
}

engine::NotifyRange notify_from_wire(const wire::Notify& notify) {
    return {notify.radius_mm(), notify.leave_radius_mm()};
}

OptionalError decode(const wire::SpawnOne& one, SpawnOne& into) {
    if (auto error = read_state(one.state(), into.state)) {
        return error;
    }
    into.ref = one.ref();
    into.kind = one.kind();
    into.position = from_wire(*one.position());
    into.facing = one.facing();
    into.layers = one.layers() == nullptr ? Layers{} : layers_from_wire(*one.layers());
    into.notify = one.notify() == nullptr ? engine::NotifyRange{} : notify_from_wire(*one.notify());
    into.importance = one.importance();
    into.watches = one.watches();
    into.view = one.view() == nullptr ? engine::View{} : from_wire(*one.view());
    return check_shape(into.view);
}

OptionalError decode(const wire::ChangeOne& one, ChangeOne& into) {
    if (auto error = read_state(one.state(), into.state)) {
        return error;
    }
    into.entity = static_cast<engine::EntityId>(one.entity());
    if (one.position() != nullptr) {
        into.position = from_wire(*one.position());
    }
    if (const auto facing = one.facing()) {
        into.facing = *facing;
    }
    if (const auto frames_hz = one.frames_hz()) {
        into.frames_hz = *frames_hz;
    }
    if (const auto speed_percent = one.speed_percent()) {
        into.speed_percent = *speed_percent;
    }
    if (const auto move_ack = one.move_ack()) {
        into.move_ack = *move_ack;
    }
    if (one.authority() > wire::Authority::MAX) {
        return ErrorMessage{ErrorCode::malformed, "an unknown authority"};
    }
    into.authority = static_cast<Authority>(one.authority());
    if (one.layers() != nullptr) {
        into.layers = layers_from_wire(*one.layers());
    }
    if (one.notify() != nullptr) {
        into.notify = notify_from_wire(*one.notify());
    }
    if (one.view() == nullptr) {
        return std::nullopt;
    }
    into.view = from_wire(*one.view());
    return check_shape(*into.view);
}

OptionalError decode(const wire::MessageTo& message, MessageTo& into) {
    if (message.to() != nullptr) {
        if (auto error = check_count(message.to()->size())) {
            return error;
        }
    }
    if (auto error = check_blob(message.payload())) {
        return error;
    }
    into.to = ids_from_wire(message.to());
    into.to_everybody = message.to_everybody();
    into.kind = message.kind();
    into.payload = bytes_from_wire(message.payload());
    into.to_viewers_of = static_cast<engine::EntityId>(message.to_viewers_of());
    if (const wire::Circle* const within = message.within()) {
        if (within->radius_mm() < 0) {
            return ErrorMessage{ErrorCode::malformed, "a circle with a radius below 0"};
        }
        into.within = Circle{from_wire(within->centre()), within->radius_mm()};
    }
    into.layers = message.layers();
    const int audiences = (into.to.empty() ? 0 : 1) + (into.to_everybody ? 1 : 0) +
                          (into.to_viewers_of == engine::EntityId{} ? 0 : 1) +
                          (into.within || into.layers != 0 ? 1 : 0);
    if (audiences > 1) {
        return ErrorMessage{ErrorCode::malformed, "a message with more than one audience"};
    }
    return std::nullopt;
}

std::size_t content_bytes(const MessageTo& message) {
    return message.payload.size() + message.to.size() * sizeof(engine::EntityId);
}

std::size_t content_bytes(const SpawnOne& one) {
    return engine::packed_bytes(one.state);
}

std::size_t content_bytes(const ChangeOne& one) {
    return engine::packed_bytes(one.state);
}

/// Each table of the vector to a value, up to the first error. A FlatBuffer may name the same bytes in
/// many places; here each place has bytes of its own, so that what is decoded is no larger than what came.
template <typename Table, typename Value>
OptionalError decode_all(const flatbuffers::Vector<flatbuffers::Offset<Table>>& tables,
                         std::size_t message_bytes, std::vector<Value>& into) {
    if (auto error = check_count(tables.size())) {
        return error;
    }
    into.resize(tables.size());
    std::size_t bytes = 0;
    for (flatbuffers::uoffset_t i = 0; i < tables.size(); ++i) {
        if (auto error = decode(*tables.Get(i), into[i])) {
            return error;
        }
        bytes += content_bytes(into[i]);
        if (bytes > message_bytes) {
            return ErrorMessage{ErrorCode::malformed, "several items share their bytes"};
        }
    }
    return std::nullopt;
}

template <typename Message>
Decoded either(OptionalError error, Message message) {
    if (error) {
        return *std::move(error);
    }
    return ClientMessage(std::move(message));
}

Decoded decode(const wire::ServiceHello& hello) {
    if (hello.protocol_major() != kProtocolMajor) {
        return other_major(hello.protocol_major(), hello.protocol_minor());
    }
    if (hello.name()->size() > kServiceNameBytesMax) {
        return ErrorMessage{ErrorCode::too_large,
                            fmt::format("a name of {} bytes; the limit is {}", hello.name()->size(),
                                        kServiceNameBytesMax)};
    }
    return ServiceHello{hello.protocol_major(),
                        hello.protocol_minor(),
                        hello.name()->str(),
                        text_from_wire(hello.token()),
                        bytes_from_wire(hello.resume_token()),
                        hello.admits()};
}

Decoded decode(const wire::Spawn& spawn, std::size_t message_bytes) {
    Spawn decoded;
    auto error = decode_all(*spawn.entities(), message_bytes, decoded.entities);
    return either(std::move(error), std::move(decoded));
}

Decoded decode(const wire::Despawn& despawn) {
    if (auto error = check_count(despawn.entities()->size())) {
        return *std::move(error);
    }
    return Despawn{ids_from_wire(despawn.entities())};
}

Decoded decode(const wire::MoveMany& move_many) {
    MoveMany decoded;
    if (!unpack_moves(from_wire(move_many.moves()), decoded.moves)) {
        return ErrorMessage{ErrorCode::malformed, "the packed moves are not sound"};
    }
    auto error = check_count(decoded.moves.size());
    return either(std::move(error), std::move(decoded));
}

Decoded decode(const wire::Change& change, std::size_t message_bytes) {
    Change decoded;
    auto error = decode_all(*change.entities(), message_bytes, decoded.entities);
    return either(std::move(error), std::move(decoded));
}

Decoded decode(const wire::TransferPlayer& transfer) {
    if (auto error = check_transfer(transfer.address(), transfer.carried())) {
        return *std::move(error);
    }
    return TransferPlayer{static_cast<engine::EntityId>(transfer.entity()),
                          transfer.address()->str(), text_from_wire(transfer.token()),
                          bytes_from_wire(transfer.carried())};
}

Decoded decode(const wire::AdmitPlayer& admit) {
    AdmitPlayer decoded{admit.request(), {}};
    if (const auto* const refusal = admit.refusal()) {
        if (refusal->size() > kRefusalBytesMax) {
            return ErrorMessage{ErrorCode::too_large,
                                fmt::format("a refusal of {} bytes; the limit is {}",
                                            refusal->size(), kRefusalBytesMax)};
        }
        decoded.refusal = refusal->str();
    }
    auto error = admit.given() == nullptr ? std::nullopt : decode(*admit.given(), decoded.given);
    return either(std::move(error), std::move(decoded));
}

Decoded decode(const wire::Subscribe& subscribe) {
    Subscribe decoded;
    if (const auto* const kinds = subscribe.kinds()) {
        if (auto error = check_count(kinds->size())) {
            return *std::move(error);
        }
        for (flatbuffers::uoffset_t i = 0; i < kinds->size(); ++i) {
            decoded.kinds.push_back(element_of<std::uint16_t>(*kinds, i));
        }
    }
    decoded.positions = subscribe.positions();
    decoded.moves = subscribe.moves();
    if (const auto* const within = subscribe.within()) {
        if (within->radius_mm() < 0) {
            return ErrorMessage{ErrorCode::malformed, "an area's radius is below 0"};
        }
        decoded.within = {from_wire(within->centre()), within->radius_mm()};
    }
    return decoded;
}

Decoded decode(const wire::SendMessages& send_messages, std::size_t message_bytes) {
    SendMessages decoded;
    auto error = decode_all(*send_messages.messages(), message_bytes, decoded.messages);
    return either(std::move(error), std::move(decoded));
}

// ---- by type

using DecodeClient = Decoded (*)(const wire::Message& message, std::size_t message_bytes);

template <typename Table>
Decoded decode_client_body(const wire::Message& message, std::size_t message_bytes) {
    const Table& table = *message.body_as<Table>();
    if constexpr (requires { decode(table, message_bytes); }) {
        return decode(table, message_bytes);
    } else {
        return decode(table);
    }
}

template <typename... Tables>
constexpr std::array<DecodeClient, kBodiesEnd> client_decoders_of() {
    std::array<DecodeClient, kBodiesEnd> all{};
    ((all[to_number(wire::BodyTraits<Tables>::enum_value)] = decode_client_body<Tables>), ...);
    return all;
}

/// By type number. Null: only a server sends it.
constexpr auto kClientDecoders =
    client_decoders_of<wire::Hello, wire::Move, wire::SetView, wire::SetFrameRate, wire::Ping,
                       wire::Leave, wire::KeyframeRequest, wire::SetState, wire::SendMessage,
                       wire::ServiceHello, wire::Spawn, wire::Despawn, wire::MoveMany, wire::Change,
                       wire::TransferPlayer, wire::AdmitPlayer, wire::Subscribe,
                       wire::SendMessages>();

}  // namespace

std::variant<ClientMessage, ErrorMessage> decode_client(std::span<const std::byte> message) {
    std::vector<std::uint64_t> realigned;
    const wire::Message* const verified = verify_message(message, realigned);
    if (verified == nullptr) {
        return ErrorMessage{ErrorCode::malformed, "not a message of this protocol"};
    }
    const wire::Body type = verified->body_type();
    if (is_known(type)) {
        const DecodeClient decoder = kClientDecoders[to_number(type)];
        return decoder != nullptr
                   ? decoder(*verified, message.size())
                   : ErrorMessage{ErrorCode::out_of_order,
                                  fmt::format("only a server sends {}", wire::EnumNameBody(type))};
    }
    if (verified->optional()) {
        return SkippedMessage{};
    }
    return ErrorMessage{ErrorCode::malformed,
                        fmt::format("unknown message type {}", to_number(type))};
}

}  // namespace marchland::net
