#pragma once

#include "tools/bench/contender.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

/// What the contenders should have counted, found in a slow and plain way that shares nothing with
/// them: no index, no frames, no bits.
namespace marchland::bench {

/// The events of whole ticks. Pairs are left out only where x alone or y alone is further apart
/// than anybody looks: everyone stands in one of the rows that cut the map along y, in x order, and
/// is compared with those to the right in the row and with those near in the next one. Sources of a
/// notification range are compared with everybody.
///
/// Where limits are set, what is sent depends on what was: then each watcher's known set is kept,
/// and everybody is compared with those whose x is near.
///
/// Cost  O(N log N + pairs near each other) a tick: 0.3 s for a million at k = 20.
class TickReference {
public:
    virtual ~TickReference() = default;

    /// What Contender::run_tick must return.
    virtual EventTotals advance(Positions to) = 0;
    /// Pairs (watcher, target) in view after the last tick.
    [[nodiscard]] virtual std::uint64_t visible_pairs() const = 0;
};
std::unique_ptr<TickReference> make_tick_reference(const Workload& workload, Positions at);

/// The events of moves one at a time: each mover against everyone, before and after.
///
/// Cost  O(N) a move.
/// What it returns is what Contender::run_moves must return.
using MoveReference = std::function<EventTotals(std::span<const Move> moves)>;
MoveReference make_move_reference(const Workload& workload, Positions at);

}  // namespace marchland::bench
