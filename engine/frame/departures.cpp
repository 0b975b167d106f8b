#include "engine/frame/departures.h"

#include <algorithm>

namespace marchland::engine {

/// Fewer than so many are not worth giving back.
constexpr std::size_t kMany = 4'096;

void Departures::record(const Life& life, Tick tick) {
    if (!tables_->lives.insert(life).second) {
        return;
    }
    tables_->by_tick[tick].push_back(life);
    Latest& latest = tables_->latest[life.id];
    // The departure of an earlier life may come after that of a later one.
    latest.birth = std::max(latest.birth, life.birth);
    latest.recorded_tick = std::max(latest.recorded_tick, tick);
}

bool Departures::contains(const Life& life) const {
    const auto latest = tables_->latest.find(life.id);
    return latest != tables_->latest.end() && life.birth <= latest->second.birth;
}

std::vector<RecordedDeparture> Departures::remembered() const {
    std::vector<RecordedDeparture> all;
    all.reserve(tables_->lives.size());
    for (const auto& [tick, departed] : tables_->by_tick) {
        for (const Life& life : departed) {
            all.push_back({life, tick});
        }
    }
    return all;
}

void Departures::forget_before(Tick tick) {
    most_ = std::max(most_, size());
    auto& [blocks, by_tick, lives, latest] = *tables_;
    const auto end = by_tick.lower_bound(tick);
    for (auto forgotten = by_tick.begin(); forgotten != end; ++forgotten) {
        for (const Life& life : forgotten->second) {
            const auto last = latest.find(life.id);
            if (last != latest.end() && last->second.recorded_tick < tick) {
                latest.erase(last);
            }
            lives.erase(life);
        }
    }
    by_tick.erase(by_tick.begin(), end);
    if (most_ > kMany && size() < most_ / 4) {
        begin_anew();
    }
}

/// A pool keeps what it once had: only with all of it are its blocks given back.
void Departures::begin_anew() {
    const std::vector<RecordedDeparture> left = remembered();
    tables_ = std::make_unique<Tables>();
    for (const RecordedDeparture& recorded : left) {
        record(recorded.life, recorded.tick);
    }
    most_ = left.size();
}

}  // namespace marchland::engine
