#include "tools/bench/index_report.h"

#include "engine/candidates.h"
#include "tools/bench/json_list.h"

#include <fmt/core.h>

namespace marchland::bench {
namespace {

double wall_ms(const CaseResult& result) {
    return result.wall_ns_per_entity * result.entities / 1e6;
}

/// Not on path move, where there are no ticks.
std::string ms_per_tick(const CaseResult& result) {
    if (result.path == Path::move) return "";
    return fmt::format(R"("ms_per_tick":{:.3f},)", wall_ms(result));
}

/// `grid_cross_list`, or `grid_cross_list x2` on two threads.
std::string contender(const CaseResult& result) {
    return result.threads == 1 ? result.index : fmt::format("{} x{}", result.index, result.threads);
}

std::string to_json(const CaseResult& result) {
    return fmt::format(
        R"({{"workload":"{}",{}"index":"{}","path":"{}","ns_per_entity":{:.1f},)"
        R"("ratio_to_hash_grid":{},"exact":{},"allocations_per_tick":{:.3f},"spread":{:.3f},)"
        R"("k_mean":{:.2f},"entities":{},"movers":{},"threads":{},{}"events":{{"enter":{},"leave":{},"move":{},"seen":{},"checksum":"{:016x}"}}}})",
        result.workload, result.at ? fmt::format(R"("at":{:g},)", *result.at) : "", result.index,
        name_of(result.path), result.ns_per_entity,
        result.ratio_to_hash_grid ? fmt::format("{:.4f}", *result.ratio_to_hash_grid) : "null",
        result.exact, result.allocations_per_tick, result.spread, result.k_mean, result.entities,
        result.movers, result.threads, ms_per_tick(result), result.events.enter,
        result.events.leave, result.events.move, result.events.seen, result.events.checksum);
}

}  // namespace

std::string_view name_of(Path path) {
    switch (path) {
        case Path::tick:
            return "tick";
        case Path::move:
            return "move";
        case Path::query:
            break;
    }
    return "query";
}

std::string index_json(std::span<const CaseResult> results, std::string_view curve,
                       std::string_view commit, bool is_interrupted) {
    return fmt::format(
        R"({{"benchmark":"index",{}"commit":"{}","simd":"{}","interrupted":{},"results":[{}]}})",
        curve.empty() ? "" : fmt::format(R"("curve":"{}",)", curve), commit, engine::simd_target(),
        is_interrupted, json_list(results, to_json));
}

std::string index_table(std::span<const CaseResult> results) {
    std::string table = fmt::format(
        "{:<14} {:>6}  {:<5} {:<18} {:>10} {:>9} {:>7} {:>13} {:>6} {:>8}\n", "workload", "k",
        "path", "index", "ns/entity", "ms/tick", "spread", "of hash_grid", "exact", "allocs");
    for (const CaseResult& result : results) {
        const std::string ms =
            result.path == Path::move ? "" : fmt::format("{:.3f}", wall_ms(result));
        table += fmt::format(
            "{:<14} {:>6.1f}  {:<5} {:<18} {:>10.1f} {:>9} {:>6.0f}% {:>13} {:>6} {:>8.2f}\n",
            result.at ? fmt::format("{}={:g}", result.workload, *result.at) : result.workload,
            result.k_mean, name_of(result.path), contender(result), result.ns_per_entity, ms,
            result.spread * 100,
            result.ratio_to_hash_grid ? fmt::format("{:.1f}%", *result.ratio_to_hash_grid * 100)
                                      : "",
            result.exact ? "yes" : "NO", result.allocations_per_tick);
    }
    return table + fmt::format(
                       "ns/entity: CPU time of all threads, per entity and tick (path move: per "
                       "move);\nms/tick: by the clock on the wall. Medians of the "
                       "repetitions. Compare within one run only,\nas 'of hash_grid'. Allocs: per "
                       "tick, or per move. SIMD: {}.\n",
                       engine::simd_target());
}

}  // namespace marchland::bench
