#include "shards/border/local_transport.h"

#include "engine/assert.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace marchland::shards {
namespace {

constexpr engine::Tick kTicksRemembered = 64;  // of a shard: which of them it ran
constexpr std::size_t kUnownedMax = 256;

engine::Rect around(engine::Position at) {
    return {at.x, at.y, at.x, at.y};
}

engine::Rect around(const engine::Rect& a, const engine::Rect& b) {
    return {std::min(a.min_x, b.min_x), std::min(a.min_y, b.min_y), std::max(a.max_x, b.max_x),
            std::max(a.max_y, b.max_y)};
}

}  // namespace

LocalTransport::LocalTransport(std::size_t shard_count, std::size_t ticks_behind_max)
    : ticks_behind_max_(ticks_behind_max) {
    MARCHLAND_ASSERT(shard_count <= kShardsMax);
    published_.fill(kAbsent);
    for (std::size_t i = 0; i < shard_count; ++i) {
        admit(static_cast<ShardId>(i), 1);
    }
}

void LocalTransport::admit(ShardId shard, engine::Tick first) {
    const std::lock_guard lock(mutex_);
    MARCHLAND_ASSERT(!takes_part(shard));
    MARCHLAND_ASSERT(mailboxes_[to_number(shard)].empty());
    published_[to_number(shard)] = first - 1;
    ran_[to_number(shard)] = ~std::uint64_t{0};  // nobody missed anything before it came
    is_late_[to_number(shard)] = false;
    ++shard_count_;
}

bool LocalTransport::dismiss(ShardId shard) {
    {
        const std::lock_guard lock(mutex_);
        MARCHLAND_ASSERT(takes_part(shard));
        const bool has_batches = std::ranges::any_of(mailboxes_, [shard](const auto& mailbox) {
            return std::ranges::count(mailbox, shard, &BorderBatch::from) != 0;
        });
        if (!mailboxes_[to_number(shard)].empty() || has_batches) {
            return false;
        }
        published_[to_number(shard)] = kAbsent;
        unwhole_[to_number(shard)] = engine::kNever;
        --shard_count_;
    }
    published_changed_.notify_all();
    return true;
}

void LocalTransport::publish(ShardId from, engine::Tick tick, std::vector<Outgoing>& batches,
                             bool is_whole) {
    {
        const std::lock_guard lock(mutex_);
        MARCHLAND_ASSERT(takes_part(from) && published_[to_number(from)] < tick);
        for (Outgoing& outgoing : batches) {
            MARCHLAND_ASSERT(outgoing.to != from && takes_part(outgoing.to));
            std::vector<BorderBatch>& mailbox = mailboxes_[to_number(outgoing.to)];
            if (mailbox.size() >= batches_max()) {
                throw std::runtime_error(
                    "the mailbox of shard " + std::to_string(to_number(outgoing.to)) +
                    " is full: " + std::to_string(mailbox.size()) + " border batches wait");
            }
            note_unowned(outgoing.batch, published_[to_number(outgoing.to)]);
            mailbox.push_back(std::move(outgoing.batch));
        }
        for (const BorderBatch& unread : mailboxes_[to_number(from)]) {
            note_unowned(unread, tick);
        }
        note_published(from, tick, is_whole);
    }
    batches.clear();
    published_changed_.notify_all();
}

/// What it did not know in a tick that was not whole it did not send in those that it skipped after
/// that, either.
void LocalTransport::note_published(ShardId from, engine::Tick tick, bool is_whole) {
    engine::Tick& published = published_[to_number(from)];
    engine::Tick& unwhole = unwhole_[to_number(from)];
    if (!is_whole) {
        unwhole = tick;
    } else if (unwhole != engine::kNever && unwhole == published) {
        unwhole = tick - 1;
    }
    std::uint64_t& ran = ran_[to_number(from)];
    ran = (tick - published < kTicksRemembered ? ran << (tick - published) : 0) | 1U;
    published = tick;
    is_late_[to_number(from)] =
        tick < awaited_ || (tick == awaited_ && std::chrono::steady_clock::now() > deadline_);
}

/// `in`: what its receiver has published, or does now, and reads it behind that.
void LocalTransport::note_unowned(const BorderBatch& batch, engine::Tick in) {
    if (batch.handoffs.empty() || batch.tick >= in) {
        return;
    }
    const engine::Tick slowest = *std::ranges::min_element(published_);
    std::erase_if(unowned_, [slowest](const Unowned& one) { return one.until < slowest; });
    Unowned unowned{batch.tick, in, around(batch.handoffs.front().entity.position)};
    for (const Handoff& handoff : batch.handoffs) {
        unowned.around = around(unowned.around, around(handoff.entity.position));
        unowned.around = around(unowned.around, around(engine::shown_at(handoff.entity, in)));
    }
    if (unowned_.size() < kUnownedMax) {
        unowned_.push_back(unowned);
        return;
    }
    Unowned& last = unowned_.back();
    last = {std::min(last.tick, unowned.tick), std::max(last.until, unowned.until),
            around(last.around, unowned.around)};
}

/// Of longer ago than anybody waits for nothing is known: as if it had.
bool LocalTransport::has_skipped(std::size_t shard, engine::Tick tick) const {
    const engine::Tick ago = published_[shard] - tick;
    return published_[shard] != kAbsent &&
           (ago >= kTicksRemembered || (ran_[shard] >> ago & 1U) == 0);
}

MissingBatches LocalTransport::await(engine::Tick tick,
                                     std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    if (tick > awaited_) {
        awaited_ = tick;
        deadline_ = deadline;
    }
    published_changed_.wait_until(lock, deadline, [&] {
        bool is_worth_waiting = false;
        for (std::size_t shard = 0; shard < published_.size(); ++shard) {
            is_worth_waiting = is_worth_waiting || (published_[shard] < tick && !is_late_[shard]);
        }
        return is_closed_ || !is_worth_waiting;
    });
    MissingBatches missing{{}, tick, true};
    for (std::size_t shard = 0; shard < published_.size(); ++shard) {
        if (published_[shard] < tick) {
            is_late_[shard] = true;
            missing.late.add(static_cast<ShardId>(shard));
            missing.through = std::min(missing.through, published_[shard]);
        } else if (has_skipped(shard, tick)) {
            missing.late.add(static_cast<ShardId>(shard));
        }
        const bool was_whole = unwhole_[shard] == engine::kNever ||
                               unwhole_[shard] < std::min(published_[shard], tick);
        missing.is_whole = missing.is_whole && was_whole;
    }
    for (const Unowned& unowned : unowned_) {
        if (unowned.tick < tick && tick <= unowned.until) {
            missing.unowned = around(missing.unowned.value_or(unowned.around), unowned.around);
        }
    }
    return missing;
}

engine::Tick LocalTransport::collect(ShardId self, engine::Tick tick,
                                     std::vector<BorderBatch>& into) {
    const std::lock_guard lock(mutex_);
    std::vector<BorderBatch>& mailbox = mailboxes_[to_number(self)];
    std::size_t kept = 0;
    for (BorderBatch& batch : mailbox) {
        if (batch.tick <= tick) {
            into.push_back(std::move(batch));
        } else {
            std::swap(mailbox[kept++], batch);
        }
    }
    mailbox.resize(kept);
    return std::min(tick, *std::ranges::min_element(published_));
}

void LocalTransport::recycle(BorderBatch batch) {
    batch.clear();
    const std::lock_guard lock(mutex_);
    if (spare_.size() < batches_max()) {
        spare_.push_back(std::move(batch));
    }
}

BorderBatch LocalTransport::fresh_batch() {
    const std::lock_guard lock(mutex_);
    if (spare_.empty()) {
        return {};
    }
    BorderBatch batch = std::move(spare_.back());
    spare_.pop_back();
    return batch;
}

void LocalTransport::close() {
    {
        const std::lock_guard lock(mutex_);
        is_closed_ = true;
    }
    published_changed_.notify_all();
}

}  // namespace marchland::shards
