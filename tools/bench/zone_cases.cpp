#include "tools/bench/zone_cases.h"

#include "tools/bench/statistics.h"
#include "tools/bench/zone_turns.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace marchland::bench {
namespace {

constexpr std::array<ZoneCase, 6> kCases = {{
    {"memory", "bytes of an entity and of a ghost: 50,000 entities, 1 and 64 shards",
     measure_memory},
    {"cpu", "10,000 entities: all CPU time of 4, 16 and 64 shards against 1", measure_cpu},
    {"crowd", "3,000 in 150 x 150 m, one shard: alone, and with an arena of two threads",
     measure_crowd},
    {"handoffs", "10,000 entities, 4 shards: all of them change their shard in each tick",
     measure_handoffs},
    {"layout", "50,000 entities, 16 shards: every tenth tick puts another layout in force",
     measure_layout},
    {"budget", "how many players fit into ticks of 50 ms: 1 shard, and 2 on 2 threads",
     measure_budget},
}};

std::uint32_t scaled(std::uint32_t entities, const ZoneEffort& effort) {
    return effort.is_quick ? entities / 10 : entities;
}

Turns turns_of(const ZoneEffort& effort) {
    Turns turns;
    turns.repetitions = effort.repetitions;
    if (effort.is_quick) {
        turns.warm_up_ticks = 2;
        turns.ticks = 3;
    }
    return turns;
}

Stages make_stages(const Crowd& crowd, std::span<const Cut> cuts, shards::FrameOutlet& outlet) {
    Stages stages;
    for (const Cut& cut : cuts) {
        stages.push_back(std::make_unique<ZoneStage>(crowd, cut, outlet));
        stages.back()->populate();
    }
    return stages;
}

/// What all but the layout's case do. `extend(result, stage number, times)` adds figures.
template <typename Extend>
std::vector<ZoneResult> compare(std::string_view name, const Crowd& crowd, const Stages& stages,
                                const Turns& turns, const ZoneProbes& probes, Extend&& extend) {
    const std::vector<StageTimes> times = run_in_turns(stages, turns, probes);
    std::vector<ZoneResult> results;
    for (std::size_t i = 0; i < times.size(); ++i) {
        results.push_back(result_of(name, i, crowd, stages, times));
        extend(results.back(), i, times);
    }
    return results;
}

}  // namespace

std::span<const ZoneCase> zone_cases() {
    return kCases;
}

std::vector<ZoneResult> measure_cpu(const ZoneEffort& effort, const ZoneProbes& probes) {
    constexpr std::array<Cut, 4> kCuts = {{{1, 1}, {2, 2}, {4, 4}, {8, 8}}};
    const Crowd crowd = open_world(scaled(10'000, effort), effort.seed);
    DroppingOutlet outlet;
    const Stages stages = make_stages(crowd, kCuts, outlet);
    return compare("cpu", crowd, stages, turns_of(effort), probes,
                   [&](ZoneResult& result, std::size_t i, const std::vector<StageTimes>&) {
                       result.figures.emplace_back("ghosts",
                                                   static_cast<double>(stages[i]->ghosts()));
                   });
}

std::vector<ZoneResult> measure_crowd(const ZoneEffort& effort, const ZoneProbes& probes) {
    constexpr std::array<Cut, 2> kCuts = {{{1, 1, 1}, {1, 1, 2}}};
    const Crowd crowd{.entities = scaled(3'000, effort), .side_mm = 150'000, .seed = effort.seed};
    DroppingOutlet outlet;
    const Stages stages = make_stages(crowd, kCuts, outlet);
    return compare(
        "crowd", crowd, stages, turns_of(effort), probes,
        [&](ZoneResult& result, std::size_t i, const std::vector<StageTimes>& times) {
            result.figures = {
                {"wall_ms_p50", median(times[i].tick_wall_ms)},
                {"wall_ratio_to_no_arena",
                 median_ratio(times[i].tick_wall_ms, times[0].tick_wall_ms)},
                {"shared_ticks",
                 static_cast<double>(
                     stages[i]->zone().metrics(shards::ShardId{}).shared_ticks_total.load())}};
        });
}

std::vector<ZoneResult> measure_handoffs(const ZoneEffort& effort, const ZoneProbes& probes) {
    constexpr std::array<Cut, 2> kCuts = {{{1, 1}, {2, 2}}};
    Crowd crowd = open_world(scaled(10'000, effort), effort.seed);
    crowd.gait = Gait::jump;
    DroppingOutlet outlet;
    const Stages stages = make_stages(crowd, kCuts, outlet);
    const Turns turns = turns_of(effort);
    return compare(
        "handoffs", crowd, stages, turns, probes,
        [&](ZoneResult& result, std::size_t i, const std::vector<StageTimes>& times) {
            if (i == 0) return;
            // Every tick is like the others: those that were not timed have as many.
            const auto ticks =
                static_cast<double>(turns.warm_up_ticks + turns.repetitions * (turns.ticks + 1));
            const double per_tick = static_cast<double>(stages[i]->handoffs_total()) / ticks;
            const double ms = median(times[i].tick_cpu_ms);
            const double extra_ms = ms - median(times[0].tick_cpu_ms);
            result.figures = {{"handoffs_per_tick", per_tick},
                              {"handoffs_per_cpu_s", per_tick / ms * 1'000},
                              {"us_per_handoff", extra_ms / per_tick * 1'000}};
        });
}

std::vector<ZoneResult> measure_layout(const ZoneEffort& effort, const ZoneProbes& probes) {
    constexpr std::array<Cut, 2> kCuts = {{{1, 1}, {4, 4}}};
    const Crowd crowd = open_world(scaled(50'000, effort), effort.seed);
    DroppingOutlet outlet;
    const Stages stages = make_stages(crowd, kCuts, outlet);
    Turns turns = turns_of(effort);
    const std::size_t change_at = turns.ticks / 2;
    std::vector<double> prepare_ms;
    bool is_four_by_four = true;
    turns.before_tick = [&](ZoneStage& stage, std::size_t tick) {
        if (&stage == stages.front().get() || tick != change_at) return;
        is_four_by_four = !is_four_by_four;
        const Clocks start = clocks_now();
        is_four_by_four ? stage.change_layout(4, 4) : stage.change_layout(5, 3);
        prepare_ms.push_back(static_cast<double>((clocks_now() - start).cpu_ns) / 1e6);
    };
    return compare(
        "layout", crowd, stages, turns, probes,
        [&](ZoneResult& result, std::size_t i, const std::vector<StageTimes>& times) {
            if (i == 0) return;
            std::vector<double> change_ms;
            std::vector<double> other_ms;
            for (std::size_t tick = 0; tick < times[i].tick_cpu_ms.size(); ++tick) {
                (tick % turns.ticks == change_at ? change_ms : other_ms)
                    .push_back(times[i].tick_cpu_ms[tick]);
            }
            result.figures = {
                {"changes", static_cast<double>(change_ms.size())},
                {"change_tick_ms_p50", median(change_ms)},
                {"change_tick_ms_max", *std::ranges::max_element(change_ms)},
                {"other_tick_ms_max", *std::ranges::max_element(other_ms)},
                {"longest_to_median", result.tick_ms_max / result.tick_ms_p50},
                {"prepare_ms_max", *std::ranges::max_element(prepare_ms)},
                {"handoffs_per_change", static_cast<double>(stages[i]->handoffs_total()) /
                                            static_cast<double>(change_ms.size())}};
        });
}

}  // namespace marchland::bench
