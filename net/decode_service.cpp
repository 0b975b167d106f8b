#include "net/decode_service.h"

#include "engine/assert.h"
#include "net/content_checks.h"
#include "net/packed_moves.h"
#include "net/wire_values.h"

#include <spdlog/fmt/fmt.h>

#include <utility>

namespace marchland::net {

namespace {

using Decoded = std::variant<ClientMessage, ErrorMessage>;
using Finding = std::optional<ErrorMessage>;

Finding check_count(std::size_t items) {
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

Finding decode(const wire::SpawnOne& one, SpawnOne& into) {
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

Finding decode(const wire::ChangeOne& one, ChangeOne& into) {
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

Finding decode(const wire::MessageTo& message, MessageTo& into) {
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
Finding decode_all(const flatbuffers::Vector<flatbuffers::Offset<Table>>& tables,
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
Decoded either(Finding error, Message message) {
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

}  // namespace

Decoded decode_service(const wire::Message& message, std::size_t message_bytes) {
    switch (message.body_type()) {
        case wire::Body::ServiceHello:
            return decode(*message.body_as_ServiceHello());
        case wire::Body::Spawn:
            return decode(*message.body_as_Spawn(), message_bytes);
        case wire::Body::Despawn:
            return decode(*message.body_as_Despawn());
        case wire::Body::MoveMany:
            return decode(*message.body_as_MoveMany());
        case wire::Body::Change:
            return decode(*message.body_as_Change(), message_bytes);
        case wire::Body::Subscribe:
            return decode(*message.body_as_Subscribe());
        case wire::Body::SendMessages:
            return decode(*message.body_as_SendMessages(), message_bytes);
        case wire::Body::AdmitPlayer:
            return decode(*message.body_as_AdmitPlayer());
        default:
            MARCHLAND_ASSERT(message.body_type() == wire::Body::TransferPlayer);
            return decode(*message.body_as_TransferPlayer());
    }
}

}  // namespace marchland::net
