#pragma once

#include "shards/border/border_batch.h"
#include "shards/border/border_transport.h"
#include "shards/ids.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace marchland::shards {

/// What one shard has to tell the others this tick: a batch for each that is told anything at all.
class OutgoingBatches {
public:
    OutgoingBatches(ShardId self, BorderTransport& transport);

    /// `epoch`: of the layout that the tick runs under.
    void begin_tick(engine::Tick tick, std::uint64_t epoch);
    /// The batch for `receiver`, begun when this is the first that it is told.
    BorderBatch& to(ShardId receiver);
    /// Publishes what was gathered, which may be nothing.
    /// `is_whole`: see BorderTransport::publish.
    void publish(bool is_whole);

private:
    static constexpr std::size_t kNoBatch = static_cast<std::size_t>(-1);

    const ShardId self_;
    BorderTransport& transport_;
    engine::Tick tick_ = engine::kNever;
    std::uint64_t epoch_ = 0;
    std::array<std::size_t, kShardsMax>
        place_of_;  ///< by receiver: its place in batches_, or kNoBatch
    std::vector<BorderTransport::Outgoing> batches_;
};

}  // namespace marchland::shards
