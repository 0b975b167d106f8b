#pragma once

#include "engine/entity.h"
#include "engine/frame/content_log.h"
#include "engine/frame/departures.h"
#include "engine/frame/known_set.h"
#include "engine/frame/named_events.h"
#include "shards/ids.h"
#include "shards/own_entities.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace marchland::shards {

/// An entity changes its owner: everything the new one needs to go on in the same tick.
struct Handoff {
    engine::Entity entity;
    OwnRecord record;
    /// What its watcher knows; none for an entity that takes no frames.
    std::optional<engine::KnownSet> known;
};

struct GhostMove {
    engine::EntityId id{};
    engine::Position position;
};

/// What decides, beside its place, who sees it.
struct GhostChange {
    engine::EntityId id{};
    engine::LayerMask layers = engine::kNoLayers;
    engine::NotifyRange notify;
};

/// What somebody told before the receiver's time, and is to be known there: departures here, and last words
/// and named events beside all others.
struct CatchUp {
    std::vector<engine::RecordedDeparture> departed;
    /// The sender may have forgotten what happened before.
    engine::Tick forgotten_before = engine::kNever;
};

/// All that one shard has to tell another about one tick. Applied in the order of the members: so
/// an id that departs and is born again in one tick ends up alive.
struct BorderBatch {
    ShardId from{};
    engine::Tick tick = engine::kNever;
    std::uint64_t epoch = 0;  ///< of the layout that the sender ran this tick under

    CatchUp catch_up;                           ///< told to shards that are new
    std::vector<engine::Departure> departed;    ///< left the zone; told to every shard
    std::vector<engine::EntityId> ghosts_went;  ///< moved out of the receiver's reach
    std::vector<engine::Entity> ghosts_came;
    std::vector<GhostMove> ghosts_moved;
    std::vector<GhostChange> ghosts_changed;
    std::vector<Handoff> handoffs;
    /// Of those above that have any, of ghosts that the receiver holds and that have new ones, and of
    /// those that departed: their last words are told to every shard, as the departure is.
    std::vector<engine::EntityContent> content;
    std::vector<engine::NamedEvent> named;  ///< told to every shard

    [[nodiscard]] bool is_empty() const;
    /// Empties the lists and keeps their memory.
    void clear();
};

}  // namespace marchland::shards
