#include "tools/bench/statistics.h"
#include "tools/bench/zone_cases.h"
#include "tools/bench/zone_turns.h"
#include "tools/process/resident_bytes.h"

#include <array>
#include <malloc.h>
#include <memory>
#include <utility>

namespace marchland::bench {
namespace {

/// Memory in use, what the allocator only keeps for later given back.
double resident_now() {
    malloc_trim(0);
    return static_cast<double>(process::resident_bytes());
}

struct Grown {
    double empty_bytes = 0;  ///< by the zone and its shards, which nobody is in
    double crowd_bytes = 0;  ///< by everybody's coming in and being told of others for some ticks
    double ghosts = 0;
};

/// Appends the stage, runs it like all others, and appends its times.
Grown measure_growth(const Crowd& crowd, const Cut& cut, shards::FrameOutlet& outlet,
                     const Turns& turns, const ZoneProbes& probes, Stages& stages,
                     std::vector<StageTimes>& times) {
    const double before = resident_now();
    stages.push_back(std::make_unique<ZoneStage>(crowd, cut, outlet));
    stages.back()->step();
    const double empty = resident_now();
    stages.back()->populate();
    Stages alone;
    alone.push_back(std::move(stages.back()));
    for (StageTimes& own : run_in_turns(alone, turns, probes)) {
        times.push_back(std::move(own));
    }
    stages.back() = std::move(alone.front());
    return {empty - before, resident_now() - empty, static_cast<double>(stages.back()->ghosts())};
}

}  // namespace

std::vector<ZoneResult> measure_memory(const ZoneEffort& effort, const ZoneProbes& probes) {
    constexpr std::array<Cut, 2> kCuts = {{{1, 1}, {8, 8}}};
    const Crowd crowd = open_world(effort.is_quick ? 5'000 : 50'000, effort.seed);
    const Turns turns{.warm_up_ticks = effort.is_quick ? 2U : 10U, .repetitions = 2, .ticks = 5};
    DroppingOutlet outlet;
    Stages stages;
    std::vector<StageTimes> times;
    std::vector<Grown> grown;
    for (const Cut& cut : kCuts) {
        grown.push_back(measure_growth(crowd, cut, outlet, turns, probes, stages, times));
        if (times.size() < stages.size()) return {};
    }
    std::vector<ZoneResult> results;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        results.push_back(result_of("memory", i, crowd, stages, times));
        results[i].figures = {
            {"bytes_per_entity", grown[i].crowd_bytes / crowd.entities},
            {"bytes_per_empty_shard", grown[i].empty_bytes / stages[i]->cut().shards()}};
    }
    // What the crowd took beyond what it takes without ghosts.
    results[1].figures.emplace_back("ghosts", grown[1].ghosts);
    results[1].figures.emplace_back(
        "bytes_per_ghost", (grown[1].crowd_bytes - grown[0].crowd_bytes) / grown[1].ghosts);
    return results;
}

}  // namespace marchland::bench
