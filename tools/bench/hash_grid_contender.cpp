#include "tools/bench/hash_grid_contender.h"

#include <algorithm>
#include <numeric>

namespace marchland::bench {
namespace {

void add(EventTotals& totals, std::uint32_t watcher, EventKind kind,
         const std::vector<std::uint32_t>& targets) {
    totals.add(watcher, kind, targets.size(),
               std::accumulate(targets.begin(), targets.end(), std::uint64_t{0}));
}

void insert_sorted(std::vector<std::uint32_t>& set, std::uint32_t entity) {
    set.insert(std::lower_bound(set.begin(), set.end(), entity), entity);
}

void erase_sorted(std::vector<std::uint32_t>& set, std::uint32_t entity) {
    set.erase(std::lower_bound(set.begin(), set.end(), entity));
}

}  // namespace

HashGridContender::HashGridContender(std::span<const engine::Position> at)
    : grid_(kRadiusMm, at), visible_(at.size()), has_moved_(at.size()) {
    for (std::uint32_t watcher = 0; watcher < at.size(); ++watcher) {
        grid_.query(watcher, visible_[watcher]);
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
        if (grid_.position_of(move.entity) == move.to) continue;
        grid_.move(move.entity, move.to);
        compare(move.entity);
        add(totals, move.entity, EventKind::enter, enters_);
        add(totals, move.entity, EventKind::leave, leaves_);
        tell_watchers_of(move.entity, totals);
    }
    return totals;
}

/// Sets the lists for this watcher, and its visible set to what it sees now.
void HashGridContender::compare(std::uint32_t watcher) {
    grid_.query(watcher, now_visible_);
    enters_.clear();
    leaves_.clear();
    stays_.clear();
    std::vector<std::uint32_t>& before = visible_[watcher];
    auto old_one = before.begin();
    auto new_one = now_visible_.begin();
    while (old_one != before.end() && new_one != now_visible_.end()) {
        if (*old_one == *new_one) {
            stays_.push_back(*new_one++);
            ++old_one;
        } else if (*old_one < *new_one) {
            leaves_.push_back(*old_one++);
        } else {
            enters_.push_back(*new_one++);
        }
    }
    leaves_.insert(leaves_.end(), old_one, before.end());
    enters_.insert(enters_.end(), new_one, now_visible_.end());
    std::swap(before, now_visible_);
}

/// With one radius for all, whoever the mover sees sees the mover.
void HashGridContender::tell_watchers_of(std::uint32_t mover, EventTotals& totals) {
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

}  // namespace marchland::bench
