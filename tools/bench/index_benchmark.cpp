#include "tools/bench/index_benchmark.h"

#include "engine/index_factory.h"
#include "engine/scan.h"
#include "tools/bench/index_report.h"
#include "tools/bench/measure.h"
#include "tools/progress/progress_line.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace marchland::bench {
namespace {

constexpr const char* kFooter = R"(
Everyone watches and is watched in a circle of 50 m and walks 0.25 m a tick. Path tick: all moves, then
the exact events and frames of everybody. Path move: one move at a time, its events known after each.
Beside our index the same run times hash_grid, the usual home-made solution (3 x 3 cells of a hash
table, sorted visible sets, their difference): the ratio is what to compare between machines.

Every count is compared with a slow and independent one, outside the timed part; 'exact' tells.

Exit code: 0 all counts are exact, 1 some are not, 2 bad arguments, 130 interrupted with Ctrl-C
(what was finished is reported).

  marchland-bench index
  marchland-bench index --workload A C --repetitions 20 --json)";

struct Options {
    std::vector<std::string> workloads;
    std::vector<std::string> paths;
    std::vector<std::string> indexes{std::string(engine::index_names().front())};
    Effort effort;
    std::string simd;
    bool all = false;
    bool quick = false;
    bool json = false;
};

void declare(CLI::App& app, Options& options) {
    std::string workloads = "Only these:";
    std::vector<std::string> names;
    for (const Workload& workload : all_workloads()) {
        workloads += fmt::format("\n{}: {}", workload.name, workload.summary);
        names.emplace_back(workload.name);
    }
    app.add_option("--workload", options.workloads, workloads)
        ->check(CLI::IsMember(names))
        ->type_name("NAME...");
    app.add_flag("--all", options.all, "All workloads, also those that take minutes");
    app.add_option("--path", options.paths, "Only this one: tick or move")
        ->check(CLI::IsMember({"tick", "move"}))
        ->type_name("NAME...");
    const auto indexes = engine::index_names();
    app.add_option("--index", options.indexes, "Of ours, which")
        ->check(CLI::IsMember(std::vector<std::string>(indexes.begin(), indexes.end())))
        ->type_name("NAME...")
        ->capture_default_str();
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

/// Naming none is choosing all.
bool is_chosen(const std::vector<std::string>& names, std::string_view name) {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

/// The chosen ones, in our order and each once.
std::vector<Workload> chosen(const std::vector<std::string>& names, bool all) {
    std::vector<Workload> workloads;
    for (const Workload& workload : all_workloads()) {
        if (names.empty() && workload.is_on_demand && !all) continue;
        if (is_chosen(names, workload.name)) {
            workloads.push_back(workload);
        }
    }
    return workloads;
}

std::vector<CaseResult> measure_all(const Options& options, const Host& host) {
    std::vector<CaseResult> results;
    tools::ProgressLine line(host.err, host.is_err_terminal);
    for (const Workload& workload : chosen(options.workloads, options.all)) {
        const auto contenders = make_contenders(workload, options.indexes);
        for (const Path path : {Path::tick, Path::move}) {
            if (!is_chosen(options.paths, name_of(path))) continue;
            if (path == Path::move && workload.moves == 0) continue;
            const std::string title =
                fmt::format("index: {}, path {}, repetition", workload.name, name_of(path));
            const Probes probes{
                host.allocation_count, host.is_interrupted,
                [&](std::size_t done, std::size_t of) { line.show(title, done, of); }};
            for (CaseResult& result : measure(workload, path, options.effort, contenders, probes)) {
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
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        // CLI11 has exit codes of its own; ours are 0 for help and 2 for anything wrong.
        return app.exit(error, host.out, host.err) == 0 ? 0 : 2;
    }
    if (!engine::use_scan_target(options.simd)) {
        host.err << fmt::format("--simd: this machine or build has no '{}'; its best is {}\n",
                                options.simd, engine::scan_target());
        return 2;
    }
    if (options.quick) {
        options.effort.shorter = 10;
        options.effort.repetitions = std::min<std::size_t>(options.effort.repetitions, 2);
    }

    const std::vector<CaseResult> results = measure_all(options, host);
    const bool is_interrupted = host.is_interrupted();
    host.out << (options.json ? index_json(results, host.commit, is_interrupted) + '\n'
                              : index_table(results));
    if (is_interrupted) return kExitInterrupted;
    const bool all_exact = std::all_of(results.begin(), results.end(),
                                       [](const CaseResult& result) { return result.exact; });
    return all_exact ? 0 : 1;
}

}  // namespace marchland::bench
