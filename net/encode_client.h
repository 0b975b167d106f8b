#pragma once

#include "net/messages.h"

#include <flatbuffers/flatbuffer_builder.h>

#include <cstddef>
#include <span>

namespace marchland::net {

/// What a client sends, length prefix included; not a SkippedMessage. The bytes are the builder's
/// own, valid until it is used again. Values are written as they are, wrong ones too.
std::span<const std::byte> encode(flatbuffers::FlatBufferBuilder& builder,
                                  const ClientMessage& message);

}  // namespace marchland::net
