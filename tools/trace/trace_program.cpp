#include "tools/trace/trace_program.h"

#include "shards/recording/recording_file.h"
#include "shards/recording/recording_reader.h"
#include "config/config.h"
#include "config/metres.h"
#include "tools/progress/progress_line.h"
#include "tools/trace/event_file.h"
#include "tools/trace/event_log.h"
#include "tools/trace/options.h"
#include "tools/trace/replay_run.h"
#include "tools/trace/trace_run.h"
#include "tools/trace_file/trace_file.h"

#include <fmt/core.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <system_error>
#include <variant>
#include <vector>

namespace marchland::trace {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using LayoutOrText = std::variant<shards::Layout, std::string>;  ///< or why there is none, in lines

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

LayoutOrText grid_over(std::string_view what, const engine::Rect& extent,
                       const Options::Grid& grid) {
    auto made = shards::Layout::grid(extent, grid.columns, grid.rows);
    if (auto* layout = std::get_if<shards::Layout>(&made)) return std::move(*layout);
    std::string text = fmt::format("--shards {}x{}: {} ({}) cannot be cut like that\n",
                                   grid.columns, grid.rows, what, config::edges_text(extent));
    for (const auto& error : std::get<std::vector<shards::LayoutError>>(made)) {
        text += fmt::format("  {}\n", error.message);
    }
    return text;
}

/// `world`: what the layout must tile, if anything in particular.
LayoutOrText from_file(const fs::path& file, const std::optional<engine::Rect>& world,
                       const engine::Rect& extent) {
    auto loaded = config::load_layout(file, world, extent);
    if (auto* layout = std::get_if<shards::Layout>(&loaded)) return std::move(*layout);
    return config::to_text(std::get<config::Diagnostics>(loaded)) + '\n';
}

/// The layout that the options ask for, whose world holds the trace: a grid over its extent, or that of a
/// file.
LayoutOrText layout_for_trace(const Options& options, const engine::Rect& extent) {
    if (!options.layout)
        return grid_over("the trace's extent", extent, options.shards.value_or(Options::Grid{}));
    auto read = from_file(*options.layout, std::nullopt, extent);
    const auto* layout = std::get_if<shards::Layout>(&read);
    if (layout == nullptr || holds(layout->world(), extent)) return read;
    return fmt::format(
        "{}: positions of the trace are outside the layout\n"
        "  the trace:  {}\n  the layout: {}\n"
        "  hint: widen the layout's outer regions to hold the trace\n",
        options.layout->string(), config::edges_text(extent), config::edges_text(layout->world()));
}

/// The same for a recording, whose world the layout must tile.
LayoutOrText layout_for_replay(const Options& options, const engine::Rect& world) {
    return options.layout ? from_file(*options.layout, world, world)
                          : grid_over("the recording's world", world,
                                      options.shards.value_or(Options::Grid{}));
}

/// The layouts of the run after the first, over the same world; or why one is none.
std::variant<std::vector<shards::Layout>, std::string> layouts_of_changes(
    const Options& options, const engine::Rect& world) {
    std::vector<shards::Layout> layouts;
    for (const Options::Change& change : options.changes) {
        const auto* const file = std::get_if<fs::path>(&change.layout);
        auto made = file != nullptr ? from_file(*file, world, world)
                                    : grid_over("the first layout's world", world,
                                                std::get<Options::Grid>(change.layout));
        if (auto* error = std::get_if<std::string>(&made)) return std::move(*error);
        layouts.push_back(std::get<shards::Layout>(std::move(made)));
    }
    return layouts;
}

/// What is reported at the end.
struct Report {
    std::size_t entities = 0;  ///< of a recording: joins
    std::size_t samples = 0;   ///< of a recording: ticks of entities that asked for something
    std::size_t ticks = 0;
    std::size_t shards = 0;
    std::uint64_t handoffs = 0;
    double read_seconds = 0;  ///< reading the file; a recording is read while it is run
    double seconds = 0;       ///< running the ticks, the digest and the events' lines included
    std::optional<ReplayVerdict> verdict;  ///< of a recording
};

std::string verdict_json(const ReplayVerdict& verdict) {
    const auto tick_or_null = [](const std::optional<engine::Tick>& tick) {
        return tick ? std::to_string(*tick) : "null";
    };
    return fmt::format(
        R"(,"stale_ticks":{},"first_stale_tick":{},"differing_ticks":{},"first_differing_tick":{},)"
        R"("is_cut":{})",
        verdict.stale_ticks, tick_or_null(verdict.first_stale), verdict.differing_ticks,
        tick_or_null(verdict.first_difference), verdict.cut.has_value());
}

std::string verdict_text(const ReplayVerdict& verdict) {
    std::string text = "\n  recorded  ";
    if (!verdict.first_difference) {
        text += "the same frames in every tick";
    } else {
        text += fmt::format("other frames in {} ticks, the first is {}", verdict.differing_ticks,
                            *verdict.first_difference);
    }
    if (verdict.first_stale) {
        text += fmt::format(
            "\n  stale     {} ticks were recorded while a shard was late, the first is {}; from "
            "there on frames may differ",
            verdict.stale_ticks, *verdict.first_stale);
    }
    return text;
}

std::string report_json(const Report& report, const EventLog& log) {
    return fmt::format(
        R"({{"ticks":{},"enter":{},"leave":{},"move":{},"digest":"{:016x}","seconds":{:.3f},)"
        R"("handoffs":{},"entities":{},"samples":{},"shards":{},"read_seconds":{:.3f}{}}})",
        report.ticks, log.enter_count(), log.leave_count(), log.move_count(), log.digest(),
        report.seconds, report.handoffs, report.entities, report.samples, report.shards,
        report.read_seconds, report.verdict ? verdict_json(*report.verdict) : "");
}

/// Some lines, the last without its end. `file`: what was run.
std::string report_text(const Report& report, const EventLog& log, const fs::path& file) {
    return fmt::format(
        "{}: {} samples of {} entities in {} ticks, {} shards\n"
        "  enter     {:>12}\n"
        "  leave     {:>12}\n"
        "  move      {:>12}\n"
        "  handoffs  {:>12}\n"
        "  digest    {:016x}\n"
        "  {:.3f} s, after {:.3f} s for reading the file{}",
        file.string(), report.samples, report.entities, report.ticks, report.shards,
        log.enter_count(), log.leave_count(), log.move_count(), report.handoffs, log.digest(),
        report.seconds, report.read_seconds, report.verdict ? verdict_text(*report.verdict) : "");
}

bool is_part_of(const fs::path& recording, const fs::path& file) {
    std::error_code ignored;  // of a file that is not there: then they are not the same
    std::uint32_t part = 0;
    for (auto name = recording; fs::exists(name, ignored);
         name = shards::part_path(recording, ++part)) {
        if (fs::equivalent(name, file, ignored)) return true;
    }
    return false;
}

/// One call of the program: exit codes, and where it writes.
class Program {
public:
    Program(const Options& options, std::ostream& out, std::ostream& err, bool progress)
        : options_(options), out_(out), err_(err), line_(err, progress) {}

    int run_trace() {
        const auto start = Clock::now();
        const auto loaded = load_trace(options_.trace);
        if (const auto* error = std::get_if<config::Diagnostic>(&loaded)) {
            return refuse(config::to_text(*error));
        }
        const auto& trace = std::get<Trace>(loaded);
        if (options_.run.dimensions == engine::Dimensions::three && !trace.has_z) {
            return refuse(fmt::format("{}: --dims 3 needs a column z", options_.trace.string()));
        }
        const auto layout = layout_for_trace(options_, trace.extent);
        if (const auto* error = std::get_if<std::string>(&layout)) return refuse(*error);
        const auto changes = layouts_of_changes(options_, std::get<shards::Layout>(layout).world());
        if (const auto* error = std::get_if<std::string>(&changes)) return refuse(*error);
        if (!options_.changes.empty() && options_.changes.back().tick >= trace.ticks.size()) {
            return refuse(fmt::format("--change: tick {} of a trace that has {}",
                                      options_.changes.back().tick, trace.ticks.size()));
        }
        std::error_code ignored;  // of a file that is not there: then they are not the same
        if (options_.events && fs::equivalent(options_.trace, *options_.events, ignored)) {
            return refuse("--events: this is the trace itself");
        }
        if (const auto error = open_events()) return refuse(*error);

        Report report;
        report.entities = trace.entity_count;
        report.samples = trace.samples.size();
        report.read_seconds = seconds_since(start);
        const auto run_start = Clock::now();
        TraceRun run(trace, options_.run, std::get<shards::Layout>(layout), log_);
        for (std::size_t next = 0; !run.is_done() && can_write();) {
            if (next < options_.changes.size() && options_.changes[next].tick == run.ticks_done()) {
                run.change_layout(std::get<std::vector<shards::Layout>>(changes)[next++]);
            }
            run.step();
            line_.show("trace: tick", run.ticks_done(), trace.ticks.size());
        }
        line_.clear();
        if (const int code = commit_events(); code != 0) return code;
        report.seconds = seconds_since(run_start);
        report.ticks = run.ticks_done();
        report.shards = run.shard_count();
        report.handoffs = run.handoffs();
        print(report, options_.trace);
        return 0;
    }

    int run_replay() {
        const fs::path& recording = *options_.recording;
        shards::RecordingReader reader(recording);
        if (const auto error = reader.open()) return refuse(to_text(*error));
        ReplayOptions replay;
        replay.index = options_.index;
        if (options_.layout || options_.shards) {
            auto layout = layout_for_replay(options_, reader.options().world);
            if (const auto* error = std::get_if<std::string>(&layout)) return refuse(*error);
            replay.layout = std::get<shards::Layout>(std::move(layout));
        }
        if (options_.events && is_part_of(recording, *options_.events)) {
            return refuse("--events: this is the recording itself");
        }
        if (const auto error = open_events()) return refuse(*error);

        const auto start = Clock::now();
        ReplayRun run(reader, std::move(replay), log_);
        for (bool goes_on = true; goes_on && can_write();) {
            const auto stepped = run.step();
            if (const auto* error = std::get_if<shards::RecordingError>(&stepped)) {
                line_.clear();
                return refuse(to_text(*error));
            }
            goes_on = std::get<bool>(stepped);
            line_.show("replay: tick", run.ticks_done(), 0);
        }
        line_.clear();
        if (const int code = commit_events(); code != 0) return code;
        const ReplayVerdict& verdict = run.verdict();
        if (verdict.cut) {
            err_ << "warning: " << to_text(*verdict.cut) << "; " << run.ticks_done()
                 << " ticks before it were run\n";
        }
        if (verdict.is_wrong()) {
            err_ << "tick " << *verdict.first_difference
                 << ": the frames are not those that were recorded\n";
        }
        print({.entities = run.joins_done(),
               .samples = run.inputs_done(),
               .ticks = run.ticks_done(),
               .shards = run.shard_count(),
               .handoffs = run.handoffs(),
               .seconds = seconds_since(start),
               .verdict = verdict},
              recording);
        return verdict.is_wrong() ? 1 : 0;
    }

private:
    /// Says what is wrong with the arguments or a file, and gives the exit code for that.
    int refuse(std::string_view text) {
        err_ << text << (text.ends_with('\n') ? "" : "\n");
        return 2;
    }

    /// What is wrong with the file that the events' lines are to go to, if one is asked for.
    std::optional<std::string> open_events() {
        if (!options_.events) return std::nullopt;
        log_ = EventLog([this](std::string_view lines) { file_.write(lines); });
        return file_.open(*options_.events);
    }
    [[nodiscard]] bool can_write() const { return !options_.events || file_.is_good(); }
    int commit_events() {
        if (!options_.events) return 0;
        const auto error = file_.commit();
        if (error) err_ << *error << '\n';
        return error ? 1 : 0;
    }

    void print(const Report& report, const fs::path& input) {
        out_ << (options_.json ? report_json(report, log_) : report_text(report, log_, input))
             << '\n';
    }

    const Options& options_;
    std::ostream& out_;
    std::ostream& err_;
    tools::ProgressLine line_;
    EventFile file_;
    EventLog log_;
};

}  // namespace

int run_program(int argc, const char* const* argv, std::string_view version, std::ostream& out,
                std::ostream& err, bool progress) {
    const auto parsed = parse_options(argc, argv, version, out, err);
    if (const auto* exit = std::get_if<tools::ExitCode>(&parsed)) return exit->value;
    const auto& options = std::get<Options>(parsed);
    Program program(options, out, err, progress);
    return options.recording ? program.run_replay() : program.run_trace();
}

}  // namespace marchland::trace
