#pragma once

#include "engine/geometry.h"
#include "engine/ids.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace marchland::engine {

enum class Shape : std::uint8_t {
    none,    ///< sees nothing: a marker
    circle,  ///< a circle in a flat zone, a sphere in a zone of three dimensions
};

/// What a watcher sees: whatever is inside the enter range, and whatever it saw at its last frame
/// and is still inside the leave range. Both bounds are inclusive.
///
///          .-------------.     between the two an entity stays as it was: seen or unseen. So one
///        .'   .-----.     '.   that paces on the bound of the view does not flicker.
///       (    ( enter )leave )
///        '.   '-----'     .'   0 <= radius_mm <= leave_radius_mm
///          '-------------'
struct View {
    Shape shape = Shape::none;
    std::int32_t radius_mm = 0;
    std::int32_t leave_radius_mm = 0;

    friend bool operator==(const View&, const View&) = default;

    static constexpr View circle(std::int32_t radius_mm, std::int32_t leave_radius_mm) {
        return {Shape::circle, radius_mm, leave_radius_mm};
    }
};

/// Up to kBlobBytesMax opaque bytes that the game gives an entity; its watchers get them on enter.
/// Shared and immutable, so that a shard and its neighbours' ghosts point at one copy.
using Blob = std::shared_ptr<const std::vector<std::byte>>;
inline constexpr std::size_t kBlobBytesMax = 1024;

/// All that is known of an entity, own or ghost: what a shard tells its neighbours about it.
///
/// Roles: a watcher has a view; a marker is in some layer. Most entities are both.
struct Entity {
    EntityId id{};
    /// The tick in which this life of the id began. The same id with another birth is another
    /// entity: whoever knew the old one is told that it left before the new one enters.
    Tick birth = kNever;

    Position position;
    /// Where it was at the end of the tick before `moved_tick`.
    Position previous;
    /// The last tick at whose end the position differed from that of the tick before.
    Tick moved_tick = kNever;
    /// What `moved_tick` was before this tick's first move, for a move that is undone in its tick.
    Tick moved_tick_before = kNever;
    /// False when `previous` may not be what watchers were told last (the news came late): then
    /// they get the whole position instead of the difference.
    bool previous_was_told = true;

    LayerMask layers = kDefaultLayer;
    LayerMask layers_seen = kDefaultLayer;
    View view;

    std::uint16_t kind = 0;  ///< the game's own number, handed to watchers on enter
    Blob blob;               ///< may be null: no bytes
};

}  // namespace marchland::engine
