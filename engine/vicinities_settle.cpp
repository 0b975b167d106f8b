// Who came to which vicinity in a tick, and who left it.

#include "engine/assert.h"
#include "engine/vicinities.h"

#include <algorithm>

namespace marchland::engine {
namespace {

/// More than one in this many crossed a cell's edge, and not just a handful: it costs less to look
/// around anew.
constexpr std::size_t kCrossingShare = 4;
constexpr std::size_t kCrossingHandful = 64;
/// Fewer than one in this many members came or went, and no more than a handful: each is put in or taken out
/// alone. Each such goes through the members, so the limit is a number too: all of a crowd alone
/// would cost its square.
constexpr std::size_t kMergeShare = 8;
constexpr std::size_t kAloneMax = 32;
/// Fewer than one in this many changed: it pays to mark where.
constexpr std::size_t kChangedShare = 16;

Vicinities::Departed departed_from(EntityId id, const Rows::Row& row) {
    return {id, row.x_before, row.y_before, row.is_unsettled == 0};
}

/// Those of this vicinity; `all` are by vicinity, and begin behind them from here on.
template <typename Change>
std::span<const Change> take_front(std::span<const Change>& all, Vicinities::Number number) {
    const auto end = std::find_if(all.begin(), all.end(), [number](const Change& change) {
        return change.vicinity != number;
    });
    const auto front = all.first(static_cast<std::size_t>(end - all.begin()));
    all = all.subspan(front.size());
    return front;
}

}  // namespace

void Vicinities::list_changed_cells(const EntityStore& entities, const Rows& rows,
                                    std::vector<Cell>& out) const {
    for (const Erased& erased : erased_) {
        out.push_back(erased.cell);
    }
    for (const Slot slot : rows.changed()) {
        if (!entities.is_live(slot)) {
            continue;
        }
        const bool was_here = to_number(slot) < homes_.size() && homes_[to_number(slot)].is_settled;
        if (was_here) {
            out.push_back(homes_[to_number(slot)].cell);
        }
        if (!was_here || !is_at_home(slot, rows.at(slot))) {
            out.push_back(cell_of(rows.at(slot).x, rows.at(slot).y, edge_mm_));
        }
    }
}

void Vicinities::erase(Slot slot, EntityId id, const Rows& rows) {
    if (to_number(slot) >= homes_.size()) {
        return;
    }
    Home& home = homes_[to_number(slot)];
    if (home.is_settled) {
        const Rows::Row& row = rows.at(slot);
        erased_.push_back({home.cell, slot, departed_from(id, row)});
    }
    home.is_settled = false;
}

void Vicinities::settle(const EntityStore& entities, const Rows& rows, Tick now) {
    homes_.resize(entities.slot_count());
    few_changed_ = (rows.changed().size() + erased_.size()) * kChangedShare < entities.size();
    crossing_.clear();
    for (const Slot slot : rows.changed()) {
        if (!entities.is_live(slot)) {
            continue;
        }
        const Rows::Row& row = rows.at(slot);
        const Home& home = homes_[to_number(slot)];
        if (!home.is_settled || !is_in_cell(row.x, row.y, home.cell, edge_mm_)) {
            crossing_.push_back({slot, cell_of(row.x, row.y, edge_mm_)});
        } else if (few_changed_) {
            mark_active(home.cell, now);
        }
    }
    take_in_crossing(entities, rows, now);
    drop_unused(entities.size(), now);
}

void Vicinities::catch_up(std::span<const Slot> strays, const EntityStore& entities,
                          const Rows& rows, Tick last) {
    MARCHLAND_ASSERT(erased_.empty() && with_departed_.empty());
    crossing_.clear();
    for (const Slot slot : strays) {
        const Rows::Row& row = rows.at(slot);
        if (!is_in_cell(row.x_before, row.y_before, homes_[to_number(slot)].cell, edge_mm_)) {
            crossing_.push_back({slot, cell_of(row.x_before, row.y_before, edge_mm_)});
        }
    }
    take_in_crossing(entities, rows, last);
    begin_tick();
}

void Vicinities::take_in_crossing(const EntityStore& entities, const Rows& rows, Tick now) {
    const std::size_t crossed = crossing_.size() + erased_.size();
    const bool are_few = crossed * kCrossingShare <= entities.size() || crossed <= kCrossingHandful;
    if (!are_few) {
        drop_all();
    }
    for (const Erased& erased : erased_) {
        for_each_beside(erased.cell, [&](Cell beside) {
            if (const Number number = find(beside); number != kNone) {
                depart(number, erased.slot, erased.departed);
                vicinities_[number].active_tick = now;
            }
        });
    }
    erased_.clear();
    for (const Crossing& crossing : crossing_) {
        cross(crossing, entities, rows, now);
    }

    std::sort(arrivals_.begin(), arrivals_.end(), [](const Arrival& a, const Arrival& b) {
        return a.vicinity != b.vicinity ? a.vicinity < b.vicinity : a.id < b.id;
    });
    std::sort(leavers_.begin(), leavers_.end(),
              [](const Leaver& a, const Leaver& b) { return a.vicinity < b.vicinity; });
    std::sort(dirty_.begin(), dirty_.end());
    std::span<const Arrival> arrivals = arrivals_;
    std::span<const Leaver> leavers = leavers_;
    for (const Number number : dirty_) {
        change(number, take_front(arrivals, number), take_front(leavers, number), entities);
    }
    dirty_.clear();
    arrivals_.clear();
    leavers_.clear();
    for (const Crossing& crossing : crossing_) {
        homes_[to_number(crossing.slot)].is_new = false;
    }
}

void Vicinities::begin_tick() {
    few_changed_ = true;
    for (const Number number : with_departed_) {
        vicinities_[number].departed.clear();
    }
    with_departed_.clear();
}

/// The entity came, or went from one cell to another.
void Vicinities::cross(const Crossing& crossing, const EntityStore& entities, const Rows& rows,
                       Tick now) {
    const Slot slot = crossing.slot;
    const Cell to = crossing.to;
    Home& home = homes_[to_number(slot)];
    const Rows::Row& row = rows.at(slot);
    const EntityId id = entities.at(slot).id;
    const bool is_new = !home.is_settled;
    const Cell from = home.cell;
    for_each_beside(to, [&](Cell beside) {
        const Number number = find(beside);
        if (number == kNone) {
            return;
        }
        vicinities_[number].active_tick = now;
        if (is_new || !from.is_beside(beside)) {
            arrivals_.push_back({number, id, slot});
            dirty(number);
        }
    });
    if (!is_new) {
        for_each_beside(from, [&](Cell beside) {
            if (to.is_beside(beside)) {
                return;
            }
            if (const Number number = find(beside); number != kNone) {
                vicinities_[number].active_tick = now;
                depart(number, slot, departed_from(id, row));
            }
        });
    }
    home.cell = to;
    home.is_settled = true;
    home.is_new = is_new;
    home.crossed_tick = now;
}

void Vicinities::join(Number number, Slot slot, const EntityStore& entities) {
    std::pmr::vector<Slot>& members = vicinities_[number].members;
    const auto at =
        std::lower_bound(members.begin(), members.end(), entities.at(slot).id,
                         [&](Slot member, EntityId id) { return entities.at(member).id < id; });
    members.insert(at, slot);
}

void Vicinities::mark_active(Cell cell, Tick now) {
    for_each_beside(cell, [&](Cell beside) {
        if (const Number number = find(beside); number != kNone) {
            vicinities_[number].active_tick = now;
        }
    });
}

void Vicinities::depart(Number number, Slot slot, const Departed& departed) {
    if (vicinities_[number].departed.empty()) {
        with_departed_.push_back(number);
    }
    vicinities_[number].departed.push_back(departed);
    leavers_.push_back({number, slot});
    dirty(number);
}

void Vicinities::dirty(Number number) {
    if (!vicinities_[number].is_dirty) {
        vicinities_[number].is_dirty = true;
        dirty_.push_back(number);
    }
}

void Vicinities::change(Number number, std::span<const Arrival> arrivals,
                        std::span<const Leaver> leavers, const EntityStore& entities) {
    vicinities_[number].is_dirty = false;
    std::pmr::vector<Slot>& members = vicinities_[number].members;
    const std::size_t changes = arrivals.size() + leavers.size();
    if (changes > kAloneMax || changes * kMergeShare > members.size()) {
        merge(number, arrivals, entities);
        return;
    }
    // First who leaves, for a new one may stand at the slot of one of them.
    for (const Leaver& leaver : leavers) {
        const auto at = std::find(members.begin(), members.end(), leaver.slot);
        MARCHLAND_ASSERT(at != members.end());
        members.erase(at);
    }
    for (const Arrival& arrival : arrivals) {
        join(number, arrival.slot, entities);
    }
}

/// The members that stay, and those that arrived, in one go through both.
void Vicinities::merge(Number number, std::span<const Arrival> arrivals,
                       const EntityStore& entities) {
    Vicinity& vicinity = vicinities_[number];
    merged_.clear();
    auto arrival = arrivals.begin();
    for (const Slot member : vicinity.members) {
        // A new one at a member's slot is not that member; it is among the arrivals.
        if (!is_member(member, vicinity) || homes_[to_number(member)].is_new) {
            continue;
        }
        while (arrival != arrivals.end() && arrival->id < entities.at(member).id) {
            merged_.push_back((arrival++)->slot);
        }
        merged_.push_back(member);
    }
    while (arrival != arrivals.end()) {
        merged_.push_back((arrival++)->slot);
    }
    vicinity.members.assign(merged_.begin(), merged_.end());
}

}  // namespace marchland::engine
