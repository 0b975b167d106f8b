#pragma once

#include "engine/geometry.h"
#include "tools/bench/event_totals.h"
#include "tools/bench/movement.h"
#include "tools/bench/reference_sight.h"
#include "tools/bench/workload.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

/// What the contenders should have counted, found in a slow and plain way that shares nothing with
/// them: no index, no visible sets, no frames.
namespace marchland::bench {

/// Who saw whom from between the enter and the leave radius: the only pairs of which distances alone
/// do not tell. Pairs of watcher and target.
class LingeringPairs {
public:
    [[nodiscard]] bool contains(std::uint32_t watcher, std::uint32_t target) const {
        return !pairs_.empty() && pairs_.contains(key(watcher, target));
    }
    void insert(std::uint32_t watcher, std::uint32_t target) {
        pairs_.insert(key(watcher, target));
    }
    void erase(std::uint32_t watcher, std::uint32_t target) {
        if (!pairs_.empty()) pairs_.erase(key(watcher, target));
    }
    void clear() { pairs_.clear(); }

private:
    static std::uint64_t key(std::uint32_t watcher, std::uint32_t target) {
        return (std::uint64_t{watcher} << 32U) | target;
    }
    std::unordered_set<std::uint64_t> pairs_;
};

/// The events of whole ticks. Pairs are left out only where x alone or y alone is further apart than
/// anybody looks: everyone stands in one of the rows that cut the map along y, in x order, and is
/// compared with those to the right in the row and with those near in the next one. Beacons are
/// compared with everybody.
///
/// Cost  O(N log N + pairs near each other) a tick: 0.3 s for a million at k = 20.
class TickReference {
public:
    TickReference(const Workload& workload, std::span<const engine::Position> at);

    /// What Contender::run_tick must return.
    EventTotals advance(std::span<const engine::Position> to);

    /// What a contender of path query must return: who is in view after the last tick.
    [[nodiscard]] EventTotals seen() const;

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
    struct Standing {
        std::int32_t row = 0;
        std::int32_t x = 0;
        std::int32_t y = 0;
        std::uint32_t entity = 0;
    };
    void line_up(std::span<const engine::Position> to);
    void meet_in_row(std::int32_t row, std::size_t first, const Standing& one,
                     std::span<const engine::Position> to);
    void meet(const Standing& a, const Standing& b, std::span<const engine::Position> to);
    void see(std::uint32_t watcher, std::uint32_t target, std::span<const engine::Position> to);
    [[nodiscard]] EventTotals total() const;

    const ReferenceSight sight_;
    const std::uint32_t beacons_;
    const std::int32_t reach_mm_;
    std::vector<engine::Position> at_;
    std::vector<PerWatcher> watchers_;
    std::vector<Standing> standing_;  ///< by row, then by x
    LingeringPairs lingering_;        ///< of the tick before
    LingeringPairs lingering_now_;
};

/// The events of moves one at a time: each mover against everyone, before and after.
///
/// Cost  O(N) a move.
class MoveReference {
public:
    MoveReference(const Workload& workload, std::span<const engine::Position> at)
        : sight_(workload), at_(at.begin(), at.end()) {}

    /// What Contender::run_moves must return.
    EventTotals advance(std::span<const Move> moves);

private:
    struct Seen {
        bool before = false;
        bool now = false;
    };

    Seen look(std::uint32_t watcher, std::uint32_t target, Way before, Way now);

    const ReferenceSight sight_;
    std::vector<engine::Position> at_;
    LingeringPairs lingering_;
};

}  // namespace marchland::bench
