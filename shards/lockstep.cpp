#include "shards/lockstep.h"

#include "engine/assert.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace marchland::shards {

void Lockstep::step_to(engine::Tick tick) {
    MARCHLAND_ASSERT(tick > tick_);
    for (const ShardId id : zone_.running_shards()) {
        zone_.shard(id).note_gap(tick_, tick);
    }
    tick_ = tick - 1;
    step();
}

engine::Tick Lockstep::step_with_late(std::span<const ShardId> late) {
    ++tick_;
    zone_.note_server_time(in_tick(tick_).server_time_us());
    std::vector<ShardId> on_time;
    std::vector<ShardId> overrunning;
    for (const ShardId id : zone_.running_shards()) {
        (std::ranges::count(late, id) == 0 ? on_time : overrunning).push_back(id);
    }
    const auto run = [&](std::span<const ShardId> ids) {
        for (const ShardId id : ids) {
            begin(id, tick_);
        }
        for (const ShardId id : ids) {
            finish(id, tick_);
        }
    };
    run(on_time);
    run(overrunning);
    retire_drained();
    return tick_;
}

void Lockstep::begin(ShardId shard, engine::Tick tick) {
    zone_.shard(shard).before_gate(in_tick(tick), zone_.begin_tick(shard, tick));
}

void Lockstep::finish(ShardId shard, engine::Tick tick) {
    const MissingBatches missing =
        zone_.transport().await(tick, std::chrono::steady_clock::time_point{});
    zone_.shard(shard).after_gate(in_tick(tick), missing);
}

OnShard Lockstep::in_tick(engine::Tick tick) const {
    return {tick, pace_, tick * 1'000'000 / zone_.options().tick_rate_hz};
}

engine::Tick Lockstep::change_layout(Layout layout) {
    return zone_.change_layout(std::move(layout), 1, [](const Zone::Newcomers&) {});
}

void Lockstep::retire_drained() {
    for (const ShardId id : zone_.running_shards()) {
        if (zone_.shard(id).is_drained()) {
            // One that may not go yet is asked again after the next step.
            static_cast<void>(zone_.retire(id));
        }
    }
}

}  // namespace marchland::shards
