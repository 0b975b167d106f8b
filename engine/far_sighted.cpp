#include "engine/far_sighted.h"

#include <algorithm>

namespace marchland::engine {

void FarSighted::add(Slot slot, Position at, std::int32_t reach_mm, bool fits_cells) {
    list_.add(slot);
    if (places_.size() <= to_number(slot)) {
        places_.resize(2 * std::size_t{to_number(slot)} + 1);
    }
    Place& place = places_[to_number(slot)];
    place = {at, std::max(reach_mm, 1), fits_cells};
    by_reach_.insert(slot, at, place.reach_mm);
    that_fit_cells_ += fits_cells ? 1U : 0U;
}

void FarSighted::remove(Slot slot) {
    list_.remove(slot);
    const Place& place = places_[to_number(slot)];
    by_reach_.erase(slot, place.at, place.reach_mm);
    that_fit_cells_ -= place.fits_cells ? 1U : 0U;
}

void FarSighted::clear() {
    while (size() > 0) {
        remove(slots().back());
    }
}

void FarSighted::follow(Slot slot, Position to) {
    Place& place = places_[to_number(slot)];
    by_reach_.move(slot, place.at, to, place.reach_mm);
    place.at = to;
}

}  // namespace marchland::engine
