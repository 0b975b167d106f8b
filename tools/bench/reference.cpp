#include "tools/bench/reference.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <tuple>
#include <utility>

namespace marchland::bench {
namespace {

bool is_within(Way way, std::int64_t radius_mm) {
    return way.x * way.x + way.y * way.y + way.z * way.z <= radius_mm * radius_mm;
}

}  // namespace

ReferenceView::ReferenceView(const Workload& workload)
    : is_flat_(workload.height_mm == 0), senses_(senses_of(workload)) {
    if (workload.view != View::sector) return;
    for (const Senses& senses : senses_) {
        openings_.push_back({opening(senses.facing, senses.half_opening),
                             opening(senses.facing, senses.leave_half_opening)});
    }
}

bool ReferenceView::enters(std::uint32_t watcher, std::uint32_t target, Way way) const {
    const Senses& senses = senses_[watcher];
    const Range range{senses.radius_mm, senses.half_y_mm,
                      openings_.empty() ? nullptr : &openings_[watcher][0]};
    return is_in(senses.view, range, way) || is_within(way, senses_[target].notify_mm);
}

bool ReferenceView::stays(std::uint32_t watcher, std::uint32_t target, Way way) const {
    const Senses& senses = senses_[watcher];
    const Range range{senses.leave_radius_mm, senses.leave_half_y_mm,
                      openings_.empty() ? nullptr : &openings_[watcher][1]};
    return is_in(senses.view, range, way) || is_within(way, senses_[target].leave_notify_mm);
}

/// No angle's is near a tie: any library's cosine gives the same integers.
ReferenceView::Ray ReferenceView::ray(std::uint32_t angle) {
    constexpr double kLength = 1U << 30U;
    const double radians = 2 * std::numbers::pi * (angle % 65'536) / 65'536;
    return {std::llround(kLength * std::cos(radians)), std::llround(kLength * std::sin(radians))};
}

ReferenceView::Opening ReferenceView::opening(std::uint32_t facing, std::uint32_t half_opening) {
    return {ray(facing), ray(facing + half_opening), ray(facing + 65'536 - half_opening),
            half_opening > 16'384};
}

bool ReferenceView::is_in(const Opening& opening, Way way) {
    const auto cross = [](std::int64_t ax, std::int64_t ay, std::int64_t bx, std::int64_t by) {
        return ax * by - ay * bx;
    };
    const bool is_past_right = cross(opening.right.x, opening.right.y, way.x, way.y) < 0;
    const bool is_past_left = cross(way.x, way.y, opening.left.x, opening.left.y) < 0;
    if (opening.is_wide) return !(is_past_right && is_past_left);
    const bool is_behind = opening.ahead.x * way.x + opening.ahead.y * way.y < 0;
    return !is_past_right && !is_past_left && !is_behind;
}

bool ReferenceView::is_in(View view, const Range& range, Way way) {
    switch (view) {
        case View::rectangle:
            return std::abs(way.x) <= range.radius_mm && std::abs(way.y) <= range.half_y_mm;
        case View::sector:
            return is_within(way, range.radius_mm) && is_in(*range.opening, way);
        case View::circle:
            break;
    }
    return is_within(way, range.radius_mm);
}

TickReference::TickReference(const Workload& workload, Positions at)
    : view_(workload),
      notify_sources_(workload.notify_sources),
      reach_mm_(reach_mm(workload)),
      at_(at.begin(), at.end()),
      watchers_(at.size()),
      standing_(at.size()) {
    for (std::uint32_t entity = 0; entity < at.size(); ++entity) {
        standing_[entity].entity = entity;
    }
    advance(at);  // nobody moves: afterwards it knows who is in view
}

EventTotals TickReference::advance(Positions to) {
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

void TickReference::line_up(Positions to) {
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
                                Positions to) {
    for (std::size_t i = first; i < standing_.size(); ++i) {
        if (standing_[i].row != row || standing_[i].x - one.x > reach_mm_) return;
        meet(one, standing_[i], to);
    }
}

void TickReference::meet(const Standing& a, const Standing& b, Positions to) {
    if (std::abs(a.y - b.y) > reach_mm_) return;
    if (b.entity >= notify_sources_) see(a.entity, b.entity, to);
    if (a.entity >= notify_sources_) see(b.entity, a.entity, to);
}

void TickReference::see(std::uint32_t watcher, std::uint32_t target, Positions to) {
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

/// Remembers whether the target is kept in view now.
MoveReference::Seen MoveReference::look(std::uint32_t watcher, std::uint32_t target, Way before,
                                        Way now) {
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

}  // namespace marchland::bench
