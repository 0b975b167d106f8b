#pragma once

#include "engine/ids.h"
#include "shards/ids.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

namespace marchland::shards {

/// Which shard stands still? One that has been in the same tick for longer than it may, and has
/// built no frame for as long: whatever holds it up, and whether it has neighbours or not. One that
/// builds frames works, however late it is. Between two ticks a shard waits, which is no
/// standstill.
///
///   shard   begin(7) ──────────────────────────────────?        in tick 7 at every look
///   watch      look    look    look    look  ... look ──► stands still
///
/// What counts is the time between looks, and of each such time no more than two intervals: that a
/// process was stopped and went on (Ctrl-Z, a debugger) counts for a quarter of the maximum at
/// most. So it blames nobody but a shard that had stood for three quarters already.
///
/// Threads  begin and end: the shard's. look: one, the watcher's.
class StallWatch {
public:
    using Clock = std::chrono::steady_clock;

    struct Standstill {
        ShardId shard{};
        engine::Tick tick = engine::kNever;

        friend bool operator==(const Standstill&, const Standstill&) = default;
    };

    explicit StallWatch(Clock::duration stall_max) : stall_max_(stall_max) {}

    void begin(ShardId shard, engine::Tick tick) {
        running_[to_number(shard)].store(tick, std::memory_order_relaxed);
    }
    void end(ShardId shard) { begin(shard, engine::kNever); }

    /// How often to look: a standstill is seen at most so long after it has lasted for the maximum.
    [[nodiscard]] Clock::duration interval() const { return stall_max_ / 8; }
    /// The first shard, if any, that stands still.
    using Progress = std::function<std::uint64_t(ShardId)>;  ///< of a shard that is in a tick
    [[nodiscard]] std::optional<Standstill> look(Clock::time_point now, const Progress& progress);

private:
    struct Seen {
        engine::Tick tick = engine::kNever;
        std::uint64_t progress = 0;
        Clock::duration stood{};
    };

    const Clock::duration stall_max_;
    std::array<std::atomic<engine::Tick>, kShardsMax> running_{};  ///< by shard; kNever: in none
    // The watcher's.
    std::array<Seen, kShardsMax> seen_{};  ///< by shard
    std::optional<Clock::time_point> last_look_;
};

}  // namespace marchland::shards
