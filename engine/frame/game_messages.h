#pragma once

#include "engine/entity.h"
#include "engine/ids.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace marchland::engine {

/// Something that is sent once to whoever sees an entity, its source: a blow, a shout.
/// docs/visibility.md says who is sent it, and when.
struct GameMessage {
    std::uint16_t kind = 0;  ///< the game's own
    Blob payload;            ///< up to kMessageBytesMax; null: no bytes
};

inline constexpr std::size_t kMessageBytesMax = 1024;
/// Of one entity, from one port.
inline constexpr std::size_t kMessagesPerTickMax = 16;
/// Of one entity whose port changed in the tick, maybe more than once: what is above is not taken.
inline constexpr std::size_t kMessagesOfAllPortsMax = 64;

/// Is it within the limits? Whoever sends it has checked.
inline bool is_sound(const GameMessage& message) {
    return message.payload == nullptr || message.payload->size() <= kMessageBytesMax;
}

/// A message, as a frame has it.
struct DeliveredMessage {
    EntityId source{};
    Tick tick = kNever;  ///< in which it was sent: earlier than the frame's if frames were left out
    std::uint16_t kind = 0;
    std::span<const std::byte> payload;
};

struct KeptMessage {
    Tick tick = kNever;
    std::uint32_t number = 0;  ///< counts what its source sent in that tick, from 0
    std::uint16_t kind = 0;
    Blob payload;

    [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_of(payload); }
    /// In the memory's model: the payload and something for the rest.
    [[nodiscard]] std::size_t cost() const { return bytes().size() + 64; }
};

}  // namespace marchland::engine
