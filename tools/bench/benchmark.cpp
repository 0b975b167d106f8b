#include "tools/bench/benchmark.h"

#include "tools/command_line/parse.h"
#include "tools/process/resources.h"

#include <array>
#include <map>

namespace marchland::bench {
namespace {

struct Benchmark {
    std::string_view name;
    std::string_view summary;
    int (*run)(int argc, const char* const* argv, const Host& host);
};

constexpr std::array<Benchmark, 6> kBenchmarks = {{
    {"index", "who sees whom: ns per entity, against a home-made hash grid", run_index_benchmark},
    {"zone", "what shards cost and gain: CPU, players in a tick, handoffs, memory",
     run_zone_benchmark},
    {"send", "what a frame costs up to the socket: CPU, bytes, against a bare Asio server",
     run_send_benchmark},
    {"server", "what a player costs: CPU, bytes, against a plain Asio server with a hash grid",
     run_server_benchmark},
    {"service",
     "what a service's entity costs to move: CPU, bytes, against one that needs no service",
     run_service_benchmark},
    {"messages", "what players' messages to services cost, in order and none lost over resumes",
     run_messages_benchmark},
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
    const auto found = std::ranges::find(kBenchmarks, name, &Benchmark::name);
    if (found == kBenchmarks.end()) {
        host.err << fmt::format("there is no benchmark '{}'; known:\n{}", name, listing());
        return 2;
    }
    return tools::run_or_refuse([&] { return found->run(argc - 1, argv + 1, host); }, host.err);
}

void parse(CLI::App& app, CommonOptions& options, const char* quick_help, int argc,
           const char* const* argv, const Host& host) {
    app.add_flag("--quick", options.is_quick, quick_help);
    app.add_option("--repetitions", options.repetitions,
                   "More are steadier; the time grows in proportion")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--seed", options.seed, "Of who walks where")->capture_default_str();
    app.add_flag("--json", options.json, "One JSON object as the last line of standard output");
    tools::parse(app, argc, argv, host.out, host.err);
    if (options.is_quick) {
        options.repetitions = std::min<std::size_t>(options.repetitions, 2);
        options.shorter = 10;
    }
}

void declare_io(CLI::App& app, net::ServerOptions::Io& io) {
    using Io = net::ServerOptions::Io;
    app.add_option("--io", io, "How our server reads and writes sockets: auto, epoll, io_uring")
        ->transform(CLI::CheckedTransformer(std::map<std::string, Io>{
            {"auto", Io::automatic}, {"epoll", Io::epoll}, {"io_uring", Io::io_uring}}))
        ->type_name("NAME");
}

void require_open_files(std::string_view option, std::size_t clients, std::size_t servers) {
    const std::size_t needed = 2 * servers * clients + 64;
    const std::size_t files_max = process::raise_open_files_max();
    if (needed > files_max) {
        throw tools::BadInput(fmt::format("{} {} need {} open files, and this process may have {}",
                                          option, clients, needed, files_max));
    }
}

bool run_turns(std::string_view title, const CommonOptions& common, const Host& host,
               tools::ProgressLine& line, const std::function<void(bool is_measured)>& turn) {
    const std::size_t warm_up_turns = common.is_quick ? 1 : 3;
    for (std::size_t i = 0; i < warm_up_turns + common.repetitions; ++i) {
        line.show(title, i, warm_up_turns + common.repetitions);
        if (host.is_interrupted()) return false;
        turn(i >= warm_up_turns);
    }
    return true;
}

std::string report_json(std::string_view benchmark, const Host& host, std::string_view results,
                        std::string_view more) {
    return fmt::format(R"({{"benchmark":"{}","commit":"{}",{}"interrupted":{},"results":[{}]}})",
                       benchmark, host.commit, more, host.is_interrupted(), results) +
           '\n';
}

}  // namespace marchland::bench
