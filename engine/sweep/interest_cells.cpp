#include "engine/sweep/interest_cells.h"

#include "engine/assert.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <optional>
#include <tuple>

namespace marchland::engine {
namespace {

/// Copies a stretch of bits to where all are 0. `from` has one word behind its end.
void copy_bits(std::uint64_t* to, std::uint32_t to_bit, const std::uint64_t* from,
               std::uint32_t from_bit, std::uint32_t length) {
    while (length > 0) {
        const std::uint32_t take = std::min(length, 64 - to_bit % 64);
        const std::uint32_t shift = from_bit % 64;
        std::uint64_t bits = from[from_bit / 64] >> shift;
        if (shift + take > 64) {
            bits |= from[from_bit / 64 + 1] << (64 - shift);
        }
        if (take < 64) {
            bits &= (std::uint64_t{1} << take) - 1;
        }
        to[to_bit / 64] |= bits << (to_bit % 64);
        to_bit += take;
        from_bit += take;
        length -= take;
    }
}

/// The first place from `from` on whose id is not lower. As std::lower_bound, but without branches,
/// which nobody could predict here.
std::size_t first_not_below(std::span<const EntityId> ids, std::size_t from, EntityId id) {
    const EntityId* first = ids.data() + from;
    for (std::size_t left = ids.size() - from; left > 0;) {
        const std::size_t half = left / 2;
        const bool is_lower = first[half] < id;
        first += is_lower ? half + 1 : 0;
        left = is_lower ? left - half - 1 : half;
    }
    return static_cast<std::size_t>(first - ids.data());
}

template <typename... List>
void give_back(List&... lists) {
    (..., (lists.clear(), lists.shrink_to_fit()));
}

}  // namespace

InterestCells::InterestCells(EntityStore& entities, bool are_in_cells)
    : entities_(entities), are_in_cells_(are_in_cells) {}

// ---- Entities ----

void InterestCells::insert(Slot slot) {
    const std::size_t count = entities_.slot_count();
    if (targets_.size() < count) {
        targets_.resize(count);
        homes_.resize(count);
        places_.resize(count);
    }
    const Entity& entity = entities_.at(slot);
    MARCHLAND_ASSERT(homes_[to_number(slot)].cell == kNone);
    targets_[to_number(slot)] = {entity.position.x,
                                 entity.position.y,
                                 entity.position.z,
                                 entity.layers,
                                 static_cast<std::uint32_t>(entity.moved_tick),
                                 entity.notify,
                                 entity.importance};
    touch(slot);
}

bool InterestCells::erase(Slot slot) {
    MARCHLAND_ASSERT(!is_watched(slot));
    const Home& home = homes_[to_number(slot)];
    if (home.cell == kNone) {
        return false;
    }
    note_edits(slot, home.cell, home.reach_cells, kNone, 0);
    leave_home(slot);
    return true;
}

void InterestCells::set_notify(Slot slot, NotifyRange notify) {
    targets_[to_number(slot)].notify = notify;
    touch(slot);
}

void InterestCells::forget_old_moves(Tick now) {
    const Tick oldest = now - std::min(now, Candidates::kStillTicksMax);
    for (std::size_t number = 0; number < targets_.size(); ++number) {
        const auto slot = static_cast<Slot>(number);
        if (entities_.is_live(slot)) {
            set_moved_tick(slot, std::max(entities_.at(slot).moved_tick, oldest));
        }
    }
}

void InterestCells::touch(Slot slot) {
    Home& home = homes_[to_number(slot)];
    if (!home.is_touched) {
        home.is_touched = true;
        touched_.push_back(slot);
    }
}

std::uint32_t InterestCells::reach_cells_of(const NotifyRange& notify) const {
    const std::int64_t cells = (std::int64_t{notify.leave_radius_mm} + edge_mm_ - 1) / edge_mm_;
    return static_cast<std::uint32_t>(std::max<std::int64_t>(1, cells));
}

// ---- Watchers ----

void InterestCells::watch(const Watcher& watcher, std::span<const Known> known) {
    MARCHLAND_ASSERT(!is_watched(watcher.slot));
    const std::size_t first_known = waiting_known_.size();
    for (const Known& one : known) {
        waiting_known_.push_back({one, entities_.find(one.id).value_or(watcher.slot)});
    }
    wait(watcher, first_known);
    ++watcher_count_;
    count_reach(leave_reach_mm(entities_.at(watcher.slot).view), 1);
}

Watcher& InterestCells::watcher_of(Slot slot) {
    const Place place = places_[to_number(slot)];
    MARCHLAND_ASSERT(place.where != kNotWatching);
    switch (place.where) {
        case kLoose:
            return loose_[place.row].watcher;
        case kWaiting:
            return waiting_[place.row].watcher;
        default:
            return cells_[place.where].watchers[place.row];
    }
}

InterestCell* InterestCells::cell_of_watcher(Slot slot) {
    const std::uint32_t where = places_[to_number(slot)].where;
    MARCHLAND_ASSERT(where != kNotWatching && where != kWaiting);
    return where == kLoose ? nullptr : &cells_[where];
}

void InterestCells::unwatch(Slot slot, std::vector<Known>& known) {
    MARCHLAND_ASSERT(is_watched(slot));
    count_reach(leave_reach_mm(entities_.at(slot).view), -1);
    --watcher_count_;
    if (places_[to_number(slot)].where < kWaiting) {
        lift(slot);
    }
    const Place place = std::exchange(places_[to_number(slot)], {});
    const auto take = [&](std::span<const KnownEntity> members) {
        known.reserve(members.size());
        for (const KnownEntity& member : members) {
            known.push_back(member.known);
        }
    };
    if (place.where == kLoose) {
        take(loose_[place.row].known);
        remove_from(loose_, place);
        return;
    }
    take(known_of(waiting_[place.row]));
    remove_from(waiting_, place);
    if (waiting_.empty()) {
        waiting_known_.clear();
    }
}

void InterestCells::review(Slot slot, std::int32_t reach_mm_before) {
    const std::int32_t reach_mm = leave_reach_mm(entities_.at(slot).view);
    if (is_watched(slot) && reach_mm != reach_mm_before) {
        count_reach(reach_mm_before, -1);
        count_reach(reach_mm, 1);
        touch(slot);
    }
}

void InterestCells::list_known(Slot watcher, std::vector<EntityId>& out) const {
    const Place place = places_[to_number(watcher)];
    MARCHLAND_ASSERT(place.where != kNotWatching);
    std::vector<KnownEntity> copied;
    if (place.where < kWaiting) {
        copy_known(cells_[place.where], place.row, copied);
    }
    const std::span<const KnownEntity> known = place.where < kWaiting ? copied
                                               : place.where == kLoose
                                                   ? loose_[place.row].known
                                                   : known_of(waiting_[place.row]);
    for (const KnownEntity& one : known) {
        out.push_back(one.known.id);
    }
}

namespace {

template <typename... List>
std::size_t bytes_of_lists(const List&... lists) {
    return (... + (lists.capacity() * sizeof(lists[0])));
}

}  // namespace

std::size_t InterestCells::entity_bytes() const {
    return bytes_of_lists(targets_, homes_, places_);
}

std::size_t InterestCells::known_bytes() const {
    std::size_t bytes = bytes_of_lists(cells_, loose_, waiting_, waiting_known_);
    for (const InterestCell& cell : cells_) {
        bytes += bytes_of_lists(cell.residents, cell.ids, cell.slots, cell.watchers, cell.known);
        for (const Watcher& watcher : cell.watchers) {
            bytes += bytes_of_lists(watcher.orphans);
        }
    }
    for (const LooseWatcher& loose : loose_) {
        bytes += bytes_of_lists(loose.known);
    }
    return bytes;
}

bool InterestCells::fits_cells(Slot slot) const {
    return are_in_cells_ && leave_reach_mm(entities_.at(slot).view) <= edge_mm_;
}

/// Four to each doubling.
std::size_t InterestCells::size_class(std::int32_t reach_mm) {
    if (reach_mm < 4) {
        return 0;
    }
    const auto size = static_cast<std::uint32_t>(reach_mm);
    const auto top = static_cast<std::uint32_t>(std::bit_width(size)) - 1;
    return 4 * top + (size >> (top - 2) & 3U);
}

void InterestCells::count_reach(std::int32_t reach_mm, std::int32_t change) {
    of_class_[size_class(reach_mm)] += static_cast<std::uint32_t>(change);
    have_reaches_changed_ = true;
}

/// Cells are as wide as the widest of the usual views reaches: of seven in eight watchers. The
/// others would make everybody's candidates more. True: the edge is another.
bool InterestCells::choose_edge(Tick now) {
    // Of those of class 0, who see next to nothing, nobody asks for anything.
    const std::size_t seeing = watcher_count_ - of_class_[0];
    if (!have_reaches_changed_ || !are_in_cells_ || seeing == 0) {
        return false;
    }
    std::size_t usual = 0;
    for (std::size_t below = 0; below < seeing - seeing / 8;) {
        below += of_class_[++usual];
    }
    // The upper end of the class, so that the edge is not chosen anew for each millimetre.
    const std::uint64_t end = (std::uint64_t{5} + usual % 4) << (usual / 4 - 2);
    const auto widest_mm = static_cast<std::int32_t>(std::min<std::uint64_t>(end, kEdgeMaxMm));
    const bool is_outgrown = edge_mm_ < widest_mm && loose_.size() > watcher_count_ / 8;
    const bool is_too_wide = usual + 4 < usual_class_ || usual_class_ == 0;
    // Views that change to and fro do not make it change in every tick.
    if (is_too_wide && usual_class_ != 0 && now < chosen_tick_ + kEdgeTicksMin) {
        return false;
    }
    have_reaches_changed_ = false;
    if (usual <= usual_class_ && !is_too_wide && !is_outgrown) {
        return false;
    }
    usual_class_ = usual;
    chosen_tick_ = now;
    // Where all of the class are alike, as they mostly are, cells are as wide as they see.
    std::int32_t least_mm = std::numeric_limits<std::int32_t>::max();
    std::int32_t most_mm = 0;
    const auto measure = [&](const Watcher& watcher) {
        const std::int32_t reach_mm = leave_reach_mm(entities_.at(watcher.slot).view);
        if (size_class(reach_mm) == usual) {
            least_mm = std::min(least_mm, reach_mm);
            most_mm = std::max(most_mm, reach_mm);
        }
    };
    for (const InterestCell& cell : cells_) {
        std::ranges::for_each(cell.watchers, measure);
    }
    std::ranges::for_each(loose_, measure, &LooseWatcher::watcher);
    std::ranges::for_each(waiting_, measure, &WaitingWatcher::watcher);
    const std::int32_t edge_before_mm = edge_mm_;
    edge_mm_ = least_mm == most_mm ? std::min(most_mm, kEdgeMaxMm) : widest_mm;
    return edge_mm_ != edge_before_mm;
}

// ---- Cells ----

EntityId InterestCells::key_of(Cell at) {
    return static_cast<EntityId>(std::uint64_t{static_cast<std::uint32_t>(at.column)} << 32U |
                                 static_cast<std::uint32_t>(at.row));
}

std::uint32_t InterestCells::find(Cell at) const {
    const std::optional<Slot> found = cell_at_.find(key_of(at));
    return found ? to_number(*found) : kNone;
}

std::uint32_t InterestCells::find_or_add(Cell at) {
    const std::uint32_t found = find(at);
    if (found != kNone) {
        return found;
    }
    if (free_cells_.empty()) {
        free_cells_.push_back(static_cast<std::uint32_t>(cells_.size()));
        cells_.emplace_back(blocks_);
    }
    const std::uint32_t cell = free_cells_.back();
    free_cells_.pop_back();
    cells_[cell].at = at;
    cell_at_.insert(key_of(at), static_cast<Slot>(cell));
    return cell;
}

/// All that it had is for the next: a crowd that travels leaves no trail of memory.
void InterestCells::drop_if_empty(std::uint32_t number) {
    InterestCell& cell = cells_[number];
    if (cell.has_members && cell.watchers.empty()) {
        cell.has_members = false;
        give_back(cell.ids, cell.slots, cell.watchers, cell.known);
    }
    if (cell.residents.empty() && !cell.has_members && find(cell.at) == number) {
        cell_at_.erase(key_of(cell.at));
        free_cells_.push_back(number);
        give_back(cell.residents);
    }
}

Position InterestCells::corner_of(const InterestCell& cell) const {
    return {clamped_to_int32(std::int64_t{cell.at.column} * edge_mm_),
            clamped_to_int32(std::int64_t{cell.at.row} * edge_mm_), 0};
}

Known InterestCells::known_at(const InterestCell& cell, std::size_t member) const {
    return {cell.ids[member], entities_.birth_at(cell.slots[member])};
}

// ---- Settling ----

void InterestCells::settle(Tick now) {
    const bool is_new_edge = choose_edge(now);
    if (is_new_edge || touched_.size() > 64 + entities_.size() / 4) {
        begin_anew();
    }
    constexpr std::size_t kAhead = 4;
    for (std::size_t i = 0; i < touched_.size(); ++i) {
        const Slot slot = touched_[i];
        const Slot ahead = touched_[std::min(i + kAhead, touched_.size() - 1)];
        entities_.prefetch(ahead);
        __builtin_prefetch(&homes_[to_number(ahead)]);
        __builtin_prefetch(&targets_[to_number(ahead)]);
        homes_[to_number(slot)].is_touched = false;
        if (entities_.is_live(slot)) {
            rehome(slot);
        }
    }
    touched_.clear();
    for (std::size_t i = 0; i < dirty_.size(); ++i) {
        if (i + 1 < dirty_.size()) {
            const InterestCell& next = cells_[dirty_[i + 1]];
            prefetch_list(next.ids);
            prefetch_list(next.slots);
            prefetch_list(next.watchers);
            prefetch_list(next.known);
        }
        if (cells_[dirty_[i]].first_edit != 0) {
            apply_edits(cells_[dirty_[i]], now);
        }
    }
    edits_.resize(1);
    place_watchers(now);
    for (const std::uint32_t number : dirty_) {
        drop_if_empty(number);
    }
    dirty_.clear();
    entities_.free_erased();
}

/// Everybody is on the way, and no cell is in use.
void InterestCells::begin_anew() {
    for (std::uint32_t number = 0; number < cells_.size(); ++number) {
        InterestCell& cell = cells_[number];
        while (!cell.watchers.empty()) {
            lift(cell.watchers.back().slot);
        }
        cell.residents.clear();
        cell.first_edit = 0;
        drop_if_empty(number);
    }
    dirty_.clear();
    edits_.resize(1);
    far_seen_.clear();
    // Row by row, so that those that are swept one after another share their neighbours.
    std::sort(free_cells_.begin(), free_cells_.end(), std::greater<>());
    wanted_cells_.clear();
    for (std::size_t number = 0; number < homes_.size(); ++number) {
        const auto slot = static_cast<Slot>(number);
        homes_[number].cell = kNone;
        homes_[number].reach_cells = 1;
        if (entities_.is_live(slot)) {
            touch(slot);
            wanted_cells_.push_back(cell_of(targets_[number].x, targets_[number].y, edge_mm_));
        }
    }
    std::sort(wanted_cells_.begin(), wanted_cells_.end(),
              [](Cell a, Cell b) { return a.row != b.row ? a.row < b.row : a.column < b.column; });
    for (const Cell at : wanted_cells_) {
        find_or_add(at);
    }
}

void InterestCells::rehome(Slot slot) {
    Home& home = homes_[to_number(slot)];
    const Target& target = targets_[to_number(slot)];
    const std::uint32_t reach = reach_cells_of(target.notify);
    const bool is_at_its_home = is_at_home(slot);
    const std::uint32_t where = places_[to_number(slot)].where;
    if (where < kWaiting && (!is_at_its_home || !fits_cells(slot))) {
        lift(slot);
    } else if (where == kLoose && fits_cells(slot)) {
        const Place place = places_[to_number(slot)];
        LooseWatcher& loose = loose_[place.row];
        const std::size_t first_known = waiting_known_.size();
        waiting_known_.insert(waiting_known_.end(), loose.known.begin(), loose.known.end());
        wait(std::move(loose.watcher), first_known);
        remove_from(loose_, place);
    }
    if (is_at_its_home && reach == home.reach_cells) {
        return;
    }
    const std::uint32_t from = home.cell;
    const std::uint32_t from_reach = home.reach_cells;
    const std::uint32_t to =
        is_at_its_home ? from : find_or_add(cell_of(target.x, target.y, edge_mm_));
    note_edits(slot, from, from_reach, to, reach);
    if (to != from) {
        if (from != kNone) {
            leave_home(slot);
        }
        InterestCell& cell = cells_[to];
        home.cell = to;
        home.place = static_cast<std::uint32_t>(cell.residents.size());
        home.left_mm = std::int64_t{cell.at.column} * edge_mm_;
        home.bottom_mm = std::int64_t{cell.at.row} * edge_mm_;
        cell.residents.push_back(slot);
    }
    // Leaving home, it was taken from the set.
    if (reach > 1 && home.reach_cells <= 1) {
        far_seen_.insert(slot);
    } else if (reach <= 1 && home.reach_cells > 1) {
        far_seen_.erase(slot);
    }
    home.reach_cells = reach;
}

void InterestCells::leave_home(Slot slot) {
    Home& home = homes_[to_number(slot)];
    std::pmr::vector<Slot>& residents = cells_[home.cell].residents;
    const Slot last = residents.back();
    residents[home.place] = last;
    homes_[to_number(last)].place = home.place;
    residents.pop_back();
    if (residents.empty()) {
        dirty_.push_back(home.cell);
    }
    if (home.reach_cells > 1) {
        far_seen_.erase(slot);
    }
    home.cell = kNone;
    home.reach_cells = 1;
}

void InterestCells::note_edits(Slot slot, std::uint32_t from, std::uint32_t from_reach,
                               std::uint32_t to, std::uint32_t to_reach) {
    const EntityId id = entities_.at(slot).id;
    const auto is_in = [this](const InterestCell& cell, std::uint32_t center, std::uint32_t reach) {
        return center != kNone && cells_apart(cell.at, cells_[center].at) <= reach;
    };
    if (from != kNone) {
        for_each_with_members(cells_[from].at, from_reach, [&](InterestCell& cell) {
            if (!is_in(cell, to, to_reach)) {
                note_edit(cell, id, slot, false);
            }
        });
    }
    if (to != kNone) {
        for_each_with_members(cells_[to].at, to_reach, [&](InterestCell& cell) {
            if (!is_in(cell, from, from_reach)) {
                note_edit(cell, id, slot, true);
            }
        });
    }
}

void InterestCells::note_edit(InterestCell& cell, EntityId id, Slot slot, bool is_add) {
    if (cell.first_edit == 0) {
        dirty_.push_back(static_cast<std::uint32_t>(&cell - cells_.data()));
    }
    edits_.push_back({id, slot, is_add, cell.first_edit});
    cell.first_edit = static_cast<std::uint32_t>(edits_.size() - 1);
}

/// Of one id there is at most a removal, and then an addition: one that went and lives again.
void InterestCells::apply_edits(InterestCell& cell, Tick now) {
    cell_edits_.clear();
    for (std::uint32_t edit = cell.first_edit; edit != 0; edit = edits_[edit].next) {
        cell_edits_.push_back(edits_[edit]);
    }
    cell.first_edit = 0;
    cell.changed_tick = now;
    std::sort(cell_edits_.begin(), cell_edits_.end(), [](const Edit& a, const Edit& b) {
        return std::tuple(a.id, a.is_add) < std::tuple(b.id, b.is_add);
    });
    merged_ids_.clear();
    merged_slots_.clear();
    runs_.clear();
    removed_.clear();
    std::size_t from = 0;
    const auto keep_until = [&](std::size_t end) {
        if (end > from) {
            runs_.push_back({static_cast<std::uint32_t>(from),
                             static_cast<std::uint32_t>(merged_ids_.size()),
                             static_cast<std::uint32_t>(end - from)});
            const auto at = static_cast<std::ptrdiff_t>(from);
            const auto to = static_cast<std::ptrdiff_t>(end);
            merged_ids_.insert(merged_ids_.end(), cell.ids.begin() + at, cell.ids.begin() + to);
            merged_slots_.insert(merged_slots_.end(), cell.slots.begin() + at,
                                 cell.slots.begin() + to);
            from = end;
        }
    };
    for (const Edit& edit : cell_edits_) {
        const std::size_t place = first_not_below(cell.ids, from, edit.id);
        keep_until(place);
        if (edit.is_add) {
            merged_ids_.push_back(edit.id);
            merged_slots_.push_back(edit.slot);
        } else {
            MARCHLAND_ASSERT(place < cell.ids.size() && cell.slots[place] == edit.slot);
            removed_.push_back(static_cast<std::uint32_t>(place));
            ++from;
        }
    }
    keep_until(cell.ids.size());
    follow_members(cell);
    // Copied, so that each list keeps memory of its own size.
    if (cell.ids.capacity() < merged_ids_.size()) {
        cell.ids.reserve(merged_ids_.size() + merged_ids_.size() / 4);
        cell.slots.reserve(merged_ids_.size() + merged_ids_.size() / 4);
    }
    cell.ids.assign(merged_ids_.begin(), merged_ids_.end());
    cell.slots.assign(merged_slots_.begin(), merged_slots_.end());
}

/// Known bits and own places go to where their members are now.
void InterestCells::follow_members(InterestCell& cell) {
    const std::size_t needed = words_for(merged_ids_.size());
    const std::size_t old_stride = cell.stride;
    const bool has_room = needed <= old_stride && 4 * needed + 4 > old_stride;
    old_known_.assign(cell.known.begin(), cell.known.end());
    old_known_.push_back(0);
    cell.stride = has_room ? old_stride : needed + needed / 4;
    cell.known.assign(cell.stride * cell.watchers.size(), 0);
    for (std::size_t row = 0; row < cell.watchers.size(); ++row) {
        Watcher& watcher = cell.watchers[row];
        const std::uint64_t* const from = old_known_.data() + row * old_stride;
        for (const Run& run : runs_) {
            copy_bits(cell.known_of(row), run.to, from, run.from, run.length);
        }
        std::vector<KnownEntity>& orphans = watcher.orphans;
        const std::size_t before = orphans.size();
        for (const std::uint32_t member : removed_) {
            if (is_set(from, member)) {
                orphans.push_back({known_at(cell, member), cell.slots[member]});
                cell.has_orphans = true;
            }
        }
        if (before != 0 && before != orphans.size()) {
            const auto first_new = orphans.begin() + static_cast<std::ptrdiff_t>(before);
            std::ranges::inplace_merge(orphans, first_new, {}, &KnownEntity::known);
        }
        watcher.are_orphans_lost = orphans.empty();
        const auto run =
            std::upper_bound(runs_.begin(), runs_.end(), watcher.self,
                             [](std::uint32_t self, const Run& at) { return self < at.from; });
        MARCHLAND_ASSERT(run != runs_.begin());
        watcher.self = watcher.self - (run - 1)->from + (run - 1)->to;
        MARCHLAND_ASSERT(merged_slots_[watcher.self] == watcher.slot);
    }
}

/// The nine cells' residents, and who is seen from as far as here.
void InterestCells::build_members(InterestCell& cell, Tick now) {
    std::vector<std::pair<EntityId, Slot>>& members = built_members_;
    members.clear();
    for_each_near(cell.at, 1, [&](Cell at) {
        const std::uint32_t number = find(at);
        if (number != kNone) {
            for (const Slot slot : cells_[number].residents) {
                members.emplace_back(entities_.at(slot).id, slot);
            }
        }
    });
    for (const Slot slot : far_seen_) {
        const Home& home = homes_[to_number(slot)];
        const std::uint64_t away = cells_apart(cells_[home.cell].at, cell.at);
        if (away > 1 && away <= home.reach_cells) {
            members.emplace_back(entities_.at(slot).id, slot);
        }
    }
    std::sort(members.begin(), members.end());
    cell.ids.clear();
    cell.slots.clear();
    cell.ids.reserve(members.size() + members.size() / 4);
    cell.slots.reserve(members.size() + members.size() / 4);
    for (const auto& [id, slot] : members) {
        cell.ids.push_back(id);
        cell.slots.push_back(slot);
    }
    cell.stride = words_for(members.size());
    cell.changed_tick = now;
    cell.has_members = true;
}

// ---- Watchers on their way ----

/// Its known set is the end of waiting_known_, from there on.
void InterestCells::wait(Watcher watcher, std::size_t first_known) {
    places_[to_number(watcher.slot)] = {kWaiting, static_cast<std::uint32_t>(waiting_.size())};
    waiting_.push_back({std::move(watcher), first_known, waiting_known_.size() - first_known});
}

/// Out of its cell.
void InterestCells::lift(Slot slot) {
    const Place place = places_[to_number(slot)];
    InterestCell& cell = cells_[place.where];
    Watcher& watcher = cell.watchers[place.row];
    const std::size_t first_known = waiting_known_.size();
    copy_known(cell, place.row, waiting_known_);
    watcher.forget_orphans();
    wait(std::move(watcher), first_known);
    remove_row(cell, place.row);
}

/// In order of their ids.
void InterestCells::copy_known(const InterestCell& cell, std::size_t row,
                               std::vector<KnownEntity>& out) const {
    const std::vector<KnownEntity>& orphans = cell.watchers[row].orphans;
    auto orphan = orphans.begin();
    const std::uint64_t* const known = cell.known.data() + row * cell.stride;
    for_each_place(known, words_for(cell.ids.size()),
                   [&](std::uint32_t member) { entities_.prefetch(cell.slots[member]); });
    for_each_place(known, words_for(cell.ids.size()), [&](std::uint32_t member) {
        for (; orphan != orphans.end() && orphan->known.id < cell.ids[member]; ++orphan) {
            out.push_back(*orphan);
        }
        out.push_back({known_at(cell, member), cell.slots[member]});
    });
    out.insert(out.end(), orphan, orphans.end());
}

void InterestCells::remove_row(InterestCell& cell, std::size_t row) {
    const std::size_t last = cell.watchers.size() - 1;
    if (row != last) {
        std::copy_n(cell.known_of(last), cell.stride, cell.known_of(row));
        cell.watchers[row] = std::move(cell.watchers[last]);
        places_[to_number(cell.watchers[row].slot)].row = static_cast<std::uint32_t>(row);
    }
    cell.watchers.pop_back();
    cell.known.resize(cell.stride * last);
    if (last == 0) {
        dirty_.push_back(static_cast<std::uint32_t>(&cell - cells_.data()));
    }
}

void InterestCells::place_watchers(Tick now) {
    if (waiting_.empty()) {
        // Where all cells are made anew everybody's known set was in it, which is seldom.
        if (now > placed_tick_ && waiting_known_.capacity() > kKeptKnownMax) {
            waiting_known_.shrink_to_fit();
        }
        return;
    }
    placed_tick_ = now;
    for (WaitingWatcher& waiting : waiting_) {
        const Slot slot = waiting.watcher.slot;
        if (!fits_cells(slot)) {
            const auto known = known_of(waiting);
            places_[to_number(slot)] = {kLoose, static_cast<std::uint32_t>(loose_.size())};
            loose_.push_back({std::move(waiting.watcher), {known.begin(), known.end()}});
            continue;
        }
        const std::uint32_t number = homes_[to_number(slot)].cell;
        InterestCell& cell = cells_[number];
        if (!cell.has_members) {
            build_members(cell, now);
        }
        places_[to_number(slot)] = {number, static_cast<std::uint32_t>(cell.watchers.size())};
        put_into_cell(waiting, cell);
    }
    waiting_.clear();
    const std::size_t wanted = std::max(kKeptKnownMax, 4 * waiting_known_.size());
    waiting_known_.clear();
    if (waiting_known_.capacity() > wanted) {
        waiting_known_.shrink_to_fit();
    }
}

void InterestCells::put_into_cell(WaitingWatcher& waiting, InterestCell& cell) {
    Watcher& watcher = waiting.watcher;
    const auto self =
        std::lower_bound(cell.ids.begin(), cell.ids.end(), entities_.at(watcher.slot).id);
    watcher.self = static_cast<std::uint32_t>(self - cell.ids.begin());
    MARCHLAND_ASSERT(self != cell.ids.end() && cell.slots[watcher.self] == watcher.slot);
    cell.known.resize(cell.stride * (cell.watchers.size() + 1), 0);
    std::uint64_t* const bits = cell.known_of(cell.watchers.size());
    std::size_t member = 0;
    for (const KnownEntity& known : known_of(waiting)) {
        while (member < cell.ids.size() && cell.ids[member] < known.known.id) {
            ++member;
        }
        const bool is_member = member < cell.ids.size() && cell.ids[member] == known.known.id;
        if (is_member && known_at(cell, member) == known.known) {
            set_bit(bits, member);
        } else {
            watcher.orphans.push_back(known);
            cell.has_orphans = true;
        }
    }
    watcher.are_orphans_lost = true;
    cell.watchers.push_back(std::move(watcher));
}

/// The last one goes to its place.
template <typename List>
void InterestCells::remove_from(List& list, Place place) {
    if (place.row + 1 != list.size()) {
        list[place.row] = std::move(list.back());
        places_[to_number(list[place.row].watcher.slot)] = place;
    }
    list.pop_back();
}

}  // namespace marchland::engine
