#include "net/decode_server.h"

#include "net/packed_moves.h"
#include "net/wire_values.h"

#include <type_traits>
#include <utility>

namespace marchland::net {

namespace {

/// What is wrong with a message: what was found first counts, and what is read after it is thrown
/// away.
struct Finding {
    const char* flaw = nullptr;  ///< nullptr: nothing

    void demand(bool is_good, const char* otherwise) {
        if (!is_good && flaw == nullptr) {
            flaw = otherwise;
        }
    }
    template <typename Value>
    Value sound(std::optional<Value> value, const char* otherwise) {
        demand(value.has_value(), otherwise);
        return std::move(value).value_or(Value{});
    }
};

SendLimit send_limit_from_wire(const wire::SendLimit* send_limit) {
    return send_limit == nullptr ? SendLimit{}
                                 : SendLimit{send_limit->per_second_max(), send_limit->bytes_max()};
}

template <typename WireWelcome>
AnyWelcome decode_any(const WireWelcome& welcome, Finding& finding) {
    finding.demand(welcome.dimensions() == 2 || welcome.dimensions() == 3,
                   "Welcome: dimensions are neither 2 nor 3");
    finding.demand(welcome.quantum_mm() != 0 && welcome.quantum_mm() <= INT32_MAX,
                   "Welcome: the quantum is no length");
    return {welcome.protocol_major(),
            welcome.protocol_minor(),
            welcome.tick(),
            welcome.server_time_us(),
            welcome.tick_rate_hz(),
            static_cast<engine::Dimensions>(welcome.dimensions()),
            from_wire(*welcome.world_min()),
            from_wire(*welcome.world_max()),
            welcome.leave_radius_mm_max(),
            welcome.quantum_mm(),
            finding.sound(slots_from_wire(welcome.slots()), "Welcome: the slots are not sound"),
            bytes_from_wire(welcome.resume_token()),
            welcome.resume_grace_ms(),
            welcome.restart_grace_ms(),
            welcome.resumed()};
}

Welcome decode(const wire::Welcome& welcome, Finding& finding) {
    AnyWelcome any = decode_any(welcome, finding);
    const engine::View view = from_wire(*welcome.view());
    finding.demand(engine::flaw_of(view, any.dimensions) == nullptr,
                   "Welcome: the view is not sound in its zone");
    return {
        std::move(any),
        static_cast<engine::EntityId>(welcome.entity()),
        from_wire(*welcome.spawn()),
        view,
        finding.sound(from_wire(welcome.crowd()), "Welcome: the limits of a crowd are not sound"),
        welcome.states_per_second_max(),
        send_limit_from_wire(welcome.messages()),
        welcome.message_number(),
        welcome.frames_hz(),
        welcome.prediction_error_mm(),
        welcome.prediction_ms_max()};
}

void decode_leaves(const wire::Frame& frame, std::vector<engine::Leave>& into, Finding& finding) {
    into.clear();
    for (flatbuffers::uoffset_t i = 0; frame.leaves() != nullptr && i < frame.leaves()->size();
         ++i) {
        const auto left = element_of<wire::Left>(*frame.leaves(), i);
        finding.demand(
            left.reason() != wire::LeaveReason::none && left.reason() <= wire::LeaveReason::MAX,
            "Frame: unknown reason of a leave");
        into.push_back({static_cast<engine::EntityId>(left.entity()),
                        static_cast<engine::LeaveReason>(left.reason())});
    }
}

void decode_enters(const wire::Frame& frame, std::vector<Entered>& into, Finding& finding) {
    into.resize(frame.enters() == nullptr ? 0 : frame.enters()->size());
    for (flatbuffers::uoffset_t i = 0; i < into.size(); ++i) {
        const wire::Entered& entered = *frame.enters()->Get(i);
        into[i].entity = static_cast<engine::EntityId>(entered.entity());
        into[i].kind = entered.kind();
        into[i].position = from_wire(*entered.position());
        into[i].velocity = from_wire(entered.velocity());
        into[i].state = finding.sound(state_from_wire(entered.state()),
                                      "Frame: the state of one who enters is not sound");
    }
}

void decode_states(const wire::Frame& frame, std::vector<StateChanged>& into, Finding& finding) {
    into.clear();
    auto bytes = from_wire(frame.states());
    while (!bytes.empty()) {
        engine::VarintReader reader(bytes);
        const auto step = reader.read();
        bytes = reader.rest();
        auto state = step ? engine::unpack_state(bytes) : std::nullopt;
        const std::uint64_t before = into.empty() ? 0 : to_number(into.back().entity);
        if (!state || (*step == 0 && !into.empty()) || *step > UINT64_MAX - before) {
            finding.demand(false, "Frame: the packed states are not sound");
            return;
        }
        into.push_back({static_cast<engine::EntityId>(before + *step), std::move(*state)});
    }
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

void decode(const wire::Frame& frame, ServerMessage& into, Finding& finding) {
    if (!std::holds_alternative<FrameMessage>(into)) {
        into.emplace<FrameMessage>();
    }
    auto& decoded = std::get<FrameMessage>(into);
    decode_head(frame, decoded);
    decode_enters(frame, decoded.enters, finding);
    decode_states(frame, decoded.states, finding);
    decode_messages(frame, decoded.messages);
    const std::span<const std::byte> moves = from_wire(frame.moves());
    decoded.moves_by_rank = !moves.empty() && moves.front() == kRanksFollow;
    finding.demand(unpack_moves(moves.subspan(decoded.moves_by_rank ? 1 : 0), decoded.moves),
                   "Frame: the packed moves are not sound");
    decode_leaves(frame, decoded.leaves, finding);
}

ErrorMessage decode(const wire::Error& error, Finding&) {
    return {static_cast<ErrorCode>(error.code()), text_from_wire(error.text())};
}

Pong decode(const wire::Pong& pong, Finding&) {
    return {pong.nonce(), pong.tick(), pong.safe_tick()};
}

Notice decode(const wire::Notice& notice, Finding&) {
    return {text_from_wire(notice.text()), notice.stops_in_ms()};
}

Transfer decode(const wire::Transfer& transfer, Finding&) {
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

ServiceWelcome decode(const wire::ServiceWelcome& welcome, Finding& finding) {
    return {decode_any(welcome, finding), welcome.notify_leave_radius_mm_max(),
            welcome.message_bytes_max(),  welcome.entities_max(),
            welcome.watchers_max(),       spawned_from_wire(welcome.entities())};
}

PlayerJoined decode(const wire::PlayerJoined& joined, Finding& finding) {
    return {static_cast<engine::EntityId>(joined.entity()),
            joined.kind(),
            from_wire(*joined.position()),
            finding.sound(state_from_wire(joined.state()), "PlayerJoined: the state is not sound"),
            text_from_wire(joined.subject()),
            text_from_wire(joined.claims()),
            bytes_from_wire(joined.carried()),
            joined.request()};
}

PlayerLeft decode(const wire::PlayerLeft& left, Finding&) {
    return {static_cast<engine::EntityId>(left.entity()),
            static_cast<PlayerLeftReason>(left.reason())};
}

PlayerAway decode(const wire::PlayerAway& away, Finding&) {
    return {static_cast<engine::EntityId>(away.entity()), away.grace_ms()};
}

PlayerBack decode(const wire::PlayerBack& back, Finding&) {
    return {static_cast<engine::EntityId>(back.entity()), text_from_wire(back.claims())};
}

PlayerMessage decode(const wire::PlayerMessage& message, Finding&) {
    return {static_cast<engine::EntityId>(message.entity()), message.kind(), message.tick(),
            from_wire(*message.position()), bytes_from_wire(message.payload())};
}

PlayerMove decode(const wire::PlayerMove& move, Finding&) {
    return {static_cast<engine::EntityId>(move.entity()),
            move.seq(),
            move.tick(),
            from_wire(*move.position()),
            move.facing(),
            from_wire(move.velocity())};
}

Positions decode(const wire::Positions& positions, Finding& finding) {
    Positions decoded{positions.tick(),
                      {},
                      positions.has_more(),
                      positions.border_stale(),
                      positions.ticks_lost()};
    std::uint64_t id = positions.first();
    const auto* const players = positions.players();
    for (flatbuffers::uoffset_t i = 0; players != nullptr && i < players->size(); ++i) {
        const auto one = element_of<wire::Placed>(*players, i);
        finding.demand((one.step() == 0) == (i == 0) && id + one.step() >= id,
                       "Positions: ids do not ascend");
        id += one.step();
        decoded.players.push_back({engine::EntityId{id}, from_wire(one.position())});
    }
    return decoded;
}

PlayerAsks decode(const wire::PlayerAsks& asks, Finding&) {
    return {asks.request(),
            asks.kind(),
            optional_from_wire(asks.spawn()),
            text_from_wire(asks.subject()),
            text_from_wire(asks.claims()),
            bytes_from_wire(asks.carried()),
            asks.wait_ms()};
}

CommandRefused decode(const wire::CommandRefused& refused, Finding& finding) {
    finding.demand(refused.reason() != wire::RefusalReason::none,
                   "CommandRefused: without a reason");
    return {refused.command(), static_cast<engine::EntityId>(refused.entity()), refused.ref(),
            static_cast<RefusalReason>(refused.reason())};
}

Spawned decode(const wire::Spawned& spawned, Finding&) {
    return {spawned_from_wire(spawned.entities())};
}

MessagesLost decode(const wire::MessagesLost& lost, Finding&) {
    return {lost.count()};
}

PlayersListed decode(const wire::PlayersListed&, Finding&) {
    return {};
}

}  // namespace

std::optional<ErrorMessage> decode_server(std::span<const std::byte> message, ServerMessage& into) {
    std::vector<std::uint64_t> realigned;
    const wire::Message* const verified = verify_message(message, realigned);
    if (verified == nullptr) {
        return ErrorMessage{ErrorCode::malformed, "not a message of this protocol"};
    }
    Finding finding;
    const auto decode_table = [&]<typename Table>(const Table& table) {
        if constexpr (std::is_same_v<Table, wire::Frame>) {
            decode(table, into, finding);
        } else {
            into = decode(table, finding);
        }
    };
    const bool is_servers =
        visit_body<wire::Welcome, wire::Pong, wire::Frame, wire::Error, wire::Notice,
                   wire::Transfer, wire::ServiceWelcome, wire::Spawned, wire::PlayerJoined,
                   wire::PlayerLeft, wire::PlayerAway, wire::PlayerBack, wire::PlayerMessage,
                   wire::MessagesLost, wire::PlayerAsks, wire::Positions, wire::PlayerMove,
                   wire::PlayersListed, wire::CommandRefused>(*verified, decode_table);
    if (!is_servers) {
        finding.demand(!is_known(verified->body_type()), "a message that only a client sends");
        finding.demand(verified->optional(), "unknown message type");
        into = SkippedMessage{};
    }
    if (finding.flaw != nullptr) {
        return ErrorMessage{ErrorCode::malformed, finding.flaw};
    }
    return std::nullopt;
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
