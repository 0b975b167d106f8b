#include "tools/bench/zone_turns.h"

#include "tools/bench/statistics.h"

#include <algorithm>

namespace marchland::bench {
namespace {

double in_ms(std::uint64_t ns) {
    return static_cast<double>(ns) / 1e6;
}

void run_repetition(ZoneStage& stage, const Turns& turns, StageTimes& times) {
    Clocks sum;
    for (std::size_t tick = 0; tick < turns.ticks; ++tick) {
        if (turns.before_tick) turns.before_tick(stage, tick);
        const Clocks took = stage.step();
        times.tick_cpu_ms.push_back(in_ms(took.cpu_ns));
        times.tick_wall_ms.push_back(in_ms(took.wall_ns));
        sum += took;
    }
    times.repetition_cpu_ms.push_back(in_ms(sum.cpu_ns));
    stage.step_and_listen();
}

}  // namespace

std::vector<StageTimes> run_in_turns(const Stages& stages, const Turns& turns,
                                     const ZoneProbes& probes) {
    std::vector<StageTimes> times(stages.size());
    for (const auto& stage : stages) {
        for (std::size_t tick = 0; tick < turns.warm_up_ticks; ++tick) {
            if (probes.is_interrupted()) return {};
            stage->step_and_listen();
        }
    }
    for (std::size_t repetition = 0; repetition < turns.repetitions; ++repetition) {
        probes.progress(repetition, turns.repetitions);
        for (std::size_t i = 0; i < stages.size(); ++i) {
            if (probes.is_interrupted()) return {};
            run_repetition(*stages[i], turns, times[i]);
        }
    }
    return times;
}

ZoneResult result_of(std::string_view name, std::size_t stage, const Crowd& crowd,
                     const Stages& stages, std::span<const StageTimes> times) {
    const StageTimes& own = times[stage];
    ZoneResult result;
    result.name = name;
    result.shards = stages[stage]->cut().shards();
    result.threads = stages[stage]->cut().arena_threads;
    result.entities = crowd.entities;
    result.cpu_ratio_to_one_shard =
        median_ratio(own.repetition_cpu_ms, times.front().repetition_cpu_ms);
    result.tick_ms_p50 = median(own.tick_cpu_ms);
    result.tick_ms_p99 = percentile(own.tick_cpu_ms, 99);
    result.tick_ms_max = *std::ranges::max_element(own.tick_cpu_ms);
    result.spread = spread(own.repetition_cpu_ms);
    if (stage != 0) {
        result.exact = stages[stage]->digest() == stages.front()->digest();
    }
    return result;
}

}  // namespace marchland::bench
