#include "shards/zone.h"

#include "engine/assert.h"
#include "shards/local_carrier.h"

#include <utility>

namespace marchland::shards {

namespace {

/// At least a few: at one tick a second, a stall of two seconds is two ticks.
std::size_t stall_ticks_max(const ZoneOptions& options) {
    return std::size_t{options.shard_stall_ms_max} * options.tick_rate_hz / 1'000 + 4;
}

}  // namespace

Zone::Zone(const ZoneOptions& options, Layout layout, FrameOutlet& outlet)
    : options_(options),
      layout_(std::move(layout)),
      reach_(layout_, options_.leave_radius_mm_max, options_.border_hysteresis_mm),
      carrier_(std::make_unique<LocalCarrier>(layout_.size(), stall_ticks_max(options_))) {
    MARCHLAND_ASSERT(layout_.world() == options_.world);
    const ZoneContext context{options_, layout_, reach_, *carrier_, outlet, entity_count_};
    for (std::size_t i = 0; i < layout_.size(); ++i) {
        shards_.push_back(std::make_unique<Shard>(static_cast<ShardId>(i), context));
    }
}

engine::EntityId Zone::new_id() {
    return static_cast<engine::EntityId>(next_id_.fetch_add(1, std::memory_order_relaxed));
}

bool Zone::join(Join join) {
    std::size_t count = entity_count_.load(std::memory_order_relaxed);
    do {
        if (count >= options_.entities_max) {
            return false;
        }
    } while (!entity_count_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed));
    shard(layout_.owner_of(join.entity.position)).post_join(std::move(join));
    return true;
}

Shard& Zone::shard(ShardId id) {
    MARCHLAND_ASSERT(to_number(id) < shards_.size());
    return *shards_[to_number(id)];
}

std::size_t Zone::entity_count() const {
    return entity_count_.load(std::memory_order_relaxed);
}

}  // namespace marchland::shards
