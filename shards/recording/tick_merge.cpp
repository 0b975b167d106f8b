#include "shards/recording/tick_merge.h"

#include "engine/assert.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace marchland::shards {

namespace {

void append(const Bytes& bytes, Bytes& out) {
    out.insert(out.end(), bytes.begin(), bytes.end());
}

}  // namespace

void TickMerge::add(ZoneRecord record) {
    std::visit([this](auto&& one) { take(std::forward<decltype(one)>(one)); }, std::move(record));
}

void TickMerge::take(const ShardCame& came) {
    parts_.push_back({came.shard, came.first, came.first - 1, false});
}

void TickMerge::take(ShardWent went) {
    part_of(went.shard).has_ended = true;
}

void TickMerge::take(const LayoutFrom& layout) {
    MARCHLAND_ASSERT(layouts_.empty() || layouts_.back().first < layout.from);
    encode_layout(layout.from, layout.layout, layouts_.emplace_back(layout.from, Bytes{}).second);
}

void TickMerge::take(ShardTick tick) {
    Part& part = part_of(tick.shard);
    MARCHLAND_ASSERT(part.newest < tick.tick);
    part.newest = tick.tick;
    waiting_bytes_ += tick.size();
    arrivals_waiting_ += tick.has_arrivals ? 1 : 0;
    waiting_[tick.tick].push_back(std::move(tick));
}

TickMerge::Part& TickMerge::part_of(ShardId shard) {
    const auto part = std::ranges::find_if(
        parts_, [shard](const Part& p) { return p.shard == shard && !p.has_ended; });
    MARCHLAND_ASSERT(part != parts_.end());
    return *part;
}

engine::Tick TickMerge::whole_up_to() const {
    if (is_over_) {
        return std::numeric_limits<engine::Tick>::max();
    }
    std::optional<engine::Tick> slowest;
    for (const Part& part : parts_) {
        if (!part.has_ended) {
            slowest = std::min(slowest.value_or(part.newest), part.newest);
        }
    }
    return slowest.value_or(engine::kNever);
}

std::size_t TickMerge::parts_in(engine::Tick tick) const {
    return static_cast<std::size_t>(std::ranges::count_if(parts_, [tick](const Part& part) {
        return part.first <= tick && (!part.has_ended || tick <= part.newest);
    }));
}

bool TickMerge::take_whole(Bytes& out) {
    append_layouts(engine::kNever, out);
    const engine::Tick up_to = whole_up_to();
    const auto oldest = waiting_.begin();
    if (oldest == waiting_.end() || oldest->first > up_to) {
        std::erase_if(parts_,
                      [up_to](const Part& part) { return part.has_ended && part.newest <= up_to; });
        return false;
    }
    append_layouts(oldest->first, out);
    append_tick(std::move(oldest->second), out);
    waiting_.erase(oldest);
    return true;
}

void TickMerge::append_layouts(engine::Tick up_to, Bytes& out) {
    std::erase_if(layouts_, [&](const auto& layout) {
        const bool is_due = layout.first <= up_to;
        if (is_due) {
            append(layout.second, out);
        }
        return is_due;
    });
}

void TickMerge::append_tick(std::vector<ShardTick> shards, Bytes& out) {
    const engine::Tick tick = shards.front().tick;
    std::ranges::sort(shards, {}, &ShardTick::shard);
    const bool is_stale =
        std::ranges::any_of(shards, &ShardTick::is_stale) || shards.size() != parts_in(tick);
    const Pace& pace = shards.front().pace;
    encode_tick_begin({tick, is_stale, pace.ring_slowdown, pace.frame_bytes_max}, last_taken_, out);
    std::uint64_t frames_check = 0;
    for (Bytes ShardTick::*const kind :
         {&ShardTick::inputs, &ShardTick::gone, &ShardTick::joins, &ShardTick::unframed}) {
        for (const ShardTick& shard : shards) {
            append(shard.*kind, out);
        }
    }
    for (const ShardTick& shard : shards) {
        frames_check += shard.frames_check;
        waiting_bytes_ -= shard.size();
        arrivals_waiting_ -= shard.has_arrivals ? 1 : 0;
    }
    encode_tick_end(frames_check, out);
    last_taken_ = tick;
    ++tick_count_;
    stale_tick_count_ += is_stale ? 1 : 0;
}

}  // namespace marchland::shards
