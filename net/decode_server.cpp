#include "net/decode_server.h"

#include "net/packed_moves.h"
#include "net/wire_values.h"

namespace marchland::net {

namespace {

/// What is wrong; nullptr when all is well.
using Finding = const char*;

SendLimit send_limit_from_wire(const wire::SendLimit* send_limit) {
    return send_limit == nullptr ? SendLimit{}
                                 : SendLimit{send_limit->per_second_max(), send_limit->bytes_max()};
}

template <typename WireWelcome>
Finding decode_any(const WireWelcome& welcome, AnyWelcome& into) {
    if (welcome.dimensions() != 2 && welcome.dimensions() != 3) {
        return "Welcome: dimensions are neither 2 nor 3";
    }
    if (welcome.quantum_mm() == 0 || welcome.quantum_mm() > INT32_MAX) {
        return "Welcome: the quantum is no length";
    }
    auto slots = slots_from_wire(welcome.slots());
    if (!slots) {
        return "Welcome: the slots are not sound";
    }
    into = {welcome.protocol_major(),
            welcome.protocol_minor(),
            welcome.tick(),
            welcome.server_time_us(),
            welcome.tick_rate_hz(),
            static_cast<engine::Dimensions>(welcome.dimensions()),
            from_wire(*welcome.world_min()),
            from_wire(*welcome.world_max()),
            welcome.leave_radius_mm_max(),
            welcome.quantum_mm(),
            *std::move(slots),
            bytes_from_wire(welcome.resume_token()),
            welcome.resume_grace_ms(),
            welcome.restart_grace_ms(),
            welcome.resumed()};
    return nullptr;
}

Finding decode(const wire::Welcome& welcome, ServerMessage& into) {
    AnyWelcome any;
    if (const Finding flaw = decode_any(welcome, any)) {
        return flaw;
    }
    const engine::View view = from_wire(*welcome.view());
    if (engine::flaw_of(view, any.dimensions) != nullptr) {
        return "Welcome: the view is not sound in its zone";
    }
    const std::optional<engine::CrowdLimits> crowd = from_wire(welcome.crowd());
    if (!crowd) {
        return "Welcome: the limits of a crowd are not sound";
    }
    into = Welcome{std::move(any),
                   static_cast<engine::EntityId>(welcome.entity()),
                   from_wire(*welcome.spawn()),
                   view,
                   *crowd,
                   welcome.states_per_second_max(),
                   send_limit_from_wire(welcome.messages()),
                   welcome.message_number(),
                   welcome.frames_hz(),
                   welcome.prediction_error_mm(),
                   welcome.prediction_ms_max()};
    return nullptr;
}

Finding decode_leaves(const wire::Frame& frame, std::vector<engine::Leave>& into) {
    into.clear();
    for (flatbuffers::uoffset_t i = 0; frame.leaves() != nullptr && i < frame.leaves()->size();
         ++i) {
        const auto left = element_of<wire::Left>(*frame.leaves(), i);
        if (left.reason() == wire::LeaveReason::none || left.reason() > wire::LeaveReason::MAX) {
            return "Frame: unknown reason of a leave";
        }
        into.push_back({static_cast<engine::EntityId>(left.entity()),
                        static_cast<engine::LeaveReason>(left.reason())});
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
    const std::span<const std::byte> moves = from_wire(frame.moves());
    decoded.moves_by_rank = !moves.empty() && moves.front() == kRanksFollow;
    if (!unpack_moves(moves.subspan(decoded.moves_by_rank ? 1 : 0), decoded.moves)) {
        return "Frame: the packed moves are not sound";
    }
    return decode_leaves(frame, decoded.leaves);
}

ErrorMessage read(const wire::Error& error) {
    return {static_cast<ErrorCode>(error.code()), text_from_wire(error.text())};
}

Pong read(const wire::Pong& pong) {
    return {pong.nonce(), pong.tick(), pong.safe_tick()};
}

Notice read(const wire::Notice& notice) {
    return {text_from_wire(notice.text()), notice.stops_in_ms()};
}

Transfer read(const wire::Transfer& transfer) {
    return {transfer.address()->str(), text_from_wire(transfer.token()),
            bytes_from_wire(transfer.carried())};
}

// ---- to services

std::vector<SpawnedOne> spawned_from_wire(
    const flatbuffers::Vector<const wire::SpawnedOne*>* list) {
    std::vector<SpawnedOne> read;
    for (flatbuffers::uoffset_t i = 0; list != nullptr && i < list->size(); ++i) {
        const auto one = element_of<wire::SpawnedOne>(*list, i);
        read.push_back({static_cast<engine::EntityId>(one.entity()), one.ref()});
    }
    return read;
}

Finding decode(const wire::ServiceWelcome& welcome, ServerMessage& into) {
    AnyWelcome any;
    if (const Finding flaw = decode_any(welcome, any)) {
        return flaw;
    }
    into = ServiceWelcome{std::move(any),
                          welcome.notify_leave_radius_mm_max(),
                          welcome.message_bytes_max(),
                          welcome.entities_max(),
                          welcome.watchers_max(),
                          spawned_from_wire(welcome.entities())};
    return nullptr;
}

Finding decode(const wire::PlayerJoined& joined, ServerMessage& into) {
    auto state = state_from_wire(joined.state());
    if (!state) {
        return "PlayerJoined: the state is not sound";
    }
    into = PlayerJoined{static_cast<engine::EntityId>(joined.entity()),
                        joined.kind(),
                        from_wire(*joined.position()),
                        std::move(*state),
                        text_from_wire(joined.subject()),
                        text_from_wire(joined.claims()),
                        bytes_from_wire(joined.carried()),
                        joined.request()};
    return nullptr;
}

PlayerLeft read(const wire::PlayerLeft& left) {
    return {static_cast<engine::EntityId>(left.entity()),
            static_cast<PlayerLeftReason>(left.reason())};
}

PlayerAway read(const wire::PlayerAway& away) {
    return {static_cast<engine::EntityId>(away.entity()), away.grace_ms()};
}

PlayerBack read(const wire::PlayerBack& back) {
    return {static_cast<engine::EntityId>(back.entity()), text_from_wire(back.claims())};
}

PlayerMessage read(const wire::PlayerMessage& message) {
    return {static_cast<engine::EntityId>(message.entity()), message.kind(), message.tick(),
            from_wire(*message.position()), bytes_from_wire(message.payload())};
}

PlayerMove read(const wire::PlayerMove& move) {
    return {static_cast<engine::EntityId>(move.entity()),
            move.seq(),
            move.tick(),
            from_wire(*move.position()),
            move.facing(),
            from_wire(move.velocity())};
}

Finding decode(const wire::Positions& positions, ServerMessage& into) {
    Positions decoded{positions.tick(),
                      {},
                      positions.has_more(),
                      positions.border_stale(),
                      positions.ticks_lost()};
    std::uint64_t id = positions.first();
    const auto* const players = positions.players();
    for (flatbuffers::uoffset_t i = 0; players != nullptr && i < players->size(); ++i) {
        const auto one = element_of<wire::Placed>(*players, i);
        if ((one.step() == 0) != (i == 0) || id + one.step() < id) {
            return "Positions: ids do not ascend";
        }
        id += one.step();
        decoded.players.push_back({engine::EntityId{id}, from_wire(one.position())});
    }
    into = std::move(decoded);
    return nullptr;
}

PlayerAsks read(const wire::PlayerAsks& asks) {
    return {asks.request(),
            asks.kind(),
            optional_from_wire(asks.spawn()),
            text_from_wire(asks.subject()),
            text_from_wire(asks.claims()),
            bytes_from_wire(asks.carried()),
            asks.wait_ms()};
}

Finding decode(const wire::CommandRefused& refused, ServerMessage& into) {
    if (refused.reason() == wire::RefusalReason::none) {
        return "CommandRefused: without a reason";
    }
    into = CommandRefused{refused.command(), static_cast<engine::EntityId>(refused.entity()),
                          refused.ref(), static_cast<RefusalReason>(refused.reason())};
    return nullptr;
}

Spawned read(const wire::Spawned& spawned) {
    return {spawned_from_wire(spawned.entities())};
}

MessagesLost read(const wire::MessagesLost& lost) {
    return {lost.count()};
}

PlayersListed read(const wire::PlayersListed&) {
    return {};
}

Finding decode(const wire::Message& message, ServerMessage& into) {
    Finding finding = nullptr;
    const auto decode_table = [&](const auto& table) {
        if constexpr (requires { decode(table, into); }) {
            finding = decode(table, into);
        } else {
            into = read(table);
        }
    };
    const bool is_servers =
        visit_body<wire::Welcome, wire::Pong, wire::Frame, wire::Error, wire::Notice,
                   wire::Transfer, wire::ServiceWelcome, wire::Spawned, wire::PlayerJoined,
                   wire::PlayerLeft, wire::PlayerAway, wire::PlayerBack, wire::PlayerMessage,
                   wire::MessagesLost, wire::PlayerAsks, wire::Positions, wire::PlayerMove,
                   wire::PlayersListed, wire::CommandRefused>(message, decode_table);
    if (is_servers) {
        return finding;
    }
    if (is_known(message.body_type()) || !message.optional()) {
        return is_known(message.body_type()) ? "a message that only a client sends"
                                             : "unknown message type";
    }
    into = SkippedMessage{};
    return nullptr;
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
