#pragma once

#include "engine/geometry.h"
#include "tools/bench/event_totals.h"
#include "tools/bench/movement.h"

#include <cstdint>
#include <span>
#include <vector>

/// What the contenders should have counted, found in a slow and plain way that shares nothing with
/// them: no index, no visible sets, no frames.
namespace marchland::bench {

/// The events of whole ticks. Pairs are looked at in x order, and left out only where x alone is
/// further apart than the radius.
///
/// Cost  O(N * entities in a strip of the radius) a tick: 0.2 s for 100,000 in 6 km.
class TickReference {
public:
    explicit TickReference(std::span<const engine::Position> at);

    /// What Contender::run_tick must return.
    EventTotals advance(std::span<const engine::Position> to);

    /// Pairs (watcher, target) in view after the last tick.
    [[nodiscard]] std::uint64_t visible_pairs() const;

private:
    /// Targets of one watcher: how many, and the sum of their numbers.
    struct Sum {
        std::uint64_t count = 0;
        std::uint64_t targets = 0;

        void add(std::uint32_t target) {
            ++count;
            targets += target;
        }
    };
    struct PerWatcher {
        Sum visible;         ///< now
        Sum visible_twice;   ///< now and at the tick before
        Sum moved_in_view;   ///< visible twice, at another position
        Sum visible_before;  ///< at the tick before
    };

    void see(std::span<const engine::Position> to, std::uint32_t watcher, std::uint32_t target,
             bool was_visible);
    [[nodiscard]] EventTotals total() const;

    std::vector<engine::Position> at_;
    std::vector<PerWatcher> watchers_;
    std::vector<std::uint32_t> in_x_order_;
};

/// The events of moves one at a time: each mover against everyone, before and after.
///
/// Cost  O(N) a move.
class MoveReference {
public:
    explicit MoveReference(std::span<const engine::Position> at) : at_(at.begin(), at.end()) {}

    /// What Contender::run_moves must return.
    EventTotals advance(std::span<const Move> moves);

private:
    std::vector<engine::Position> at_;
};

}  // namespace marchland::bench
