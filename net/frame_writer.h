#pragma once

#include "engine/entity_store.h"
#include "engine/frame.h"

#include <flatbuffers/flatbuffer_builder.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace marchland::net {

/// What a frame says besides what changed.
struct FrameHeader {
    std::uint32_t move_ack = 0;  ///< of the newest of the client's own moves that is in this tick
    bool border_stale = false;
    std::uint32_t time_scale_percent = 100;
};

/// Writes a frame straight from the records that it names, length prefix included: the bytes go to
/// the socket as they are. They are the builder's own, valid until it is used again.
///
/// Threads  Any number at once, each with a builder of its own; the store is only read.
/// Cost     O(leaves + enters + moves); allocates only while the builder, or the calling thread's
///          scratch memory, grows.
/// Bounds   About 60 bytes + 16 a leave, 48 + its blob an enter, 25 a move at most.
std::span<const std::byte> write_frame(flatbuffers::FlatBufferBuilder& builder,
                                       const FrameHeader& header, const engine::Frame& frame,
                                       const engine::EntityStore& entities);

}  // namespace marchland::net
