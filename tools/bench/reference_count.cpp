#include "tools/bench/reference_count.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

namespace marchland::bench {
TickReference::TickReference(const Workload& workload, std::span<const engine::Position> at)
    : sight_(workload),
      beacons_(workload.beacons),
      reach_mm_(reach_mm(workload)),
      at_(at.begin(), at.end()),
      watchers_(at.size()),
      standing_(at.size()) {
    for (std::uint32_t entity = 0; entity < at.size(); ++entity) {
        standing_[entity].entity = entity;
    }
    advance(at);  // nobody moves: afterwards it knows who is in view
}

EventTotals TickReference::advance(std::span<const engine::Position> to) {
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
    for (std::uint32_t beacon = 0; beacon < beacons_; ++beacon) {
        for (std::uint32_t watcher = 0; watcher < to.size(); ++watcher) {
            if (watcher != beacon) see(watcher, beacon, to);
        }
    }
    std::swap(lingering_, lingering_now_);
    lingering_now_.clear();
    at_.assign(to.begin(), to.end());
    return total();
}

void TickReference::line_up(std::span<const engine::Position> to) {
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
void TickReference::meet_in_row(std::int32_t row, std::size_t first, const Standing& one,
                                std::span<const engine::Position> to) {
    for (std::size_t i = first; i < standing_.size(); ++i) {
        if (standing_[i].row != row || standing_[i].x - one.x > reach_mm_) return;
        meet(one, standing_[i], to);
    }
}

void TickReference::meet(const Standing& a, const Standing& b,
                         std::span<const engine::Position> to) {
    if (std::abs(a.y - b.y) > reach_mm_) return;
    if (b.entity >= beacons_) see(a.entity, b.entity, to);
    if (a.entity >= beacons_) see(b.entity, a.entity, to);
}

void TickReference::see(std::uint32_t watcher, std::uint32_t target,
                        std::span<const engine::Position> to) {
    if (!sight_.shares_layer(watcher, target)) return;
    const Way before = sight_.way(at_[watcher], at_[target]);
    const Way now = sight_.way(to[watcher], to[target]);
    if (!sight_.goes_on(watcher, target, now)) return;
    const bool was_visible =
        sight_.begins(watcher, target, before) || lingering_.contains(watcher, target);
    const bool is_inside = sight_.begins(watcher, target, now);
    if (!is_inside && !was_visible) return;
    if (!is_inside) lingering_now_.insert(watcher, target);
    PerWatcher& sums = watchers_[watcher];
    sums.visible.add(target);
    if (!was_visible) return;
    sums.visible_twice.add(target);
    if (to[target] != at_[target]) sums.moved_in_view.add(target);
}

EventTotals TickReference::total() const {
    EventTotals totals;
    for (std::uint32_t watcher = 0; watcher < watchers_.size(); ++watcher) {
        const PerWatcher& sums = watchers_[watcher];
        const Sum& twice = sums.visible_twice;
        totals.add(watcher, EventKind::enter, sums.visible.count - twice.count,
                   sums.visible.targets - twice.targets);
        totals.add(watcher, EventKind::leave, sums.visible_before.count - twice.count,
                   sums.visible_before.targets - twice.targets);
        totals.add(watcher, EventKind::move, sums.moved_in_view.count, sums.moved_in_view.targets);
    }
    return totals;
}

EventTotals TickReference::seen() const {
    EventTotals totals;
    for (std::uint32_t watcher = 0; watcher < watchers_.size(); ++watcher) {
        const Sum& visible = watchers_[watcher].visible;
        totals.add(watcher, EventKind::seen, visible.count, visible.targets);
    }
    return totals;
}

std::uint64_t TickReference::visible_pairs() const {
    std::uint64_t pairs = 0;
    for (const PerWatcher& sums : watchers_) {
        pairs += sums.visible.count;
    }
    return pairs;
}

EventTotals MoveReference::advance(std::span<const Move> moves) {
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
                look(mover, other, sight_.way(from, there), sight_.way(move.to, there));
            if (of_other.before != of_other.now) {
                totals.add(mover, of_other.now ? EventKind::enter : EventKind::leave, 1, other);
            }
            const Seen of_mover =
                look(other, mover, sight_.way(there, from), sight_.way(there, move.to));
            if (of_mover.before && of_mover.now) {
                totals.add(other, EventKind::move, 1, mover);
            } else if (of_mover.before || of_mover.now) {
                totals.add(other, of_mover.now ? EventKind::enter : EventKind::leave, 1, mover);
            }
        }
    }
    return totals;
}

/// Remembers whether the target is one that lingers now.
MoveReference::Seen MoveReference::look(std::uint32_t watcher, std::uint32_t target, Way before,
                                        Way now) {
    if (!sight_.shares_layer(watcher, target)) return {};
    Seen seen;
    seen.before = sight_.begins(watcher, target, before) || lingering_.contains(watcher, target);
    const bool is_inside = sight_.begins(watcher, target, now);
    const bool lingers = !is_inside && seen.before && sight_.goes_on(watcher, target, now);
    seen.now = is_inside || lingers;
    if (lingers) {
        lingering_.insert(watcher, target);
    } else {
        lingering_.erase(watcher, target);
    }
    return seen;
}

}  // namespace marchland::bench
