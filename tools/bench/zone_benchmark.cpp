#include "tools/bench/zone_cases.h"
#include "tools/progress/progress_line.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <ostream>

namespace marchland::bench {
namespace {

constexpr const char* kFooter = R"(
Everyone watches in a circle of 50 m (leave radius 55 m), sees 20 others, and walks 0.25 m a tick. The
frames are written as for a client, and dropped: no sockets. All cases but budget run the shards of a zone
one after the other on one thread, ways to cut it in turns, and count CPU time. Budget runs a
thread for each shard against the clock; there, too, a tick's time is CPU time of its thread.

'exact': the bytes of every player's frames are those under one shard. They are compared in ticks that
are not timed; in those that are, their number is.

Exit code: 0 all is exact, 1 something is not, 2 bad arguments, 130 interrupted with Ctrl-C
(the cases that were finished are reported).

  marchland-bench zone
  marchland-bench zone --case cpu handoffs --repetitions 15 --json)";

struct Options {
    std::vector<std::string> cases;
    CommonOptions common{.repetitions = 7};
};

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

std::string table_of(const std::vector<ZoneResult>& results) {
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

std::vector<ZoneResult> measure_all(const Options& options, const Host& host) {
    std::vector<ZoneResult> results;
    tools::ProgressLine line(host.err, host.is_err_terminal);
    for (const ZoneCase& one : zone_cases()) {
        if (!options.cases.empty() && !has(options.cases, one.name)) continue;
        if (host.is_interrupted()) break;
        const std::string title = fmt::format("zone: {}, repetition", one.name);
        const Probes probes{host.allocation_count, host.is_interrupted,
                            [&](std::size_t done, std::size_t of) { line.show(title, done, of); }};
        for (ZoneResult& result : one.measure(options.common, probes)) {
            results.push_back(std::move(result));
        }
    }
    return results;
}

}  // namespace

int run_zone_benchmark(int argc, const char* const* argv, const Host& host) {
    CLI::App app("What it costs to cut a zone into shards, and what it gains.",
                 "marchland-bench zone");
    app.footer(kFooter);
    Options options;
    app.add_option("--case", options.cases, listing("Only these:", zone_cases()))
        ->check(CLI::IsMember(names_of(zone_cases())))
        ->type_name("NAME...");
    if (const auto exit_code = parse(
            app, options.common, "A tenth of the entities, and unsteady: does it run, is it exact?",
            argc, argv, host)) {
        return *exit_code;
    }
    const std::vector<ZoneResult> results = measure_all(options, host);
    const int code = report("zone", options.common, host, results, to_json, table_of);
    const bool all_exact = std::ranges::all_of(
        results, [](const ZoneResult& result) { return result.exact.value_or(true); });
    return code != 0 || all_exact ? code : 1;
}

}  // namespace marchland::bench
