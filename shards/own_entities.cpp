#include "shards/own_entities.h"

#include "engine/assert.h"

#include <utility>

namespace marchland::shards {

void OwnEntities::add(engine::Slot slot, OwnRecord record) {
    MARCHLAND_ASSERT(!owns(slot));
    MARCHLAND_ASSERT(record.port != nullptr);
    const std::size_t number = to_number(slot);
    if (number >= place_of_.size()) {
        place_of_.resize(number + 1, kNotOwn);
    }
    place_of_[number] = static_cast<std::uint32_t>(slots_.size());
    slots_.push_back(slot);
    records_.push_back(std::move(record));
}

OwnRecord OwnEntities::remove(engine::Slot slot) {
    MARCHLAND_ASSERT(owns(slot));
    const std::uint32_t place = std::exchange(place_of_[to_number(slot)], kNotOwn);
    OwnRecord record = std::move(records_[place]);
    if (const engine::Slot last = slots_.back(); last != slot) {
        slots_[place] = last;
        records_[place] = std::move(records_.back());
        place_of_[to_number(last)] = place;
    }
    slots_.pop_back();
    records_.pop_back();
    return record;
}

bool OwnEntities::owns(engine::Slot slot) const {
    const std::size_t number = to_number(slot);
    return number < place_of_.size() && place_of_[number] != kNotOwn;
}

OwnRecord& OwnEntities::at(engine::Slot slot) {
    MARCHLAND_ASSERT(owns(slot));
    return records_[place_of_[to_number(slot)]];
}

}  // namespace marchland::shards
