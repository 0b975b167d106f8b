#pragma once

#include "shards/carrier.h"

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace marchland::shards {

/// The carrier between the shards of one process.
///
/// Threads  One mutex guards the mailboxes, the published ticks and the spare batches; it is held
///          while a few pointers move, never while a shard works. A queue for each pair of shards
///          could do without, but not make all batches of one publish call visible together, which
///          is what keeps news about an entity in order while its owner changes.
/// Bounds   A mailbox holds at most batches_max. A shard that stands still for so long has failed:
///          the publisher throws std::runtime_error, which stops the zone.
class LocalCarrier final : public Carrier {
public:
    /// A mailbox has room for the batches of all shards of so many ticks.
    LocalCarrier(std::size_t shard_count, std::size_t ticks_behind_max);

    void publish(ShardId from, engine::Tick tick, std::vector<Outgoing>& batches) override;
    std::size_t await(engine::Tick tick, std::chrono::steady_clock::time_point deadline) override;
    void collect(ShardId self, engine::Tick tick, std::vector<BorderBatch>& into) override;
    void recycle(BorderBatch batch) override;
    BorderBatch fresh_batch() override;
    void close() override;

private:
    [[nodiscard]] std::size_t count_missing(engine::Tick tick) const;

    const std::size_t batches_max_;
    std::mutex mutex_;
    std::condition_variable published_changed_;
    // Guarded by mutex_.
    bool is_closed_ = false;
    std::vector<engine::Tick> published_;              ///< by shard: the newest tick published
    std::vector<std::vector<BorderBatch>> mailboxes_;  ///< by receiver, in order of arrival
    std::vector<BorderBatch> spare_;
};

}  // namespace marchland::shards
