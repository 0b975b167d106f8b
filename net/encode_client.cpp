#include "net/encode_client.h"

#include "engine/assert.h"
#include "net/packed_moves.h"
#include "net/wire_values.h"

#include <type_traits>
#include <vector>

namespace marchland::net {

namespace {

using Builder = flatbuffers::FlatBufferBuilder;

flatbuffers::Offset<wire::Hello> write(Builder& builder, const Hello& hello) {
    const auto state = to_wire(builder, hello.state);
    const auto view = hello.view ? to_wire(builder, *hello.view) : 0;
    const auto token = to_wire(builder, hello.token);
    const auto resume_token = to_wire(builder, hello.resume_token);
    const auto carried = to_wire(builder, hello.carried);
    const wire::Position spawn = to_wire(hello.spawn.value_or(engine::Position{}));
    return wire::CreateHello(builder, hello.protocol_major, hello.protocol_minor, hello.kind,
                             hello.spawn ? &spawn : nullptr, view, state, hello.facing, token,
                             resume_token, hello.last_tick, carried, hello.reads_ranks);
}

flatbuffers::Offset<wire::Move> write(Builder& builder, const Move& move) {
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
    return body.Finish();
}

flatbuffers::Offset<wire::SetView> write(Builder& builder, const SetView& set_view) {
    return wire::CreateSetView(builder, to_wire(builder, set_view.view));
}

flatbuffers::Offset<wire::SetFrameRate> write(Builder& builder, const SetFrameRate& rate) {
    return wire::CreateSetFrameRate(builder, rate.frames_hz);
}

flatbuffers::Offset<wire::Ping> write(Builder& builder, const Ping& ping) {
    return wire::CreatePing(builder, ping.nonce);
}

flatbuffers::Offset<wire::Leave> write(Builder& builder, const LeaveZone&) {
    return wire::CreateLeave(builder);
}

flatbuffers::Offset<wire::KeyframeRequest> write(Builder& builder, const KeyframeRequest&) {
    return wire::CreateKeyframeRequest(builder);
}

flatbuffers::Offset<wire::SetState> write(Builder& builder, const SetState& set_state) {
    return wire::CreateSetState(builder, to_wire(builder, set_state.state));
}

flatbuffers::Offset<wire::SendMessage> write(Builder& builder, const SendMessage& message) {
    const auto payload = to_wire(builder, message.payload);
    return wire::CreateSendMessage(builder, message.number, message.kind, payload);
}

// ---- of services

flatbuffers::Offset<wire::SpawnOne> write(Builder& builder, const SpawnOne& one) {
    const auto view = one.view == engine::View{} ? 0 : to_wire(builder, one.view);
    const auto state = to_wire(builder, one.state);
    const wire::Position position = to_wire(one.position);
    const wire::Layers layers = to_wire(one.layers);
    const wire::Notify notify = to_wire(one.notify);
    return wire::CreateSpawnOne(builder, one.ref, one.kind, &position, one.facing,
                                one.layers == Layers{} ? nullptr : &layers, view,
                                one.notify == engine::NotifyRange{} ? nullptr : &notify, state,
                                one.importance, one.watches);
}

flatbuffers::Offset<wire::ChangeOne> write(Builder& builder, const ChangeOne& one) {
    const auto view = one.view ? to_wire(builder, *one.view) : 0;
    const auto state = to_wire(builder, one.state);
    const wire::Position position = to_wire(one.position.value_or(engine::Position{}));
    const wire::Layers layers = to_wire(one.layers.value_or(Layers{}));
    const wire::Notify notify = to_wire(one.notify.value_or(engine::NotifyRange{}));
    wire::ChangeOneBuilder table(builder);
    table.add_entity(to_number(one.entity));
    table.add_position(one.position ? &position : nullptr);
    if (one.facing) {
        table.add_facing(*one.facing);
    }
    table.add_layers(one.layers ? &layers : nullptr);
    table.add_view(view);
    table.add_notify(one.notify ? &notify : nullptr);
    table.add_state(state);
    if (one.frames_hz) {
        table.add_frames_hz(*one.frames_hz);
    }
    if (one.speed_percent) {
        table.add_speed_percent(*one.speed_percent);
    }
    table.add_authority(static_cast<wire::Authority>(one.authority));
    if (one.move_ack) {
        table.add_move_ack(*one.move_ack);
    }
    return table.Finish();
}

flatbuffers::Offset<wire::MessageTo> write(Builder& builder, const MessageTo& message) {
    const auto payload = to_wire(builder, message.payload);
    const auto to = to_wire(builder, message.to);
    const wire::Circle within = to_wire(message.within.value_or(Circle{}));
    return wire::CreateMessageTo(builder, to, message.to_everybody, message.kind, payload,
                                 to_number(message.to_viewers_of),
                                 message.within ? &within : nullptr, message.layers);
}

template <typename Table, typename Value>
auto write_all(Builder& builder, const std::vector<Value>& values) {
    std::vector<flatbuffers::Offset<Table>> written;
    for (const Value& value : values) {
        written.push_back(write(builder, value));
    }
    return builder.CreateVector(written);
}

flatbuffers::Offset<wire::ServiceHello> write(Builder& builder, const ServiceHello& hello) {
    const auto name = builder.CreateString(hello.name);
    const auto token = to_wire(builder, hello.token);
    const auto resume_token = to_wire(builder, hello.resume_token);
    return wire::CreateServiceHello(builder, hello.protocol_major, hello.protocol_minor, name,
                                    token, resume_token, hello.admits);
}

flatbuffers::Offset<wire::Spawn> write(Builder& builder, const Spawn& spawn) {
    return wire::CreateSpawn(builder, write_all<wire::SpawnOne>(builder, spawn.entities));
}

flatbuffers::Offset<wire::Despawn> write(Builder& builder, const Despawn& despawn) {
    const auto entities = builder.CreateVector<std::uint64_t>(
        despawn.entities.size(), [&](std::size_t i) { return to_number(despawn.entities[i]); });
    return wire::CreateDespawn(builder, entities);
}

flatbuffers::Offset<wire::MoveMany> write(Builder& builder, const MoveMany& move_many) {
    std::vector<std::byte> packed(move_many.moves.size() * kMovedBytesMax);
    std::byte* end = packed.data();
    engine::EntityId previous{};
    for (const Moved& move : move_many.moves) {
        end = pack_move(move, to_number(move.entity) - to_number(previous), end);
        previous = move.entity;
    }
    const auto moves = builder.CreateVector(reinterpret_cast<const std::uint8_t*>(packed.data()),
                                            static_cast<std::size_t>(end - packed.data()));
    return wire::CreateMoveMany(builder, moves);
}

flatbuffers::Offset<wire::Change> write(Builder& builder, const Change& change) {
    return wire::CreateChange(builder, write_all<wire::ChangeOne>(builder, change.entities));
}

flatbuffers::Offset<wire::TransferPlayer> write(Builder& builder, const TransferPlayer& transfer) {
    const auto address = builder.CreateString(transfer.address);
    const auto token = to_wire(builder, transfer.token);
    const auto carried = to_wire(builder, transfer.carried);
    return wire::CreateTransferPlayer(builder, to_number(transfer.entity), address, token, carried);
}

flatbuffers::Offset<wire::AdmitPlayer> write(Builder& builder, const AdmitPlayer& admit) {
    const auto given = write(builder, admit.given);
    const auto refusal = admit.refusal ? builder.CreateString(*admit.refusal) : 0;
    return wire::CreateAdmitPlayer(builder, admit.request, given, refusal);
}

flatbuffers::Offset<wire::Subscribe> write(Builder& builder, const Subscribe& subscribe) {
    const auto kinds = subscribe.kinds.empty() ? 0 : builder.CreateVector(subscribe.kinds);
    const wire::Circle within = to_wire(subscribe.within.value_or(Circle{}));
    return wire::CreateSubscribe(builder, kinds, subscribe.positions,
                                 subscribe.within ? &within : nullptr, subscribe.moves);
}

flatbuffers::Offset<wire::SendMessages> write(Builder& builder, const SendMessages& send_messages) {
    return wire::CreateSendMessages(builder,
                                    write_all<wire::MessageTo>(builder, send_messages.messages));
}

}  // namespace

std::span<const std::byte> encode(Builder& builder, const ClientMessage& message) {
    builder.Clear();
    return std::visit(
        [&](const auto& body) -> std::span<const std::byte> {
            if constexpr (std::is_same_v<decltype(body), const SkippedMessage&>) {
                MARCHLAND_ASSERT(false);
                return {};
            } else {
                return finish_message(builder, write(builder, body));
            }
        },
        message);
}

}  // namespace marchland::net
