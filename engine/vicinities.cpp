#include "engine/vicinities.h"

#include "engine/assert.h"

#include <algorithm>
#include <utility>

namespace marchland::engine {
namespace {

/// By rows, all but one in this many.
constexpr std::size_t kMisplacedShare = 16;
/// Ticks without a watcher after which a vicinity is dropped. Many, for in some programs every move
/// is a tick; what waits costs little, since an entity is a member of nine at most.
constexpr Tick kUnusedTicksMax = 4'096;
/// More vicinities than entities, by one in this many: some were left behind by watchers that travel.
constexpr std::size_t kSpareShare = 8;
constexpr std::size_t kSpareHandful = 64;
/// To look where so many are costs about what the index's catching up with one move does.
constexpr std::size_t kMembersAMove = 64;

}  // namespace

void Vicinities::reset(std::int32_t edge_mm, const EntityStore& entities) {
    MARCHLAND_ASSERT(edge_mm >= 1 && edge_mm <= kEdgeMaxMm);
    drop_all();
    edge_mm_ = edge_mm;
    homes_.assign(entities.slot_count(), Home{});
    erased_.clear();
    for (std::uint32_t number = 0; number < entities.slot_count(); ++number) {
        if (entities.is_live(Slot{number})) {
            const Position at = entities.at(Slot{number}).position;
            homes_[number].cell = cell_of(at.x, at.y, edge_mm_);
            homes_[number].is_settled = true;
        }
    }
}

Vicinities::Number Vicinities::around(Slot slot, const Scene& scene) {
    Home& home = homes_[to_number(slot)];
    MARCHLAND_ASSERT(home.is_settled);
    if (home.vicinity >= vicinities_.size() || !vicinities_[home.vicinity].is_listed ||
        vicinities_[home.vicinity].cell != home.cell) {
        home.vicinity = around(home.cell, scene);
    }
    vicinities_[home.vicinity].used_tick = scene.now;
    return home.vicinity;
}

Vicinities::Number Vicinities::around(Cell cell, const Scene& scene) {
    const Number found = find(cell);
    const Number number = found != kNone ? found : make(cell, scene);
    vicinities_[number].used_tick = scene.now;
    return number;
}

std::span<const Vicinities::Number> Vicinities::by_rows() {
    if (misplaced_ * kMisplacedShare > vicinities_.size()) {
        misplaced_ = 0;
        std::sort(by_rows_.begin(), by_rows_.end(), [this](Number a, Number b) {
            const Cell first = vicinities_[a].cell;
            const Cell second = vicinities_[b].cell;
            return first.row != second.row ? first.row < second.row : first.column < second.column;
        });
    }
    return by_rows_;
}

Rect Vicinities::area_of(Cell cell) const {
    const std::int64_t left = std::int64_t{cell.column} * edge_mm_;
    const std::int64_t below = std::int64_t{cell.row} * edge_mm_;
    return {left, below, left + edge_mm_ - 1, below + edge_mm_ - 1};
}

void Vicinities::drop_all() {
    for (Number number = 0; number < vicinities_.size(); ++number) {
        if (vicinities_[number].is_listed) {
            drop(number);
        }
    }
    dirty_.clear();
    with_departed_.clear();
}

/// Now and then is enough: a vicinity too many costs memory, and a merge where somebody crosses.
void Vicinities::drop_unused(std::size_t entity_count, Tick now) {
    if (numbers_.size() > entity_count + entity_count / kSpareShare + kSpareHandful) {
        drop_oldest(numbers_.size() - entity_count);
    }
    if (now < tidied_tick_ + kUnusedTicksMax) {
        return;
    }
    tidied_tick_ = now;
    for (Number number = 0; number < vicinities_.size(); ++number) {
        const Vicinity& vicinity = vicinities_[number];
        if (vicinity.is_listed && vicinity.used_tick + kUnusedTicksMax < now) {
            drop(number);
        }
    }
}

/// Those in which nobody has watched for longest. One in which somebody does may be among them where
/// frames were left out; it is made anew when that one is asked again.
void Vicinities::drop_oldest(std::size_t count) {
    by_use_.clear();
    for (Number number = 0; number < vicinities_.size(); ++number) {
        if (vicinities_[number].is_listed) {
            by_use_.emplace_back(vicinities_[number].used_tick, number);
        }
    }
    const auto end = by_use_.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(by_use_.begin(), end, by_use_.end());
    std::for_each(by_use_.begin(), end, [this](const auto& oldest) { drop(oldest.second); });
}

void Vicinities::drop(Number number) {
    Vicinity& vicinity = vicinities_[number];
    numbers_.erase(vicinity.cell);
    vicinity.members.clear();
    vicinity.departed.clear();
    vicinity.is_listed = false;
    vicinity.is_dirty = false;
    free_.push_back(number);
}

Vicinities::Number Vicinities::find(Cell cell) const {
    const auto found = numbers_.find(cell);
    return found == numbers_.end() ? kNone : found->second;
}

Vicinities::Number Vicinities::make(Cell cell, const Scene& scene) {
    if (free_.empty()) {
        free_.push_back(static_cast<Number>(vicinities_.size()));
        vicinities_.emplace_back(cell, &memory_);
        by_rows_.push_back(free_.back());
    }
    const Number number = free_.back();
    free_.pop_back();
    ++misplaced_;
    Vicinity& vicinity = vicinities_[number];
    vicinity.cell = cell;
    vicinity.is_listed = true;
    vicinity.built_tick = scene.now;
    vicinity.active_tick = scene.now;
    fill(vicinity, scene);
    numbers_.emplace(cell, number);
    return number;
}

void Vicinities::fill(Vicinity& vicinity, const Scene& scene) {
    const std::size_t worth_members = scene.index.moves_behind() * kMembersAMove;
    if (worth_members > 0 && find_tellers(vicinity.cell) && members_of_tellers() <= worth_members) {
        find_in_tellers(vicinity.cell, scene.entities);
    } else {
        find_in_index(vicinity.cell, scene);
    }
    std::sort(found_.begin(), found_.end());
    for (const auto& [id, slot] : found_) {
        vicinity.members.push_back(slot);
    }
}

/// Whoever is in a cell is a member of all vicinities beside it: so few of them tell who is in all nine. False:
/// there is a cell beside which there is none.
bool Vicinities::find_tellers(Cell middle) {
    tellers_.clear();
    bool are_all_told = true;
    for_each_beside(middle, [&](Cell cell) {
        if (are_all_told && teller_of(cell) == kNone) {
            const Number number = find_beside(cell);
            are_all_told = number != kNone;
            tellers_.push_back(number);
        }
    });
    return are_all_told;
}

/// The first, for several may tell of a cell.
Vicinities::Number Vicinities::teller_of(Cell cell) const {
    const auto found = std::ranges::find_if(
        tellers_, [&](Number number) { return vicinities_[number].cell.is_beside(cell); });
    return found == tellers_.end() ? kNone : *found;
}

std::size_t Vicinities::members_of_tellers() const {
    std::size_t count = 0;
    for (const Number number : tellers_) {
        count += vicinities_[number].members.size();
    }
    return count;
}

void Vicinities::find_in_tellers(Cell middle, const EntityStore& entities) {
    found_.clear();
    for (const Number number : tellers_) {
        for (const Slot slot : vicinities_[number].members) {
            const Cell cell = homes_[to_number(slot)].cell;
            if (cell.is_beside(middle) && teller_of(cell) == number) {
                found_.emplace_back(entities.at(slot).id, slot);
            }
        }
    }
}

void Vicinities::find_in_index(Cell middle, const Scene& scene) {
    merged_.clear();
    scene.index.up_to_date(scene.entities).query(area_of(middle).grown_by(edge_mm_), merged_);
    found_.clear();
    for (const Slot slot : merged_) {
        found_.emplace_back(scene.entities.at(slot).id, slot);
    }
}

/// Its own, or any; kNone: there is none.
Vicinities::Number Vicinities::find_beside(Cell cell) const {
    Number found = find(cell);
    for_each_beside(cell, [&](Cell beside) {
        if (found == kNone) {
            found = find(beside);
        }
    });
    return found;
}

}  // namespace marchland::engine
