#pragma once

#include "net/messages.h"
#include "marchland_generated.h"

#include <cstddef>
#include <variant>

namespace marchland::net {

/// What a service sends, of a verified message whose type is one of a service's: for decode_client.
/// Errors as there; and `too_large` for more than kServiceItemsMax of anything in one message, and
/// `malformed` when blobs, payloads and targets add up to more than `message_bytes`, the whole
/// message's: so what is made of it is bounded however often it names the same bytes.
std::variant<ClientMessage, ErrorMessage> decode_service(const wire::Message& message,
                                                         std::size_t message_bytes);

}  // namespace marchland::net
