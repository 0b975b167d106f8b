#pragma once

#include "net/messages.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

/// Any valid message and its parts, the ends of every range among them.
///
/// Each call draws a value of the property that calls it, which shrinks: call them in a property
/// only. They are plain functions since RapidCheck's own ways to build a struct take the compiler
/// seconds for each.
namespace marchland::tests {

/// `min` to `max`; 0 and both ends come often.
std::int64_t any_between(std::int64_t min, std::int64_t max);

template <typename Number>
Number any_number() {
    using Limits = std::numeric_limits<Number>;
    return static_cast<Number>(any_between(Limits::min(), Limits::max()));
}
template <>
std::uint64_t any_number<std::uint64_t>();

bool any_bool();
std::string any_text(std::size_t bytes_max = 100);

template <typename T>
std::optional<T> maybe(T (*draw)()) {
    return any_bool() ? std::optional(draw()) : std::nullopt;
}

/// Small, so that a list of them stays within the largest message.
template <typename T>
std::vector<T> any_few(T (*draw)()) {
    std::vector<T> few(static_cast<std::size_t>(any_between(0, 5)));
    for (T& each : few) {
        each = draw();
    }
    return few;
}

engine::Position any_position();
engine::Step any_step();
/// Of any shape that a zone of these dimensions has, every size in order.
engine::View any_view_in(engine::Dimensions dimensions);
engine::EntityId any_id();
std::vector<std::byte> any_blob();
/// In ascending number, of all types.
std::vector<engine::StateWrite> any_state();
net::Positions any_positions();
/// Of a player or a service; none that is skipped.
net::ClientMessage any_client_message();

/// Of either side, as a later version may send it: not drawn, and of a type that the schema does
/// not have.
std::vector<std::byte> message_of_unknown_type(bool is_optional);

}  // namespace marchland::tests
