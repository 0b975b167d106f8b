#include "tools/bench/index_benchmark.h"

#include "engine/candidates.h"
#include "engine/index_factory.h"
#include "tools/bench/aoi_contender.h"
#include "tools/bench/command_line.h"
#include "tools/bench/curve.h"
#include "tools/bench/index_report.h"
#include "tools/bench/measure.h"
#include "tools/progress/progress_line.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace marchland::bench {
namespace {

constexpr const char* kFooter = R"(
Everyone watches and is watched in a circle of 50 m and walks 0.25 m a tick. Path tick: all moves, then
the exact events and frames of everybody. Path move: one move at a time, its events known after each.
Path query: all moves, then everybody asks the bare index who is in view; no sets, no events.
Beside our index the same run times hash_grid, the usual home-made solution (3 x 3 cells of a hash
table, sorted visible sets, their difference): the ratio is what to compare between machines. It does
not know other shapes than circles: workloads of these run without it.

Every count is compared with a slow and independent one, outside the timed part; 'exact' tells.

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
    Effort effort;
    std::string simd;
    bool all = false;
    bool quick = false;
    bool json = false;
};

/// A line of the help for each: "\nname: summary".
template <typename Named>
std::string listing(std::string text, std::span<const Named> all) {
    for (const Named& one : all) {
        text += fmt::format("\n{}: {}", one.name, one.summary);
    }
    return text;
}

template <typename Named>
std::vector<std::string> names_of(std::span<const Named> all) {
    std::vector<std::string> names;
    for (const Named& one : all) {
        names.emplace_back(one.name);
    }
    return names;
}

constexpr std::string_view kAllIndexes = "all";

std::vector<std::string> known_indexes() {
    const auto ours = engine::index_names();
    std::vector<std::string> names(ours.begin(), ours.end());
    names.emplace_back(AoiContender::kName);
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
    app.add_flag("--quick", options.quick,
                 "Shorter and unsteady: does it run, are the counts exact?");
    app.add_option("--repetitions", options.effort.repetitions,
                   "More are steadier; the time grows in proportion")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--seed", options.effort.seed, "Of the movement")->capture_default_str();
    app.add_flag("--json", options.json, "One JSON object as the last line of standard output");
}

/// What is measured at once, by contenders that take turns.
struct Case {
    Workload workload;
    Path path{};
    std::vector<std::string> indexes;
    std::optional<double> at;  ///< of a curve
};

bool has(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

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
        if (one.path == Path::query && std::erase(one.indexes, AoiContender::kName) != 0) {
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
    if (const auto exit_code = parse(app, argc, argv, host)) {
        return *exit_code;
    }
    if (!engine::use_simd_target(options.simd)) {
        host.err << fmt::format("--simd: this machine or build has no '{}'; its best is {}\n",
                                options.simd, engine::simd_target());
        return 2;
    }
    if (options.quick) {
        options.effort.shorter = 10;
        options.effort.repetitions = std::min<std::size_t>(options.effort.repetitions, 2);
    }

    const Curve* const curve = find_curve(options.curve);
    std::vector<Case> cases =
        curve == nullptr ? workload_cases(options) : curve_cases(options, *curve);
    leave_out(cases, host);
    const std::vector<CaseResult> results = measure_all(cases, options.effort, host);
    const bool is_interrupted = host.is_interrupted();
    host.out << (options.json
                     ? index_json(results, options.curve, host.commit, is_interrupted) + '\n'
                     : index_table(results));
    if (is_interrupted) return kExitInterrupted;
    const bool all_exact = std::all_of(results.begin(), results.end(),
                                       [](const CaseResult& result) { return result.exact; });
    return all_exact ? 0 : 1;
}

}  // namespace marchland::bench
