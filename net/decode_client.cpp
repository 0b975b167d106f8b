#include "net/decode_client.h"

#include "net/packed_moves.h"
#include "net/wire_values.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>

namespace marchland::net {

namespace {

/// What is wrong with a content, whatever zone it is meant for; whether it fits the zone is for the
/// session. The first finding counts, and what is read after it is thrown away: that, too, is a few
/// times the message at most.
class Check {
public:
    explicit Check(std::size_t message_bytes) : message_bytes_(message_bytes) {}

    [[nodiscard]] bool is_good() const { return !error_; }
    [[nodiscard]] ErrorMessage take_error() { return *std::move(error_); }
    void refuse(ErrorCode code, std::string text) {
        if (!error_) {
            error_ = ErrorMessage{code, std::move(text)};
        }
    }
    void size(const char* what, std::size_t bytes, std::size_t bytes_max) {
        if (bytes > bytes_max) {
            refuse(ErrorCode::too_large,
                   fmt::format("{} of {} bytes; the limit is {}", what, bytes, bytes_max));
        }
    }
    void count(std::size_t items) {
        if (items > kServiceItemsMax) {
            refuse(ErrorCode::too_large,
                   fmt::format("a message about {} entities or messages; the limit is {}", items,
                               kServiceItemsMax));
        }
    }
    /// A FlatBuffer may name the same bytes in many places; here each place has bytes of its own.
    void content(std::size_t bytes) {
        if (bytes > message_bytes_) {
            refuse(ErrorCode::malformed, "several items share their bytes");
        }
    }
    void version(std::uint16_t major, std::uint16_t minor) {
        if (major != kProtocolMajor) {
            refuse(ErrorCode::unsupported_version,
                   fmt::format("this server speaks protocol {}.{}, the client {}.{}",
                               kProtocolMajor, kProtocolMinor, major, minor));
        }
    }

    // What may be absent.
    std::optional<engine::View> view(const wire::View* wanted) {
        const auto view = optional_from_wire(wanted);
        const char* const flaw = view ? engine::flaw_of(*view, engine::Dimensions::three) : nullptr;
        if (flaw != nullptr) {
            refuse(ErrorCode::malformed, fmt::format("the view {}", flaw));
        }
        return view;
    }
    std::optional<Circle> circle(const wire::Circle* wanted) {
        const auto circle = optional_from_wire(wanted);
        if (circle && circle->radius_mm < 0) {
            refuse(ErrorCode::malformed, "a circle with a radius below 0");
        }
        return circle;
    }
    std::vector<std::byte> blob(const flatbuffers::Vector<std::uint8_t>* blob) {
        size("a blob", blob == nullptr ? 0 : blob->size(), engine::kBlobBytesMax);
        return bytes_from_wire(blob);
    }
    std::vector<engine::StateWrite> state(const flatbuffers::Vector<std::uint8_t>* packed) {
        auto state = state_from_wire(packed);
        if (!state) {
            refuse(ErrorCode::malformed, "the packed state is not sound");
        }
        return std::move(state).value_or(std::vector<engine::StateWrite>{});
    }

private:
    const std::size_t message_bytes_;
    std::optional<ErrorMessage> error_;
};

// ---- of players

Hello decode(const wire::Hello& hello, Check& check) {
    check.version(hello.protocol_major(), hello.protocol_minor());
    return {hello.protocol_major(),
            hello.protocol_minor(),
            hello.kind(),
            optional_from_wire(hello.spawn()),
            check.view(hello.view()),
            check.state(hello.state()),
            hello.facing(),
            text_from_wire(hello.token()),
            bytes_from_wire(hello.resume_token()),
            hello.last_tick(),
            check.blob(hello.carried()),
            hello.reads_ranks()};
}

SetView decode(const wire::SetView& set_view, Check& check) {
    return {*check.view(set_view.view())};
}

Move decode(const wire::Move& move, Check&) {
    return {move.seq(), from_wire(*move.position()), move.facing(), move.correction_seen(),
            from_wire(move.velocity())};
}

SetState decode(const wire::SetState& set_state, Check& check) {
    return {check.state(set_state.state())};
}

SendMessage decode(const wire::SendMessage& message, Check& check) {
    return {message.number(), message.kind(), check.blob(message.payload())};
}

SetFrameRate decode(const wire::SetFrameRate& rate, Check&) {
    return {rate.frames_hz()};
}

Ping decode(const wire::Ping& ping, Check&) {
    return {ping.nonce()};
}

LeaveZone decode(const wire::Leave&, Check&) {
    return {};
}

KeyframeRequest decode(const wire::KeyframeRequest&, Check&) {
    return {};
}

// ---- of services

SpawnOne decode(const wire::SpawnOne& one, Check& check) {
    auto state = check.state(one.state());
    return {one.ref(),
            one.kind(),
            from_wire(*one.position()),
            one.facing(),
            optional_from_wire(one.layers()).value_or(Layers{}),
            check.view(one.view()).value_or(engine::View{}),
            optional_from_wire(one.notify()).value_or(engine::NotifyRange{}),
            std::move(state),
            one.importance(),
            one.watches()};
}

ChangeOne decode(const wire::ChangeOne& one, Check& check) {
    auto state = check.state(one.state());
    if (one.authority() > wire::Authority::MAX) {
        check.refuse(ErrorCode::malformed, "an unknown authority");
    }
    return {static_cast<engine::EntityId>(one.entity()),
            optional_from_wire(one.position()),
            one.facing(),
            optional_from_wire(one.layers()),
            check.view(one.view()),
            optional_from_wire(one.notify()),
            std::move(state),
            one.frames_hz(),
            one.speed_percent(),
            static_cast<Authority>(one.authority()),
            one.move_ack()};
}

MessageTo decode(const wire::MessageTo& message, Check& check) {
    check.count(message.to() == nullptr ? 0 : message.to()->size());
    MessageTo decoded{ids_from_wire(message.to()),
                      message.to_everybody(),
                      message.kind(),
                      check.blob(message.payload()),
                      static_cast<engine::EntityId>(message.to_viewers_of()),
                      check.circle(message.within()),
                      message.layers()};
    const int audiences = (decoded.to.empty() ? 0 : 1) + (decoded.to_everybody ? 1 : 0) +
                          (decoded.to_viewers_of == engine::EntityId{} ? 0 : 1) +
                          (decoded.within || decoded.layers != 0 ? 1 : 0);
    if (audiences > 1) {
        check.refuse(ErrorCode::malformed, "a message with more than one audience");
    }
    return decoded;
}

std::size_t content_bytes(const MessageTo& message) {
    return message.payload.size() + message.to.size() * sizeof(engine::EntityId);
}

/// Of a SpawnOne or a ChangeOne.
std::size_t content_bytes(const auto& one) {
    return engine::packed_bytes(one.state);
}

/// Each table of the vector to a value, up to the first error: what is decoded is no larger than
/// what came.
template <typename Value, typename Table>
std::vector<Value> decode_all(const flatbuffers::Vector<flatbuffers::Offset<Table>>& tables,
                              Check& check) {
    check.count(tables.size());
    std::vector<Value> values;
    values.reserve(std::min<std::size_t>(tables.size(), kServiceItemsMax));
    std::size_t bytes = 0;
    for (flatbuffers::uoffset_t i = 0; i < tables.size() && check.is_good(); ++i) {
        values.push_back(decode(*tables.Get(i), check));
        bytes += content_bytes(values.back());
        check.content(bytes);
    }
    return values;
}

ServiceHello decode(const wire::ServiceHello& hello, Check& check) {
    check.version(hello.protocol_major(), hello.protocol_minor());
    check.size("a name", hello.name()->size(), kServiceNameBytesMax);
    return {hello.protocol_major(),
            hello.protocol_minor(),
            hello.name()->str(),
            text_from_wire(hello.token()),
            bytes_from_wire(hello.resume_token()),
            hello.admits()};
}

Spawn decode(const wire::Spawn& spawn, Check& check) {
    return {decode_all<SpawnOne>(*spawn.entities(), check)};
}

Despawn decode(const wire::Despawn& despawn, Check& check) {
    check.count(despawn.entities()->size());
    return {ids_from_wire(despawn.entities())};
}

MoveMany decode(const wire::MoveMany& move_many, Check& check) {
    MoveMany decoded;
    if (!unpack_moves(from_wire(move_many.moves()), decoded.moves)) {
        check.refuse(ErrorCode::malformed, "the packed moves are not sound");
    }
    check.count(decoded.moves.size());
    return decoded;
}

Change decode(const wire::Change& change, Check& check) {
    return {decode_all<ChangeOne>(*change.entities(), check)};
}

TransferPlayer decode(const wire::TransferPlayer& transfer, Check& check) {
    const std::size_t address_bytes = transfer.address()->size();
    if (address_bytes == 0 || address_bytes > kAddressBytesMax) {
        check.refuse(ErrorCode::too_large, fmt::format("an address of {} bytes; 1 to {} may be",
                                                       address_bytes, kAddressBytesMax));
    }
    return {static_cast<engine::EntityId>(transfer.entity()), transfer.address()->str(),
            text_from_wire(transfer.token()), check.blob(transfer.carried())};
}

AdmitPlayer decode(const wire::AdmitPlayer& admit, Check& check) {
    AdmitPlayer decoded{admit.request(), {}};
    if (const auto* const refusal = admit.refusal()) {
        check.size("a refusal", refusal->size(), kRefusalBytesMax);
        decoded.refusal = refusal->str();
    }
    if (admit.given() != nullptr) {
        decoded.given = decode(*admit.given(), check);
    }
    return decoded;
}

Subscribe decode(const wire::Subscribe& subscribe, Check& check) {
    std::vector<std::uint16_t> kinds;
    if (const auto* const wanted = subscribe.kinds()) {
        check.count(wanted->size());
        for (flatbuffers::uoffset_t i = 0; i < wanted->size(); ++i) {
            kinds.push_back(element_of<std::uint16_t>(*wanted, i));
        }
    }
    return {std::move(kinds), subscribe.positions(), check.circle(subscribe.within()),
            subscribe.moves()};
}

SendMessages decode(const wire::SendMessages& send_messages, Check& check) {
    return {decode_all<MessageTo>(*send_messages.messages(), check)};
}

}  // namespace

std::variant<ClientMessage, ErrorMessage> decode_client(std::span<const std::byte> message) {
    std::vector<std::uint64_t> realigned;
    const wire::Message* const verified = verify_message(message, realigned);
    if (verified == nullptr) {
        return ErrorMessage{ErrorCode::malformed, "not a message of this protocol"};
    }
    Check check(message.size());
    ClientMessage decoded = SkippedMessage{};
    const bool is_clients =
        visit_body<wire::Hello, wire::Move, wire::SetView, wire::SetFrameRate, wire::Ping,
                   wire::Leave, wire::KeyframeRequest, wire::SetState, wire::SendMessage,
                   wire::ServiceHello, wire::Spawn, wire::Despawn, wire::MoveMany, wire::Change,
                   wire::TransferPlayer, wire::AdmitPlayer, wire::Subscribe, wire::SendMessages>(
            *verified, [&](const auto& table) { decoded = decode(table, check); });
    const wire::Body type = verified->body_type();
    if (!is_clients && is_known(type)) {
        check.refuse(ErrorCode::out_of_order,
                     fmt::format("only a server sends {}", wire::EnumNameBody(type)));
    } else if (!is_clients && !verified->optional()) {
        check.refuse(ErrorCode::malformed, fmt::format("unknown message type {}", to_number(type)));
    }
    if (!check.is_good()) {
        return check.take_error();
    }
    return decoded;
}

}  // namespace marchland::net
