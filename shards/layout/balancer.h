#pragma once

#include "engine/ids.h"
#include "shards/layout/layout.h"

#include <cstdint>
#include <optional>
#include <span>

namespace marchland::shards {

class Zone;

/// How eagerly a zone's layout follows the crowd. Off until interval_ms_min is set.
struct BalancerOptions {
    /// At least so long between two changes; 0: never any. Higher is calmer, lower follows sooner.
    std::uint32_t interval_ms_min = 0;
    /// An edge moves only where the fullest shard at it could lose so much of its entities if the
    /// edge went all the way. Higher is calmer and leaves shards less even.
    std::uint32_t gain_percent_min = 20;
    /// The farthest that an edge moves in one change: what lies in between is handed over at once.
    std::int32_t step_mm_max = 20'000;
    /// No side of a shard becomes shorter than this.
    std::int32_t side_mm_min = 200'000;
};

/// One step towards shards that are equally full: the edge moves whose fullest shard gains most.
///
/// An edge is a straight piece of border that can move without tearing a hole: the shards on its
/// two
/// sides end where it ends.        +---+-----+
///                                 | a |  c  |     the edge a,b | c,d moves to either side,
///                                 |   +-----+     c | d up and down, a | b as well
///                                 +---+  d  |
///                                 | b |     |
///                                 +---+-----+
/// Taken for granted is that entities are spread evenly within a shard: they are not, which is why
/// steps are small. Names stay, and with them ids, threads and counts.
///
/// `loads`: entities of each shard, parallel to layout.shards(). Nothing when no edge is worth it.
/// Order   The same loads, the same layout. It decides where borders are, never who sees whom: a
///         double is good enough for it.
std::optional<Layout> balance_step(const Layout& layout, std::span<const std::uint64_t> loads,
                                   const BalancerOptions& options);

/// Watches a zone's shards and proposes a layout when it is time.
///
/// Threads  The driver's: whoever puts layouts in force.
class Balancer {
public:
    Balancer(const BalancerOptions& options, std::uint32_t tick_rate_hz);

    /// Ask as often as you like. What is returned has not been put in force; that is the caller's.
    std::optional<Layout> propose(Zone& zone);

private:
    const BalancerOptions options_;
    const engine::Tick interval_ticks_;  ///< 0: never
    engine::Tick last_ = engine::kNever;
};

}  // namespace marchland::shards
