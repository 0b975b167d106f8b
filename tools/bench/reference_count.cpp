#include "tools/bench/reference_count.h"

#include <algorithm>
#include <numeric>

namespace marchland::bench {
namespace {

bool is_in_view(engine::Position a, engine::Position b) {
    const std::int64_t dx = std::int64_t{a.x} - b.x;
    const std::int64_t dy = std::int64_t{a.y} - b.y;
    return dx * dx + dy * dy <= std::int64_t{kRadiusMm} * kRadiusMm;
}

}  // namespace

TickReference::TickReference(std::span<const engine::Position> at)
    : at_(at.begin(), at.end()), watchers_(at.size()), in_x_order_(at.size()) {
    std::iota(in_x_order_.begin(), in_x_order_.end(), 0U);
    advance(at);  // nobody moves: afterwards it knows who is in view
}

EventTotals TickReference::advance(std::span<const engine::Position> to) {
    for (PerWatcher& watcher : watchers_) {
        const Sum before = watcher.visible;
        watcher = {};
        watcher.visible_before = before;
    }
    std::sort(in_x_order_.begin(), in_x_order_.end(),
              [to](std::uint32_t a, std::uint32_t b) { return to[a].x < to[b].x; });
    for (std::size_t i = 0; i < in_x_order_.size(); ++i) {
        const std::uint32_t a = in_x_order_[i];
        for (std::size_t j = i + 1; j < in_x_order_.size(); ++j) {
            const std::uint32_t b = in_x_order_[j];
            if (to[b].x - to[a].x > kRadiusMm) break;
            if (!is_in_view(to[a], to[b])) continue;
            const bool was_visible = is_in_view(at_[a], at_[b]);
            see(to, a, b, was_visible);
            see(to, b, a, was_visible);
        }
    }
    at_.assign(to.begin(), to.end());
    return total();
}

void TickReference::see(std::span<const engine::Position> to, std::uint32_t watcher,
                        std::uint32_t target, bool was_visible) {
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
        const engine::Position from = at_[move.entity];
        at_[move.entity] = move.to;
        if (from == move.to) continue;
        for (std::uint32_t other = 0; other < at_.size(); ++other) {
            if (other == move.entity) continue;
            const bool before = is_in_view(from, at_[other]);
            const bool after = is_in_view(move.to, at_[other]);
            if (before && after) {
                totals.add(other, EventKind::move, 1, move.entity);
            } else if (before || after) {
                const EventKind kind = after ? EventKind::enter : EventKind::leave;
                totals.add(other, kind, 1, move.entity);
                totals.add(move.entity, kind, 1, other);
            }
        }
    }
    return totals;
}

}  // namespace marchland::bench
