#include "tools/bench/reference.h"

#include "engine/assert.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <numeric>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

namespace marchland::bench {
namespace {

/// From a watcher to a target, in millimetres.
struct Way {
    std::int64_t x = 0;
    std::int64_t y = 0;
    std::int64_t z = 0;  ///< 0 where the map is flat

    [[nodiscard]] bool is_within(std::int64_t radius_mm) const {
        return x * x + y * y + z * z <= radius_mm * radius_mm;
    }
};

/// The opening of a sector.
class Opening {
public:
    Opening(std::uint32_t facing, std::uint32_t half_opening)
        : ahead_(ray(facing)),
          left_(ray(facing + half_opening)),
          right_(ray(facing + 65'536 - half_opening)),
          is_wide_(half_opening > 16'384) {}

    [[nodiscard]] bool contains(const Way& way) const {
        const bool is_past_right = cross(right_, way) < 0;
        const bool is_past_left = cross(way, left_) < 0;
        if (is_wide_) return !(is_past_right && is_past_left);
        const bool is_behind = ahead_.x * way.x + ahead_.y * way.y < 0;
        return !is_past_right && !is_past_left && !is_behind;
    }

private:
    /// No angle's is near a tie: any library's cosine gives the same integers.
    static Way ray(std::uint32_t angle) {
        constexpr double kLength = 1U << 30U;
        const double radians = 2 * std::numbers::pi * (angle % 65'536) / 65'536;
        return {std::llround(kLength * std::cos(radians)),
                std::llround(kLength * std::sin(radians)), 0};
    }
    static std::int64_t cross(const Way& a, const Way& b) { return a.x * b.y - a.y * b.x; }

    Way ahead_;
    Way left_;
    Way right_;
    bool is_wide_;  ///< more than half a turn in all
};

/// Views, layers and notification ranges as docs/visibility.md has them. Each is worked out here
/// once more, with nothing of the engine's, which is what they check.
class ReferenceView {
public:
    explicit ReferenceView(const Workload& workload)
        : is_flat_(workload.height_mm == 0), senses_(senses_of(workload)) {
        if (workload.view != View::sector) return;
        for (const Senses& senses : senses_) {
            openings_.push_back({Opening(senses.facing, senses.half_opening),
                                 Opening(senses.facing, senses.leave_half_opening)});
        }
    }

    [[nodiscard]] Way way(engine::Position watcher, engine::Position target) const {
        return {std::int64_t{target.x} - watcher.x, std::int64_t{target.y} - watcher.y,
                is_flat_ ? 0 : std::int64_t{target.z} - watcher.z};
    }
    [[nodiscard]] bool shares_layer(std::uint32_t watcher, std::uint32_t target) const {
        return (senses_[watcher].layers_seen & senses_[target].layers) != 0;
    }
    /// Is the target in the watcher's enter range, or the watcher in its notification range?
    [[nodiscard]] bool enters(std::uint32_t watcher, std::uint32_t target, const Way& way) const {
        const Senses& senses = senses_[watcher];
        return is_in(watcher, 0, senses.radius_mm, senses.half_y_mm, way) ||
               way.is_within(senses_[target].notify_mm);
    }
    /// The same of the leave range.
    [[nodiscard]] bool stays(std::uint32_t watcher, std::uint32_t target, const Way& way) const {
        const Senses& senses = senses_[watcher];
        return is_in(watcher, 1, senses.leave_radius_mm, senses.leave_half_y_mm, way) ||
               way.is_within(senses_[target].leave_notify_mm);
    }

private:
    [[nodiscard]] bool is_in(std::uint32_t watcher, std::size_t opening, std::int64_t radius_mm,
                             std::int64_t half_y_mm, const Way& way) const {
        if (senses_[watcher].view == View::rectangle) {
            return std::abs(way.x) <= radius_mm && std::abs(way.y) <= half_y_mm;
        }
        return way.is_within(radius_mm) &&
               (openings_.empty() || openings_[watcher][opening].contains(way));
    }

    const bool is_flat_;
    const std::vector<Senses> senses_;
    std::vector<std::array<Opening, 2>> openings_;  ///< enter, leave; of sectors
};

/// Who saw whom from between the enter and the leave radius: the only pairs of which distances
/// alone do not say it. Pairs of watcher and target.
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

class TickCount final : public TickReference {
public:
    TickCount(const Workload& workload, Positions at)
        : view_(workload),
          notify_sources_(workload.notify_sources),
          reach_mm_(reach_mm(workload)),
          at_(at.begin(), at.end()),
          watchers_(at.size()),
          standing_(at.size()) {
        for (std::uint32_t entity = 0; entity < at.size(); ++entity) {
            standing_[entity].entity = entity;
        }
        TickCount::advance(at);  // nobody moves: afterwards it knows who is in view
    }

    EventTotals advance(Positions to) override {
        for (PerWatcher& watcher : watchers_) {
            const Sum before = watcher.visible;
            watcher = {};
            watcher.visible_before = before;
        }
        line_up(to);
        std::size_t next = 0;  // in the next row, the first who is not too far to the left
        for (std::size_t i = 0; i < standing_.size(); ++i) {
            const auto from = std::pair(standing_[i].row + 1, standing_[i].x - reach_mm_);
            while (next < standing_.size() &&
                   std::pair(standing_[next].row, standing_[next].x) < from) {
                ++next;
            }
            meet_in_row(standing_[i].row, i + 1, standing_[i], to);
            meet_in_row(standing_[i].row + 1, next, standing_[i], to);
        }
        for (std::uint32_t source = 0; source < notify_sources_; ++source) {
            for (std::uint32_t watcher = 0; watcher < to.size(); ++watcher) {
                if (watcher != source) see(watcher, source, to);
            }
        }
        std::swap(kept_, kept_now_);
        kept_now_.clear();
        at_.assign(to.begin(), to.end());
        return total();
    }

    [[nodiscard]] std::uint64_t visible_pairs() const override {
        std::uint64_t pairs = 0;
        for (const PerWatcher& sums : watchers_) {
            pairs += sums.visible.count;
        }
        return pairs;
    }

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

    void line_up(Positions to) {
        for (Standing& one : standing_) {
            const engine::Position at = to[one.entity];
            one.x = at.x;
            one.y = at.y;
            one.row = at.y / reach_mm_;
        }
        std::sort(standing_.begin(), standing_.end(), [](const Standing& a, const Standing& b) {
            return std::tie(a.row, a.x) < std::tie(b.row, b.x);
        });
    }

    /// `one` with those of the row from `first` on, as far as x allows.
    void meet_in_row(std::int32_t row, std::size_t first, const Standing& one, Positions to) {
        for (std::size_t i = first; i < standing_.size(); ++i) {
            if (standing_[i].row != row || standing_[i].x - one.x > reach_mm_) return;
            meet(one, standing_[i], to);
        }
    }

    void meet(const Standing& a, const Standing& b, Positions to) {
        if (std::abs(a.y - b.y) > reach_mm_) return;
        if (b.entity >= notify_sources_) see(a.entity, b.entity, to);
        if (a.entity >= notify_sources_) see(b.entity, a.entity, to);
    }

    void see(std::uint32_t watcher, std::uint32_t target, Positions to) {
        if (!view_.shares_layer(watcher, target)) return;
        const Way before = view_.way(at_[watcher], at_[target]);
        const Way now = view_.way(to[watcher], to[target]);
        if (!view_.stays(watcher, target, now)) return;
        const bool was_visible =
            view_.enters(watcher, target, before) || kept_.contains(watcher, target);
        const bool is_inside = view_.enters(watcher, target, now);
        if (!is_inside && !was_visible) return;
        if (!is_inside) kept_now_.insert(watcher, target);
        PerWatcher& sums = watchers_[watcher];
        sums.visible.add(target);
        if (!was_visible) return;
        sums.visible_twice.add(target);
        if (to[target] != at_[target]) sums.moved_in_view.add(target);
    }

    [[nodiscard]] EventTotals total() const {
        EventTotals totals;
        for (std::uint32_t watcher = 0; watcher < watchers_.size(); ++watcher) {
            const PerWatcher& sums = watchers_[watcher];
            const Sum& twice = sums.visible_twice;
            totals.add(watcher, EventKind::enter, sums.visible.count - twice.count,
                       sums.visible.targets - twice.targets);
            totals.add(watcher, EventKind::leave, sums.visible_before.count - twice.count,
                       sums.visible_before.targets - twice.targets);
            totals.add(watcher, EventKind::move, sums.moved_in_view.count,
                       sums.moved_in_view.targets);
        }
        return totals;
    }

    const ReferenceView view_;
    const std::uint32_t notify_sources_;
    const std::int32_t reach_mm_;
    std::vector<engine::Position> at_;
    std::vector<PerWatcher> watchers_;
    std::vector<Standing> standing_;  ///< by row, then by x
    KeptPairs kept_;                  ///< of the tick before
    KeptPairs kept_now_;
};

/// With limits: what is sent depends on what was, so every watcher's known set is kept, and the
/// rules of docs/visibility.md ("In a crowd") are followed word by word. Circles in a flat map, all
/// alike.
class LimitedCount final : public TickReference {
public:
    LimitedCount(const Workload& workload, Positions at)
        : limits_(workload.limits),
          reach_mm_(reach_mm(workload)),
          at_(at.begin(), at.end()),
          by_x_(at.size()),
          known_(at.size()) {
        MARCHLAND_ASSERT(is_mutual(workload) && workload.view == View::circle &&
                         workload.height_mm == 0 && workload.leave_wider_percent == 0);
        std::iota(by_x_.begin(), by_x_.end(), 0U);
        LimitedCount::advance(at);
    }

    EventTotals advance(Positions to) override {
        ++now_;
        std::ranges::sort(by_x_, {}, [&](std::uint32_t entity) { return to[entity].x; });
        EventTotals totals;
        for (std::size_t i = 0; i < by_x_.size(); ++i) {
            seen_.clear();
            for (std::size_t left = i; left-- > 0 && look(by_x_[i], by_x_[left], to);) {
            }
            for (std::size_t right = i + 1;
                 right < by_x_.size() && look(by_x_[i], by_x_[right], to); ++right) {
            }
            send(by_x_[i], to, totals);
        }
        at_.assign(to.begin(), to.end());
        return totals;
    }

    [[nodiscard]] std::uint64_t visible_pairs() const override {
        std::uint64_t pairs = 0;
        for (const std::vector<Known>& known : known_) {
            pairs += known.size();
        }
        return pairs;
    }

private:
    struct Known {
        std::uint32_t target = 0;
        std::uint64_t held_ticks = 0;  ///< for so many an older place is known
    };
    struct Seen {
        std::uint32_t target = 0;
        std::uint64_t square = 0;  ///< of the distance
        bool is_known = false;
        std::uint64_t age_ticks = 0;  ///< of what is to be sent of it; 0: nothing
        std::int64_t cost = 0;
    };

    /// False: nobody beyond it is near enough.
    bool look(std::uint32_t watcher, std::uint32_t target, Positions to) {
        const std::int64_t x = std::int64_t{to[target].x} - to[watcher].x;
        const std::int64_t y = std::int64_t{to[target].y} - to[watcher].y;
        const std::int64_t reach = reach_mm_;
        if (x * x + y * y <= reach * reach) {
            seen_.push_back({target, static_cast<std::uint64_t>(x * x + y * y)});
        }
        return std::abs(x) <= reach;
    }

    void send(std::uint32_t watcher, Positions to, EventTotals& totals) {
        std::vector<Known>& known = known_[watcher];
        for (Seen& seen : seen_) {
            const auto at = std::ranges::lower_bound(known, seen.target, {}, &Known::target);
            seen.is_known = at != known.end() && at->target == seen.target;
            if (!seen.is_known) continue;
            const bool has_moved = to[seen.target] != at_[seen.target];
            seen.age_ticks = has_moved || at->held_ticks > 0 ? at->held_ticks + 1 : 0;
            seen.cost = at->held_ticks > 0 ? 16 : 8;
        }
        keep_nearest();
        std::int64_t room = limits_.has_budget() ? std::int64_t{limits_.frame_bytes_max} - 64
                                                 : std::numeric_limits<std::int64_t>::max();
        std::vector<Known> now;
        const auto stays = [this](std::uint32_t target) {
            return std::ranges::any_of(
                seen_, [&](const Seen& seen) { return seen.is_known && seen.target == target; });
        };
        for (const Known& before : known) {
            if (stays(before.target)) continue;
            totals.add(watcher, EventKind::leave, 1, before.target);
            room -= limits_.has_budget() ? 16 : 0;
        }
        std::ranges::sort(seen_, {},
                          [](const Seen& seen) { return std::pair(seen.square, seen.target); });
        for (const Seen& seen : seen_) {
            if (seen.is_known || room <= 0) continue;
            room -= limits_.has_budget() ? 48 : 0;
            totals.add(watcher, EventKind::enter, 1, seen.target);
            now.push_back({seen.target});
        }
        std::ranges::sort(seen_, goes_before);
        for (const Seen& seen : seen_) {
            if (!seen.is_known) continue;
            const bool is_sent = seen.age_ticks > 0 && is_due(seen) && room > 0;
            if (is_sent) {
                room -= limits_.has_budget() ? seen.cost : 0;
                totals.add(watcher, EventKind::move, 1, seen.target);
            }
            now.push_back({seen.target, is_sent ? 0 : seen.age_ticks});
        }
        std::ranges::sort(now, {}, &Known::target);
        known = std::move(now);
    }

    void keep_nearest() {
        if (limits_.visible_max == 0 || seen_.size() <= limits_.visible_max) return;
        const std::uint64_t weight = 100 - limits_.sticky_percent;
        std::ranges::sort(seen_, {}, [&](const Seen& seen) {
            const std::uint64_t share = seen.is_known ? weight * weight : 10'000;
            return std::tuple(seen.square * share, !seen.is_known, seen.target);
        });
        seen_.resize(limits_.visible_max);
    }

    /// The highest share of the budget first: age by distance, both squared.
    static bool goes_before(const Seen& a, const Seen& b) {
        __extension__ using Wide = unsigned __int128;
        const Wide left = Wide{a.age_ticks} * a.age_ticks * (b.square + 1'000'000);
        const Wide right = Wide{b.age_ticks} * b.age_ticks * (a.square + 1'000'000);
        return left != right ? left > right : a.target < b.target;
    }

    /// Was one of the ticks since it is to be sent a turn of its ring?
    [[nodiscard]] bool is_due(const Seen& seen) const {
        MARCHLAND_ASSERT(!limits_.has_budget() || seen.age_ticks < limits_.stale_ticks_max);
        std::uint64_t every = 1;
        for (const engine::UpdateRing& ring : limits_.rings) {
            const auto beyond = static_cast<std::uint64_t>(ring.beyond_mm);
            if (ring.every_ticks != 0 && seen.square > beyond * beyond) every = ring.every_ticks;
        }
        for (std::uint64_t tick = now_ + 1 - seen.age_ticks; tick <= now_; ++tick) {
            if ((tick + seen.target) % every == 0) return true;
        }
        return false;
    }

    const engine::CrowdLimits limits_;
    const std::int32_t reach_mm_;
    std::uint64_t now_ = 0;
    std::vector<engine::Position> at_;
    std::vector<std::uint32_t> by_x_;
    std::vector<std::vector<Known>> known_;  ///< by watcher; by target
    std::vector<Seen> seen_;                 ///< by the watcher that is looked at
};

class MoveCount {
public:
    MoveCount(const Workload& workload, Positions at)
        : view_(workload), at_(at.begin(), at.end()) {}

    EventTotals operator()(std::span<const Move> moves) {
        EventTotals totals;
        for (const Move& move : moves) {
            const std::uint32_t mover = move.entity;
            const engine::Position from = at_[mover];
            at_[mover] = move.to;
            if (from == move.to) continue;
            for (std::uint32_t other = 0; other < at_.size(); ++other) {
                if (other == mover) continue;
                const engine::Position there = at_[other];
                const Seen of_other =
                    look(mover, other, view_.way(from, there), view_.way(move.to, there));
                if (of_other.before != of_other.now) {
                    totals.add(mover, of_other.now ? EventKind::enter : EventKind::leave, 1, other);
                }
                const Seen of_mover =
                    look(other, mover, view_.way(there, from), view_.way(there, move.to));
                if (of_mover.before && of_mover.now) {
                    totals.add(other, EventKind::move, 1, mover);
                } else if (of_mover.before || of_mover.now) {
                    totals.add(other, of_mover.now ? EventKind::enter : EventKind::leave, 1, mover);
                }
            }
        }
        return totals;
    }

private:
    struct Seen {
        bool before = false;
        bool now = false;
    };

    /// Remembers whether the target is kept in view now.
    Seen look(std::uint32_t watcher, std::uint32_t target, const Way& before, const Way& now) {
        if (!view_.shares_layer(watcher, target)) return {};
        Seen seen;
        seen.before = view_.enters(watcher, target, before) || kept_.contains(watcher, target);
        const bool is_inside = view_.enters(watcher, target, now);
        const bool is_kept = !is_inside && seen.before && view_.stays(watcher, target, now);
        seen.now = is_inside || is_kept;
        if (is_kept) {
            kept_.insert(watcher, target);
        } else {
            kept_.erase(watcher, target);
        }
        return seen;
    }

    const ReferenceView view_;
    std::vector<engine::Position> at_;
    KeptPairs kept_;
};

}  // namespace

std::unique_ptr<TickReference> make_tick_reference(const Workload& workload, Positions at) {
    if (workload.limits.is_any_set()) return std::make_unique<LimitedCount>(workload, at);
    return std::make_unique<TickCount>(workload, at);
}

MoveReference make_move_reference(const Workload& workload, Positions at) {
    return MoveCount(workload, at);
}

}  // namespace marchland::bench
