#include "engine/deferred_index.h"

#include "engine/assert.h"

#include <utility>

namespace marchland::engine {

DeferredIndex::DeferredIndex(std::unique_ptr<Index> index) : index_(std::move(index)) {
    MARCHLAND_ASSERT(index_ != nullptr && index_->size() == 0);
}

void DeferredIndex::erase(Slot slot, Position at) {
    if (to_number(slot) < places_.size() && places_[to_number(slot)].is_behind) {
        places_[to_number(slot)].is_behind = false;
        at = places_[to_number(slot)].indexed;
    }
    index_->erase(slot, at);
}

void DeferredIndex::move(Slot slot, Position from) {
    if (places_.size() <= to_number(slot)) {
        places_.resize(2 * std::size_t{to_number(slot)} + 1);
    }
    Place& place = places_[to_number(slot)];
    if (!place.is_behind) {
        place = {from, true};
        behind_.push_back(slot);
    }
}

const Index& DeferredIndex::up_to_date(const EntityStore& entities) {
    for (const Slot slot : behind_) {
        Place& place = places_[to_number(slot)];
        if (place.is_behind) {
            place.is_behind = false;
            index_->move(slot, place.indexed, entities.at(slot).position);
        }
    }
    if (!behind_.empty()) {
        behind_.clear();
    }
    return *index_;
}

}  // namespace marchland::engine
