#pragma once

#include "engine/geometry.h"
#include "engine/ids.h"
#include "shards/ids.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace marchland::shards {

/// Where one entity is.
struct Counted {
    engine::EntityId id{};
    engine::Position position;

    friend bool operator==(const Counted&, const Counted&) = default;
};

/// Who is where, asked of a zone that runs: for an operator who wants to see where the crowd is.
///
///   take() ── from which tick on ──► each shard counts what it owns, once ──► all of it
///
/// Where all shards run the same tick, everybody is counted once. One that skips it counts in a later
/// one: who crosses its border meanwhile may be counted twice, or not at all.
///
/// Threads  take: any but a shard's, one after another; a mutex guards what shards put down.
/// Bounds   Sixteen bytes and an id for each entity of the zone, while it is asked for.
/// Cost     Nobody asks: a relaxed load for each shard and tick.
class Census {
public:
    /// Who is to count, and from which tick on.
    struct Roll {
        engine::Tick from = engine::kNever;
        std::vector<ShardId> shards;
    };

    /// In ascending id. Nothing when a shard did not count within `wait_max`. A shard that is no more by
    /// then has put down that it owns nothing; `call` is asked when nobody's answer can be missed any more.
    std::optional<std::vector<Counted>> take(const std::function<Roll()>& call,
                                             std::chrono::milliseconds wait_max);

    /// A shard at the end of its tick: does anybody ask?
    [[nodiscard]] bool is_asked(engine::Tick now) const {
        return now >= from_.load(std::memory_order_relaxed);
    }
    /// If this shard has not counted yet, what it owns is this.
    void put_down(ShardId shard, std::span<const Counted> own);

private:
    static constexpr engine::Tick kNobodyAsks = std::numeric_limits<engine::Tick>::max();

    std::mutex asking_mutex_;  ///< held by whoever asks, until it has its answer
    std::atomic<engine::Tick> from_{kNobodyAsks};
    std::mutex mutex_;
    std::condition_variable is_counted_;
    // Guarded by mutex_.
    std::vector<ShardId> missing_;
    std::vector<Counted> counted_;
};

}  // namespace marchland::shards
