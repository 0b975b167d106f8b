#include "tools/bench/zone_benchmark.h"

#include "tools/bench/command_line.h"
#include "tools/bench/zone_cases.h"
#include "tools/bench/zone_report.h"
#include "tools/progress/progress_line.h"

#include <fmt/core.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

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
    ZoneEffort effort;
    bool json = false;
};

void declare(CLI::App& app, Options& options) {
    std::string cases = "Only these:";
    std::vector<std::string> names;
    for (const ZoneCase& one : zone_cases()) {
        cases += fmt::format("\n{}: {}", one.name, one.summary);
        names.emplace_back(one.name);
    }
    app.add_option("--case", options.cases, cases)
        ->check(CLI::IsMember(names))
        ->type_name("NAME...");
    app.add_flag("--quick", options.effort.is_quick,
                 "A tenth of the entities, and unsteady: does it run, is it exact?");
    app.add_option("--repetitions", options.effort.repetitions,
                   "More are steadier; the time grows in proportion")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--seed", options.effort.seed, "Of who walks where")->capture_default_str();
    app.add_flag("--json", options.json, "One JSON object as the last line of standard output");
}

std::vector<ZoneResult> measure_all(const Options& options, const Host& host) {
    std::vector<ZoneResult> results;
    tools::ProgressLine line(host.err, host.is_err_terminal);
    for (const ZoneCase& one : zone_cases()) {
        if (!options.cases.empty() && std::ranges::count(options.cases, one.name) == 0) continue;
        if (host.is_interrupted()) break;
        const std::string title = fmt::format("zone: {}, repetition", one.name);
        const ZoneProbes probes{host.is_interrupted, [&](std::size_t done, std::size_t of) {
                                    line.show(title, done, of);
                                }};
        for (ZoneResult& result : one.measure(options.effort, probes)) {
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
    declare(app, options);
    if (const auto exit_code = parse(app, argc, argv, host)) {
        return *exit_code;
    }
    if (options.effort.is_quick) {
        options.effort.repetitions = std::min<std::size_t>(options.effort.repetitions, 2);
    }

    const std::vector<ZoneResult> results = measure_all(options, host);
    const bool is_interrupted = host.is_interrupted();
    host.out << (options.json ? zone_json(results, host.commit, is_interrupted) + '\n'
                              : zone_table(results));
    if (is_interrupted) return kExitInterrupted;
    const bool all_exact = std::ranges::all_of(
        results, [](const ZoneResult& result) { return result.exact.value_or(true); });
    return all_exact ? 0 : 1;
}

}  // namespace marchland::bench
