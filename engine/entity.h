#pragma once

#include "engine/geometry.h"
#include "engine/ids.h"
#include "engine/state.h"
#include "engine/view.h"

#include <cstdint>

namespace marchland::engine {

/// What an entity is in, and what it sees.
struct Layers {
    LayerMask layers = kDefaultLayer;
    LayerMask layers_seen = kDefaultLayer;

    friend bool operator==(const Layers&, const Layers&) = default;
};

/// All that is known of an entity, own or ghost: what a shard sends its neighbours about it.
///
/// Roles: a watcher has a view; a marker is in some layer. Most entities are both.
struct Entity {
    EntityId id{};
    /// The tick in which this life of the id began. The same id with another birth is another
    /// entity: whoever knew the old one is sent its leave before the enter of the new one.
    Tick birth = kNever;

    Position position;  ///< decides who sees it
    // Its trajectory: where watchers have it, who go on with the velocity from tick to tick. Its
    // owner renews it, for all watchers alike: InterestSystem::renew_trajectories.
    Position shown;            ///< at the end of `moved_tick`
    Tick moved_tick = kNever;  ///< in which it was renewed last
    Step velocity;             ///< since then; none where every move is sent
    /// From where the trajectory before would have it at the end of `moved_tick` to `shown`.
    Step renewed_by = kNotSent;
    /// Watchers may not have been sent the trajectory before, or it is too far: they get all of the
    /// new one.
    static constexpr Step kNotSent{-32'768, 0, 0};

    LayerMask layers = kDefaultLayer;
    LayerMask layers_seen = kDefaultLayer;
    View view;
    /// Where it faces, which is where a sector opens to. Others are sent it as a slot, if the zone
    /// has one for it.
    Angle facing = 0;
    std::uint16_t kind = 0;  ///< the game's own number, handed to watchers on enter
    NotifyRange notify;
    /// The game's own weight, 0 to 255: where a byte budget makes moves wait, those of an entity
    /// with twice the importance wait about half as long. Does not change in a life.
    std::uint8_t importance = 1;
    StatePtr state;
};

/// Where its trajectory has it at the end of a tick: of the last one in which it was renewed, or
/// later.
inline Position shown_at(const Entity& entity, Tick tick) {
    return entity.velocity == Step{}
               ? entity.shown
               : after_steps(entity.shown, entity.velocity, tick - entity.moved_tick);
}

}  // namespace marchland::engine
