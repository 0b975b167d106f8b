#pragma once

#include "shards/histogram.h"
#include "shards/update_staleness.h"

#include <array>
#include <atomic>
#include <cstdint>

namespace marchland::shards {

/// The parts of a tick that are worked, in their order; the gate is between publish and absorb.
enum class Phase : std::uint8_t { ingest, apply, publish, absorb, interest, emit };
inline constexpr std::array<const char*, 6> kPhaseNames{"ingest", "apply",    "publish",
                                                        "absorb", "interest", "emit"};

/// What one shard reports about itself. Written by the shard's thread, read by anybody.
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
    /// Frames built by now, also in the tick that runs: for the stall watch.
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
    /// From the arrival of a player's move to the end of the tick that sends it, when all frames of the shard that
    /// took it are with the I/O threads.
    DurationHistogram move_latency;
    /// Moves sent, by their age in ticks: see UpdateStaleness.
    std::array<std::atomic<std::uint64_t>, UpdateStaleness::kTicksMax + 1> moves_sent_total{};

    /// The shard is no more: what it had and how it ran does not describe the zone now. Totals stay.
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
