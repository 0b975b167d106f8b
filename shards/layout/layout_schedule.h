#pragma once

#include "engine/ids.h"
#include "shards/border/reach.h"
#include "shards/ids.h"
#include "shards/layout/layout.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace marchland::shards {

/// The ticks that one layout is in force in, and what follows from that layout. Which epoch a tick
/// belongs to is decided before any shard begins it, so all shards run it under one layout, also
/// one that is late.
///
/// Threads  Immutable: shared by all shards, and kept alive by the last that runs under it.
struct LayoutEpoch {
    /// `before`: the epoch that it follows; null for the first.
    LayoutEpoch(const LayoutEpoch* before, engine::Tick from_, Layout layout_,
                std::int32_t leave_radius_mm_max, std::int32_t hysteresis_mm);

    const std::uint64_t number;  ///< 0 for the layout that the zone began with, then 1, 2, ...
    const engine::Tick from;     ///< its first tick
    const Layout layout;
    const Reach reach;
    /// The first shard of the layout before: it sends newcomers what nobody else may still know.
    const ShardId informer;

    /// The epoch that `shard` came with, and has been in every layout since. It has a region in
    /// this one.
    [[nodiscard]] std::uint64_t came_with(ShardId shard) const {
        return came_with_[to_number(shard)];
    }

    /// By shard.
private:
    std::array<std::uint64_t, kShardsMax> came_with_{};
};

using EpochPtr = std::shared_ptr<const LayoutEpoch>;

/// Which layout is in force in which tick, and which ticks the shards have begun.
///
///        epoch 0          | epoch 1                    an epoch begins after every tick that any
///   tick 1  2  3  4  5  6 | 7  8  9 ...                shard has begun: so none runs a tick under
///            late ^     ^ newest begun                 one layout and learns of another afterwards
///
/// Invariants
///  1. A tick that some shard has begun keeps its epoch.
///  2. Every epoch that a running shard may still begin a tick in is here.
/// Threads  One at a time: the zone's mutex sees to that.
class LayoutSchedule {
public:
    /// `before`: the tick before the first one.
    explicit LayoutSchedule(EpochPtr first, engine::Tick before = engine::kNever);

    [[nodiscard]] const EpochPtr& newest() const { return epochs_.back(); }
    /// The epoch that `tick` belongs to.
    [[nodiscard]] const EpochPtr& at(engine::Tick tick) const;
    /// Of the next tick that nobody has begun.
    [[nodiscard]] const EpochPtr& upcoming() const { return at(newest_begun_ + 1); }
    [[nodiscard]] engine::Tick newest_begun() const { return newest_begun_; }
    /// Epochs that some shard may still begin a tick in.
    [[nodiscard]] std::size_t size() const { return epochs_.size(); }

    /// The first tick that a new epoch may begin in, `notice` ticks (1 or more) after the newest
    /// that has begun.
    [[nodiscard]] engine::Tick next_start(engine::Tick notice) const;
    /// Its `from` comes from next_start.
    void add(EpochPtr epoch);

    /// The shard runs ticks from `first` on.
    void start(ShardId shard, engine::Tick first);
    /// The shard begins `tick`; its epoch.
    const EpochPtr& begin(ShardId shard, engine::Tick tick);
    /// The shard has run its last tick.
    void end(ShardId shard);

    /// Is the shard part of a layout whose epoch has begun for it, or is still to come?
    [[nodiscard]] bool is_needed(ShardId shard) const;
    /// Has it begun a tick under the newest layout?
    [[nodiscard]] bool has_begun_newest(ShardId shard) const {
        return begun_[to_number(shard)] >= newest()->from;
    }
    /// Those that run `tick`, in ascending order.
    [[nodiscard]] std::vector<ShardId> running_in(engine::Tick tick) const;

private:
    static constexpr engine::Tick kNotRunning = UINT64_MAX;

    void forget_past();

    std::deque<EpochPtr> epochs_;                 ///< ascending `from`; never empty
    std::array<engine::Tick, kShardsMax> begun_;  ///< by shard: its newest tick, or kNotRunning
    engine::Tick newest_begun_;
};

}  // namespace marchland::shards
