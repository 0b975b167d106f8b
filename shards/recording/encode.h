#pragma once

#include "engine/entity.h"
#include "engine/frame/varint.h"
#include "engine/ids.h"
#include "shards/entity_port.h"
#include "shards/layout/layout.h"
#include "shards/recording/format.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace marchland::shards {

using Bytes = std::vector<std::byte>;

// Each appends one record of a recording, the kind included. Values are the zone's own, and so within
// its limits.

void encode_layout(engine::Tick from, const Layout& layout, Bytes& out);
/// `before`: the tick that was recorded before, or kNever.
void encode_tick_begin(const TickBegin& begin, engine::Tick before, Bytes& out);
void encode_inputs(engine::EntityId id, const Inputs& inputs, bool has_successor, Bytes& out);
void encode_join(const engine::Entity& entity, bool takes_frames, Bytes& out);
void encode_unframed(engine::EntityId id, Bytes& out);
void encode_gone(engine::EntityId id, Bytes& out);
void encode_tick_end(std::uint64_t frames_check, Bytes& out);
/// One that is nothing but its kind.
void encode_mark(RecordKind kind, Bytes& out);

/// Its bytes alone.
void append_text(std::string_view text, Bytes& out);

using engine::append_u32;
using engine::append_u64;

}  // namespace marchland::shards
