#pragma once

#include "tools/bench/benchmark.h"
#include "tools/bench/zone_stage.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The questions of `marchland-bench zone`, and their answers.
namespace marchland::bench {

/// What one way to run a zone did in one case.
struct ZoneResult {
    std::string name;  ///< of the case
    std::uint32_t shards = 1;
    std::uint32_t threads = 1;  ///< that work at the same time
    std::uint32_t entities = 0;
    /// CPU time of all threads against that of one shard on one thread, the same ticks side by
    /// side. None where that was not run.
    std::optional<double> cpu_ratio_to_one_shard;
    /// CPU time of a whole tick, all threads and shards; in the case `budget` of one shard's
    /// thread.
    double tick_ms_p50 = 0;
    double tick_ms_p99 = 0;
    double tick_ms_max = 0;
    double spread = 0;  ///< of the repetitions; see statistics.h
    /// Everybody was sent the same bytes as under one shard. None where there is nothing to
    /// compare.
    std::optional<bool> exact;
    /// What only this case has, each name with its unit last.
    std::vector<std::pair<std::string, double>> figures;
};

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
/// machine that drifts, drifts for all. Between repetitions is a tick whose frames are read and
/// which is not timed. By stage; empty after an interruption.
std::vector<StageTimes> run_in_turns(const Stages& stages, const Turns& turns,
                                     const Probes& probes);

/// What all cases say about a stage, which is compared with the first: one shard on one thread.
ZoneResult result_of(std::string_view name, std::size_t stage, const Crowd& crowd,
                     const Stages& stages, std::span<const StageTimes> times);

}  // namespace marchland::bench
