#pragma once

#include "engine/entity_store.h"
#include "engine/frame/frame.h"
#include "net/service_messages.h"

#include <flatbuffers/flatbuffer_builder.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace marchland::net {

/// What a frame holds besides what changed.
struct FrameHeader {
    std::uint32_t move_ack = 0;  ///< of the newest of the client's own moves that is in this tick
    bool border_stale = false;
    std::uint32_t time_scale_percent = 100;
    std::uint64_t server_time_us = 0;
    std::int32_t quantum_mm = 1;  ///< what all positions are multiples of
    /// The number of a correction: the watcher's own position is sent with it.
    std::optional<std::uint32_t> correction = {};
    engine::EntityId tag{};                              ///< to a service: the watcher
    std::span<const engine::GameMessage> messages = {};  ///< to a player, of services
    bool messages_lost = false;                          ///< some before these did not reach it
    bool messages_wait = false;                          ///< there was no room for more
    bool reads_ranks = false;                            ///< moves may be named by rank
};

/// Writes a frame straight from the records that it names, length prefix included: the bytes go to
/// the socket as they are. They are the builder's own, valid until it is used again.
///
/// Threads  Any number at once, each with a builder of its own; the store is only read.
/// Cost     O(leaves + enters + moves); with moves by rank O(known) besides; allocates only while
///          the builder, or the calling thread's scratch memory, grows.
/// Bounds   About 90 bytes + 16 a leave, 54 + its state an enter, 34 a move at most, 11 + its slots
///          a state, 24 + its bytes a message.
std::span<const std::byte> write_frame(flatbuffers::FlatBufferBuilder& builder,
                                       const FrameHeader& header, const engine::Frame& frame,
                                       const engine::EntityStore& entities);

}  // namespace marchland::net
