#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace marchland::engine {

/// Names one entity in the whole zone, for its whole life. 0 is an id like any other.
enum class EntityId : std::uint64_t {};

constexpr std::uint64_t to_number(EntityId id) {
    return static_cast<std::uint64_t>(id);
}

/// Ticks are counted from 1; kNever (0) is before the first.
using Tick = std::uint64_t;
inline constexpr Tick kNever = 0;

/// An id may go and come again: it is another life then, with another birth.
struct Life {
    EntityId id{};
    Tick birth = kNever;

    friend auto operator<=>(const Life&, const Life&) = default;
};

struct LifeHash {
    std::size_t operator()(const Life& life) const {
        return std::hash<std::uint64_t>{}(to_number(life.id) * 0x9e3779b97f4a7c15U ^ life.birth);
    }
};

/// Where an entity's record stands in one EntityStore. Means nothing in any other store, and is
/// used again once the entity is gone: never keep one across a tick without owning the entity.
enum class Slot : std::uint32_t {};

constexpr std::uint32_t to_number(Slot slot) {
    return static_cast<std::uint32_t>(slot);
}

/// All slots are below this.
inline constexpr std::uint32_t kSlotsMax = std::uint32_t{1} << 28U;

/// One bit a layer: what an entity is in, or what a watcher sees (phases, instances, stealth).
using LayerMask = std::uint32_t;
inline constexpr LayerMask kNoLayers = 0;
inline constexpr LayerMask kDefaultLayer = 1;

}  // namespace marchland::engine
