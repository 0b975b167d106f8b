#include "engine/index/deferred_index.h"

#include "engine/assert.h"

#include <utility>

namespace marchland::engine {

DeferredIndex::DeferredIndex(std::unique_ptr<Index> index) : index_(std::move(index)) {
    MARCHLAND_ASSERT(index_ != nullptr && index_->size() == 0);
}

void DeferredIndex::erase(Slot slot, Position at) {
    if (to_number(slot) < places_.size() && places_[to_number(slot)].behind_at != kUpToDate) {
        at = places_[to_number(slot)].indexed;
        forget(places_[to_number(slot)]);
    }
    index_->erase(slot, at);
}

/// The last of those that are behind takes its place among them.
void DeferredIndex::forget(Place& place) {
    const Slot last = behind_.back();
    behind_[place.behind_at] = last;
    places_[to_number(last)].behind_at = place.behind_at;
    behind_.pop_back();
    place.behind_at = kUpToDate;
}

void DeferredIndex::move(Slot slot, Position from) {
    if (places_.size() <= to_number(slot)) {
        places_.resize(2 * std::size_t{to_number(slot)} + 1);
    }
    Place& place = places_[to_number(slot)];
    if (place.behind_at == kUpToDate) {
        place = {from, static_cast<std::uint32_t>(behind_.size())};
        behind_.push_back(slot);
    }
}

const Index& DeferredIndex::up_to_date(const EntityStore& entities) {
    for (const Slot slot : behind_) {
        Place& place = places_[to_number(slot)];
        place.behind_at = kUpToDate;
        index_->move(slot, place.indexed, entities.at(slot).position);
    }
    if (!behind_.empty()) {
        behind_.clear();
    }
    return *index_;
}

}  // namespace marchland::engine
