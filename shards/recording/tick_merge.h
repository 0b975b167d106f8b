#pragma once

#include "engine/ids.h"
#include "shards/ids.h"
#include "shards/layout/layout.h"
#include "shards/recording/records.h"
#include "shards/tick_clock.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <variant>
#include <vector>

namespace marchland::shards {

/// What one shard has to record of one tick: records, encoded.
struct ShardTick {
    ShardId shard{};
    engine::Tick tick = engine::kNever;
    Pace pace;                         ///< the same for all shards
    bool is_stale = false;             ///< it went on without another shard's border
    bool has_arrivals = false;         ///< somebody came or left
    std::uint64_t server_time_us = 0;  ///< when it was due
    Bytes inputs;                      ///< of entities that it owned before the tick
    Bytes gone;                        ///< for the state only
    Bytes joins;                       ///< and the inputs of those that joined
    Bytes unframed;
    std::uint64_t frames_check = 0;

    [[nodiscard]] std::size_t size() const {
        return inputs.size() + gone.size() + joins.size() + unframed.size();
    }
};

/// `shard` records from tick `first` on.
struct ShardCame {
    ShardId shard{};
    engine::Tick first = engine::kNever;
};
struct ShardWent {
    ShardId shard{};
};
/// `from` is a tick that is not whole yet.
struct LayoutFrom {
    engine::Tick from = engine::kNever;
    Layout layout;
};
/// What a zone and its shards hand to whoever records them.
using ZoneRecord = std::variant<ShardCame, ShardWent, LayoutFrom, ShardTick>;

/// Puts the ticks of a zone together from those of its shards, which run at their own pace. A tick
/// is whole when every shard that takes part has recorded it, or a later one; one that not all of
/// them ran is marked as stale.
///
///   shard 0   1 2 3 4 5            whole: 1, 2 and 3; 3 is stale, for shard 1 left it out;
///   shard 1   1 2   4              4 waits for shard 2
///   shard 2   1 2 3
///
/// Order   Ticks ascend. In each: all shards' inputs, who is gone besides, then joins, then who got
///         no frame, shards ascending in each of these. So an id that leaves in one shard and joins
///         in another in the same tick leaves first.
/// Threads One at a time.
class TickMerge {
public:
    void add(ZoneRecord record);
    /// No shard records any more: whatever waits for one is as whole as it gets.
    void end() { is_over_ = true; }

    /// Appends the next tick to `out`, if it is whole by now, with the layouts that go before it.
    bool take_whole(Bytes& out);

    /// What waits for ticks to become whole.
    [[nodiscard]] std::size_t waiting_bytes() const { return waiting_bytes_; }
    /// Did anybody come or leave in one of them, or is a layout for one that is to come?
    [[nodiscard]] bool has_arrivals_waiting() const {
        return arrivals_waiting_ > 0 || !layouts_.empty();
    }
    [[nodiscard]] std::uint64_t tick_count() const { return tick_count_; }
    [[nodiscard]] std::uint64_t stale_tick_count() const { return stale_tick_count_; }

private:
    /// A shard from its first tick to its last.
    struct Part {
        ShardId shard{};
        engine::Tick first = engine::kNever;
        engine::Tick newest = engine::kNever;
        bool has_ended = false;
    };

    void take(const ShardCame& came);
    void take(ShardWent went);
    void take(const LayoutFrom& layout);
    void take(ShardTick tick);
    [[nodiscard]] Part& part_of(ShardId shard);
    [[nodiscard]] engine::Tick whole_up_to() const;
    [[nodiscard]] std::size_t parts_in(engine::Tick tick) const;
    /// Those that are in force up to this tick.
    void append_layouts(engine::Tick up_to, Bytes& out);
    void append_tick(std::vector<ShardTick> shards, Bytes& out);

    std::vector<Part> parts_;  ///< those that ended are kept until their last tick was taken
    std::map<engine::Tick, std::vector<ShardTick>> waiting_;
    std::vector<std::pair<engine::Tick, Bytes>> layouts_;  ///< ascending
    engine::Tick last_taken_ = engine::kNever;
    bool is_over_ = false;
    std::size_t waiting_bytes_ = 0;
    std::size_t arrivals_waiting_ = 0;  ///< ShardTicks in which somebody came or left
    std::uint64_t tick_count_ = 0;
    std::uint64_t stale_tick_count_ = 0;
};

}  // namespace marchland::shards
