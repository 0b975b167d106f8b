#include "net/frame_writer.h"

#include "engine/assert.h"
#include "net/packed_moves.h"
#include "net/wire_values.h"

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
    std::vector<flatbuffers::Offset<wire::StateChanged>> states;
    std::vector<flatbuffers::Offset<wire::EventDelivered>> events;
};

/// The same, counted in quanta. Whatever comes in at the door is on the grid.
Moved in_quanta(const Moved& move, std::int32_t quantum_mm) {
    if (quantum_mm == 1) {
        return move;
    }
    MARCHLAND_ASSERT(move.x % quantum_mm == 0 && move.y % quantum_mm == 0 &&
                     move.z % quantum_mm == 0);
    return {move.entity, move.is_relative, move.x / quantum_mm, move.y / quantum_mm,
            move.z / quantum_mm};
}

Moved moved(const engine::Entity& entity, bool follows) {
    const engine::Position& now = entity.position;
    const engine::Position& sent = entity.previous;
    if (!follows || !entity.previous_was_sent) {
        return {entity.id, false, now.x, now.y, now.z};
    }
    return {entity.id, true, std::int64_t{now.x} - sent.x, std::int64_t{now.y} - sent.y,
            std::int64_t{now.z} - sent.z};
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
        end = pack_move(in_quanta(moved(entity, frame.follows(place)), quantum_mm), previous, end);
        previous = entity.id;
    }
    return to_wire(builder, {packed.data(), end});
}

VectorOffset<flatbuffers::Offset<wire::Entered>> write_enters(
    Builder& builder, const engine::Frame& frame, const engine::EntityStore& entities,
    std::vector<flatbuffers::Offset<wire::Entered>>& written) {
    if (frame.enters.empty()) {
        return 0;
    }
    written.clear();
    for (const engine::Slot slot : frame.enters) {
        const engine::Entity& entity = entities.at(slot);
        const auto blob = entity.blob ? to_wire(builder, *entity.blob) : 0;
        const wire::Position position = to_wire(entity.position);
        written.push_back(
            wire::CreateEntered(builder, to_number(entity.id), entity.kind, &position, blob));
    }
    return builder.CreateVector(written);
}

VectorOffset<flatbuffers::Offset<wire::StateChanged>> write_states(
    Builder& builder, const engine::Frame& frame, const engine::EntityStore& entities,
    std::vector<flatbuffers::Offset<wire::StateChanged>>& written) {
    if (frame.states.empty()) {
        return 0;
    }
    written.clear();
    for (const engine::Slot slot : frame.states) {
        const engine::Entity& entity = entities.at(slot);
        const auto blob = entity.blob ? to_wire(builder, *entity.blob) : 0;
        written.push_back(wire::CreateStateChanged(builder, to_number(entity.id), blob));
    }
    return builder.CreateVector(written);
}

VectorOffset<flatbuffers::Offset<wire::EventDelivered>> write_events(
    Builder& builder, const engine::Frame& frame,
    std::vector<flatbuffers::Offset<wire::EventDelivered>>& written) {
    if (frame.events.empty()) {
        return 0;
    }
    written.clear();
    for (const engine::EventDelivered& event : frame.events) {
        const auto payload = to_wire(builder, event.payload);
        written.push_back(wire::CreateEventDelivered(builder, to_number(event.source), payload));
    }
    return builder.CreateVector(written);
}

VectorOffset<flatbuffers::Offset<wire::MessageDelivered>> write_messages(
    Builder& builder, std::span<const Said> messages) {
    if (messages.empty()) {
        return 0;
    }
    std::vector<flatbuffers::Offset<wire::MessageDelivered>> written;
    written.reserve(messages.size());
    for (const Said& message : messages) {
        const auto payload = message.payload ? to_wire(builder, *message.payload) : 0;
        written.push_back(wire::CreateMessageDelivered(builder, message.kind, payload));
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
    const auto enters = write_enters(builder, frame, entities, scratch.enters);
    const auto leaves = write_leaves(builder, frame);
    const auto states = write_states(builder, frame, entities, scratch.states);
    const auto events = write_events(builder, frame, scratch.events);
    const auto messages = write_messages(builder, header.messages);
    wire::Correction correction;
    if (header.correction) {
        correction = {*header.correction, to_wire(entities.at(frame.watcher).position)};
    }
    const auto body = wire::CreateFrame(
        builder, frame.tick, header.move_ack, header.border_stale, leaves, enters, moves,
        static_cast<std::uint8_t>(header.time_scale_percent), frame.is_capped, frame.is_slowed,
        frame.is_over_budget, header.server_time_us, states, events, frame.is_keyframe,
        frame.events_lost, header.correction ? &correction : nullptr, to_number(header.tag),
        frame.is_filling, messages, header.messages_lost);
    return finish_message(builder, wire::Body::Frame, body.Union());
}

}  // namespace marchland::net
