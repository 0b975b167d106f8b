#include "net/frame_writer.h"

#include "engine/assert.h"
#include "net/packed_moves.h"
#include "net/quantum.h"
#include "net/wire_values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>
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

/// The head, and six zigzag varints of 16 bits.
constexpr std::size_t kDifferenceBytesMax = 1 + 6 * 3;

/// A move as it is sent to all who follow the entity, packed with a step of 0: most of the time of
/// a crowd's frames would be that of packing the same moves again for each of them.
struct PackedMove {
    std::uint64_t build = 0;  ///< for whose frames it holds: engine::Frame::build
    engine::EntityId id{};
    engine::Slot slot{};
    std::uint8_t size = 0;  ///< 0: it is no difference
    std::array<std::byte, kDifferenceBytesMax> bytes{};
};
/// Slots that are so far apart share one. 160 kB for each thread that writes frames.
constexpr std::size_t kPackedMoves = 4'096;

/// FlatBuffers wants a vector's elements before the vector, and its length before its content. One
/// for each thread that writes frames, instead of one for each client: it grows with the crowd.
struct Scratch {
    std::vector<std::byte> moves;
    std::vector<std::uint32_t> steps;  ///< beside a frame's moves
    std::vector<PackedMove> packed_moves = std::vector<PackedMove>(kPackedMoves);
    std::vector<flatbuffers::Offset<wire::Entered>> enters;
    std::vector<std::byte> states;
    std::vector<flatbuffers::Offset<wire::MessageDelivered>> messages;
};

/// As it is sent, counted in quanta. What clients and services send is on the grid, and so is the
/// way between two places: but for a trajectory that has come to the end of int32. That is sent
/// whole, as the place on the grid that is nearest to the end.
Moved moved(const engine::Entity& entity, bool follows, engine::Tick tick,
            std::int32_t quantum_mm) {
    const auto is_on_grid = [quantum_mm](const engine::Step& by) {
        return quantum_mm == 1 ||
               (by.x % quantum_mm == 0 && by.y % quantum_mm == 0 && by.z % quantum_mm == 0);
    };
    // Most zones count in millimetres, and a division takes longer than all the rest.
    const auto quanta = [quantum_mm](auto mm) {
        return quantum_mm == 1 ? mm : static_cast<decltype(mm)>(mm / quantum_mm);
    };
    const engine::Step& velocity = entity.velocity;
    MARCHLAND_ASSERT(is_on_grid(velocity));
    const engine::Step each{quanta(velocity.x), quanta(velocity.y), quanta(velocity.z)};
    const engine::Step& by = entity.renewed_by;
    if (follows && by != engine::Entity::kNotSent && is_on_grid(by)) {
        return {entity.id, true, quanta(by.x), quanta(by.y), quanta(by.z), each};
    }
    const engine::Position now = on_grid(shown_at(entity, tick), quantum_mm, engine::kInt32Plane);
    return {entity.id, false, quanta(now.x), quanta(now.y), quanta(now.z), each};
}

/// Of the entity at the slot, for all who follow it.
void pack_for_all(PackedMove& packed, const engine::Frame& frame, engine::Slot slot,
                  const engine::EntityStore& entities, std::int32_t quantum_mm) {
    const engine::Entity& entity = entities.at(slot);
    const Moved move = moved(entity, true, frame.tick, quantum_mm);
    packed = {frame.build, entity.id, slot};
    if (move.is_relative) {
        std::array<std::byte, kMovedBytesMax> bytes{};
        const std::byte* const end = pack_move(move, 0, bytes.data());
        packed.size = static_cast<std::uint8_t>(end - bytes.data());
        MARCHLAND_ASSERT(packed.size <= kDifferenceBytesMax);
        std::copy_n(bytes.begin(), kDifferenceBytesMax, packed.bytes.begin());
    }
}

/// Writes what pack_move would.
std::byte* append(const PackedMove& packed, std::uint64_t step, std::byte* out) {
    MARCHLAND_ASSERT(step < kEntityIdEnd);
    out = engine::write_varint(
        (step << kMovedFlagBits) | std::to_integer<std::uint64_t>(packed.bytes[0]), out);
    std::memcpy(out, packed.bytes.data() + 1, kDifferenceBytesMax - 1);
    return out + packed.size - 1;
}

/// By how much the rank of each who moves is greater than that of the one before; of the first: its
/// rank.
void find_steps(const engine::Frame& frame, std::vector<std::uint32_t>& steps) {
    MARCHLAND_ASSERT(frame.known_bits.size() == frame.move_bits.size());
    steps.resize(std::max(steps.size(), frame.moves.size() + 1));
    std::uint32_t* out = steps.data();
    const std::uint32_t* const end = out + frame.moves.size();
    std::uint32_t step = 0;
    for (std::size_t word = 0; word < frame.known_bits.size(); ++word) {
        const std::uint64_t known = frame.known_bits[word];
        const std::uint64_t moved = frame.move_bits[word];
        MARCHLAND_ASSERT((moved & ~known) == 0 && out + std::popcount(moved) <= end);
        if (moved == known && known != 0) {
            *out++ = std::exchange(step, 1);
            out = std::fill_n(out, std::popcount(known) - 1, 1);
            continue;
        }
        for (std::uint64_t rest = known; rest != 0; rest &= rest - 1) {
            *out = step;
            const bool is_next = (moved & rest & (~rest + 1)) != 0;
            out += is_next ? 1 : 0;
            step = is_next ? 1 : step + 1;
        }
    }
    MARCHLAND_ASSERT(out == end);
}

flatbuffers::Offset<Bytes> write_moves(Builder& builder, const FrameHeader& header,
                                       const engine::Frame& frame,
                                       const engine::EntityStore& entities, Scratch& scratch) {
    const bool by_rank = header.reads_ranks && !frame.moves.empty();
    const std::size_t bytes_max = 1 + frame.moves.size() * kMovedBytesMax;
    if (scratch.moves.size() < bytes_max) {
        scratch.moves.resize(bytes_max);
    }
    // In locals: a write through std::byte* may change any member, which would be read again each
    // time.
    std::byte* end = scratch.moves.data();
    if (by_rank) {
        *end++ = kRanksFollow;
        find_steps(frame, scratch.steps);
    }
    const std::uint32_t* const steps = scratch.steps.data();
    PackedMove* const packed_moves = scratch.packed_moves.data();
    const std::span<const engine::Slot> slots = frame.moves;
    const std::uint64_t build = frame.build;
    const bool all_follow = frame.follows_last_tick && frame.were_held.empty();
    std::uint64_t previous_id = 0;
    const auto step_to = [&](std::size_t place, engine::EntityId id) {
        const std::uint64_t before = std::exchange(previous_id, to_number(id));
        return by_rank ? steps[place] : previous_id - before;
    };
    for (std::size_t place = 0; place < slots.size(); ++place) {
        const engine::Slot slot = slots[place];
        const bool follows = all_follow || frame.follows(place);
        if (follows) {
            PackedMove& packed = packed_moves[to_number(slot) % kPackedMoves];
            if (packed.build != build || packed.slot != slot || build == 0) {
                pack_for_all(packed, frame, slot, entities, header.quantum_mm);
            }
            if (packed.size != 0) {
                end = append(packed, step_to(place, packed.id), end);
                continue;
            }
        }
        const engine::Entity& entity = entities.at(slot);
        end = pack_move(moved(entity, follows, frame.tick, header.quantum_mm),
                        step_to(place, entity.id), end);
    }
    return to_wire(builder, std::span<const std::byte>(scratch.moves.data(), end));
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

/// For each entity, in ascending id: by how much its id is greater than the one before, and its
/// slots.
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
    const auto moves = write_moves(builder, header, frame, entities, scratch);
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
