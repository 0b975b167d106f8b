#pragma once

#include "net/messages.h"

#include <cstddef>
#include <span>
#include <variant>

namespace marchland::net {

/// What a client sends, from foreign bytes: one whole message, its length prefix included, that
/// begins at a multiple of 8. Otherwise the error to answer with:
///
///   malformed            not a message, or a view that is not sound in any zone; or blobs,
///                        payloads and targets add up to more bytes than the message has: so what
///                        is made of it is bounded however often it names the same
///   too_large            a blob of more than kBlobBytesMax bytes, or more than kServiceItemsMax of
///                        anything
///   unsupported_version  a Hello of another major version; the rest of it is not looked at
///   out_of_order         a message that only a server sends
///
/// Whether the message is legal now, and its values in this zone, is for the session to decide.
std::variant<ClientMessage, ErrorMessage> decode_client(std::span<const std::byte> message);

}  // namespace marchland::net
