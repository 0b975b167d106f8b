#include "tools/bench/index_benchmark.h"

#include "engine/sweep/candidates.h"
#include "tools/bench/benchmark.h"
#include "tools/progress/progress_line.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <ostream>

namespace marchland::bench {
namespace {

constexpr const char* kFooter = R"(
Everyone watches and is watched in a circle of 50 m and walks 0.25 m a tick. Path tick: all moves, then
the exact events and frames of everybody. Path move: one move at a time, its events known after each.
Path query: all moves, then everybody asks the bare index who is in view; no sets, no events.
Beside our index the same run times hash_grid, the usual home-made solution (3 x 3 cells of a hash
table, sorted visible sets, their difference): the ratio is what to compare between machines. It does
not know other shapes than circles: workloads of these run without it.

Every count is compared with a slow and independent one, outside the timed part: 'exact'.

A curve runs the same along one number; tools/plot-benchmarks draws its JSON.

Exit code: 0 all counts are exact, 1 some are not, 2 bad arguments, 130 interrupted with Ctrl-C
(what was finished is reported).

  marchland-bench index
  marchland-bench index --workload A C --repetitions 20 --json
  marchland-bench index --workload million
  marchland-bench index --workload A --simd AVX2
  marchland-bench index --workload A --path move --index grid_cross_list aoi
  marchland-bench index --curve k --path query --index all --json)";

struct Options {
    std::vector<std::string> workloads;
    std::vector<std::string> paths;
    std::vector<std::string> indexes;
    std::string curve;
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
    CLI::Option* const all =
        app.add_flag("--all", options.all, "All workloads, also those that only run by their name")
            ->excludes(workload);
    app.add_option("--curve", options.curve,
                   listing("Instead of workloads, a curve:", all_curves()))
        ->check(CLI::IsMember(names_of(all_curves())))
        ->excludes(workload)
        ->excludes(all)
        ->type_name("NAME");
    app.add_option("--path", options.paths,
                   "Only these: tick, move, query (default: tick and move; a curve's own)")
        ->check(CLI::IsMember({"tick", "move", "query"}))
        ->type_name("NAME...");
    app.add_option("--index", options.indexes,
                   "Of ours, which (default: grid_cross_list; a curve's own); all: all indexes;\n"
                   "aoi: engine/aoi.h, the library, with its index by default; not on path query")
        ->check(CLI::IsMember(known_indexes()))
        ->type_name("NAME...");
    app.add_option("--simd", options.simd,
                   "Instructions that the engine scans with: AVX3 (which is AVX-512), AVX2, SSE4,\n"
                   "SSSE3, or the portable SCALAR or EMU128; the best that the machine has")
        ->type_name("NAME");
}

std::string_view name_of(Path path) {
    constexpr std::array<std::string_view, 3> kNames = {"tick", "move", "query"};
    return kNames.at(static_cast<std::size_t>(path));
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

/// A table for people, with a line that says how to read it.
std::string table_of(std::span<const CaseResult> results) {
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

/// What is measured at once, by contenders that take turns.
struct Case {
    Workload workload;
    Path path{};
    std::vector<std::string> indexes;
    std::optional<double> at;  ///< of a curve
};

std::vector<Path> chosen_paths(const Options& options, std::vector<Path> by_default) {
    if (options.paths.empty()) return by_default;
    std::vector<Path> paths;
    for (const Path path : {Path::tick, Path::move, Path::query}) {
        if (has(options.paths, name_of(path))) paths.push_back(path);
    }
    return paths;
}

std::vector<std::string> chosen_indexes(const Options& options,
                                        std::vector<std::string> by_default) {
    if (options.indexes.empty()) return by_default;
    if (!has(options.indexes, kAllIndexes)) return options.indexes;
    const auto all = engine::index_names();
    return {all.begin(), all.end()};
}

/// The chosen workloads, in our order and each once.
std::vector<Case> workload_cases(const Options& options) {
    std::vector<Case> cases;
    const auto indexes = chosen_indexes(options, {std::string(engine::index_names().front())});
    for (const Workload& workload : all_workloads()) {
        const bool is_chosen = options.workloads.empty() ? options.all || !workload.is_on_demand
                                                         : has(options.workloads, workload.name);
        if (!is_chosen) continue;
        for (const Path path : chosen_paths(options, {Path::tick, Path::move})) {
            cases.push_back({workload, path, indexes, std::nullopt});
        }
    }
    return cases;
}

std::vector<Case> curve_cases(const Options& options, const Curve& curve) {
    std::vector<Case> cases;
    for (const Path path : chosen_paths(options, curve.paths)) {
        for (Curve::Point& point : curve.points()) {
            point.workload.name = curve.name;
            cases.push_back(
                {point.workload, path, chosen_indexes(options, curve.indexes), point.at});
        }
    }
    return cases;
}

/// Takes out what cannot be measured, or not in our lifetime, and says so.
void leave_out(std::vector<Case>& cases, const Host& host) {
    constexpr std::uint32_t kCrossListEntitiesMax = 30'000;
    std::erase_if(cases, [&](const Case& one) {
        if (one.path == Path::query && !is_plain(one.workload)) {
            host.err << fmt::format("{}: no path query: its views are of many kinds\n",
                                    one.workload.name);
            return true;
        }
        return one.path == Path::move && one.workload.moves == 0;
    });
    for (Case& one : cases) {
        if (one.path == Path::query && std::erase(one.indexes, kAoi) != 0) {
            host.err << fmt::format("{}: no path query of aoi: it is no index\n",
                                    one.workload.name);
        }
        if (one.path != Path::query || one.workload.entities <= kCrossListEntitiesMax) continue;
        if (std::erase(one.indexes, "cross_list") == 0) continue;
        host.err << fmt::format("{}: {} entities are too many for cross_list\n", one.workload.name,
                                one.workload.entities);
    }
}

std::vector<CaseResult> measure_all(const std::vector<Case>& cases, const Effort& effort,
                                    const Host& host) {
    std::vector<CaseResult> results;
    tools::ProgressLine line(host.err, host.is_err_terminal);
    for (const Case& one : cases) {
        const std::string title =
            fmt::format("index: {}{}, path {}, repetition", one.workload.name,
                        one.at ? fmt::format(" = {:g}", *one.at) : "", name_of(one.path));
        const Probes probes{host.allocation_count, host.is_interrupted,
                            [&](std::size_t done, std::size_t of) { line.show(title, done, of); }};
        const auto contenders = make_contenders(one.workload, one.path, one.indexes);
        for (CaseResult& result : measure(one.workload, one.path, effort, contenders, probes)) {
            result.at = one.at;
            results.push_back(std::move(result));
        }
        if (host.is_interrupted()) return results;
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
    const Effort effort{options.common.repetitions, options.common.seed,
                        options.common.is_quick ? 10U : 1U};
    const Curve* const curve = find_curve(options.curve);
    std::vector<Case> cases =
        curve == nullptr ? workload_cases(options) : curve_cases(options, *curve);
    leave_out(cases, host);
    const std::vector<CaseResult> results = measure_all(cases, effort, host);
    const std::string more = fmt::format(
        R"({}"simd":"{}",)", curve == nullptr ? "" : fmt::format(R"("curve":"{}",)", curve->name),
        engine::simd_target());
    host.out << (options.common.json ? report_json("index", host, json_list(results, to_json), more)
                                     : table_of(results));
    if (host.is_interrupted()) return kExitInterrupted;
    return std::ranges::all_of(results, &CaseResult::exact) ? 0 : 1;
}

}  // namespace marchland::bench
