#pragma once

#include "shards/shard_metrics.h"
#include "shards/zone.h"
#include "net/server.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace marchland::server {

/// A bound of shards::kDurationBoundsUs: a tick's length at the usual rate.
inline constexpr std::uint64_t kIoWaitMaxUs = 50'000;

/// Totals since the start, over all shards and I/O threads.
struct Totals {
    std::uint64_t handoffs = 0;
    std::uint64_t frames = 0;
    std::uint64_t frames_skipped = 0;
    std::uint64_t frames_capped = 0;
    std::uint64_t frames_slowed = 0;
    std::uint64_t frames_over_budget = 0;
    std::uint64_t frames_filling = 0;
    std::uint64_t ticks_late = 0;
    std::uint64_t ticks_skipped = 0;
    std::uint64_t stale_border_ticks = 0;
    std::uint64_t bytes_out = 0;
    std::uint64_t layout_changes = 0;
    shards::UpdateStaleness moves_sent = {};
    std::uint64_t handoff_ticks_max = 0;  ///< a maximum: no sum and no difference
    /// Batches that waited for an I/O thread for longer than kIoWaitMaxUs.
    std::uint64_t io_waits = 0;
};

/// What the server did since the last status line, and what is there now.
struct Status {
    std::uint64_t tick = 0;
    std::uint64_t players = 0;
    std::uint64_t entities = 0;
    std::uint64_t ghosts = 0;
    std::uint64_t shards = 0;
    Totals since_last;
    std::chrono::duration<double> elapsed{};
    std::uint64_t tick_us_p50 = 0;
    std::uint64_t tick_us_max = 0;
    std::uint64_t gate_us_max = 0;
    std::uint64_t time_scale_percent = 100;  ///< of the slowest shard
    std::uint64_t ring_slowdown = 1;         ///< likewise
    std::uint64_t resident_bytes = 0;
    unsigned hot_percent = 0;                ///< of its ticks that the busiest shard worked
    std::string hot_shard = {};              ///< its name
    std::uint64_t departures = 0;            ///< that are remembered
    bool has_room = true;                    ///< for one more player
    std::chrono::milliseconds state_age{0};  ///< since all that there was had been written
};

/// One line of `name=value`, each with its unit last; docs/operating.md explains them.
std::string to_line(const Status& status);

/// How long the ticks of all shards took, lately. A shard shows its newest tick only: whoever wants
/// all of them looks once a tick, and loses no more than a sample when it is late.
class TickTimes {
public:
    void look_at(std::size_t shard, const shards::ShardMetrics& metrics);
    /// The median of what was seen since the last call; 0 when nothing was.
    std::uint64_t take_p50_us();

    /// By shard.
private:
    std::array<std::uint64_t, shards::kShardsMax> seen_tick_{};
    std::vector<std::uint64_t> times_us_;  ///< at most shards * ticks between two calls
};

/// Watches a running server and sums it up once a second.
///
/// Threads  One: the main thread's.
class StatusMeter {
public:
    StatusMeter(shards::Zone& zone, const net::Server& server);

    /// Call about once a tick.
    void look();
    /// What happened since the last call.
    Status take_status();
    [[nodiscard]] Totals totals() const;

private:
    using Clock = std::chrono::steady_clock;
    struct Worked {
        std::uint64_t us = 0;
        std::uint64_t ticks = 0;
    };

    void find_hottest(Status& status);

    shards::Zone& zone_;
    const net::Server& server_;
    TickTimes tick_times_;
    std::array<Worked, shards::kShardsMax> worked_{};  ///< by shard, up to the last status
    Totals sent_;
    Clock::time_point sent_at_ = Clock::now();
};

/// What goes wrong again and again, for the log: when it begins, then every kRepeat while it lasts,
/// with its count, and when nothing of it came for kQuiet. So each kind has a line in a second at
/// most, as statuses come.
///
/// Kinds  Ticks that were late; frames that were left out; frames in which clients are sent less
///        than they could see (contract point 7); frames that waited for an I/O thread; a shard
///        that is hot; a state that is not written; a zone that is full.
class Warnings {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr auto kRepeat = std::chrono::seconds(10);
    static constexpr auto kQuiet = std::chrono::seconds(3);
    /// A shard that works for so much of its ticks is hot: overload begins there, too.
    static constexpr unsigned kHotPercent = 85;
    /// So far behind, something is wrong with the state's disk.
    static constexpr auto kStateAge = std::chrono::seconds(5);

    /// For each status, about one a second, in order. The lines to be logged.
    std::vector<std::string> lines_for(const Status& status, Clock::time_point now);

private:
    struct Kind {
        bool lasts = false;
        std::uint64_t count = 0;  ///< since the last line of it
        std::uint64_t total = 0;  ///< since it began
        Clock::time_point began;
        Clock::time_point said;
        Clock::time_point seen;
    };

    std::array<Kind, 7> kinds_;
};

}  // namespace marchland::server
