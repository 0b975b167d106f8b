#include "engine/entity_store.h"

#include "engine/assert.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace marchland::engine {
namespace {

constexpr std::size_t kEntriesMin = 16;
constexpr std::uint64_t kGoldenRatio = 0x9E37'79B9'7F4A'7C15U;  // 2^64 / phi, odd

}  // namespace

std::size_t IdTable::home_of(EntityId id) const {
    return static_cast<std::size_t>((to_number(id) * kGoldenRatio) >> shift_);
}

std::size_t IdTable::place_of(EntityId id) const {
    std::size_t place = home_of(id);
    while (entries_[place].slot != kFree && entries_[place].id != id) {
        place = next(place);
    }
    return place;
}

std::optional<Slot> IdTable::find(EntityId id) const {
    if (size_ == 0) {
        return std::nullopt;
    }
    const Entry& entry = entries_[place_of(id)];
    return entry.slot == kFree ? std::nullopt : std::optional(entry.slot);
}

void IdTable::insert(EntityId id, Slot slot) {
    MARCHLAND_ASSERT(slot != kFree);
    if ((size_ + 1) * 2 > entries_.size()) {
        grow();
    }
    Entry& entry = entries_[place_of(id)];
    MARCHLAND_ASSERT(entry.slot == kFree);
    entry = {id, slot};
    ++size_;
}

void IdTable::erase(EntityId id) {
    MARCHLAND_ASSERT(size_ != 0);
    std::size_t gap = place_of(id);
    MARCHLAND_ASSERT(entries_[gap].slot != kFree);
    // Whoever stands behind the gap and was pushed past it by a collision moves up into it.
    for (std::size_t place = next(gap); entries_[place].slot != kFree; place = next(place)) {
        const std::size_t home = home_of(entries_[place].id);
        const std::size_t mask = entries_.size() - 1;
        if (((place - home) & mask) >= ((place - gap) & mask)) {
            entries_[gap] = entries_[place];
            gap = place;
        }
    }
    entries_[gap] = Entry{};
    --size_;
}

void IdTable::grow() {
    const std::size_t size = entries_.empty() ? kEntriesMin : entries_.size() * 2;
    const std::vector<Entry> old = std::exchange(entries_, std::vector<Entry>(size));
    shift_ = 64U - static_cast<unsigned>(std::countr_zero(size));
    for (const Entry& entry : old) {
        if (entry.slot != kFree) {
            entries_[place_of(entry.id)] = entry;
        }
    }
}

void SlotTicks::set(Slot slot, Tick tick) {
    if (ticks_.size() <= to_number(slot)) {
        if (tick == kNever) {
            return;
        }
        ticks_.resize(to_number(slot) + std::size_t{1}, kNever);
    }
    ticks_[to_number(slot)] = tick;
    newest_ = std::max(newest_, tick);
}

Slot EntityStore::insert(Entity entity) {
    static_assert(offsetof(Entity, layers) + sizeof(Entity::layers) <= kCacheLineBytes);
    static_assert(sizeof(Record) == 2 * kCacheLineBytes);
    MARCHLAND_ASSERT((entity.birth & kErased) == 0);
    if (free_.empty()) {
        MARCHLAND_ASSERT(records_.size() < kSlotsMax);
        free_.push_back(static_cast<Slot>(records_.size()));
        records_.emplace_back().entity.birth = kErased;
    }
    const Slot slot = free_.back();
    slot_of_.insert(entity.id, slot);
    free_.pop_back();
    records_[to_number(slot)].entity = std::move(entity);
    return slot;
}

Entity EntityStore::erase(Slot slot) {
    Entity entity = std::move(at(slot));
    slot_of_.erase(entity.id);
    records_[to_number(slot)].entity.birth = entity.birth | kErased;
    erased_.push_back(slot);
    return entity;
}

void EntityStore::free_erased() {
    free_.insert(free_.end(), erased_.begin(), erased_.end());
    erased_.clear();
}

void EntityStore::free_last_erased() {
    free_.push_back(erased_.back());
    erased_.pop_back();
}

}  // namespace marchland::engine
