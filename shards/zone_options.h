#pragma once

#include "engine/frame/crowd_limits.h"
#include "engine/geometry.h"
#include "engine/state.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace marchland::shards {

/// How a zone behaves. Every field has a default that suits a small game; the comment says what
/// changes when it is turned.
struct ZoneOptions {
    /// The map, both ends inclusive. Positions outside are refused when they come in.
    engine::Rect world{-1'000'000, -1'000'000, 1'000'000, 1'000'000};
    engine::Dimensions dimensions = engine::Dimensions::two;

    /// The grid that positions from outside are put on, 1 to 1,000: the nearest multiple on each
    /// axis. Coarser makes moves smaller on the wire, about a third at 10; everything is exact
    /// either way.
    std::int32_t quantum_mm = 1;

    /// Ticks per second, 1 to 128. Higher is smoother and costs in proportion.
    std::uint32_t tick_rate_hz = 20;

    /// When the whole zone has more to do than fits into a tick, ticks become longer, until game
    /// time runs at this percentage of real time; only then are ticks skipped. 100: never. Lower
    /// keeps every update for longer, at a slower game.
    std::uint32_t time_scale_percent_min = 50;

    /// No view's leave range may reach further than this along x or y. It sets how wide the strip
    /// of ghosts along a border is: set it as low as the game allows.
    std::int32_t leave_radius_mm_max = 100'000;

    /// No entity's notification range may reach further. Only entities that have one have ghosts as
    /// far away as it reaches: the strip of all others is no wider for it.
    std::int32_t notify_leave_radius_mm_max = 1'000'000;

    /// How far outside its owner's region an entity must be before it is handed over. Higher means
    /// fewer handoffs of those that pace on a border, and wider strips of ghosts.
    std::int32_t border_hysteresis_mm = 2'000;

    /// How long a tick waits for late shards; never longer than a tick takes. Higher keeps views
    /// exact for longer when a shard overruns; lower keeps the others on time.
    std::uint32_t border_wait_ms_max = 40;

    /// A shard that stands still for so long has failed, and the zone stops. Until then the others
    /// go on without it, and keep their batches for it: higher means more memory for those.
    std::uint32_t shard_stall_ms_max = 10'000;

    /// How long a client may go without taking a frame before it is given up, in ticks that were
    /// run. A server works it out: config/server_config.cpp.
    std::uint32_t frame_gap_ticks_max = 600;

    /// What each shard finds its entities with: a name that engine::index_names() lists.
    std::string index = "grid_cross_list";

    /// Threads that a crowded shard builds its frames with, itself included, shared by all shards;
    /// 0: one for each core, 1: each shard builds its frames alone.
    std::uint32_t executor_threads = 0;

    /// A shard that has at least so many pairs of a watcher and one that it may see to test in a
    /// tick builds its frames with the executor. Lower spreads smaller crowds over the cores, and
    /// costs a wake-up of their threads in every tick.
    std::uint32_t executor_pairs_min = 200'000;

    /// Each shard's thread stays on one of the first so many cores that the process may use, in
    /// turn; 0: wherever the system puts it. Steadier ticks where the cores are the zone's alone;
    /// elsewhere a shard may wait for a core while another is idle.
    std::uint32_t pin_cores = 0;

    /// Wanted edge of an index cell: about the usual view radius.
    std::int32_t cell_mm = 50'000;

    /// What a watcher in a crowd is spared: off unless set. A server has a budget by default
    /// (config/config.h). One set of limits for all watchers.
    engine::CrowdLimits crowd;

    /// How far from its place an entity may be shown at the end of a frame, 0 to
    /// engine::kPredictionErrorMaxMm: clients go on with its last velocity, and are sent a move
    /// only when that would be wrong by more. 0: every move is sent. Higher: less traffic, and
    /// others look less exact. Who is seen is decided by the places themselves, always.
    std::int32_t prediction_error_mm = 0;

    /// With crowd.frame_bytes_max: what one client is sent in a second, by the same model. What it
    /// does not use adds up, to one frame. 0: no such limit. Lower spares traffic where many meet,
    /// and fills their views later.
    std::uint32_t client_bytes_per_second_max = 0;

    /// With crowd.frame_bytes_max: a shard that is to send more in a tick, by the same model,
    /// counts as overloaded, and budgets are lowered. 0: no such limit.
    std::uint64_t tick_bytes_max = 0;

    /// What entities' states are made of: engine::flaw_of finds nothing. None: entities have no
    /// state.
    engine::StateSlots slots;

    /// Entities in the whole zone, ghosts not counted. A join beyond is refused.
    std::size_t entities_max = 100'000;
    /// Entities that left within the last frame_gap_ticks_max ticks: each is remembered until then,
    /// some 120 bytes in every shard. While there are so many nobody joins, so nobody who comes and
    /// goes makes it more; with half as many only players do.
    std::size_t departures_max = 262'144;
};

/// The engine ends a frame with the item that is too much for its budget; the zone's budgets are so
/// much lower that it fits, where they have room for one.
std::uint32_t without_last_item(std::uint32_t bytes_max, const ZoneOptions& options);
/// From how many on they do.
std::uint32_t frame_bytes_min(const ZoneOptions& options);
/// With what the clients may have in each tick.
engine::CrowdLimits crowd_limits(const ZoneOptions& options);

}  // namespace marchland::shards
