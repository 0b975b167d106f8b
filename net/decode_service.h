#pragma once

#include "net/messages.h"
#include "marchland_generated.h"

#include <variant>

namespace marchland::net {

/// What a service says, of a verified message whose type is one of a service's: for decode_client.
/// Errors as there; and `too_large` for more than kServiceItemsMax of anything in one message, so
/// that what is made of a message is bounded however often it names the same bytes.
std::variant<ClientMessage, ErrorMessage> decode_service(const wire::Message& message);

}  // namespace marchland::net
