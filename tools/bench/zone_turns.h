#pragma once

#include "tools/bench/zone_cases.h"
#include "tools/bench/zone_stage.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace marchland::bench {

using Stages = std::vector<std::unique_ptr<ZoneStage>>;

/// What one stage took in the timed ticks.
struct StageTimes {
    std::vector<double> tick_cpu_ms;
    std::vector<double> tick_wall_ms;
    std::vector<double> repetition_cpu_ms;
};

struct Turns {
    std::size_t warm_up_ticks = 10;
    std::size_t repetitions = 7;
    std::size_t ticks = 10;  ///< of one repetition
    /// Called before each timed tick, which is the `tick`-th of its repetition.
    std::function<void(ZoneStage& stage, std::size_t tick)> before_tick = {};
};

/// Takes the stages, of one crowd, through the same ticks, in turns, repetition by repetition: so a
/// machine that drifts, drifts for all. Between repetitions is a tick that is listened to and not
/// timed. By stage; empty after an interruption.
std::vector<StageTimes> run_in_turns(const Stages& stages, const Turns& turns,
                                     const ZoneProbes& probes);

/// What all cases say about a stage, which is compared with the first: one shard on one thread.
ZoneResult result_of(std::string_view name, std::size_t stage, const Crowd& crowd,
                     const Stages& stages, std::span<const StageTimes> times);

}  // namespace marchland::bench
