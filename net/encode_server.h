#pragma once

#include "net/messages.h"

#include <flatbuffers/flatbuffer_builder.h>

#include <cstddef>
#include <span>

namespace marchland::net {

/// What a server sends besides frames (frame_writer.h has those), length prefix included. The bytes
/// are the builder's own, valid until it is used again.
std::span<const std::byte> encode(flatbuffers::FlatBufferBuilder& builder, const Welcome& welcome);
std::span<const std::byte> encode(flatbuffers::FlatBufferBuilder& builder, const Pong& pong);
std::span<const std::byte> encode(flatbuffers::FlatBufferBuilder& builder,
                                  const ErrorMessage& error);
std::span<const std::byte> encode(flatbuffers::FlatBufferBuilder& builder, const Notice& notice);
std::span<const std::byte> encode(flatbuffers::FlatBufferBuilder& builder,
                                  const Transfer& transfer);
std::span<const std::byte> encode(flatbuffers::FlatBufferBuilder& builder,
                                  const ServiceWelcome& welcome);
std::span<const std::byte> encode(flatbuffers::FlatBufferBuilder& builder, const Spawned& spawned);
std::span<const std::byte> encode(flatbuffers::FlatBufferBuilder& builder,
                                  const PlayerJoined& joined);
std::span<const std::byte> encode(flatbuffers::FlatBufferBuilder& builder, const PlayerLeft& left);
std::span<const std::byte> encode(flatbuffers::FlatBufferBuilder& builder, const PlayerAway& away);
std::span<const std::byte> encode(flatbuffers::FlatBufferBuilder& builder, const PlayerBack& back);
std::span<const std::byte> encode(flatbuffers::FlatBufferBuilder& builder,
                                  const PlayerMessage& message);
std::span<const std::byte> encode(flatbuffers::FlatBufferBuilder& builder, const PlayerAsks& asks);
std::span<const std::byte> encode(flatbuffers::FlatBufferBuilder& builder, const PlayerMove& move);
std::span<const std::byte> encode(flatbuffers::FlatBufferBuilder& builder,
                                  const Positions& positions);
std::span<const std::byte> encode(flatbuffers::FlatBufferBuilder& builder,
                                  const MessagesLost& lost);
std::span<const std::byte> encode(flatbuffers::FlatBufferBuilder& builder,
                                  const PlayersListed& listed);
std::span<const std::byte> encode(flatbuffers::FlatBufferBuilder& builder,
                                  const CommandRefused& refused);

}  // namespace marchland::net
