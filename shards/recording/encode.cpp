#include "shards/recording/encode.h"

#include "engine/assert.h"
#include "engine/frame/varint.h"

#include <array>
#include <span>
#include <string_view>

namespace marchland::shards {

namespace {

using engine::append_varint;

void append_signed(std::int64_t value, Bytes& out) {
    append_varint(engine::zigzag(value), out);
}

std::byte* write_position(engine::Position at, std::byte* out) {
    for (const std::int64_t coordinate : {at.x, at.y, at.z}) {
        out = engine::write_varint(engine::zigzag(coordinate), out);
    }
    return out;
}

void append_view(const engine::View& view, Bytes& out) {
    append_varint(static_cast<std::uint8_t>(view.shape), out);
    for (const std::int32_t size_mm :
         {view.radius_mm, view.leave_radius_mm, view.half_y_mm, view.leave_half_y_mm,
          view.half_z_mm, view.leave_half_z_mm}) {
        append_signed(size_mm, out);
    }
    append_varint(view.half_opening, out);
    append_varint(view.leave_half_opening, out);
}

void append_notify(const engine::NotifyRange& notify, Bytes& out) {
    append_signed(notify.radius_mm, out);
    append_signed(notify.leave_radius_mm, out);
}

void append_blob(const engine::Blob& blob, Bytes& out) {
    append_varint(blob ? blob->size() : 0, out);
    if (blob) {
        out.insert(out.end(), blob->begin(), blob->end());
    }
}

void append_messages(std::span<const engine::GameMessage> messages, Bytes& out) {
    append_varint(messages.size(), out);
    for (const engine::GameMessage& message : messages) {
        append_varint(message.kind, out);
        append_blob(message.payload, out);
    }
}

}  // namespace

void append_text(std::string_view text, Bytes& out) {
    for (const char letter : text) {
        out.push_back(static_cast<std::byte>(letter));
    }
}

void encode_mark(RecordKind kind, Bytes& out) {
    out.push_back(static_cast<std::byte>(kind));
}

void encode_layout(engine::Tick from, const Layout& layout, Bytes& out) {
    encode_mark(RecordKind::layout, out);
    append_varint(from, out);
    append_varint(layout.size(), out);
    for (const ShardId shard : layout.shards()) {
        const Region& region = layout.region(shard);
        append_varint(region.name.size(), out);
        append_text(region.name, out);
        for (const std::int64_t edge :
             {region.area.min_x, region.area.min_y, region.area.max_x, region.area.max_y}) {
            append_signed(edge, out);
        }
    }
}

void encode_tick_begin(const TickBegin& begin, engine::Tick before, Bytes& out) {
    MARCHLAND_ASSERT(begin.tick > before);
    encode_mark(RecordKind::tick_begin, out);
    append_varint(begin.tick - before, out);
    append_varint(begin.is_stale ? 1 : 0, out);
    append_varint(begin.ring_slowdown, out);
    append_varint(begin.frame_bytes_max, out);
}

void encode_inputs(engine::EntityId id, const Inputs& inputs, bool has_successor, Bytes& out) {
    // All of nearly every record: it is appended at once.
    std::array<std::byte, 1 + 5 * engine::kVarintBytesMax> begin{};
    std::byte* end = begin.data();
    *end++ = static_cast<std::byte>(RecordKind::inputs);
    end = engine::write_varint(to_number(id), end);
    end = engine::write_varint(
        (inputs.move ? 1U : 0U) | (inputs.view ? 2U : 0U) | (inputs.facing ? 4U : 0U) |
            (inputs.layers ? 8U : 0U) | (inputs.notify ? 16U : 0U) | (inputs.leave ? 32U : 0U) |
            (inputs.state.empty() ? 0U : 64U) | (inputs.messages.empty() ? 0U : 128U) |
            (inputs.keyframe ? 256U : 0U) | (has_successor ? 512U : 0U) |
            (inputs.port_state ? 1024U : 0U),
        end);
    if (inputs.move) {
        end = write_position(*inputs.move, end);
    }
    out.insert(out.end(), begin.data(), end);
    if (inputs.view) {
        append_view(*inputs.view, out);
    }
    if (inputs.facing) {
        append_varint(*inputs.facing, out);
    }
    if (inputs.layers) {
        append_varint(inputs.layers->layers, out);
        append_varint(inputs.layers->layers_seen, out);
    }
    if (inputs.notify) {
        append_notify(*inputs.notify, out);
    }
    if (!inputs.state.empty()) {
        engine::append_packed(inputs.state, out);
    }
    if (!inputs.messages.empty()) {
        append_messages(inputs.messages, out);
    }
    if (inputs.port_state) {
        append_varint(inputs.port_state->authority, out);
        append_varint(inputs.port_state->speed_percent, out);
        append_varint(inputs.port_state->frames_hz, out);
        append_varint(inputs.port_state->message_number, out);
    }
}

void encode_join(const engine::Entity& entity, bool takes_frames, Bytes& out) {
    encode_mark(RecordKind::join, out);
    append_varint(to_number(entity.id), out);
    append_varint(takes_frames ? 1 : 0, out);
    for (const std::int64_t coordinate :
         {entity.position.x, entity.position.y, entity.position.z}) {
        append_signed(coordinate, out);
    }
    append_varint(entity.layers, out);
    append_varint(entity.layers_seen, out);
    append_view(entity.view, out);
    append_varint(entity.facing, out);
    append_varint(entity.kind, out);
    append_notify(entity.notify, out);
    append_varint(entity.importance, out);
    engine::append_packed(engine::writes_of(entity.state), out);
}

void encode_unframed(engine::EntityId id, Bytes& out) {
    encode_mark(RecordKind::unframed, out);
    append_varint(to_number(id), out);
}

void encode_gone(engine::EntityId id, Bytes& out) {
    encode_mark(RecordKind::gone, out);
    append_varint(to_number(id), out);
}

void encode_tick_end(std::uint64_t frames_check, Bytes& out) {
    encode_mark(RecordKind::tick_end, out);
    append_u64(frames_check, out);
}

}  // namespace marchland::shards
