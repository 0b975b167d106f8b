#include "engine/former_beacons.h"

namespace marchland::engine {

void FormerBeacons::note(Slot slot, const Entity& entity) {
    if (noted_.contains(slot)) {
        return;
    }
    noted_.add(slot);
    const Slot number{static_cast<std::uint32_t>(formers_.size())};
    formers_.push_back({entity.id, entity.position, entity.notify.leave_radius_mm});
    beacons_.insert(number, entity.position, entity.notify.leave_radius_mm);
}

void FormerBeacons::clear() {
    for (std::uint32_t number = 0; number < formers_.size(); ++number) {
        beacons_.erase(Slot{number}, formers_[number].at, formers_[number].leave_radius_mm);
    }
    formers_.clear();
    noted_.clear();
}

}  // namespace marchland::engine
