#include "shards/lockstep.h"

#include <algorithm>
#include <vector>

namespace marchland::shards {

engine::Tick Lockstep::step_with_late(std::span<const ShardId> late) {
    std::vector<ShardId> on_time;
    for (std::size_t i = 0; i < zone_.shard_count(); ++i) {
        if (const auto id = static_cast<ShardId>(i); std::ranges::count(late, id) == 0) {
            on_time.push_back(id);
        }
    }
    const OnShard here(++tick_);
    const auto run = [&](std::span<const ShardId> ids, std::size_t missing) {
        for (const ShardId id : ids) {
            zone_.shard(id).before_gate(here);
        }
        for (const ShardId id : ids) {
            zone_.shard(id).after_gate(here, missing);
        }
    };
    run(on_time, late.size());
    run(late, 0);
    return tick_;
}

}  // namespace marchland::shards
