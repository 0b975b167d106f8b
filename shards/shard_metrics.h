#pragma once

#include "engine/ids.h"
#include "shards/histogram.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace marchland::shards {

/// How old is a move when it is sent to a client? A count for each number of ticks between the one
/// that took the move from its client or service and the frame that carries it: 0 where that is the
/// same tick.
///
/// A watcher that skips no frame is sent everything in its tick. One whose client was slow is sent
/// the stop of who has stopped meanwhile with as many ticks' delay; of who goes on walking it is
/// sent the newest.
///
/// Shapes   kTicksMax + 1 counts; the last one holds everything that is older.
struct UpdateStaleness {
    static constexpr std::size_t kTicksMax = 63;

    std::array<std::uint64_t, kTicksMax + 1> moves{};  ///< by ticks

    void add(engine::Tick ticks, std::uint64_t count) {
        moves[std::min<std::size_t>(ticks, kTicksMax)] += count;
    }

    [[nodiscard]] std::uint64_t total() const {
        return std::accumulate(moves.begin(), moves.end(), std::uint64_t{0});
    }

    /// The fewest ticks that `percent` (1 to 100) of the moves do not exceed; 0 when there are
    /// none.
    [[nodiscard]] std::size_t ticks_at(std::uint64_t percent) const {
        const std::uint64_t all = total();
        std::uint64_t seen = 0;
        for (std::size_t ticks = 0; ticks < moves.size(); ++ticks) {
            seen += moves[ticks];
            if (seen * 100 >= all * percent) return ticks;
        }
        return kTicksMax;
    }

    UpdateStaleness& operator+=(const UpdateStaleness& other) {
        for (std::size_t i = 0; i < moves.size(); ++i)
            moves[i] += other.moves[i];
        return *this;
    }
    friend UpdateStaleness operator-(UpdateStaleness now, const UpdateStaleness& before) {
        for (std::size_t i = 0; i < now.moves.size(); ++i)
            now.moves[i] -= before.moves[i];
        return now;
    }
};

/// The parts of a tick that are worked, in their order; the gate is between publish and absorb.
enum class Phase : std::uint8_t { ingest, apply, publish, absorb, interest, emit };
inline constexpr std::array<const char*, 6> kPhaseNames{"ingest", "apply",    "publish",
                                                        "absorb", "interest", "emit"};

/// What one shard reports about itself. Written by the shard's thread, `progress` by the
/// executor's, too; read by anybody, who sets the longest times since the last look to 0.
/// Shards' metrics lie side by side: each on cache lines of its own.
struct alignas(64) ShardMetrics {
    std::atomic<std::uint64_t> tick{0};
    std::atomic<std::uint64_t> time_scale_percent{100};  ///< game time against real time
    std::atomic<std::uint64_t> ring_slowdown{1};    ///< of update rings, against their settings
    std::atomic<std::uint64_t> frame_bytes_max{0};  ///< lowered budget; 0: as it is set
    std::atomic<std::uint64_t> turn_ticks{1};       ///< frames every so many ticks
    std::atomic<std::uint64_t> entities{0};
    std::atomic<std::uint64_t> ghosts{0};
    std::atomic<std::uint64_t> entity_bytes{
        0};  ///< memory of own entities and ghosts, once a second
    std::atomic<std::uint64_t> known_bytes{0};  ///< of who may see whom, and knows whom; likewise
    std::atomic<std::uint64_t> handoffs_total{0};  ///< entities handed to another shard
    /// The longest way of a handoff from owner to owner; 0 while no shard is late.
    std::atomic<std::uint64_t> handoff_ticks_max{0};
    /// Of entities whose port changed more than once in a tick: beyond kMessagesOfAllPortsMax.
    std::atomic<std::uint64_t> messages_dropped_total{0};
    std::atomic<std::uint64_t> frames_total{0};
    std::atomic<std::uint64_t> frames_skipped_total{
        0};  ///< a client that is there could not take one
    std::atomic<std::uint64_t> shared_ticks_total{0};   ///< frames were built with the executor
    std::atomic<std::uint64_t> frames_capped_total{0};  ///< more could be seen than may be
    std::atomic<std::uint64_t> frames_slowed_total{0};  ///< some moves wait: update rings
    std::atomic<std::uint64_t> frames_over_budget_total{
        0};                                              ///< moves, states, messages wait: budget
    std::atomic<std::uint64_t> frames_filling_total{0};  ///< some enters wait: byte budget
    /// By the budget's model; 0 without a budget.
    std::atomic<std::uint64_t> frame_bytes_total{0};
    std::atomic<std::uint64_t> frame_bytes_last{0};  ///< of the last tick
    /// Frames built and messages to clients given by now, also in the tick that runs: for the stall
    /// watch.
    std::atomic<std::uint64_t> progress{0};
    std::atomic<std::uint64_t> stale_border_ticks_total{0};  ///< went on without some shard's batch
    std::atomic<std::uint64_t> ticks_late_total{0};          ///< ended after the next one was due
    std::atomic<std::uint64_t> ticks_skipped_total{0};  ///< never run, since one before was late
    std::atomic<std::uint64_t> tick_us_last{0};         ///< work of the last tick, waits left out
    std::atomic<std::uint64_t> tick_us_max{0};          ///< since somebody set it to 0
    std::atomic<std::uint64_t> gate_us_max{
        0};                           ///< the longest wait for others since it was set to 0
    DurationHistogram tick_duration;  ///< work of a tick, waits left out
    DurationHistogram gate_wait;
    std::array<DurationHistogram, kPhaseNames.size()> phase_duration;  ///< by Phase
    /// From the arrival of a player's move to the end of the tick that sends it, when all frames of
    /// the shard that took it are with the I/O threads.
    DurationHistogram move_latency;
    /// Moves sent, by their age in ticks: see UpdateStaleness.
    std::array<std::atomic<std::uint64_t>, UpdateStaleness::kTicksMax + 1> moves_sent_total{};

    /// The shard is no more: what it had and how it ran does not describe the zone now. Totals
    /// stay.
    void reset_gauges() {
        time_scale_percent.store(100, std::memory_order_relaxed);
        ring_slowdown.store(1, std::memory_order_relaxed);
        turn_ticks.store(1, std::memory_order_relaxed);
        for (auto* const gauge :
             {&frame_bytes_max, &entities, &ghosts, &entity_bytes, &known_bytes, &tick_us_last}) {
            gauge->store(0, std::memory_order_relaxed);
        }
    }
};

}  // namespace marchland::shards
