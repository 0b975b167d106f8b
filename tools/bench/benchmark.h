#pragma once

#include "net/server_options.h"
#include "tools/command_line/exit_code.h"
#include "tools/command_line/json_text.h"
#include "tools/progress/progress_line.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): as CLI11 has it
class App;
}

/// marchland-bench: six benchmarks, and what they have in common.
namespace marchland::bench {

/// What the program lends to a benchmark.
struct Host {
    std::string_view version;
    std::string_view commit;
    std::ostream& out;  ///< the report
    std::ostream& err;  ///< progress and errors
    bool is_err_terminal = false;
    /// Heap allocations of this process so far.
    std::uint64_t (*allocation_count)() = nullptr;
    /// Has Ctrl-C been pressed? Then the benchmark reports what it has and ends.
    bool (*is_interrupted)() = nullptr;
};

/// The exit code after Ctrl-C: 128 + SIGINT, as shells have it.
inline constexpr int kExitInterrupted = 130;

/// marchland-bench without its process: runs the benchmark that argv[1] names, or lists them all.
/// Returns the exit code.
int run_program(int argc, const char* const* argv, const Host& host);

// Each benchmark is in the source of its name. `argv[0]` is its name; it returns the exit code.
int run_index_benchmark(int argc, const char* const* argv, const Host& host);
int run_zone_benchmark(int argc, const char* const* argv, const Host& host);
int run_send_benchmark(int argc, const char* const* argv, const Host& host);
int run_server_benchmark(int argc, const char* const* argv, const Host& host);
int run_service_benchmark(int argc, const char* const* argv, const Host& host);
int run_messages_benchmark(int argc, const char* const* argv, const Host& host);

/// The options that every benchmark has.
struct CommonOptions {
    std::size_t repetitions = 0;  ///< timed ones; each gives one figure
    std::uint64_t seed = 1;       ///< of who walks where
    bool is_quick = false;
    std::uint32_t shorter = 1;  ///< than usual: so many times, with --quick
    bool json = false;
};

/// Declares the common options besides those of `app`, and reads them all. `quick_help`: what
/// --quick does; it also leaves two repetitions at most. Throws tools::ExitCode if there is nothing
/// to run.
void parse(CLI::App& app, CommonOptions& options, const char* quick_help, int argc,
           const char* const* argv, const Host& host);

/// The option --io.
void declare_io(CLI::App& app, net::ServerOptions::Io& io);

/// Throws tools::BadInput unless this process may have as many files open as so many clients need:
/// both ends of a connection to each of so many servers, and what the program has open besides.
void require_open_files(std::string_view option, std::size_t clients, std::size_t servers);

/// Of things that can be chosen, each with a name and a summary: the help, and the names.
template <typename Choices>
std::string listing(std::string text, const Choices& choices) {
    for (const auto& one : choices) {
        text.append("\n").append(one.name).append(": ").append(one.summary);
    }
    return text;
}
template <typename Choices>
std::vector<std::string> names_of(const Choices& choices) {
    std::vector<std::string> names;
    for (const auto& one : choices) {
        names.emplace_back(one.name);
    }
    return names;
}
inline bool has(const std::vector<std::string>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

/// What --json prints. `results`: objects with commas in between; `more`: members of this benchmark
/// alone, each with a comma behind it.
std::string report_json(std::string_view benchmark, const Host& host, std::string_view results,
                        std::string_view more = "");

/// What a measurement needs from the program around it.
struct Probes {
    /// Called between repetitions.
    void show(std::size_t done, std::size_t of) const { line.show(title, done, of); }

    const Host& host;
    tools::ProgressLine& line;
    std::string title;
};

/// Some turns that are not measured, in which all become known to all, then the repetitions:
/// `turn(is_measured)`. False when it was interrupted.
bool run_turns(std::string_view title, const CommonOptions& common, const Host& host,
               tools::ProgressLine& line, const std::function<void(bool is_measured)>& turn);

/// Measures the cases that options.cases names, or all, and reports them. Returns the exit code: 1
/// unless `is_well` of all results. `measure` gives those of a case, none when it was interrupted;
/// it throws std::runtime_error where the case found something wrong.
template <typename Result>
int run_cases(
    std::string_view benchmark, const auto& cases, const auto& options, const Host& host,
    auto measure, auto to_json, auto table_of,
    bool (*is_well)(const Result&) = [](const Result&) { return true; },
    std::string_view more = "") {
    std::vector<Result> results;
    std::string flaw;
    {
        tools::ProgressLine line(host.err, host.is_err_terminal);
        for (const auto& one : cases) {
            if (!options.cases.empty() && !has(options.cases, one.name)) continue;
            if (host.is_interrupted()) break;
            try {
                for (Result& result : measure(one, options, host, line)) {
                    results.push_back(std::move(result));
                }
            } catch (const std::runtime_error& error) {
                flaw += fmt::format("{}: {}: {}\n", benchmark, one.name, error.what());
            }
        }
    }
    host.err << flaw;
    host.out << (options.common.json
                     ? report_json(benchmark, host, tools::json_list(results, to_json), more)
                     : table_of(results));
    if (!flaw.empty()) {
        return 1;
    }
    return host.is_interrupted() ? kExitInterrupted : std::ranges::all_of(results, is_well) ? 0 : 1;
}

/// The same of a benchmark without cases: `measure` gives one result, or none when it was
/// interrupted.
template <typename Result>
int run_one(std::string_view benchmark, const CommonOptions& common, const Host& host, auto measure,
            auto to_json, auto to_text) {
    std::optional<Result> result;
    try {
        tools::ProgressLine line(host.err, host.is_err_terminal);
        result = measure(line);
    } catch (const std::runtime_error& error) {
        host.err << fmt::format("{}: {}\n", benchmark, error.what());
        return 1;
    }
    host.out << (common.json ? report_json(benchmark, host, result ? to_json(*result) : "")
                 : result    ? to_text(*result)
                             : "");
    return host.is_interrupted() ? kExitInterrupted : 0;
}

}  // namespace marchland::bench
