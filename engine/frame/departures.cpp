#include "engine/frame/departures.h"

#include <algorithm>

namespace marchland::engine {

void Departures::record(Departure departure, Tick tick) {
    if (!lives_.insert(departure).second) {
        return;
    }
    by_tick_[tick].push_back(departure);
    Latest& latest = latest_[departure.id];
    // News of an earlier life may come after that of a later one.
    latest.birth = std::max(latest.birth, departure.birth);
    latest.recorded_tick = std::max(latest.recorded_tick, tick);
}

bool Departures::contains(Departure departure) const {
    const auto latest = latest_.find(departure.id);
    return latest != latest_.end() && departure.birth <= latest->second.birth;
}

std::vector<RecordedDeparture> Departures::remembered() const {
    std::vector<RecordedDeparture> all;
    all.reserve(lives_.size());
    for (const auto& [tick, departed] : by_tick_) {
        for (const Departure& departure : departed) {
            all.push_back({departure, tick});
        }
    }
    return all;
}

void Departures::forget_before(Tick tick) {
    const auto end = by_tick_.lower_bound(tick);
    for (auto forgotten = by_tick_.begin(); forgotten != end; ++forgotten) {
        for (const Departure& departure : forgotten->second) {
            const auto latest = latest_.find(departure.id);
            if (latest != latest_.end() && latest->second.recorded_tick < tick) {
                latest_.erase(latest);
            }
            lives_.erase(departure);
        }
    }
    by_tick_.erase(by_tick_.begin(), end);
}

}  // namespace marchland::engine
