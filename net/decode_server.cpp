#include "net/decode_server.h"

#include "net/decode_to_service.h"
#include "net/packed_moves.h"
#include "net/verify_message.h"
#include "net/wire_values.h"

namespace marchland::net {

namespace {

/// What is wrong; nullptr when all is well.
using Finding = const char*;

SendLimit send_limit_from_wire(const wire::SendLimit* send_limit) {
    return send_limit == nullptr ? SendLimit{}
                                 : SendLimit{send_limit->per_second_max(), send_limit->bytes_max()};
}

Finding decode(const wire::Welcome& welcome, ServerMessage& into) {
    if (welcome.dimensions() != 2 && welcome.dimensions() != 3) {
        return "Welcome: dimensions are neither 2 nor 3";
    }
    const engine::View view = from_wire(*welcome.view());
    if (engine::flaw_of(view, static_cast<engine::Dimensions>(welcome.dimensions())) != nullptr) {
        return "Welcome: the view is not sound in its zone";
    }
    const std::optional<engine::CrowdLimits> crowd = from_wire(welcome.crowd());
    if (!crowd) {
        return "Welcome: the limits of a crowd are not sound";
    }
    if (welcome.quantum_mm() == 0 || welcome.quantum_mm() > INT32_MAX) {
        return "Welcome: the quantum is no length";
    }
    auto slots = slots_from_wire(welcome.slots());
    if (!slots) {
        return "Welcome: the slots are not sound";
    }
    into = Welcome{welcome.protocol_major(),
                   welcome.protocol_minor(),
                   static_cast<engine::EntityId>(welcome.entity()),
                   welcome.tick(),
                   welcome.tick_rate_hz(),
                   static_cast<engine::Dimensions>(welcome.dimensions()),
                   from_wire(*welcome.world_min()),
                   from_wire(*welcome.world_max()),
                   from_wire(*welcome.spawn()),
                   view,
                   welcome.leave_radius_mm_max(),
                   *crowd,
                   welcome.server_time_us(),
                   welcome.quantum_mm(),
                   bytes_from_wire(welcome.resume_token()),
                   welcome.resume_grace_ms(),
                   welcome.resumed(),
                   welcome.states_per_second_max(),
                   send_limit_from_wire(welcome.messages()),
                   welcome.message_number(),
                   std::move(*slots),
                   welcome.frames_hz(),
                   welcome.prediction_error_mm(),
                   welcome.prediction_ms_max(),
                   welcome.restart_grace_ms()};
    return nullptr;
}

std::optional<engine::LeaveReason> reason_of(wire::LeaveReason reason) {
    switch (reason) {
        case wire::LeaveReason::gone:
            return engine::LeaveReason::gone;
        case wire::LeaveReason::out_of_range:
            return engine::LeaveReason::out_of_range;
        case wire::LeaveReason::hidden:
            return engine::LeaveReason::hidden;
        case wire::LeaveReason::capped:
            return engine::LeaveReason::capped;
        case wire::LeaveReason::none:
            break;
    }
    return std::nullopt;
}

Finding decode_leaves(const wire::Frame& frame, std::vector<engine::Leave>& into) {
    into.clear();
    for (flatbuffers::uoffset_t i = 0; frame.leaves() != nullptr && i < frame.leaves()->size();
         ++i) {
        const auto left = element_of<wire::Left>(*frame.leaves(), i);
        const std::optional<engine::LeaveReason> reason = reason_of(left.reason());
        if (!reason) {
            return "Frame: unknown reason of a leave";
        }
        into.push_back({static_cast<engine::EntityId>(left.entity()), *reason});
    }
    return nullptr;
}

Finding decode_enters(const wire::Frame& frame, std::vector<Entered>& into) {
    into.resize(frame.enters() == nullptr ? 0 : frame.enters()->size());
    for (flatbuffers::uoffset_t i = 0; i < into.size(); ++i) {
        const wire::Entered& entered = *frame.enters()->Get(i);
        auto state = state_from_wire(entered.state());
        if (!state) {
            return "Frame: the state of one who enters is not sound";
        }
        into[i].entity = static_cast<engine::EntityId>(entered.entity());
        into[i].kind = entered.kind();
        into[i].position = from_wire(*entered.position());
        into[i].velocity = from_wire(entered.velocity());
        into[i].state = std::move(*state);
    }
    return nullptr;
}

Finding decode_states(const wire::Frame& frame, std::vector<StateChanged>& into) {
    into.clear();
    auto bytes = from_wire(frame.states());
    while (!bytes.empty()) {
        engine::VarintReader reader(bytes);
        const auto step = reader.read();
        bytes = reader.rest();
        auto state = step ? engine::unpack_state(bytes) : std::nullopt;
        const std::uint64_t before = into.empty() ? 0 : to_number(into.back().entity);
        if (!state || (*step == 0 && !into.empty()) || *step > UINT64_MAX - before) {
            return "Frame: the packed states are not sound";
        }
        into.push_back({static_cast<engine::EntityId>(before + *step), std::move(*state)});
    }
    return nullptr;
}

void decode_messages(const wire::Frame& frame, std::vector<MessageDelivered>& into) {
    into.resize(frame.messages() == nullptr ? 0 : frame.messages()->size());
    for (flatbuffers::uoffset_t i = 0; i < into.size(); ++i) {
        const wire::MessageDelivered& message = *frame.messages()->Get(i);
        into[i] = {message.kind(), bytes_from_wire(message.payload()),
                   static_cast<engine::EntityId>(message.source())};
    }
}

void decode_head(const wire::Frame& frame, FrameMessage& decoded) {
    decoded.tick = frame.tick();
    decoded.move_ack = frame.move_ack();
    decoded.border_stale = frame.border_stale();
    decoded.time_scale_percent = frame.time_scale();
    decoded.is_capped = frame.is_capped();
    decoded.is_slowed = frame.is_slowed();
    decoded.is_over_budget = frame.is_over_budget();
    decoded.is_filling = frame.is_filling();
    decoded.server_time_us = frame.server_time_us();
    decoded.is_keyframe = frame.is_keyframe();
    decoded.messages_lost = frame.messages_lost();
    decoded.watcher = static_cast<engine::EntityId>(frame.watcher());
    decoded.correction.reset();
    if (const wire::Correction* const correction = frame.correction()) {
        decoded.correction = Correction{correction->number(), from_wire(correction->position())};
    }
}

Finding decode(const wire::Frame& frame, ServerMessage& into) {
    if (!std::holds_alternative<FrameMessage>(into)) {
        into.emplace<FrameMessage>();
    }
    auto& decoded = std::get<FrameMessage>(into);
    decode_head(frame, decoded);
    if (const Finding flaw = decode_enters(frame, decoded.enters)) {
        return flaw;
    }
    if (const Finding flaw = decode_states(frame, decoded.states)) {
        return flaw;
    }
    decode_messages(frame, decoded.messages);
    if (!unpack_moves(from_wire(frame.moves()), decoded.moves)) {
        return "Frame: the packed moves are not sound";
    }
    return decode_leaves(frame, decoded.leaves);
}

Finding decode(const wire::Error& error, ServerMessage& into) {
    const std::string text = error.text() == nullptr ? std::string() : error.text()->str();
    into = ErrorMessage{static_cast<ErrorCode>(error.code()), text};
    return nullptr;
}

Finding decode(const wire::Message& message, ServerMessage& into) {
    switch (message.body_type()) {
        case wire::Body::Welcome:
            return decode(*message.body_as_Welcome(), into);
        case wire::Body::Frame:
            return decode(*message.body_as_Frame(), into);
        case wire::Body::Error:
            return decode(*message.body_as_Error(), into);
        case wire::Body::Pong: {
            const wire::Pong& pong = *message.body_as_Pong();
            into = Pong{pong.nonce(), pong.tick(), pong.safe_tick()};
            return nullptr;
        }
        case wire::Body::Notice: {
            const wire::Notice& notice = *message.body_as_Notice();
            into =
                Notice{notice.text() == nullptr ? "" : notice.text()->str(), notice.stops_in_ms()};
            return nullptr;
        }
        case wire::Body::Transfer: {
            const wire::Transfer& transfer = *message.body_as_Transfer();
            into = Transfer{transfer.address()->str(), text_from_wire(transfer.token()),
                            bytes_from_wire(transfer.carried())};
            return nullptr;
        }
        case wire::Body::ServiceWelcome:
        case wire::Body::Spawned:
        case wire::Body::PlayerJoined:
        case wire::Body::PlayerLeft:
        case wire::Body::PlayerAway:
        case wire::Body::PlayerBack:
        case wire::Body::PlayerMessage:
        case wire::Body::MessagesLost:
        case wire::Body::PlayerAsks:
        case wire::Body::Positions:
        case wire::Body::PlayerMove:
        case wire::Body::PlayersListed:
        case wire::Body::CommandRefused:
            return decode_to_service(message, into);
        case wire::Body::Hello:
        case wire::Body::Move:
        case wire::Body::SetView:
        case wire::Body::SetFrameRate:
        case wire::Body::Ping:
        case wire::Body::Leave:
        case wire::Body::KeyframeRequest:
        case wire::Body::SetState:
        case wire::Body::ServiceHello:
        case wire::Body::Spawn:
        case wire::Body::Despawn:
        case wire::Body::MoveMany:
        case wire::Body::Change:
        case wire::Body::TransferPlayer:
        case wire::Body::SendMessage:
        case wire::Body::Subscribe:
        case wire::Body::SendMessages:
        case wire::Body::AdmitPlayer:
            return "a message that only a client sends";
        case wire::Body::NONE:
            break;
    }
    if (message.optional()) {
        into = SkippedMessage{};
        return nullptr;
    }
    return "unknown message type";
}

}  // namespace

std::optional<ErrorMessage> decode_server(std::span<const std::byte> message, ServerMessage& into) {
    std::vector<std::uint64_t> realigned;
    const wire::Message* const verified = verify_message(message, realigned);
    const Finding finding =
        verified == nullptr ? "not a message of this protocol" : decode(*verified, into);
    if (finding == nullptr) {
        return std::nullopt;
    }
    return ErrorMessage{ErrorCode::malformed, finding};
}

bool decode_frame_head(std::span<const std::byte> message, FrameMessage& into) {
    std::vector<std::uint64_t> realigned;
    const wire::Message* const found = verify_message(message, realigned);
    if (found == nullptr || found->body_type() != wire::Body::Frame) {
        return false;
    }
    into = {};
    decode_head(*found->body_as_Frame(), into);
    return true;
}

}  // namespace marchland::net
