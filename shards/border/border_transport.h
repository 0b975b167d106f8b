#pragma once

#include "shards/border/border_batch.h"
#include "shards/ids.h"

#include <chrono>
#include <cstddef>
#include <vector>

namespace marchland::shards {

/// The seam between shards: publish this tick's batches, wait for everybody else's, absorb them. The
/// in-process transport is the first; one over a message bus can take its place.
///
/// Invariants
///  1. All batches of one publish call become visible together. So whatever a shard publishes after
///     it absorbed a batch arrives, everywhere, after that batch: news about one entity never
///     overtakes older news, though its owner changed in between.
///  2. A batch of tick t is never collected in a tick before t.
/// Threads  Any shard's thread.
class BorderTransport {
public:
    /// A batch and whom it is for.
    struct Outgoing {
        ShardId to{};
        BorderBatch batch;
    };

    BorderTransport() = default;
    BorderTransport(const BorderTransport&) = delete;
    BorderTransport& operator=(const BorderTransport&) = delete;
    virtual ~BorderTransport() = default;

    /// `shard` takes part from tick `first` on: it is waited for, and batches may be for it.
    virtual void admit(ShardId shard, engine::Tick first) = 0;

    /// `shard` takes part no more: it has published its last tick, and no other shard will have
    /// anything for it. False, and nothing happened, while there is a batch that it has not collected, or
    /// one of its own that somebody else has not: what it told is known to all who stay.
    [[nodiscard]] virtual bool dismiss(ShardId shard) = 0;

    /// Step 3. Takes the batches (which may be none) and says that `from` has published `tick`.
    /// `batches` comes back empty, with its memory. `is_whole`: false where `from` may own entities
    /// that it does not know of yet, and so has not told of.
    virtual void publish(ShardId from, engine::Tick tick, std::vector<Outgoing>& batches,
                         bool is_whole) = 0;

    /// The gate. Returns when every shard that takes part in `tick` and was in time last has published `tick`, at
    /// `deadline`, or when the transport is closed. A shard was in time if it published before the deadline of the newest
    /// tick that was waited for: one that is late is waited for once, and not again before it has caught up. Returns how
    /// many shards are still missing, or were not whole in `tick` or later, or in the last that they published before
    /// it: 0 when all is well.
    virtual std::size_t await(engine::Tick tick,
                              std::chrono::steady_clock::time_point deadline) = 0;

    /// Step 4. Appends the batches for `self` of ticks up to `tick`, in order of arrival. Returns up to
    /// which tick, this one at most, all shards have published: there are no more batches of these.
    virtual engine::Tick collect(ShardId self, engine::Tick tick,
                                 std::vector<BorderBatch>& into) = 0;

    /// Gives an emptied batch back, so that its memory serves again.
    virtual void recycle(BorderBatch batch) = 0;

    /// An empty batch to fill, with memory from recycled ones where there are some.
    virtual BorderBatch fresh_batch() = 0;

    /// Ends every wait, now and later: the zone is stopping.
    virtual void close() = 0;
};

}  // namespace marchland::shards
