#include "shards/layout/layout_schedule.h"

#include "engine/assert.h"

#include <algorithm>
#include <utility>

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

LayoutSchedule::LayoutSchedule(EpochPtr first) {
    begun_.fill(kNotRunning);
    epochs_.push_back(std::move(first));
}

const EpochPtr& LayoutSchedule::at(engine::Tick tick) const {
    auto epoch = epochs_.rbegin();
    while ((*epoch)->from > tick) {
        ++epoch;
        MARCHLAND_ASSERT(epoch != epochs_.rend());
    }
    return *epoch;
}

engine::Tick LayoutSchedule::next_start(engine::Tick notice) const {
    MARCHLAND_ASSERT(notice > 0);
    return std::max(newest_begun_ + notice, newest()->from + 1);
}

void LayoutSchedule::add(EpochPtr epoch) {
    MARCHLAND_ASSERT(epoch->from > newest_begun_ && epoch->from > newest()->from);
    epochs_.push_back(std::move(epoch));
}

void LayoutSchedule::start(ShardId shard, engine::Tick first) {
    MARCHLAND_ASSERT(begun_[to_number(shard)] == kNotRunning);
    begun_[to_number(shard)] = first - 1;
}

const EpochPtr& LayoutSchedule::begin(ShardId shard, engine::Tick tick) {
    engine::Tick& begun = begun_[to_number(shard)];
    MARCHLAND_ASSERT(begun < tick);
    begun = tick;
    newest_begun_ = std::max(newest_begun_, tick);
    forget_past();
    return at(tick);
}

void LayoutSchedule::end(ShardId shard) {
    MARCHLAND_ASSERT(begun_[to_number(shard)] != kNotRunning);
    begun_[to_number(shard)] = kNotRunning;
}

bool LayoutSchedule::is_needed(ShardId shard) const {
    const engine::Tick begun = begun_[to_number(shard)];
    return at(begun)->layout.contains(shard) ||
           std::ranges::any_of(epochs_, [&](const EpochPtr& epoch) {
               return epoch->from > begun && epoch->layout.contains(shard);
           });
}

std::vector<ShardId> LayoutSchedule::running_in(engine::Tick tick) const {
    std::vector<ShardId> running;
    for (std::size_t i = 0; i < begun_.size(); ++i) {
        if (begun_[i] < tick) {
            running.push_back(static_cast<ShardId>(i));
        }
    }
    return running;
}

/// The slowest shard may begin any tick after its newest one, and is_needed asks about that one.
void LayoutSchedule::forget_past() {
    if (epochs_.size() == 1) {
        return;
    }
    const engine::Tick slowest = *std::ranges::min_element(begun_);
    while (epochs_.size() > 1 && epochs_[1]->from <= slowest) {
        epochs_.pop_front();
    }
}

}  // namespace marchland::shards
