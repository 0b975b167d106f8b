#pragma once

#include "engine/space.h"
#include "shards/border_batch.h"
#include "shards/carrier.h"
#include "shards/entity_port.h"
#include "shards/ids.h"
#include "shards/layout.h"
#include "shards/reach.h"
#include "shards/shard_metrics.h"
#include "shards/zone_options.h"

#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace marchland::shards {

/// An entity that is to enter the zone. `entity.birth`, `previous` and `moved_tick` are set by the
/// shard; the port may not be null.
struct Join {
    engine::Entity entity;
    std::shared_ptr<EntityPort> port;
};

/// Proof that the caller runs on the one thread that a shard belongs to, during one tick. Only the
/// driver of a zone makes one; it cannot be copied, so no other thread's work can capture it.
class OnShard {
public:
    OnShard(const OnShard&) = delete;
    OnShard& operator=(const OnShard&) = delete;
    [[nodiscard]] engine::Tick tick() const { return tick_; }

private:
    friend class ZoneThreads;
    friend class Lockstep;
    explicit OnShard(engine::Tick tick) : tick_(tick) {}
    engine::Tick tick_;
};

/// One shard: the entities of one region, their index, and one tick after another.
///
///   before_gate:  1 ingest   2 apply   3 publish
///   ---- gate     (the driver waits here, for all shards)
///   after_gate:   4 absorb   5 interest   6 emit
///
/// An entity that crosses in a tick is handed over in 3 and watches from its new shard in 5.
///
/// Threads  Everything that takes an OnShard: the shard's one thread, which is checked. post_join:
///          any thread.
/// Life     Made and destroyed by its Zone.
class Shard {
public:
    Shard(ShardId id, const ZoneOptions& options, const Layout& layout, const Reach& reach,
          Carrier& carrier, FrameOutlet& outlet);

    /// Any thread. The entity is in the world from the next tick on.
    void post_join(Join join);

    void before_gate(const OnShard& here);
    /// `missing`: how many shards' news of this tick had not come when the gate opened.
    void after_gate(const OnShard& here, std::size_t missing);

    [[nodiscard]] ShardMetrics& metrics() { return metrics_; }
    [[nodiscard]] ShardId id() const { return id_; }

    /// For tests and reports, between ticks: the entities that this shard owns, in ascending id.
    [[nodiscard]] std::vector<engine::EntityId> owned_ids() const;

private:
    const ShardId id_;
    ShardMetrics metrics_;
};

}  // namespace marchland::shards
