#include "tools/bench/bench_program.h"

#include "tools/bench/index_benchmark.h"
#include "tools/bench/send_benchmark.h"
#include "tools/bench/service_benchmark.h"
#include "tools/bench/zone_benchmark.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <string>
#include <string_view>

namespace marchland::bench {
namespace {

struct Benchmark {
    std::string_view name;
    std::string_view summary;
    int (*run)(int argc, const char* const* argv, const Host& host);
};

constexpr std::array<Benchmark, 4> kBenchmarks = {{
    {"index", "who sees whom: ns per entity, against a home-made hash grid", run_index_benchmark},
    {"zone", "what shards cost and gain: CPU, players in a tick, hand-overs, memory",
     run_zone_benchmark},
    {"send", "what a frame costs up to the socket: CPU, bytes, against a bare Asio server",
     run_send_benchmark},
    {"service",
     "what a service's entity costs to move: CPU, bytes, against one that needs no service",
     run_service_benchmark},
}};

std::string listing() {
    std::string text;
    for (const Benchmark& benchmark : kBenchmarks) {
        text += fmt::format("  {:<8} {}\n", benchmark.name, benchmark.summary);
    }
    return text;
}

std::string help() {
    return fmt::format(
        "usage: marchland-bench NAME [OPTION]... [--json]\n"
        "       marchland-bench [--help | --version]\n\n"
        "Benchmarks:\n{}\n"
        "'marchland-bench NAME --help' tells about one of them. docs/benchmarks.md says what the\n"
        "figures mean. Build with the preset 'release', and leave the machine alone meanwhile.\n\n"
        "Exit code: 0 all is well, 1 a benchmark found something wrong, 2 bad arguments,\n"
        "130 interrupted with Ctrl-C (what was finished is reported).\n",
        listing());
}

}  // namespace

int run_program(int argc, const char* const* argv, const Host& host) {
    const std::string_view name = argc < 2 ? "" : argv[1];
    if (name.empty()) {
        host.out << listing();
        return 0;
    }
    if (name == "--help" || name == "-h") {
        host.out << help();
        return 0;
    }
    if (name == "--version") {
        host.out << fmt::format("marchland-bench {} ({})\n", host.version, host.commit);
        return 0;
    }
    const auto found = std::find_if(kBenchmarks.begin(), kBenchmarks.end(),
                                    [name](const Benchmark& b) { return b.name == name; });
    if (found == kBenchmarks.end()) {
        host.err << fmt::format("there is no benchmark '{}'; known:\n{}", name, listing());
        return 2;
    }
    return found->run(argc - 1, argv + 1, host);
}

}  // namespace marchland::bench
