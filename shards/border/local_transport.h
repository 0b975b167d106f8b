#pragma once

#include "shards/border/border_transport.h"

#include <array>
#include <condition_variable>
#include <cstddef>
#include <limits>
#include <mutex>
#include <vector>

namespace marchland::shards {

/// The transport between the shards of one process.
///
/// Threads  One mutex guards the mailboxes, the published ticks and the spare batches; it is held
///          while a few pointers move, never while a shard works. Only handoffs to a shard that is
///          ahead cost more under it: note_unowned looks at each of them, and keeps what may need
///          memory. A queue for each pair of shards could do without, but not make all batches of
///          one publish call visible together, which is what keeps batches about an entity in order
///          while its owner changes.
/// Bounds   A mailbox holds at most ticks_behind_max batches for each shard that takes part: a
///          bound on memory, beyond what a shard leaves that stands still (StallWatch). Where it is
///          reached the publisher throws std::runtime_error, which stops the zone.
class LocalTransport : public BorderTransport {
public:
    /// Shards 0 to shard_count - 1 take part from tick 1 on. A mailbox has room for the batches of
    /// all shards of so many ticks.
    LocalTransport(std::size_t shard_count, std::size_t ticks_behind_max);

    void admit(ShardId shard, engine::Tick first) override;
    [[nodiscard]] bool dismiss(ShardId shard) override;
    void publish(ShardId from, engine::Tick tick, std::vector<Outgoing>& batches,
                 bool is_whole) override;
    MissingBatches await(engine::Tick tick,
                         std::chrono::steady_clock::time_point deadline) override;
    engine::Tick collect(ShardId self, engine::Tick tick, std::vector<BorderBatch>& into) override;
    void recycle(BorderBatch batch) override;
    BorderBatch fresh_batch() override;
    void close() override;

private:
    /// What a shard has published that does not take part: nobody waits for it.
    static constexpr engine::Tick kAbsent = std::numeric_limits<engine::Tick>::max();

    void note_published(ShardId from, engine::Tick tick, bool is_whole);
    void note_unowned(const BorderBatch& batch, engine::Tick in);
    [[nodiscard]] bool has_skipped(std::size_t shard, engine::Tick tick) const;
    [[nodiscard]] bool takes_part(ShardId shard) const {
        return published_[to_number(shard)] != kAbsent;
    }
    [[nodiscard]] std::size_t batches_max() const { return shard_count_ * ticks_behind_max_; }

    const std::size_t ticks_behind_max_;
    std::mutex mutex_;
    std::condition_variable published_changed_;
    // Guarded by mutex_.
    bool is_closed_ = false;
    std::size_t shard_count_ = 0;                       ///< of those that take part
    std::array<engine::Tick, kShardsMax> published_{};  ///< by shard: the newest tick, or kAbsent
    /// By shard: bit i is set if it ran the tick i before that one.
    std::array<std::uint64_t, kShardsMax> ran_{};
    engine::Tick awaited_ = engine::kNever;           ///< the newest tick that was waited for
    std::chrono::steady_clock::time_point deadline_;  ///< of that
    std::array<bool, kShardsMax> is_late_{};          ///< by shard: nobody waits for it
    /// By shard: the newest tick by whose end it had not sent all that is its own.
    std::array<engine::Tick, kShardsMax> unwhole_{};
    /// Entities that were handed over in `tick` to a shard that had published later ticks by then.
    struct Unowned {
        engine::Tick tick = engine::kNever;   ///< in which they were handed over
        engine::Tick until = engine::kNever;  ///< the last that was published without them
        engine::Rect around;
    };
    /// Until all have published more. Where they are many, because somebody stands still, the last
    /// stands for several.
    std::vector<Unowned> unowned_;
    std::array<std::vector<BorderBatch>, kShardsMax> mailboxes_;  ///< by receiver, as they arrived
    std::vector<BorderBatch> spare_;
};

}  // namespace marchland::shards
