#pragma once

#include "engine/entity.h"
#include "engine/geometry.h"
#include "engine/ids.h"
#include "shards/ids.h"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace marchland::shards {

/// Where one entity is.
struct Counted {
    engine::EntityId id{};
    engine::Position position;

    friend bool operator==(const Counted&, const Counted&) = default;
};

/// Where the players are whose entities one shard owns, at the end of a tick.
struct OwnPlayers {
    engine::Tick tick = engine::kNever;
    std::size_t shard_count = 0;  ///< so many are in this tick's layout
    bool is_in_layout = false;    ///< one of these; else it still has some to hand over
    bool border_stale = false;    ///< a batch of this tick was missing: some may be on their way
    std::vector<Counted> players = {};
};

/// Where an entity was handed over, and to whom.
struct Crossing {
    engine::Tick tick = engine::kNever;
    engine::Position at;
    ShardId to{};
};

/// All that its owner knows of one entity.
struct EntityReport {
    static constexpr std::size_t kInViewMax = 512;

    engine::Entity entity;
    bool takes_frames = false;
    /// In a row, in which it got no frame: it was not its turn, or its client could take none.
    std::uint32_t unframed_ticks = 0;
    std::vector<ShardId> ghosts = {};  ///< the shards that hold a ghost of it
    std::size_t in_view_count = 0;     ///< others in its view, or that show themselves to it
    std::vector<engine::EntityId> in_view = {};  ///< of these in ascending id, at most kInViewMax
    std::size_t known_count = 0;                 ///< others that its client knows by its frames
    std::vector<engine::EntityId> known = {};    ///< of these likewise
};

/// The newest of many, in no order.
template <typename Value, std::size_t kMax>
class Newest {
public:
    void add(const Value& value) {
        if (values_.size() < kMax) {
            values_.push_back(value);
        } else {
            values_[next_++ % kMax] = value;
        }
    }
    std::vector<Value> take() { return std::exchange(values_, {}); }

private:
    std::vector<Value> values_;
    std::size_t next_ = 0;
};

/// What a shard is asked.
struct ZoneQuestion {
    static constexpr std::size_t kNobody = 0;

    std::size_t stride = 1;     ///< one in so many entities that it owns is counted; or kNobody
    bool wants_recent = false;  ///< crossings and tick times since it was asked for them last
    std::vector<engine::EntityId> entities = {};  ///< that their owners are to report
};

/// What one shard reports of itself at the end of a tick.
struct ShardAnswer {
    /// Of crossings and of ticks: the newest. All of a second, where it has no more than so many.
    static constexpr std::size_t kRecentMax = 128;

    ShardId shard{};
    engine::Tick tick = engine::kNever;
    std::vector<Counted> counted = {};
    std::vector<Crossing> crossings = {};
    std::vector<std::uint32_t> ticks_us = {};  ///< what the ticks before this one took
    std::vector<EntityReport> entities = {};   ///< of those that were asked for, which it owns
};

/// Asks all shards of a zone that runs, for an operator who wants to see where the crowd is.
///
///   ask() ── from which tick on ──► each shard answers at the end of a tick, once ──► take()
///
/// Where all shards run the same tick, everybody is counted once. One that skips it counts in a
/// later one: who crosses its border meanwhile may be counted twice, or not at all.
///
/// Threads  Whoever asks: one, any but a shard's. A mutex guards what shards put down.
/// Bounds   24 bytes for each entity that is counted.
/// Cost     Nobody asks: a relaxed load for each shard and tick.
class ZoneQuery {
public:
    /// Who is to count, and from which tick on.
    struct Roll {
        engine::Tick from = engine::kNever;
        std::vector<ShardId> shards;
    };

    /// What was asked before is forgotten. A shard that is no more by the time it is to answer has
    /// put down that it owns nothing; `call` is asked when nobody's answer can be missed any more.
    void ask(const ZoneQuestion& question, const std::function<Roll()>& call);
    /// The answers of all shards; nothing while some are missing.
    std::optional<std::vector<ShardAnswer>> take();
    /// Waits for that, and forgets the question when a shard does not answer within `wait_max`.
    std::optional<std::vector<ShardAnswer>> wait(std::chrono::milliseconds wait_max);

    /// A shard at the end of its tick: does anybody ask?
    [[nodiscard]] bool is_asked(engine::Tick now) const {
        return now >= from_.load(std::memory_order_relaxed);
    }
    /// What this shard is asked; nothing where it has answered.
    [[nodiscard]] std::optional<ZoneQuestion> question_to(ShardId shard);
    void put_down(ShardAnswer answer);

private:
    static constexpr engine::Tick kNobodyAsks = std::numeric_limits<engine::Tick>::max();

    std::vector<ShardAnswer> forget();

    std::atomic<engine::Tick> from_{kNobodyAsks};
    std::mutex mutex_;
    std::condition_variable is_whole_;
    // Guarded by mutex_.
    ZoneQuestion question_;
    std::vector<ShardId> missing_;
    std::vector<ShardAnswer> answers_;
};

/// Of one zone: of those who ask once and wait, of who looks again and again, and of who asks about
/// entities.
struct ZoneQueries {
    ZoneQuery once;
    ZoneQuery map;
    ZoneQuery entities;

    std::array<ZoneQuery*, 3> all() { return {&once, &map, &entities}; }
};

/// Everybody who was counted, in ascending id.
std::vector<Counted> all_of(const std::vector<ShardAnswer>& answers);

}  // namespace marchland::shards
