#pragma once

#include "net/messages.h"

#include <flatbuffers/flatbuffer_builder.h>

#include <cstddef>
#include <span>

namespace marchland::net {

/// What a server sends, length prefix included; not a frame (frame_writer.h has those). The bytes
/// are the builder's own, valid until it is used again.
std::span<const std::byte> encode(flatbuffers::FlatBufferBuilder& builder,
                                  const ServerMessage& message);

}  // namespace marchland::net
