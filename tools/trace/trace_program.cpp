#include "tools/trace/trace_program.h"

#include "config/config.h"
#include "tools/progress/progress_line.h"
#include "tools/trace/event_file.h"
#include "tools/trace/event_log.h"
#include "tools/trace/layout_choice.h"
#include "tools/trace/options.h"
#include "tools/trace/replay_program.h"
#include "tools/trace/report.h"
#include "tools/trace/trace_run.h"
#include "tools/trace_file/trace_file.h"

#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <ostream>
#include <string>
#include <system_error>

namespace marchland::trace {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Says what is wrong with the arguments or a file, and gives the exit code for that.
int refuse(std::ostream& err, std::string_view text) {
    err << text << (text.ends_with('\n') ? "" : "\n");
    return 2;
}

int run_ticks(const Trace& trace, const Options& options, const shards::Layout& layout,
              Report report, std::ostream& out, std::ostream& err, bool progress) {
    EventFile file;
    std::error_code ignored;  // of a file that is not there: then they are not the same
    if (options.events && std::filesystem::equivalent(options.trace, *options.events, ignored)) {
        return refuse(err, "--events: this is the trace itself");
    }
    EventLog::LineSink sink;
    if (options.events) {
        if (const auto error = file.open(*options.events)) return refuse(err, *error);
        sink = [&file](std::string_view lines) { file.write(lines); };
    }
    EventLog log(std::move(sink));

    const auto start = Clock::now();
    TraceRun run(trace, options.run, layout, log);
    tools::ProgressLine line(err, progress);
    while (!run.is_done() && (!options.events || file.is_good())) {
        run.step();
        line.show("trace: tick", run.ticks_done(), trace.ticks.size());
    }
    line.clear();
    if (options.events) {
        if (const auto error = file.commit()) {
            err << *error << '\n';
            return 1;
        }
    }
    report.seconds = seconds_since(start);
    report.ticks = run.ticks_done();
    report.shards = run.shard_count();
    report.handoffs = run.handoffs();
    out << (options.json ? to_json(report, log) : to_text(report, log, options.trace)) << '\n';
    return 0;
}

}  // namespace

int run_program(int argc, const char* const* argv, std::string_view version, std::ostream& out,
                std::ostream& err, bool progress) {
    const auto parsed = parse_options(argc, argv, version, out, err);
    if (const auto* exit = std::get_if<tools::ExitCode>(&parsed)) return exit->value;
    const auto& options = std::get<Options>(parsed);
    if (options.recording) return run_replay(options, out, err, progress);

    const auto start = Clock::now();
    const auto loaded = load_trace(options.trace);
    if (const auto* error = std::get_if<config::Diagnostic>(&loaded)) {
        return refuse(err, config::to_text(*error));
    }
    const auto& trace = std::get<Trace>(loaded);
    if (options.run.dimensions == engine::Dimensions::three && !trace.has_z) {
        return refuse(err, fmt::format("{}: --dims 3 needs a column z", options.trace.string()));
    }
    const auto layout = choose_layout(options, trace.extent);
    if (const auto* error = std::get_if<std::string>(&layout)) return refuse(err, *error);

    Report report;
    report.entities = trace.entity_count;
    report.samples = trace.samples.size();
    report.read_seconds = seconds_since(start);
    return run_ticks(trace, options, std::get<shards::Layout>(layout), report, out, err, progress);
}

}  // namespace marchland::trace
