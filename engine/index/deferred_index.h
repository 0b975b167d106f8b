#pragma once

#include "engine/assert.h"
#include "engine/entity_store.h"
#include "engine/index/index.h"
#include "engine/slot_map.h"

#include <memory>
#include <utility>

namespace marchland::engine {

/// An index that learns of moves only when somebody asks it. Most frames are built without it (see
/// InterestCells): then a tick's moves cost it a note each, and many moves of one entity cost it
/// one.
///
/// Bounds   A note for each entity that is here, however many come, move and go until it is asked.
/// Threads  One at a time; up_to_date() writes.
/// Cost     insert and erase as the index's; move O(1); up_to_date a move for each entity
///          that moved since it was called last.
class DeferredIndex {
public:
    explicit DeferredIndex(std::unique_ptr<Index> index) : index_(std::move(index)) {
        MARCHLAND_ASSERT(index_ != nullptr && index_->size() == 0);
    }

    void insert(Slot slot, Position at) { index_->insert(slot, at); }
    /// `at` is where the entity is now.
    void erase(Slot slot, Position at) {
        index_->erase(slot, behind_.contains(slot) ? behind_.remove(slot) : at);
    }
    /// Before the entity's record shows that it moved away from here.
    void move(Slot slot, Position from) {
        if (!behind_.contains(slot)) {
            behind_.add(slot, from);
        }
    }

    [[nodiscard]] bool serves_cells() const { return index_->serves_cells(); }
    /// The index, with every entity where its record says.
    const Index& up_to_date(const EntityStore& entities) {
        for (const Slot slot : behind_.slots()) {
            index_->move(slot, behind_.at(slot), entities.at(slot).position);
        }
        behind_.clear();
        return *index_;
    }

private:
    std::unique_ptr<Index> index_;
    /// Where the index believes those to be that may be elsewhere.
    SlotMap<Position> behind_;
};

}  // namespace marchland::engine
