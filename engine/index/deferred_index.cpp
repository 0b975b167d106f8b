#include "engine/index/deferred_index.h"

#include "engine/assert.h"

#include <utility>

namespace marchland::engine {

DeferredIndex::DeferredIndex(std::unique_ptr<Index> index) : index_(std::move(index)) {
    MARCHLAND_ASSERT(index_ != nullptr && index_->size() == 0);
}

void DeferredIndex::erase(Slot slot, Position at) {
    index_->erase(slot, behind_.contains(slot) ? behind_.remove(slot) : at);
}

void DeferredIndex::move(Slot slot, Position from) {
    if (!behind_.contains(slot)) {
        behind_.add(slot, from);
    }
}

const Index& DeferredIndex::up_to_date(const EntityStore& entities) {
    for (const Slot slot : behind_.slots()) {
        index_->move(slot, behind_.at(slot), entities.at(slot).position);
    }
    behind_.clear();
    return *index_;
}

}  // namespace marchland::engine
