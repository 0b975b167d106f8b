#include "tools/bench/send_benchmark.h"

#include "tools/bench/command_line.h"
#include "tools/bench/send_report.h"
#include "tools/bench/send_stage.h"
#include "tools/bench/statistics.h"
#include "tools/progress/progress_line.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace marchland::bench {
namespace {

constexpr const char* kFooter = R"(
Our server (engine, one shard, sessions, one I/O thread) and a bare Asio server in one process, each with so
many clients on loopback, in turns of ten ticks, 20 a second. The bare one writes to each of its clients the bytes
that ours wrote to the same one in the turn before, and has nothing else to do. CPU time is that of all threads
but the clients'. These check every frame: it decodes, and tells of all whom the client knows and
that moved; the bare server's are compared with what they should be, byte by byte.

Each client sees about 60 movers in a circle of 50 m (leave radius 55 m). Each of them walks 0.25 m a tick.

Each client needs four file descriptors: the limit of open files is raised as far as it goes.

Exit code: 0 all is well, 1 a client was told something wrong, 2 bad arguments, 130 interrupted with
Ctrl-C (the cases that were finished are reported).

  marchland-bench send
  marchland-bench send --case frames --clients 4000 --repetitions 30 --json)";

struct SendCase {
    std::string_view name;
    std::string_view summary;
    Movers movers;
};

constexpr std::array<SendCase, 2> kCases = {{
    {"frames", "clients stand and listen; as many others, of the server's own, walk",
     Movers::walkers},
    {"play", "each client says in each tick where it walked; both servers read that",
     Movers::clients},
}};

struct Options {
    std::vector<std::string> cases;
    std::size_t clients = 1'000;
    std::size_t repetitions = 15;
    std::uint64_t seed = 1;
    bool is_quick = false;
    bool json = false;
};

void declare(CLI::App& app, Options& options) {
    std::string cases = "Only these:";
    std::vector<std::string> names;
    for (const SendCase& one : kCases) {
        cases += fmt::format("\n{}: {}", one.name, one.summary);
        names.emplace_back(one.name);
    }
    app.add_option("--case", options.cases, cases)
        ->check(CLI::IsMember(names))
        ->type_name("NAME...");
    app.add_option("--clients", options.clients, "Of each server")
        ->check(CLI::Range(100, 100'000))
        ->capture_default_str();
    app.add_option("--repetitions", options.repetitions,
                   "More are steadier; the time grows in proportion")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--seed", options.seed, "Of who walks where")->capture_default_str();
    app.add_flag("--quick", options.is_quick,
                 "100 clients, and unsteady: does it run, are the frames right?");
    app.add_flag("--json", options.json, "One JSON object as the last line of standard output");
}

double per_frame(std::uint64_t amount, const SendTurn& turn) {
    return static_cast<double>(amount) / static_cast<double>(turn.frames);
}

/// By repetition, for each frame.
struct Measured {
    std::vector<double> cpu_us, bare_cpu_us, updates, bytes, writes, allocations;

    void add(const SendTurn& zone, const SendTurn& bare) {
        cpu_us.push_back(per_frame(zone.cpu_ns, zone) / 1'000);
        bare_cpu_us.push_back(per_frame(bare.cpu_ns, bare) / 1'000);
        updates.push_back(per_frame(zone.updates, zone));
        bytes.push_back(per_frame(zone.bytes, zone));
        writes.push_back(per_frame(zone.writes, zone));
        allocations.push_back(per_frame(zone.allocations, zone));
    }
};

SendResult result_of(const SendCase& one, std::size_t clients, const Measured& measured) {
    SendResult result;
    result.name = one.name;
    result.clients = clients;
    result.updates_per_frame = median(measured.updates);
    result.cpu_us_per_frame = median(measured.cpu_us);
    result.bare_cpu_us_per_frame = median(measured.bare_cpu_us);
    result.cpu_ratio_to_bare_server = median_ratio(measured.cpu_us, measured.bare_cpu_us);
    result.bytes_per_frame = median(measured.bytes);
    result.bytes_per_update = median_ratio(measured.bytes, measured.updates);
    result.writes_per_frame = median(measured.writes);
    result.allocations_per_frame = median(measured.allocations);
    result.spread = spread(measured.cpu_us);
    return result;
}

/// Nothing when it was interrupted.
std::optional<SendResult> measure(const SendCase& one, const Options& options, const Host& host,
                                  tools::ProgressLine& line) {
    const std::size_t ticks = options.is_quick ? 4 : 10;  // of a turn
    const std::size_t warm_up_turns = options.is_quick ? 1 : 3;
    SendStage stage({options.clients, one.movers, options.seed}, host.allocation_count);
    Measured measured;
    for (std::size_t turn = 0; turn < warm_up_turns + options.repetitions; ++turn) {
        line.show(fmt::format("send: {}, turn", one.name), turn,
                  warm_up_turns + options.repetitions);
        if (host.is_interrupted()) {
            return std::nullopt;
        }
        const SendTurn zone = stage.run_zone(ticks);
        const SendTurn bare = stage.run_bare();
        if (turn >= warm_up_turns) {
            measured.add(zone, bare);
        }
    }
    return result_of(one, options.clients, measured);
}

}  // namespace

int run_send_benchmark(int argc, const char* const* argv, const Host& host) {
    CLI::App app("What it costs to send frames, against a server that has nothing else to do.",
                 "marchland-bench send");
    app.footer(kFooter);
    Options options;
    declare(app, options);
    if (const auto exit_code = parse(app, argc, argv, host)) {
        return *exit_code;
    }
    if (options.is_quick) {
        options.clients = 100;
        options.repetitions = std::min<std::size_t>(options.repetitions, 2);
    }
    if (const auto exit_code = check_open_files("--clients", options.clients, host)) {
        return *exit_code;
    }

    std::vector<SendResult> results;
    std::string flaw;
    {
        tools::ProgressLine line(host.err, host.is_err_terminal);
        for (const SendCase& one : kCases) {
            if (!options.cases.empty() && std::ranges::count(options.cases, one.name) == 0)
                continue;
            try {
                if (auto result = measure(one, options, host, line)) {
                    results.push_back(*std::move(result));
                }
            } catch (const std::runtime_error& error) {
                flaw += fmt::format("send: {}: {}\n", one.name, error.what());
            }
        }
    }
    const bool is_interrupted = host.is_interrupted();
    host.err << flaw;
    host.out << (options.json ? send_json(results, host.commit, is_interrupted) + '\n'
                              : send_table(results));
    if (!flaw.empty()) return 1;
    return is_interrupted ? kExitInterrupted : 0;
}

}  // namespace marchland::bench
