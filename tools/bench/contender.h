#pragma once

#include "engine/assert.h"
#include "engine/geometry.h"
#include "tools/bench/event_totals.h"
#include "tools/bench/movement.h"

#include <span>
#include <string_view>

namespace marchland::bench {

/// Somebody who answers who sees whom, to be timed. It starts at the positions that it is made with
/// and has told their visible sets before the first call.
///
/// Both calls tell every event of what they are given, as sorted lists per watcher, read them once
/// into the totals, and leave it as it will be found by the next call. Targets and watchers are the
/// numbers of a Movement's entities.
class Contender {
public:
    Contender() = default;
    Contender(const Contender&) = delete;
    Contender& operator=(const Contender&) = delete;
    virtual ~Contender() = default;

    [[nodiscard]] virtual std::string_view name() const = 0;

    /// How many threads work in run_tick.
    [[nodiscard]] virtual unsigned threads() const { return 1; }

    /// A whole tick: each goes where `to` says, then each watcher's events are told against its
    /// visible set at the tick before. `move` are those who stay in view at another position.
    virtual EventTotals run_tick(std::span<const engine::Position> to) = 0;

    /// One move after the other. After each its events are told: to the mover who enters and leaves
    /// its view; to everyone around that the mover enters, leaves, or moves in theirs.
    /// Those that only do whole ticks leave it as it is: it asserts.
    virtual EventTotals run_moves(std::span<const Move> moves);
};

inline EventTotals Contender::run_moves(std::span<const Move>) {
    MARCHLAND_ASSERT(false);
    return {};
}

}  // namespace marchland::bench
