#include "tools/bench/zone_report.h"

#include "tools/bench/json_list.h"

#include <fmt/core.h>

namespace marchland::bench {
namespace {

std::string to_json(const ZoneResult& result) {
    const std::string ratio = result.cpu_ratio_to_one_shard
                                  ? fmt::format("{:.4f}", *result.cpu_ratio_to_one_shard)
                                  : "null";
    const std::string exact = result.exact ? fmt::format("{}", *result.exact) : "null";
    std::string figures;
    for (const auto& [name, value] : result.figures) {
        figures += fmt::format(R"(,"{}":{:.3f})", name, value);
    }
    return fmt::format(
        R"({{"case":"{}","shards":{},"threads":{},"entities":{},"cpu_ratio_to_one_shard":{},)"
        R"("tick_ms_p50":{:.3f},"tick_ms_p99":{:.3f},"tick_ms_max":{:.3f},"spread":{:.3f},)"
        R"("exact":{}{}}})",
        result.name, result.shards, result.threads, result.entities, ratio, result.tick_ms_p50,
        result.tick_ms_p99, result.tick_ms_max, result.spread, exact, figures);
}

std::string_view exactness(const ZoneResult& result) {
    return !result.exact ? "-" : *result.exact ? "yes" : "NO";
}

}  // namespace

std::string zone_json(std::span<const ZoneResult> results, std::string_view commit,
                      bool is_interrupted) {
    return fmt::format(R"({{"benchmark":"zone","commit":"{}","interrupted":{},"results":[{}]}})",
                       commit, is_interrupted, json_list(results, to_json));
}

std::string zone_table(std::span<const ZoneResult> results) {
    std::string table =
        fmt::format("{:<9} {:>6} {:>7} {:>8} {:>12} {:>8} {:>8} {:>8} {:>7} {:>6}  {}\n", "case",
                    "shards", "threads", "entities", "of one shard", "ms p50", "ms p99", "ms max",
                    "spread", "exact", "and");
    for (const ZoneResult& result : results) {
        const std::string ratio = result.cpu_ratio_to_one_shard
                                      ? fmt::format("{:.1f}%", *result.cpu_ratio_to_one_shard * 100)
                                      : "-";
        table += fmt::format(
            "{:<9} {:>6} {:>7} {:>8} {:>12} {:>8.2f} {:>8.2f} {:>8.2f} {:>6.0f}% {:>6} ",
            result.name, result.shards, result.threads, result.entities, ratio, result.tick_ms_p50,
            result.tick_ms_p99, result.tick_ms_max, result.spread * 100, exactness(result));
        for (const auto& [name, value] : result.figures) {
            table += fmt::format(" {}={:.2f}", name, value);
        }
        table += '\n';
    }
    return table +
           "ms: CPU time of a tick, all threads and shards; in 'budget' of the slowest shard's "
           "thread.\nCompare within one run only, as 'of one shard'.\n";
}

}  // namespace marchland::bench
