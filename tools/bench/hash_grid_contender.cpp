#include "tools/bench/hash_grid_contender.h"

#include "engine/assert.h"

#include <algorithm>
#include <numeric>

namespace marchland::bench {
namespace {

void add(EventTotals& totals, std::uint32_t watcher, EventKind kind,
         const std::vector<std::uint32_t>& targets) {
    totals.add(watcher, kind, targets.size(),
               std::accumulate(targets.begin(), targets.end(), std::uint64_t{0}));
}

std::int64_t square(std::int64_t value) {
    return value * value;
}

std::int64_t squared_distance(const HashGrid::Entry& entry, engine::Position at) {
    return square(std::int64_t{entry.x} - at.x) + square(std::int64_t{entry.y} - at.y);
}

void insert_sorted(std::vector<std::uint32_t>& set, std::uint32_t entity) {
    set.insert(std::lower_bound(set.begin(), set.end(), entity), entity);
}

void erase_sorted(std::vector<std::uint32_t>& set, std::uint32_t entity) {
    set.erase(std::lower_bound(set.begin(), set.end(), entity));
}

}  // namespace

HashGridContender::HashGridContender(const Workload& workload, std::span<const engine::Position> at)
    : is_mutual_(is_mutual(workload)),
      senses_(senses_of(workload)),
      grid_(reach_mm(workload), at, senses_),
      visible_(at.size()),
      has_moved_(at.size()) {
    MARCHLAND_ASSERT(is_usual(workload));
    for (const Senses& senses : senses_) {
        ranges_.push_back({square(senses.radius_mm), square(senses.leave_radius_mm)});
    }
    for (std::uint32_t watcher = 0; watcher < at.size(); ++watcher) {
        compare(watcher);
    }
}

EventTotals HashGridContender::run_tick(std::span<const engine::Position> to) {
    for (std::uint32_t entity = 0; entity < to.size(); ++entity) {
        has_moved_[entity] = grid_.position_of(entity) != to[entity] ? 1 : 0;
        grid_.move(entity, to[entity]);
    }
    EventTotals totals;
    for (std::uint32_t watcher = 0; watcher < to.size(); ++watcher) {
        compare(watcher);
        moves_.clear();
        for (const std::uint32_t target : stays_) {
            if (has_moved_[target] != 0) moves_.push_back(target);
        }
        add(totals, watcher, EventKind::enter, enters_);
        add(totals, watcher, EventKind::leave, leaves_);
        add(totals, watcher, EventKind::move, moves_);
    }
    return totals;
}

EventTotals HashGridContender::run_moves(std::span<const Move> moves) {
    EventTotals totals;
    for (const Move& move : moves) {
        const engine::Position from = grid_.position_of(move.entity);
        if (from == move.to) continue;
        grid_.move(move.entity, move.to);
        compare(move.entity);
        add(totals, move.entity, EventKind::enter, enters_);
        add(totals, move.entity, EventKind::leave, leaves_);
        if (is_mutual_) {
            tell_mutual_watchers(move.entity, totals);
        } else {
            tell_watchers_around(move.entity, from, totals);
        }
    }
    return totals;
}

/// Sets the lists for this watcher, and its visible set to what it sees now.
void HashGridContender::compare(std::uint32_t watcher) {
    query(watcher);
    now_visible_.clear();
    enters_.clear();
    leaves_.clear();
    stays_.clear();
    std::vector<std::uint32_t>& before = visible_[watcher];
    auto old_one = before.begin();
    for (const std::uint32_t candidate : in_range_) {
        const std::uint32_t entity = candidate / 2;
        while (old_one != before.end() && *old_one < entity) {
            leaves_.push_back(*old_one++);
        }
        if (old_one != before.end() && *old_one == entity) {
            ++old_one;
            stays_.push_back(entity);
        } else if (candidate % 2 == 0) {
            enters_.push_back(entity);
        } else {
            continue;
        }
        now_visible_.push_back(entity);
    }
    leaves_.insert(leaves_.end(), old_one, before.end());
    std::swap(before, now_visible_);
}

/// Sets in_range_.
void HashGridContender::query(std::uint32_t watcher) {
    const engine::Position at = grid_.position_of(watcher);
    const Range range = ranges_[watcher];
    const std::uint32_t layers_seen = senses_[watcher].layers_seen;
    in_range_.clear();
    grid_.visit_around(at, [&](const HashGrid::Entry& entry) {
        const std::int64_t distance = squared_distance(entry, at);
        if (distance > range.leave || entry.entity == watcher) return;
        if ((entry.layers & layers_seen) == 0) return;
        in_range_.push_back(entry.entity * 2 + (distance > range.enter ? 1 : 0));
    });
    std::sort(in_range_.begin(), in_range_.end());
}

/// Where whoever the mover sees sees the mover, its own events are the others', turned round.
void HashGridContender::tell_mutual_watchers(std::uint32_t mover, EventTotals& totals) {
    for (const std::uint32_t watcher : enters_) {
        insert_sorted(visible_[watcher], mover);
        totals.add(watcher, EventKind::enter, 1, mover);
    }
    for (const std::uint32_t watcher : leaves_) {
        erase_sorted(visible_[watcher], mover);
        totals.add(watcher, EventKind::leave, 1, mover);
    }
    for (const std::uint32_t watcher : stays_) {
        totals.add(watcher, EventKind::move, 1, mover);
    }
}

/// The others may see it who are around where it was or around where it is.
void HashGridContender::tell_watchers_around(std::uint32_t mover, engine::Position from,
                                             EventTotals& totals) {
    const engine::Position to = grid_.position_of(mover);
    grid_.visit_around(from, [&](const HashGrid::Entry& watcher) {
        tell_watcher(watcher, mover, from, to, totals);
    });
    grid_.visit_around(to, [&](const HashGrid::Entry& watcher) {
        if (grid_.is_around(from, {watcher.x, watcher.y, 0})) return;
        tell_watcher(watcher, mover, from, to, totals);
    });
}

void HashGridContender::tell_watcher(const HashGrid::Entry& watcher, std::uint32_t mover,
                                     engine::Position from, engine::Position to,
                                     EventTotals& totals) {
    const Range range = ranges_[watcher.entity];
    const std::int64_t before = squared_distance(watcher, from);
    const std::int64_t now = squared_distance(watcher, to);
    if ((before > range.leave && now > range.leave) || watcher.entity == mover) return;
    if ((senses_[mover].layers & senses_[watcher.entity].layers_seen) == 0) return;
    std::vector<std::uint32_t>& visible = visible_[watcher.entity];
    const bool was_visible =
        before <= range.enter ||
        (before <= range.leave && std::binary_search(visible.begin(), visible.end(), mover));
    const bool is_visible = now <= range.enter || (was_visible && now <= range.leave);
    if (was_visible && is_visible) {
        totals.add(watcher.entity, EventKind::move, 1, mover);
    } else if (is_visible) {
        insert_sorted(visible, mover);
        totals.add(watcher.entity, EventKind::enter, 1, mover);
    } else if (was_visible) {
        erase_sorted(visible, mover);
        totals.add(watcher.entity, EventKind::leave, 1, mover);
    }
}

}  // namespace marchland::bench
