#pragma once

#include "engine/entity.h"
#include "engine/ids.h"

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

namespace marchland::engine {

/// The records of all entities of one Space, own and ghosts alike, at stable slots.
///
/// Shapes   A slot is an index into `records_`; freed slots are used again, lowest cost first.
/// Threads  One at a time for writes; reads may run side by side while nobody writes.
/// Cost     find O(1) hashed; everything by slot O(1).
/// Errors   Inserting an id that is present, or naming a slot that is free, asserts.
class EntityStore {
public:
    Slot insert(Entity entity);
    /// Frees the slot and gives the record back.
    Entity erase(Slot slot);

    [[nodiscard]] std::optional<Slot> find(EntityId id) const;
    [[nodiscard]] const Entity& at(Slot slot) const;
    [[nodiscard]] Entity& at(Slot slot);
    [[nodiscard]] bool is_live(Slot slot) const;

    [[nodiscard]] std::size_t size() const { return slot_of_.size(); }
    /// One more than the highest slot ever used: the length of an array beside this one.
    [[nodiscard]] std::size_t slot_count() const { return records_.size(); }

private:
    std::vector<Entity> records_;
    std::vector<bool> live_;
    std::vector<Slot> free_;
    std::unordered_map<EntityId, Slot> slot_of_;
};

}  // namespace marchland::engine
