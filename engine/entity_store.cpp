#include "engine/entity_store.h"

#include <cstddef>
#include <utility>

namespace marchland::engine {

Slot EntityStore::insert(Entity entity) {
    static_assert(offsetof(Entity, layers) + sizeof(Entity::layers) <= kCacheLineBytes);
    static_assert(sizeof(Record) == 2 * kCacheLineBytes);
    MARCHLAND_ASSERT(entity.birth != kFreeBirth);
    if (free_.empty()) {
        MARCHLAND_ASSERT(records_.size() < kSlotsMax);
        free_.push_back(static_cast<Slot>(records_.size()));
        records_.emplace_back().entity.birth = kFreeBirth;
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
    records_[to_number(slot)].entity.birth = kFreeBirth;
    free_.push_back(slot);
    return entity;
}

}  // namespace marchland::engine
