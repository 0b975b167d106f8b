#pragma once

#include "shards/carrier.h"
#include "shards/layout.h"
#include "shards/reach.h"
#include "shards/shard.h"
#include "shards/zone_options.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

namespace marchland::shards {

/// One map: its layout, its shards and what connects them. A Zone has no clock and no threads of
/// its own: ZoneThreads runs it in real time, Lockstep by hand.
class Zone {
public:
    /// The options and the layout have been validated, and share one world. The outlet outlives it.
    Zone(const ZoneOptions& options, Layout layout, FrameOutlet& outlet);

    /// A new id, never given before in this zone. Any thread.
    engine::EntityId new_id();

    /// Any thread. False when the zone holds entities_max already: nothing happened then. An id may
    /// join again once its port's on_removed() was called.
    [[nodiscard]] bool join(Join join);

    [[nodiscard]] const ZoneOptions& options() const { return options_; }
    [[nodiscard]] const Layout& layout() const { return layout_; }
    [[nodiscard]] std::size_t shard_count() const { return shards_.size(); }
    [[nodiscard]] Shard& shard(ShardId id);
    [[nodiscard]] Carrier& carrier() { return *carrier_; }
    /// Entities in the zone, those still on their way in included. Any thread.
    [[nodiscard]] std::size_t entity_count() const;

private:
    const ZoneOptions options_;
    const Layout layout_;
    const Reach reach_;
    const std::unique_ptr<Carrier> carrier_;
    std::atomic<std::uint64_t> next_id_{1};
    std::atomic<std::size_t> entity_count_{0};
    std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace marchland::shards
