#pragma once

#include "net/messages.h"
#include "marchland_generated.h"

namespace marchland::net {

/// What a server sends to a service, of a verified message of such a type: for decode_server. What is
/// wrong; nullptr when all is well.
const char* decode_to_service(const wire::Message& message, ServerMessage& into);

}  // namespace marchland::net
