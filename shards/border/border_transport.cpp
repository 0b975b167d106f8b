#include "shards/border/border_transport.h"

#include "engine/assert.h"

namespace marchland::shards {

void BorderBatch::clear() {
    catch_up.departed.clear();
    catch_up.forgotten_before = engine::kNever;
    departed.clear();
    ghosts_went.clear();
    ghosts_came.clear();
    ghosts_moved.clear();
    ghosts_changed.clear();
    ghosts_state.clear();
    handoffs.clear();
    messages.clear();
}

OutgoingBatches::OutgoingBatches(ShardId self, BorderTransport& transport)
    : self_(self), transport_(transport) {
    place_of_.fill(kNoBatch);
}

void OutgoingBatches::begin_tick(engine::Tick tick, std::uint64_t epoch) {
    tick_ = tick;
    epoch_ = epoch;
}

BorderBatch& OutgoingBatches::to(ShardId receiver) {
    MARCHLAND_ASSERT(receiver != self_);
    std::size_t& place = place_of_[to_number(receiver)];
    if (place == kNoBatch) {
        place = batches_.size();
        batches_.push_back({receiver, transport_.fresh_batch()});
        batches_.back().batch.from = self_;
        batches_.back().batch.tick = tick_;
        batches_.back().batch.epoch = epoch_;
    }
    return batches_[place].batch;
}

void OutgoingBatches::publish(bool is_whole) {
    for (const BorderTransport::Outgoing& outgoing : batches_) {
        place_of_[to_number(outgoing.to)] = kNoBatch;
    }
    transport_.publish(self_, tick_, batches_, is_whole);
}

}  // namespace marchland::shards
