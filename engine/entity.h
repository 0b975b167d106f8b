#pragma once

#include "engine/geometry.h"
#include "engine/ids.h"
#include "engine/view.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace marchland::engine {

/// Up to kBlobBytesMax opaque bytes that the game gives an entity; its watchers get them on enter.
/// Shared and immutable, so that a shard and its neighbours' ghosts point at one copy.
using Blob = std::shared_ptr<const std::vector<std::byte>>;
inline constexpr std::size_t kBlobBytesMax = 1024;

/// None where it is null.
inline std::span<const std::byte> bytes_of(const Blob& blob) {
    return blob == nullptr ? std::span<const std::byte>{} : std::span(*blob);
}

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
    /// False when `previous` may not be what watchers were sent last (the news came late): then
    /// they get the whole position instead of the difference.
    bool previous_was_sent = true;
    /// The game's own weight, 0 to 255: where a byte budget makes moves wait, those of an entity with
    /// twice the importance wait about half as long. Does not change in a life.
    std::uint8_t importance = 1;

    LayerMask layers = kDefaultLayer;
    LayerMask layers_seen = kDefaultLayer;
    View view;
    /// Where it faces, which is where a sector opens to. Others are not sent it.
    Angle facing = 0;
    std::uint16_t kind = 0;  ///< the game's own number, handed to watchers on enter
    NotifyRange notify;
    Blob blob;  ///< may be null: no bytes
};

}  // namespace marchland::engine
