#pragma once

#include "engine/entity_store.h"
#include "engine/frame/departures.h"
#include "engine/frame/known_set.h"
#include "engine/frame/message_logs.h"
#include "engine/geometry.h"
#include "engine/index/index.h"
#include "engine/state.h"
#include "engine/sweep/notify_sources.h"

#include <span>
#include <vector>

namespace marchland::engine {

/// All that a frame is made from, at the end of one tick.
struct World {
    const EntityStore& entities;
    const Index* index;  ///< up to date; null where no loose watcher is to get a frame
    const NotifySources& notify_sources;  ///< the entities with a notification range
    const Departures& departures;
    const MessageLogs& message_logs;
    // By slot of those that watch; whoever builds a watcher's frame writes its own.
    std::span<std::vector<SentMessages>> sent_messages;  ///< KnownSet::sent_messages
    std::span<Waiting> waiting;         ///< KnownSet::waiting; empty where there are no limits
    std::span<std::vector<Owed>> owed;  ///< KnownSet::owed; empty where the zone has no slots
    const SlotTicks& state_ticks;
    const StateAudiences& audiences;
    Dimensions dimensions;
    Tick now;
    std::uint64_t build = 0;            ///< Frame::build
    std::uint32_t ring_slowdown = 1;    ///< InterestSystem::slow_rings
    std::uint32_t frame_bytes_max = 0;  ///< InterestSystem::lower_budgets; 0: as CrowdLimits say
    Tick forgotten_before = kNever;     ///< InterestSystem::forgotten_before
};

}  // namespace marchland::engine
