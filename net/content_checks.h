#pragma once

#include "engine/view.h"
#include "net/messages.h"
#include "marchland_generated.h"

#include <optional>

/// What is wrong with the content of a client's message, whatever zone it is meant for; whether it
/// fits the zone is for the session. Nothing when all is well.
namespace marchland::net {

std::optional<ErrorMessage> check_shape(const engine::View& view);
std::optional<ErrorMessage> check_blob(const flatbuffers::Vector<std::uint8_t>* blob);
std::optional<ErrorMessage> read_state(const flatbuffers::Vector<std::uint8_t>* packed,
                                       std::vector<engine::StateWrite>& into);
std::optional<ErrorMessage> check_transfer(const flatbuffers::String* address,
                                           const flatbuffers::Vector<std::uint8_t>* carried);
/// Not an error's cause, but the error: the text names both versions.
ErrorMessage other_major(std::uint16_t major, std::uint16_t minor);

}  // namespace marchland::net
