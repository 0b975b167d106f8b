#include "shards/layout/layout_epoch.h"

namespace marchland::shards {

LayoutEpoch::LayoutEpoch(const LayoutEpoch* before, engine::Tick from_, Layout layout_,
                         std::int32_t leave_radius_mm_max, std::int32_t hysteresis_mm)
    : number(before == nullptr ? 0 : before->number + 1),
      from(from_),
      layout(std::move(layout_)),
      reach(layout, leave_radius_mm_max, hysteresis_mm),
      informer((before == nullptr ? layout : before->layout).shards().front()) {
    for (const ShardId shard : layout.shards()) {
        const bool was_there = before != nullptr && before->layout.contains(shard);
        came_with_[to_number(shard)] = was_there ? before->came_with(shard) : number;
    }
}

}  // namespace marchland::shards
