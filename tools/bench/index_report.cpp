#include "tools/bench/index_report.h"

#include "engine/scan.h"

#include <fmt/core.h>

namespace marchland::bench {
namespace {

std::string to_json(const CaseResult& result) {
    return fmt::format(
        R"({{"workload":"{}","index":"{}","path":"{}","ns_per_entity":{:.1f},)"
        R"("ratio_to_hash_grid":{:.4f},"exact":{},"allocations_per_tick":{:.3f},"spread":{:.3f},)"
        R"("k_mean":{:.2f},"events":{{"enter":{},"leave":{},"move":{},"checksum":"{:016x}"}}}})",
        result.workload, result.index, name_of(result.path), result.ns_per_entity,
        result.ratio_to_hash_grid, result.exact, result.allocations_per_tick, result.spread,
        result.k_mean, result.events.enter, result.events.leave, result.events.move,
        result.events.checksum);
}

}  // namespace

std::string_view name_of(Path path) {
    return path == Path::tick ? "tick" : "move";
}

std::string index_json(std::span<const CaseResult> results, std::string_view commit,
                       bool is_interrupted) {
    std::string list;
    for (const CaseResult& result : results) {
        if (!list.empty()) list += ',';
        list += to_json(result);
    }
    return fmt::format(
        R"({{"benchmark":"index","commit":"{}","simd":"{}","interrupted":{},"results":[{}]}})",
        commit, engine::scan_target(), is_interrupted, list);
}

std::string index_table(std::span<const CaseResult> results) {
    std::string table =
        fmt::format("{:<9} {:>6}  {:<5} {:<16} {:>10} {:>7} {:>13} {:>6} {:>10}\n", "workload", "k",
                    "path", "index", "ns/entity", "spread", "of hash_grid", "exact", "allocs");
    for (const CaseResult& result : results) {
        table += fmt::format(
            "{:<9} {:>6.1f}  {:<5} {:<16} {:>10.1f} {:>6.0f}% {:>12.1f}% {:>6} "
            "{:>10.2f}\n",
            result.workload, result.k_mean, name_of(result.path), result.index,
            result.ns_per_entity, result.spread * 100, result.ratio_to_hash_grid * 100,
            result.exact ? "yes" : "NO", result.allocations_per_tick);
    }
    return table + fmt::format(
                       "CPU time of one thread: per entity and tick (path tick), per move (path "
                       "move); the\nmedian of the repetitions. Compare within one run only, as 'of "
                       "hash_grid'. SIMD: {}.\n",
                       engine::scan_target());
}

}  // namespace marchland::bench
