#include "net/frame_writer.h"

#include "engine/assert.h"
#include "net/packed_moves.h"
#include "net/quantum.h"
#include "net/wire_values.h"

#include <array>
#include <limits>
#include <vector>

namespace marchland::net {

static_assert(static_cast<int>(wire::LeaveReason::gone) ==
              static_cast<int>(engine::LeaveReason::gone));
static_assert(static_cast<int>(wire::LeaveReason::out_of_range) ==
              static_cast<int>(engine::LeaveReason::out_of_range));
static_assert(static_cast<int>(wire::LeaveReason::hidden) ==
              static_cast<int>(engine::LeaveReason::hidden));
static_assert(static_cast<int>(wire::LeaveReason::capped) ==
              static_cast<int>(engine::LeaveReason::capped));

namespace {

using Builder = flatbuffers::FlatBufferBuilder;
using Bytes = flatbuffers::Vector<std::uint8_t>;
template <typename T>
using VectorOffset = flatbuffers::Offset<flatbuffers::Vector<T>>;

/// FlatBuffers wants a vector's elements before the vector, and its length before its content. One
/// for each thread that writes frames, instead of one for each client: it grows with the crowd.
struct Scratch {
    std::vector<std::byte> moves;
    std::vector<flatbuffers::Offset<wire::Entered>> enters;
    std::vector<std::byte> states;
    std::vector<flatbuffers::Offset<wire::MessageDelivered>> messages;
};

/// The same, counted in quanta.
Moved in_quanta(const Moved& move, std::int32_t quantum_mm) {
    if (quantum_mm == 1) {
        return move;
    }
    const auto quanta = [quantum_mm](auto mm) {
        MARCHLAND_ASSERT(mm % quantum_mm == 0);
        return static_cast<decltype(mm)>(mm / quantum_mm);
    };
    return {move.entity,
            move.is_relative,
            quanta(move.x),
            quanta(move.y),
            quanta(move.z),
            {quanta(move.velocity.x), quanta(move.velocity.y), quanta(move.velocity.z)}};
}

/// What clients and services send is on the grid, and so is the way between two places: but for a trajectory that has come to
/// the end of int32. That is sent whole, as the place on the grid that is nearest to the end.
Moved moved(const engine::Entity& entity, bool follows, engine::Tick tick,
            std::int32_t quantum_mm) {
    const engine::Step& by = entity.renewed_by;
    const bool is_on_grid =
        by.x % quantum_mm == 0 && by.y % quantum_mm == 0 && by.z % quantum_mm == 0;
    if (follows && by != engine::Entity::kNotSent && is_on_grid) {
        return {entity.id, true, by.x, by.y, by.z, entity.velocity};
    }
    using Limits = std::numeric_limits<std::int32_t>;
    constexpr engine::Rect kEverywhere{Limits::min(), Limits::min(), Limits::max(), Limits::max()};
    const engine::Position now = on_grid(shown_at(entity, tick), quantum_mm, kEverywhere);
    return {entity.id, false, now.x, now.y, now.z, entity.velocity};
}

flatbuffers::Offset<Bytes> write_moves(Builder& builder, const engine::Frame& frame,
                                       const engine::EntityStore& entities, std::int32_t quantum_mm,
                                       std::vector<std::byte>& packed) {
    const std::size_t bytes_max = frame.moves.size() * kMovedBytesMax;
    if (packed.size() < bytes_max) {
        packed.resize(bytes_max);
    }
    std::byte* end = packed.data();
    engine::EntityId previous{};
    for (std::size_t place = 0; place < frame.moves.size(); ++place) {
        const engine::Entity& entity = entities.at(frame.moves[place]);
        const Moved move = moved(entity, frame.follows(place), frame.tick, quantum_mm);
        end = pack_move(in_quanta(move, quantum_mm), previous, end);
        previous = entity.id;
    }
    return to_wire(builder, std::span<const std::byte>(packed.data(), end));
}

VectorOffset<flatbuffers::Offset<wire::Entered>> write_enters(
    Builder& builder, const engine::Frame& frame, const engine::EntityStore& entities,
    std::vector<flatbuffers::Offset<wire::Entered>>& written, std::vector<std::byte>& packed) {
    if (frame.enters.empty()) {
        return 0;
    }
    written.clear();
    for (std::size_t place = 0; place < frame.enters.size(); ++place) {
        const engine::Entity& entity = entities.at(frame.enters[place]);
        packed.clear();
        if (!frame.entered_states.empty() && frame.entered_states[place] != 0) {
            engine::append_packed(*entity.state, frame.entered_states[place], packed);
        }
        const auto state = to_wire(builder, packed);
        const wire::Position position = to_wire(shown_at(entity, frame.tick));
        const wire::Velocity velocity = to_wire(entity.velocity);
        written.push_back(
            wire::CreateEntered(builder, to_number(entity.id), entity.kind, &position, state,
                                entity.velocity == engine::Step{} ? nullptr : &velocity));
    }
    return builder.CreateVector(written);
}

/// For each entity, in ascending id: by how much its id is greater than the one before, and its slots.
flatbuffers::Offset<Bytes> write_states(Builder& builder, const engine::Frame& frame,
                                        const engine::EntityStore& entities,
                                        std::vector<std::byte>& packed) {
    packed.clear();
    std::uint64_t previous = 0;
    for (const engine::StateSent& sent : frame.states) {
        const engine::Entity& entity = entities.at(sent.slot);
        std::array<std::byte, engine::kVarintBytesMax> step{};
        packed.insert(packed.end(), step.data(),
                      engine::write_varint(to_number(entity.id) - previous, step.data()));
        engine::append_packed(*entity.state, sent.slots, packed);
        previous = to_number(entity.id);
    }
    return to_wire(builder, packed);
}

/// Those to the client whomever it sees, then those to who sees an entity.
VectorOffset<flatbuffers::Offset<wire::MessageDelivered>> write_messages(
    Builder& builder, std::span<const engine::GameMessage> messages, const engine::Frame& frame,
    std::vector<flatbuffers::Offset<wire::MessageDelivered>>& written) {
    if (messages.empty() && frame.messages.empty()) {
        return 0;
    }
    written.clear();
    for (const engine::GameMessage& message : messages) {
        const auto payload = message.payload ? to_wire(builder, *message.payload) : 0;
        written.push_back(wire::CreateMessageDelivered(builder, message.kind, payload));
    }
    for (const engine::DeliveredMessage& message : frame.messages) {
        const auto payload = to_wire(builder, message.payload);
        written.push_back(wire::CreateMessageDelivered(builder, message.kind, payload,
                                                       to_number(message.source)));
    }
    return builder.CreateVector(written);
}

VectorOffset<const wire::Left*> write_leaves(Builder& builder, const engine::Frame& frame) {
    if (frame.leaves.empty()) {
        return 0;
    }
    return builder.CreateVectorOfStructs<wire::Left>(
        frame.leaves.size(), [&](std::size_t i, wire::Left* out) {
            const engine::Leave& leave = frame.leaves[i];
            *out = wire::Left(to_number(leave.id), static_cast<wire::LeaveReason>(leave.reason));
        });
}

}  // namespace

std::span<const std::byte> write_frame(Builder& builder, const FrameHeader& header,
                                       const engine::Frame& frame,
                                       const engine::EntityStore& entities) {
    thread_local Scratch scratch;
    builder.Clear();
    const auto moves = write_moves(builder, frame, entities, header.quantum_mm, scratch.moves);
    const auto enters = write_enters(builder, frame, entities, scratch.enters, scratch.states);
    const auto leaves = write_leaves(builder, frame);
    const auto states = write_states(builder, frame, entities, scratch.states);
    const auto messages = write_messages(builder, header.messages, frame, scratch.messages);
    wire::Correction correction;
    if (header.correction) {
        correction = {*header.correction, to_wire(entities.at(frame.watcher).position)};
    }
    const auto body = wire::CreateFrame(
        builder, frame.tick, header.move_ack, header.border_stale, leaves, enters, moves,
        static_cast<std::uint8_t>(header.time_scale_percent), frame.is_capped, frame.is_slowed,
        frame.is_over_budget || header.messages_wait, header.server_time_us, states,
        frame.is_keyframe, header.correction ? &correction : nullptr, to_number(header.tag),
        frame.is_filling, messages, header.messages_lost || frame.messages_lost);
    return finish_message(builder, body);
}

}  // namespace marchland::net
