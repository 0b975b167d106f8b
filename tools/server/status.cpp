#include "tools/server/status.h"

#include "shards/state/keeper.h"
#include "tools/process/resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace marchland::server {
namespace {

/// Relaxed: each counter is a number for itself; nothing is concluded from two of them.
std::uint64_t value_of(const std::atomic<std::uint64_t>& counter) {
    return counter.load(std::memory_order_relaxed);
}

template <typename Visit>
void for_each_shard(shards::Zone& zone, Visit&& visit) {
    for (std::size_t i = 0; i < shards::kShardsMax; ++i) {
        visit(i, zone.metrics(static_cast<shards::ShardId>(i)));
    }
}

struct SumOfShards {
    std::uint64_t Totals::*total;
    std::atomic<std::uint64_t> shards::ShardMetrics::*of_shard;
};
constexpr SumOfShards kSumsOfShards[] = {
    {&Totals::handoffs, &shards::ShardMetrics::handoffs_total},
    {&Totals::frames, &shards::ShardMetrics::frames_total},
    {&Totals::frames_skipped, &shards::ShardMetrics::frames_skipped_total},
    {&Totals::frames_capped, &shards::ShardMetrics::frames_capped_total},
    {&Totals::frames_slowed, &shards::ShardMetrics::frames_slowed_total},
    {&Totals::frames_over_budget, &shards::ShardMetrics::frames_over_budget_total},
    {&Totals::frames_filling, &shards::ShardMetrics::frames_filling_total},
    {&Totals::ticks_late, &shards::ShardMetrics::ticks_late_total},
    {&Totals::ticks_skipped, &shards::ShardMetrics::ticks_skipped_total},
    {&Totals::stale_border_ticks, &shards::ShardMetrics::stale_border_ticks_total}};

Totals difference(Totals now, const Totals& before) {
    for (const SumOfShards& each : kSumsOfShards) {
        now.*each.total -= before.*each.total;
    }
    now.bytes_out -= before.bytes_out;
    now.layout_changes -= before.layout_changes;
    now.moves_sent = now.moves_sent - before.moves_sent;
    now.io_waits -= before.io_waits;
    return now;
}

/// A value without the blanks and equal signs that a name may have.
std::string in_one_word(std::string name) {
    std::ranges::replace_if(
        name, [](char c) { return c == ' ' || c == '='; }, '_');
    return name.empty() ? "-" : name;
}

}  // namespace

std::string to_line(const Status& status) {
    // Divides by no zero, however soon after the last line it is asked.
    const auto per_s = [&](std::uint64_t count) {
        return static_cast<double>(count) / std::max(status.elapsed.count(), 1e-3);
    };
    const auto in_ms = [](std::uint64_t us) { return static_cast<double>(us) / 1'000.0; };
    const Totals& last = status.since_last;
    return fmt::format(
        "tick={} players={} entities={} ghosts={} shards={} handoffs_per_s={:.0f} "
        "frames_per_s={:.0f} "
        "skipped_per_s={:.0f} capped_per_s={:.0f} slowed_per_s={:.0f} over_budget_per_s={:.0f} "
        "filling_per_s={:.0f} out_mb_per_s={:.2f} tick_ms_p50={:.2f} "
        "tick_ms_max={:.2f} "
        "gate_ms_max={:.2f} hot_shard={} hot_percent={} time_scale={} ring_slowdown={} "
        "late_ticks={} skipped_ticks={} "
        "stale_borders={} "
        "staleness_ticks_p50={} staleness_ticks_p99={} staleness_ticks_max={} handoff_ticks_max={} "
        "rss_mib={}",
        status.tick, status.players, status.entities, status.ghosts, status.shards,
        per_s(last.handoffs), per_s(last.frames), per_s(last.frames_skipped),
        per_s(last.frames_capped), per_s(last.frames_slowed), per_s(last.frames_over_budget),
        per_s(last.frames_filling), per_s(last.bytes_out) / 1e6, in_ms(status.tick_us_p50),
        in_ms(status.tick_us_max), in_ms(status.gate_us_max), in_one_word(status.hot_shard),
        status.hot_percent, status.time_scale_percent, status.ring_slowdown, last.ticks_late,
        last.ticks_skipped, last.stale_border_ticks, last.moves_sent.ticks_at(50),
        last.moves_sent.ticks_at(99), last.moves_sent.ticks_at(100), last.handoff_ticks_max,
        status.resident_bytes >> 20U);
}

void TickTimes::look_at(std::size_t shard, const shards::ShardMetrics& metrics) {
    const std::uint64_t tick = value_of(metrics.tick);
    if (tick != seen_tick_.at(shard)) {
        seen_tick_[shard] = tick;
        times_us_.push_back(value_of(metrics.tick_us_last));
    }
}

std::uint64_t TickTimes::take_p50_us() {
    if (times_us_.empty()) {
        return 0;
    }
    const auto middle = times_us_.begin() + static_cast<std::ptrdiff_t>(times_us_.size() / 2);
    std::nth_element(times_us_.begin(), middle, times_us_.end());
    const std::uint64_t median = *middle;
    times_us_.clear();
    return median;
}

StatusMeter::StatusMeter(shards::Zone& zone, const net::Server& server)
    : zone_(zone), server_(server) {}

void StatusMeter::look() {
    for_each_shard(zone_, [this](std::size_t shard, const shards::ShardMetrics& metrics) {
        tick_times_.look_at(shard, metrics);
    });
}

Status StatusMeter::take_status() {
    Status status;
    status.players = server_.metrics().players;
    status.shards = zone_.shard_count();
    for_each_shard(zone_, [&](std::size_t, shards::ShardMetrics& metrics) {
        // Of shards that are no more, too: their gauges say what a shard that does nothing says.
        status.tick = std::max(status.tick, value_of(metrics.tick));
        status.time_scale_percent =
            std::min(status.time_scale_percent, value_of(metrics.time_scale_percent));
        status.ring_slowdown = std::max(status.ring_slowdown, value_of(metrics.ring_slowdown));
        status.entities += value_of(metrics.entities);
        status.ghosts += value_of(metrics.ghosts);
        // Read and set back in one step: a tick that ends meanwhile counts for one of both lines.
        const std::uint64_t slowest_us = metrics.tick_us_max.exchange(0, std::memory_order_relaxed);
        status.tick_us_max = std::max(status.tick_us_max, slowest_us);
        const std::uint64_t longest_us = metrics.gate_us_max.exchange(0, std::memory_order_relaxed);
        status.gate_us_max = std::max(status.gate_us_max, longest_us);
    });
    status.tick_us_p50 = tick_times_.take_p50_us();
    status.resident_bytes = process::resident_bytes();
    status.departures = zone_.departure_count();
    status.has_room = zone_.has_room();
    if (const shards::StateKeeper* const keeper = zone_.keeper()) {
        status.state_age = keeper->status().age;
    }
    find_hottest(status);

    const Totals now = totals();
    const Clock::time_point time = Clock::now();
    status.since_last = difference(now, sent_);
    status.elapsed = time - sent_at_;
    sent_ = now;
    sent_at_ = time;
    return status;
}

/// By the work and the number of the ticks since the last status.
void StatusMeter::find_hottest(Status& status) {
    for_each_shard(zone_, [&](std::size_t shard, const shards::ShardMetrics& metrics) {
        const shards::HistogramCounts ticks = metrics.tick_duration.counts();
        const Worked now{
            ticks.sum, std::accumulate(ticks.counts.begin(), ticks.counts.end(), std::uint64_t{0})};
        const Worked before = std::exchange(worked_.at(shard), now);
        const std::uint64_t available_us =
            (now.ticks - before.ticks) * 1'000'000 / zone_.options().tick_rate_hz;
        const std::uint64_t percent =
            available_us == 0 ? 0 : (now.us - before.us) * 100 / available_us;
        if (percent > status.hot_percent) {
            status.hot_percent = static_cast<unsigned>(percent);
            status.hot_shard = zone_.name_of(static_cast<shards::ShardId>(shard));
        }
    });
}

Totals StatusMeter::totals() const {
    Totals totals;
    for (const SumOfShards& each : kSumsOfShards) {
        totals.*each.total = zone_.total(each.of_shard);
    }
    totals.moves_sent = zone_.moves_sent();
    for_each_shard(zone_, [&](std::size_t, const shards::ShardMetrics& metrics) {
        totals.handoff_ticks_max =
            std::max(totals.handoff_ticks_max, value_of(metrics.handoff_ticks_max));
    });
    const net::ServerMetrics network = server_.metrics();
    totals.bytes_out = network.bytes_out_total;
    totals.frames_over_budget += network.frames_over_by_messages_total;
    for (const net::ServerMetrics::IoThread& thread : network.io_threads) {
        const shards::HistogramCounts& waits = thread.mail_wait_us;
        for (std::size_t i = 0; i < waits.counts.size(); ++i) {
            const bool is_long = i == waits.bounds.size() || waits.bounds[i] > kIoWaitMaxUs;
            totals.io_waits += is_long ? waits.counts[i] : 0;
        }
    }
    totals.layout_changes = zone_.layout_changes_total();
    return totals;
}

namespace {

using std::chrono::duration_cast;
using std::chrono::seconds;

struct Sight {
    const char* what;      ///< that there were so many of
    std::uint64_t count;   ///< since the last status
    std::string detail{};  ///< of this second
};

std::array<Sight, 7> sights_of(const Status& status) {
    const Totals& last = status.since_last;
    const bool is_behind = status.state_age >= Warnings::kStateAge;
    const bool is_hot = status.hot_percent >= Warnings::kHotPercent;
    return {
        {{"late ticks", last.ticks_late, fmt::format(", {} ticks skipped", last.ticks_skipped)},
         {"frames left out, whose clients were not ready", last.frames_skipped},
         {"frames with less than their clients could see",
          last.frames_capped + last.frames_slowed + last.frames_over_budget + last.frames_filling,
          fmt::format(": {} capped, {} slowed, {} over budget, {} filling", last.frames_capped,
                      last.frames_slowed, last.frames_over_budget, last.frames_filling)},
         {"batches of frames that waited for an I/O thread", last.io_waits},
         {"seconds with a hot shard", is_hot ? 1U : 0U,
          fmt::format(": '{}' works for {} % of its ticks", status.hot_shard, status.hot_percent)},
         {"seconds in which the state was not written", is_behind ? 1U : 0U,
          fmt::format(": it is {} s behind, and a crash costs as much",
                      duration_cast<seconds>(status.state_age).count())},
         {"seconds in which nobody could join", status.has_room ? 0U : 1U,
          fmt::format(": {} entities, and {} that left and are remembered", status.entities,
                      status.departures)}}};
}

}  // namespace

std::vector<std::string> Warnings::lines_for(const Status& status, Clock::time_point now) {
    std::vector<std::string> lines;
    const auto sights = sights_of(status);
    for (std::size_t i = 0; i < sights.size(); ++i) {
        const Sight& sight = sights[i];
        Kind& kind = kinds_[i];
        if (sight.count != 0) {
            const bool is_first = !kind.lasts;
            if (is_first) {
                kind = {true, 0, 0, now, {}, now};
            }
            kind.seen = now;
            kind.count += sight.count;
            kind.total += sight.count;
            if (is_first || now - kind.said >= kRepeat) {
                lines.push_back(fmt::format("{} {}{}{}", kind.count, sight.what, sight.detail,
                                            is_first ? "" : " (it goes on)"));
                kind.count = 0;
                kind.said = now;
            }
        } else if (kind.lasts && now - kind.seen >= kQuiet) {
            lines.push_back(
                fmt::format("no more {}: it is over, {} in {} s", sight.what, kind.total,
                            duration_cast<seconds>(kind.seen - kind.began).count() + 1));
            kind.lasts = false;
        }
    }
    return lines;
}

}  // namespace marchland::server
