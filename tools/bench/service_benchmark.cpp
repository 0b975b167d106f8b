#include "tools/bench/service_benchmark.h"

#include "tools/bench/command_line.h"
#include "tools/bench/service_stage.h"
#include "tools/bench/statistics.h"
#include "tools/progress/progress_line.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace marchland::bench {
namespace {

constexpr const char* kFooter = R"(
Two zones in one process, each with as many players, who stand and look, and as large a crowd, which walks 0.25 m
in each tick; they take turns of ten ticks, 20 a second. In one zone the crowd is a service's, which moves all of it
over its connection, in packed moves; in the other it is the zone's own, which costs nothing to ask. What the first
takes more is what the service costs. CPU time is that of all threads but the service's and the players'.

  marchland-bench service
  marchland-bench service --entities 10000 --players 500 --repetitions 30 --json)";

struct Options {
    ServiceCrowd crowd;
    std::size_t repetitions = 15;
    bool is_quick = false;
    bool json = false;
};

void declare(CLI::App& app, Options& options) {
    app.add_option("--entities", options.crowd.entities, "Of the service, each moved in each tick")
        ->check(CLI::Range(100, 10'000))
        ->capture_default_str();
    app.add_option("--players", options.crowd.players, "Who look, of each zone")
        ->check(CLI::Range(1, 5'000))
        ->capture_default_str();
    app.add_option("--repetitions", options.repetitions,
                   "More are steadier; the time grows in proportion")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--seed", options.crowd.seed, "Of who walks where")->capture_default_str();
    app.add_flag("--quick", options.is_quick,
                 "500 entities, 20 players, and unsteady: does it run?");
    app.add_flag("--json", options.json, "One JSON object as the last line of standard output");
}

/// By repetition, for each entity that was moved.
struct Measured {
    std::vector<double> take_ns, more_ns, cpu_ns, bytes, updates;

    void add(const ServiceTurn& service, const ServiceTurn& alone, double moves, double frames) {
        take_ns.push_back(static_cast<double>(service.take_cpu_ns) / moves);
        more_ns.push_back(
            (static_cast<double>(service.cpu_ns) - static_cast<double>(alone.cpu_ns)) / moves);
        cpu_ns.push_back(static_cast<double>(service.cpu_ns) / moves);
        bytes.push_back(static_cast<double>(service.bytes_in) / moves);
        updates.push_back(static_cast<double>(service.updates) / frames);
    }
};

/// Nothing was measured when it was interrupted.
Measured measure(const Options& options, const Host& host, tools::ProgressLine& line) {
    const std::size_t ticks = options.is_quick ? 4 : 10;  // of a turn
    const std::size_t warm_up_turns = options.is_quick ? 1 : 3;
    ServiceStage owned(options.crowd, true);
    ServiceStage alone(options.crowd, false);
    Measured measured;
    for (std::size_t turn = 0; turn < warm_up_turns + options.repetitions; ++turn) {
        line.show("service: turn", turn, warm_up_turns + options.repetitions);
        if (host.is_interrupted()) {
            return {};
        }
        const ServiceTurn with = owned.run(ticks);
        const ServiceTurn without = alone.run(ticks);
        if (with.updates != without.updates) {
            throw std::runtime_error("the two crowds were not seen alike");
        }
        if (turn >= warm_up_turns) {
            measured.add(with, without, static_cast<double>(ticks * options.crowd.entities),
                         static_cast<double>(ticks * options.crowd.players));
        }
    }
    return measured;
}

std::string result_json(const Options& options, const Measured& measured) {
    if (measured.take_ns.empty()) {
        return {};
    }
    return fmt::format(
        R"({{"entities":{},"players":{},"updates_per_frame":{:.2f},"take_ns_per_move":{:.1f},)"
        R"("more_cpu_ns_per_move":{:.1f},"cpu_ns_per_move":{:.1f},"bytes_per_move":{:.3f},)"
        R"("spread":{:.3f}}})",
        options.crowd.entities, options.crowd.players, median(measured.updates),
        median(measured.take_ns), median(measured.more_ns), median(measured.cpu_ns),
        median(measured.bytes), spread(measured.take_ns));
}

std::string result_text(const Options& options, const Measured& measured) {
    if (measured.take_ns.empty()) {
        return {};
    }
    return fmt::format(
        "{} entities of a service, {} players who are told of {:.1f} moves in a frame\n"
        "for each entity that the service moves:\n"
        "  {:>8.1f} ns CPU to take it in (spread {:.0f}%)\n"
        "  {:>8.1f} ns CPU more, all told, than one that needs no service\n"
        "  {:>8.1f} ns CPU of the server, all told, the players' frames included\n"
        "  {:>8.2f} bytes\n",
        options.crowd.entities, options.crowd.players, median(measured.updates),
        median(measured.take_ns), spread(measured.take_ns) * 100, median(measured.more_ns),
        median(measured.cpu_ns), median(measured.bytes));
}

}  // namespace

int run_service_benchmark(int argc, const char* const* argv, const Host& host) {
    CLI::App app("What it costs the server that a service moves its entities.",
                 "marchland-bench service");
    app.footer(kFooter);
    Options options;
    declare(app, options);
    if (const auto exit_code = parse(app, argc, argv, host)) {
        return *exit_code;
    }
    if (options.is_quick) {
        options.crowd.entities = 500;
        options.crowd.players = 20;
        options.repetitions = std::min<std::size_t>(options.repetitions, 2);
    }
    if (const auto exit_code = check_open_files("--players", options.crowd.players, host)) {
        return *exit_code;
    }

    Measured measured;
    try {
        tools::ProgressLine line(host.err, host.is_err_terminal);
        measured = measure(options, host, line);
    } catch (const std::runtime_error& error) {
        host.err << fmt::format("service: {}\n", error.what());
        return 1;
    }
    const bool is_interrupted = measured.take_ns.empty();
    host.out
        << (options.json
                ? fmt::format(
                      R"({{"benchmark":"service","commit":"{}","interrupted":{},"results":[{}]}})",
                      host.commit, is_interrupted, result_json(options, measured)) +
                      '\n'
                : result_text(options, measured));
    return is_interrupted ? kExitInterrupted : 0;
}

}  // namespace marchland::bench
