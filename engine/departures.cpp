#include "engine/departures.h"

#include "engine/assert.h"

#include <algorithm>

namespace marchland::engine {

void Departures::record(Departure departure, Tick now) {
    MARCHLAND_ASSERT(in_order_.empty() || in_order_.back().tick <= now);
    if (!lives_.insert(departure).second) {
        return;
    }
    in_order_.push_back({departure, now});
    Latest& latest = latest_[departure.id];
    // News of an earlier life may come after that of a later one.
    latest.birth = std::max(latest.birth, departure.birth);
    latest.recorded_tick = now;
}

bool Departures::contains(Departure departure) const {
    const auto latest = latest_.find(departure.id);
    return latest != latest_.end() && departure.birth <= latest->second.birth;
}

std::vector<Departure> Departures::remembered() const {
    std::vector<Departure> all;
    all.reserve(in_order_.size());
    for (const Recorded& recorded : in_order_) {
        all.push_back(recorded.departure);
    }
    return all;
}

void Departures::forget_before(Tick tick) {
    while (!in_order_.empty() && in_order_.front().tick < tick) {
        const auto latest = latest_.find(in_order_.front().departure.id);
        if (latest != latest_.end() && latest->second.recorded_tick < tick) {
            latest_.erase(latest);
        }
        lives_.erase(in_order_.front().departure);
        in_order_.pop_front();
    }
}

}  // namespace marchland::engine
