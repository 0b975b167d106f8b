#include "tools/bench/index_benchmark.h"

#include "engine/sweep/candidates.h"
#include "tools/bench/benchmark.h"
#include "tools/progress/progress_line.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <ostream>

namespace marchland::bench {
namespace {

constexpr const char* kFooter = R"(
Everyone watches and is watched in a circle of 50 m and walks 0.25 m a tick. Path tick: all moves, then
the exact events and frames of everybody. Path move: one move at a time, its events known after each.
Beside our index the same run times hash_grid, the usual home-made solution (3 x 3 cells of a hash
table, sorted visible sets, their difference): the ratio is what to compare between machines. It
knows only circles, and no limits: workloads of others run without it. Where limits are set, the same
index runs without them beside it.

Every count is compared with a slow and independent one, outside the timed part: 'exact'.

Exit code: 0 all counts are exact, 1 some are not, 2 bad arguments, 130 interrupted with Ctrl-C
(what was finished is reported).

  marchland-bench index
  marchland-bench index --workload A C --repetitions 20 --json
  marchland-bench index --workload million
  marchland-bench index --workload A --simd AVX2
  marchland-bench index --workload A --path move --index grid_cross_list aoi)";

struct Options {
    std::vector<std::string> workloads;
    std::vector<std::string> paths;
    std::vector<std::string> indexes;
    std::string simd;
    bool all = false;
    CommonOptions common{.repetitions = 7};
};

constexpr std::string_view kAllIndexes = "all";

std::vector<std::string> known_indexes() {
    const auto ours = engine::index_names();
    std::vector<std::string> names(ours.begin(), ours.end());
    names.emplace_back(kAoi);
    names.emplace_back(kAllIndexes);
    return names;
}

void declare(CLI::App& app, Options& options) {
    CLI::Option* const workload =
        app.add_option("--workload", options.workloads, listing("Only these:", all_workloads()))
            ->check(CLI::IsMember(names_of(all_workloads())))
            ->type_name("NAME...");
    app.add_flag("--all", options.all, "All workloads, also those that only run by their name")
        ->excludes(workload);
    app.add_option("--path", options.paths, "Only these: tick, move (default: both)")
        ->check(CLI::IsMember({"tick", "move"}))
        ->type_name("NAME...");
    app.add_option("--index", options.indexes,
                   "Of ours, which (default: grid_cross_list); all: all indexes;\n"
                   "aoi: engine/aoi.h, the library, with its index by default")
        ->check(CLI::IsMember(known_indexes()))
        ->type_name("NAME...");
    app.add_option("--simd", options.simd,
                   "Instructions that the engine scans with: AVX3 (which is AVX-512), AVX2, SSE4,\n"
                   "SSSE3, or the portable SCALAR or EMU128; the best that the machine has")
        ->type_name("NAME");
}

std::string_view name_of(Path path) {
    return path == Path::tick ? "tick" : "move";
}

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

std::string number_or_null(const std::optional<double>& number) {
    return number ? fmt::format("{:.4f}", *number) : "null";
}

std::string to_json(const CaseResult& result) {
    return fmt::format(
        R"({{"workload":"{}","index":"{}","path":"{}","ns_per_entity":{:.1f},)"
        R"("ratio_to_hash_grid":{},"ratio_to_unlimited":{},"exact":{},"allocations_per_tick":{:.3f},"spread":{:.3f},)"
        R"("k_mean":{:.2f},"entities":{},"threads":{},{}"events":{{"enter":{},"leave":{},"move":{},"checksum":"{:016x}"}}}})",
        result.workload, result.index, name_of(result.path), result.ns_per_entity,
        number_or_null(result.ratio_to_hash_grid), number_or_null(result.ratio_to_unlimited),
        result.exact, result.allocations_per_tick, result.spread, result.k_mean, result.entities,
        result.threads, ms_per_tick(result), result.events.enter, result.events.leave,
        result.events.move, result.events.checksum);
}

/// A table for people, with a line that says how to read it.
std::string table_of(std::span<const CaseResult> results) {
    std::string table = fmt::format(
        "{:<14} {:>6}  {:<5} {:<24} {:>10} {:>9} {:>7} {:>13} {:>6} {:>8}\n", "workload", "k",
        "path", "index", "ns/entity", "ms/tick", "spread", "of yardstick", "exact", "allocs");
    for (const CaseResult& result : results) {
        const std::string ms =
            result.path == Path::move ? "" : fmt::format("{:.3f}", wall_ms(result));
        const auto ratio =
            result.ratio_to_unlimited ? result.ratio_to_unlimited : result.ratio_to_hash_grid;
        table += fmt::format(
            "{:<14} {:>6.1f}  {:<5} {:<24} {:>10.1f} {:>9} {:>6.0f}% {:>13} {:>6} {:>8.2f}\n",
            result.workload, result.k_mean, name_of(result.path), contender(result),
            result.ns_per_entity, ms, result.spread * 100,
            ratio ? fmt::format("{:.1f}%", *ratio * 100) : "", result.exact ? "yes" : "NO",
            result.allocations_per_tick);
    }
    return table +
           fmt::format(
               "ns/entity: CPU time of all threads, per entity and tick (path move: per "
               "move);\nms/tick: by the clock on the wall. Medians of the "
               "repetitions. Compare within one run only,\nas 'of yardstick': hash_grid, with "
               "limits the same index without. Allocs: per tick, or per move. SIMD: {}.\n",
               engine::simd_target());
}

/// Of ours, those that are measured.
std::vector<std::string> chosen_indexes(const Options& options) {
    const auto all = engine::index_names();
    if (options.indexes.empty()) return {std::string(all.front())};
    if (!has(options.indexes, kAllIndexes)) return options.indexes;
    return {all.begin(), all.end()};
}

/// The chosen workloads, in our order and each once.
std::vector<CaseResult> measure_all(const Options& options, const Host& host) {
    const Effort effort{options.common.repetitions, options.common.seed,
                        options.common.is_quick ? 10U : 1U};
    const std::vector<std::string> indexes = chosen_indexes(options);
    std::vector<CaseResult> results;
    tools::ProgressLine line(host.err, host.is_err_terminal);
    for (const Workload& workload : all_workloads()) {
        const bool is_chosen = options.workloads.empty() ? options.all || !workload.is_on_demand
                                                         : has(options.workloads, workload.name);
        if (!is_chosen) continue;
        for (const Path path : {Path::tick, Path::move}) {
            if (!options.paths.empty() && !has(options.paths, name_of(path))) continue;
            if (path == Path::move && workload.moves == 0) continue;
            const std::string title =
                fmt::format("index: {}, path {}, repetition", workload.name, name_of(path));
            const Probes probes{
                host.allocation_count, host.is_interrupted,
                [&](std::size_t done, std::size_t of) { line.show(title, done, of); }};
            const auto contenders = make_contenders(workload, path, indexes);
            for (CaseResult& result : measure(workload, path, effort, contenders, probes)) {
                results.push_back(std::move(result));
            }
            if (host.is_interrupted()) return results;
        }
    }
    return results;
}

}  // namespace

int run_index_benchmark(int argc, const char* const* argv, const Host& host) {
    CLI::App app("The engine's index against the usual home-made one.", "marchland-bench index");
    app.footer(kFooter);
    Options options;
    declare(app, options);
    if (const auto exit_code =
            parse(app, options.common, "Shorter and unsteady: does it run, are the counts exact?",
                  argc, argv, host)) {
        return *exit_code;
    }
    if (!engine::use_simd_target(options.simd)) {
        host.err << fmt::format("--simd: this machine or build has no '{}'; its best is {}\n",
                                options.simd, engine::simd_target());
        return 2;
    }
    const std::vector<CaseResult> results = measure_all(options, host);
    if (results.empty() && !host.is_interrupted()) {
        host.err << "--path: these workloads run on path tick alone\n";
        return 2;
    }
    const std::string more = fmt::format(R"("simd":"{}",)", engine::simd_target());
    const int code = report("index", options.common, host, results, to_json, table_of, more);
    return code != 0 || std::ranges::all_of(results, &CaseResult::exact) ? code : 1;
}

}  // namespace marchland::bench
