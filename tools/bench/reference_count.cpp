#include "tools/bench/reference_count.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace marchland::bench {
namespace {

std::int64_t squared_distance(engine::Position a, engine::Position b) {
    const std::int64_t dx = std::int64_t{a.x} - b.x;
    const std::int64_t dy = std::int64_t{a.y} - b.y;
    return dx * dx + dy * dy;
}

bool is_within(std::int64_t squared_mm, std::int64_t radius_mm) {
    return squared_mm <= radius_mm * radius_mm;
}

bool shares_layer(const Senses& watcher, const Senses& target) {
    return (watcher.layers_seen & target.layers) != 0;
}

}  // namespace

TickReference::TickReference(const Workload& workload, std::span<const engine::Position> at)
    : senses_(senses_of(workload)),
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
    const std::int64_t now = squared_distance({a.x, a.y, 0}, {b.x, b.y, 0});
    if (!is_within(now, reach_mm_)) return;
    const Apart apart{squared_distance(at_[a.entity], at_[b.entity]), now};
    see(a.entity, b.entity, apart, to[b.entity] != at_[b.entity]);
    see(b.entity, a.entity, apart, to[a.entity] != at_[a.entity]);
}

void TickReference::see(std::uint32_t watcher, std::uint32_t target, Apart apart, bool has_moved) {
    const Senses& senses = senses_[watcher];
    if (!shares_layer(senses, senses_[target])) return;
    const bool was_visible =
        is_within(apart.before, senses.radius_mm) || lingering_.contains(watcher, target);
    const bool is_inside = is_within(apart.now, senses.radius_mm);
    if (!is_inside && !(was_visible && is_within(apart.now, senses.leave_radius_mm))) return;
    if (!is_inside) lingering_now_.insert(watcher, target);
    PerWatcher& sums = watchers_[watcher];
    sums.visible.add(target);
    if (!was_visible) return;
    sums.visible_twice.add(target);
    if (has_moved) sums.moved_in_view.add(target);
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
            const std::int64_t before = squared_distance(from, at_[other]);
            const std::int64_t now = squared_distance(move.to, at_[other]);
            const Seen of_other = look(mover, other, before, now);
            if (of_other.before != of_other.now) {
                totals.add(mover, of_other.now ? EventKind::enter : EventKind::leave, 1, other);
            }
            const Seen of_mover = look(other, mover, before, now);
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
MoveReference::Seen MoveReference::look(std::uint32_t watcher, std::uint32_t target,
                                        std::int64_t before, std::int64_t now) {
    const Senses& senses = senses_[watcher];
    if (!shares_layer(senses, senses_[target])) return {};
    Seen seen;
    seen.before = is_within(before, senses.radius_mm) || lingering_.contains(watcher, target);
    const bool is_inside = is_within(now, senses.radius_mm);
    const bool lingers = !is_inside && seen.before && is_within(now, senses.leave_radius_mm);
    seen.now = is_inside || lingers;
    if (lingers) {
        lingering_.insert(watcher, target);
    } else {
        lingering_.erase(watcher, target);
    }
    return seen;
}

}  // namespace marchland::bench
