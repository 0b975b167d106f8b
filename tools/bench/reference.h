#pragma once

#include "tools/bench/contender.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

/// What the contenders should have counted, found in a slow and plain way that shares nothing with
/// them: no index, no visible sets, no frames.
namespace marchland::bench {

/// From a watcher to a target, in millimetres.
struct Way {
    std::int64_t x = 0;
    std::int64_t y = 0;
    std::int64_t z = 0;  ///< 0 where the map is flat
};

/// Views, layers and notification ranges as docs/visibility.md has them, for the reference counts. Each is worked out
/// here once more, with nothing of the engine's, which is what they check.
class ReferenceView {
public:
    explicit ReferenceView(const Workload& workload);

    [[nodiscard]] Way way(engine::Position watcher, engine::Position target) const {
        return {std::int64_t{target.x} - watcher.x, std::int64_t{target.y} - watcher.y,
                is_flat_ ? 0 : std::int64_t{target.z} - watcher.z};
    }

    [[nodiscard]] bool shares_layer(std::uint32_t watcher, std::uint32_t target) const {
        return (senses_[watcher].layers_seen & senses_[target].layers) != 0;
    }
    /// Is the target in the watcher's enter range, or the watcher in its notification range?
    [[nodiscard]] bool enters(std::uint32_t watcher, std::uint32_t target, Way way) const;
    /// The same of the leave range.
    [[nodiscard]] bool stays(std::uint32_t watcher, std::uint32_t target, Way way) const;

private:
    struct Ray {
        std::int64_t x = 0;
        std::int64_t y = 0;
    };
    /// Of a sector.
    struct Opening {
        Ray ahead;
        Ray left;
        Ray right;
        bool is_wide = false;  ///< more than half a turn in all
    };
    /// Of a view, in one of its two sizes.
    struct Range {
        std::int64_t radius_mm = 0;
        std::int64_t half_y_mm = 0;
        const Opening* opening = nullptr;
    };

    static Ray ray(std::uint32_t angle);
    static Opening opening(std::uint32_t facing, std::uint32_t half_opening);
    static bool is_in(const Opening& opening, Way way);
    static bool is_in(View view, const Range& range, Way way);

    const bool is_flat_;
    const std::vector<Senses> senses_;
    std::vector<std::array<Opening, 2>>
        openings_;  ///< enter, leave; empty where there is no sector
};

/// Who saw whom from between the enter and the leave radius: the only pairs of which distances alone
/// do not tell. Pairs of watcher and target.
class KeptPairs {
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
/// compared with those to the right in the row and with those near in the next one. Sources of a notification range are
/// compared with everybody.
///
/// Cost  O(N log N + pairs near each other) a tick: 0.3 s for a million at k = 20.
class TickReference {
public:
    TickReference(const Workload& workload, Positions at);

    /// What Contender::run_tick must return.
    EventTotals advance(Positions to);

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
    void line_up(Positions to);
    void meet_in_row(std::int32_t row, std::size_t first, const Standing& one, Positions to);
    void meet(const Standing& a, const Standing& b, Positions to);
    void see(std::uint32_t watcher, std::uint32_t target, Positions to);
    [[nodiscard]] EventTotals total() const;

    const ReferenceView view_;
    const std::uint32_t notify_sources_;
    const std::int32_t reach_mm_;
    std::vector<engine::Position> at_;
    std::vector<PerWatcher> watchers_;
    std::vector<Standing> standing_;  ///< by row, then by x
    KeptPairs kept_;                  ///< of the tick before
    KeptPairs kept_now_;
};

/// The events of moves one at a time: each mover against everyone, before and after.
///
/// Cost  O(N) a move.
class MoveReference {
public:
    MoveReference(const Workload& workload, Positions at)
        : view_(workload), at_(at.begin(), at.end()) {}

    /// What Contender::run_moves must return.
    EventTotals advance(std::span<const Move> moves);

private:
    struct Seen {
        bool before = false;
        bool now = false;
    };

    Seen look(std::uint32_t watcher, std::uint32_t target, Way before, Way now);

    const ReferenceView view_;
    std::vector<engine::Position> at_;
    KeptPairs kept_;
};

}  // namespace marchland::bench
