#pragma once

#include "engine/assert.h"
#include "engine/entity.h"
#include "engine/id_table.h"
#include "engine/ids.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace marchland::engine {

/// The records of all entities of one InterestSystem, own and ghosts alike, at stable slots.
///
/// Shapes   A slot is an index into `records_`; freed slots are used again, the last one first: its
///          memory is the warmest. A record is two cache lines, and what a frame asks about an
///          entity (id, birth, positions, layers) is all in the first.
/// Threads  One at a time for writes; reads may run side by side while nobody writes.
/// Cost     find O(1) hashed; everything by slot O(1). 128 bytes an entity.
/// Errors   Inserting an id that is present, or naming a slot that is free, asserts.
class EntityStore {
public:
    Slot insert(Entity entity);
    /// Gives the record back. The slot is used again after the next free_erased(): until then whoever
    /// still names it can ask for its birth.
    Entity erase(Slot slot);
    void free_erased();
    /// Only the one that was erased last: nobody names its slot.
    void free_last_erased();
    /// Of who is at the slot, or was erased from there and not yet freed.
    [[nodiscard]] Tick birth_at(Slot slot) const {
        return records_[to_number(slot)].entity.birth & ~kErased;
    }

    [[nodiscard]] std::optional<Slot> find(EntityId id) const { return slot_of_.find(id); }
    [[nodiscard]] const Entity& at(Slot slot) const {
        MARCHLAND_ASSERT(is_live(slot));
        return records_[to_number(slot)].entity;
    }
    [[nodiscard]] Entity& at(Slot slot) {
        MARCHLAND_ASSERT(is_live(slot));
        return records_[to_number(slot)].entity;
    }
    [[nodiscard]] bool is_live(Slot slot) const {
        return to_number(slot) < records_.size() &&
               (records_[to_number(slot)].entity.birth & kErased) == 0;
    }
    /// Does `id` stand at `slot`, which may be any number?
    [[nodiscard]] bool holds(Slot slot, EntityId id) const {
        return is_live(slot) && records_[to_number(slot)].entity.id == id;
    }

    /// Asks the memory for what a frame reads of the record. For whoever is about to read many: one
    /// after another, each would be waited for.
    void prefetch(Slot slot) const {
        if (to_number(slot) < records_.size()) {
            __builtin_prefetch(&records_[to_number(slot)]);
        }
    }

    [[nodiscard]] std::size_t size() const { return slot_of_.size(); }
    /// One more than the highest slot ever used: the length of an array beside this one.
    [[nodiscard]] std::size_t slot_count() const { return records_.size(); }

private:
    /// A bit of the birth, which is a tick: nobody is there. Kept there because whoever asks whether a slot
    /// is live reads that cache line next anyway.
    static constexpr Tick kErased = Tick{1} << 63U;
    static constexpr std::size_t kCacheLineBytes = 64;

    struct alignas(kCacheLineBytes) Record {
        Entity entity;
    };

    std::vector<Record> records_;
    std::vector<Slot> free_;
    std::vector<Slot> erased_;  ///< not yet free
    IdTable slot_of_;
};

}  // namespace marchland::engine
