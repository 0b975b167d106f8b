#include "engine/entity_store.h"

#include <cstddef>
#include <utility>

namespace marchland::engine {

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
