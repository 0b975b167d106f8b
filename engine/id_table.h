#pragma once

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
/// Source   Multiplicative hashing and deletion with linear probing: Knuth, TAOCP vol. 3, 6.4 (there
///          Algorithm R). The zone itself gives the ids out, so nobody can aim at one bucket.
class IdTable {
public:
    void insert(EntityId id, Slot slot);
    void erase(EntityId id);
    [[nodiscard]] std::optional<Slot> find(EntityId id) const;
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    static constexpr Slot kFree{0xFFFF'FFFFU};  ///< as a slot: this entry is not taken
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

}  // namespace marchland::engine
