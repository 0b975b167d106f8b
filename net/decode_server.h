#pragma once

#include "net/messages.h"

#include <cstddef>
#include <optional>
#include <span>

namespace marchland::net {

/// What a server sends, from foreign bytes: one whole message, its length prefix included, that
/// begins at a multiple of 8. Nothing when all is well; otherwise what is wrong, always
/// `malformed`, and `into` is not to be used.
///
/// A frame that is in `into` already gives its lists' memory to the next one.
std::optional<ErrorMessage> decode_server(std::span<const std::byte> message, ServerMessage& into);

/// The same for who wants only to keep up: `into` gets all of a frame but its lists, which are not
/// read and stay empty. False when it is another message, or none: decode_server() returns which.
bool decode_frame_head(std::span<const std::byte> message, FrameMessage& into);

}  // namespace marchland::net
