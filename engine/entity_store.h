#pragma once

#include "engine/assert.h"
#include "engine/entity.h"
#include "engine/ids.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace marchland::engine {

/// Where does this id stand? A hash table that allocates only when it grows: ghosts come and go at
/// a border in every tick, and a node for each of them would be an allocation in every tick.
///
/// Shapes   Entries are a power of two, at most half of them taken; linear probing. An erase closes
///          the gap that it leaves, so there are no tombstones and no slow decay.
/// Cost     find, insert, erase O(1). 32 to 64 bytes an id.
/// Errors   Inserting an id that is present or erasing one that is not asserts.
/// Source   Multiplicative hashing and deletion with linear probing: Knuth, TAOCP vol. 3, 6.4
///          (there Algorithm R). The zone gives ids out itself; of cells, which clients choose by
///          where they stand, no more are in it than are in use.
class IdTable {
public:
    void insert(EntityId id, Slot slot);
    void erase(EntityId id);
    [[nodiscard]] std::optional<Slot> find(EntityId id) const;
    [[nodiscard]] std::size_t size() const { return size_; }

    /// Of an entry that is not taken.
private:
    static constexpr Slot kFree{0xFFFF'FFFFU};
    struct Entry {
        EntityId id{};
        Slot slot = kFree;
    };

    [[nodiscard]] std::size_t home_of(EntityId id) const;
    [[nodiscard]] std::size_t next(std::size_t place) const {
        return (place + 1) & (entries_.size() - 1);
    }
    /// Where `id` is, or the free entry where it would go.
    [[nodiscard]] std::size_t place_of(EntityId id) const;
    void grow();

    std::vector<Entry> entries_;
    unsigned shift_ = 0;  ///< 64 - log2(entries): the top bits of the product are the best mixed
    std::size_t size_ = 0;
};

/// A tick for whoever is at a slot of a store: in which its state changed last, say. Kept apart
/// from the records, for most have none.
class SlotTicks {
public:
    void set(Slot slot, Tick tick);
    /// kNever: none was set.
    [[nodiscard]] Tick of(Slot slot) const {
        return to_number(slot) < ticks_.size() ? ticks_[to_number(slot)] : kNever;
    }
    /// Of all that were ever set.
    [[nodiscard]] Tick newest() const { return newest_; }

    /// By slot; may be shorter than the store.
private:
    std::vector<Tick> ticks_;
    Tick newest_ = kNever;
};

/// The records of all entities of one InterestSystem, own and ghosts alike, at stable slots.
///
/// Shapes   A slot is an index into `records_`; freed slots are used again, the last one first: its
///          memory is the warmest. A record is two cache lines: what a frame
///          asks about each entity (id, birth, positions, layers) is all in the first.
/// Threads  One at a time for writes; reads may run side by side while nobody writes.
/// Cost     find O(1) hashed; everything by slot O(1). 128 bytes an entity.
/// Errors   Inserting an id that is present, or naming a slot that is free, asserts.
class EntityStore {
public:
    Slot insert(Entity entity);
    /// Gives the record back. The slot is used again after the next free_erased(): until then
    /// whoever still names it can ask for its birth.
    Entity erase(Slot slot);
    void free_erased();
    /// Only the one that was erased last: nobody names its slot.
    void free_last_erased();
    /// Of who is at the slot, or was erased from there and not yet freed.
    [[nodiscard]] Tick birth_at(Slot slot) const {
        return records_[to_number(slot)].entity.birth & ~kErased;
    }

    [[nodiscard]] std::optional<Slot> find(EntityId id) const { return slot_of_.find(id); }
    /// The same, a little sooner where it still stands there.
    [[nodiscard]] std::optional<Slot> find(EntityId id, Slot last) const {
        return is_live(last) && at(last).id == id ? last : find(id);
    }
    /// Inline, as InterestCells::prefetch is. The slot may be free.
    [[gnu::always_inline]] void prefetch(Slot slot) const {
        __builtin_prefetch(records_.data() + to_number(slot));
    }
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

    /// The records alone.
    [[nodiscard]] std::size_t memory_bytes() const { return records_.capacity() * sizeof(Record); }
    [[nodiscard]] std::size_t size() const { return slot_of_.size(); }
    /// One more than the highest slot ever used: the length of an array beside this one.
    [[nodiscard]] std::size_t slot_count() const { return records_.size(); }

private:
    /// A bit of the birth, which is a tick: nobody is there. Kept there because whoever asks
    /// whether a slot is live reads that cache line next anyway.
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
