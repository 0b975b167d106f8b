#pragma once

#include "engine/entity.h"
#include "engine/ids.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace marchland::engine {

/// Something that an entity says once, to whoever sees it or to some by name: a blow, a shout, a
/// letter. docs/visibility.md says who is told, and when.
struct EntityEvent {
    Blob payload;              ///< up to kEventBytesMax; null: no bytes
    std::vector<EntityId> to;  ///< empty: whoever sees the source; else those named, seen or not
};

inline constexpr std::size_t kEventBytesMax = 1024;
inline constexpr std::size_t kEventTargetsMax = 64;
/// Of one entity, from one port.
inline constexpr std::size_t kEventsPerTickMax = 16;
/// Of one entity whose port changed in the tick, maybe more than once: what is above is not taken.
inline constexpr std::size_t kEventsOfAllPortsMax = 64;

/// Is it within the limits? Whoever fills Inputs has checked.
inline bool is_sound(const EntityEvent& event) {
    return event.to.size() <= kEventTargetsMax &&
           (event.payload == nullptr || event.payload->size() <= kEventBytesMax);
}

/// An event, as a frame tells it.
struct EventDelivered {
    EntityId source{};
    Tick tick = kNever;  ///< in which it was sent: earlier than the frame's if frames were left out
    std::span<const std::byte> payload;
};

}  // namespace marchland::engine
