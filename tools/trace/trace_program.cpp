#include "tools/trace/trace_program.h"

#include "engine/index/index.h"
#include "shards/recording/recording_file.h"
#include "shards/recording/recording_reader.h"
#include "config/config.h"
#include "config/metres.h"
#include "tools/command_line/parse.h"
#include "tools/progress/progress_line.h"
#include "tools/trace/event_file.h"
#include "tools/trace/event_log.h"
#include "tools/trace/replay_run.h"
#include "tools/trace/trace_run.h"
#include "tools/trace_file/decimal.h"
#include "tools/trace_file/trace_file.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

namespace marchland::trace {
namespace {

namespace fs = std::filesystem;

/// The command line of marchland-trace.
struct Options {
    struct Grid {
        std::uint32_t columns = 1;
        std::uint32_t rows = 1;
    };

    std::filesystem::path trace;
    RunOptions run;
    /// In place of a trace: then `trace` and `run` are empty, and no index or shards are those that
    /// were recorded.
    std::optional<std::filesystem::path> recording;
    std::optional<std::string> index;  ///< one of engine::index_names()
    std::optional<Grid> shards;
    std::optional<std::filesystem::path> layout;  ///< takes the place of `shards`
    /// Another layout from that tick index on; in ascending order of ticks. Not of a recording.
    struct Change {
        std::size_t tick = 0;
        std::variant<std::filesystem::path, Grid> layout;
    };
    std::vector<Change> changes;
    std::optional<std::filesystem::path> events;
    bool json = false;
};

constexpr const char* kFooter = R"(
The trace is CSV with a header: t,id,x,y[,z][,...]; t in seconds, ascending, of nine decimals at most.
Columns stand in any order, others are ignored. Positions keep three decimals, rounded half away from zero: thousandths of
the trace's unit are the engine's unit.

One distinct t is one tick. In it every sample of that t is applied (of several for one id the last),
then entities whose last sample is more than --hold seconds old are removed, then each entity's view
is compared with its view at the tick before. Without --hold nothing is ever removed. A removed entity
gets no frame any more; if its id comes again, it begins with an empty view.

The digest is FNV-1a-64 over the lines 'tick,watcher,E|L|M,target\n' (tick from 0) in ascending order,
E before L before M. It does not depend on the layout or the index: compare it between runs.

A recording (docs/recording.md) is run as it was, tick by tick, and compared with the frames that it says there were.
Its tick t is tick t - 1 in the events' lines.

Exit code: 0 all is well, 1 the events could not be written or a replay differs from its recording,
2 bad arguments or a bad file.

  marchland-trace --trace walk.csv --radius 50 --hold 5
  marchland-trace --trace walk.csv --radius 50 --hold 5 --shards 4x4 --events events.csv --json
  marchland-trace --trace walk.csv --radius 50 --shards 4x4 --change 100:1x1 --change 200:layout.toml
  marchland-trace --replay zone.rec --shards 4x4)";

/// The arguments as they were typed: into the options, or, where that takes more, as text.
struct Typed {
    Options options;
    std::string radius;
    std::string hold;
    int dimensions = 2;
    std::string shards;
    std::vector<std::string> changes;
};

void declare(CLI::App& app, Typed& typed) {
    auto* trace =
        app.add_option("--trace", typed.options.trace, "The movement to run")->type_name("FILE");
    auto* replay = app.add_option("--replay", typed.options.recording,
                                  "Or a recording of marchland-server to run again: needs all of "
                                  "FILE, FILE.1, FILE.2, ...")
                       ->type_name("FILE")
                       ->excludes(trace);
    app.add_option("--radius", typed.radius, "How far every entity sees, in the trace's unit")
        ->type_name("R")
        ->excludes(replay);
    app.add_option("--hold", typed.hold,
                   "Remove an entity S seconds after its last sample (default: never)")
        ->type_name("S")
        ->excludes(replay);
    app.add_option("--dims", typed.dimensions,
                   "2: circles in x and y; 3: spheres, needs a column z")
        ->check(CLI::IsMember({2, 3}))
        ->capture_default_str()
        ->excludes(replay);
    auto* shards =
        app.add_option("--shards", typed.shards,
                       "Cut the trace's extent, or the recording's world, into columns x "
                       "rows shards (default: 1x1; of a recording: as it was recorded)")
            ->type_name("CxR");
    app.add_option("--layout", typed.options.layout, "Or take the shards from a layout file")
        ->type_name("FILE")
        ->excludes(shards);
    app.add_option("--change", typed.changes,
                   "From tick TICK on, counted from 0, the zone has another layout: CxR, or a "
                   "layout file. Any number of times, in the order of ticks")
        ->type_name("TICK:LAYOUT")
        ->excludes(replay);
    app.add_option("--index", typed.options.index,
                   fmt::format("The index of every shard: {} (default: the first; of a recording: "
                               "as it was recorded)",
                               fmt::join(engine::index_names(), ", ")))
        ->type_name("NAME");
    app.add_option(
           "--events", typed.options.events,
           "Write the events' lines here, once the run is whole: no file that the run reads")
        ->type_name("FILE");
    app.add_flag("--json", typed.options.json,
                 "One JSON object as the last line of standard output");
}

Options::Grid read_grid(std::string_view option, std::string_view typed) {
    Options::Grid grid;
    const char* const end = typed.data() + typed.size();
    const auto columns = std::from_chars(typed.data(), end, grid.columns);
    if (columns.ec == std::errc{} && columns.ptr != end && *columns.ptr == 'x') {
        const auto rows = std::from_chars(columns.ptr + 1, end, grid.rows);
        const bool is_whole = rows.ec == std::errc{} && rows.ptr == end;
        if (is_whole && grid.columns != 0 && grid.rows != 0) return grid;
    }
    throw tools::BadInput(
        fmt::format("{}: '{}' is not columns x rows, such as 4x2", option, typed));
}

std::vector<Options::Change> read_changes(const std::vector<std::string>& typed) {
    std::vector<Options::Change> changes;
    for (const std::string& text : typed) {
        Options::Change& change = changes.emplace_back();
        const char* const end = text.data() + text.size();
        const auto tick = std::from_chars(text.data(), end, change.tick);
        if (tick.ec != std::errc{} || end - tick.ptr < 2 || *tick.ptr != ':') {
            throw tools::BadInput(
                fmt::format("--change: '{}' is not TICK:LAYOUT, such as 100:4x4", text));
        }
        const std::string layout(tick.ptr + 1, end);
        if (layout.find('x') != std::string::npos &&
            layout.find_first_not_of("0123456789x") == std::string::npos) {
            change.layout = read_grid("--change", layout);
        } else {
            change.layout = fs::path(layout);
        }
        if (changes.size() > 1 && changes[changes.size() - 2].tick >= change.tick) {
            throw tools::BadInput(fmt::format(
                "--change: tick {} does not come after the one before it", change.tick));
        }
    }
    return changes;
}

/// What is about a trace only.
void interpret_trace(const Typed& typed, Options& options) {
    if (options.trace.empty()) throw tools::BadInput("--trace or --replay is required");
    if (typed.radius.empty()) throw tools::BadInput("--radius is required");
    options.run.radius_mm = static_cast<std::int32_t>(tools::require(
        read_decimal("--radius", typed.radius, 3, std::numeric_limits<std::int32_t>::max())));
    options.changes = read_changes(typed.changes);
    if (!typed.hold.empty()) {
        options.run.hold_ns = tools::require(
            read_decimal("--hold", typed.hold, 9, std::numeric_limits<std::int64_t>::max()));
    }
    options.run.dimensions =
        typed.dimensions == 3 ? engine::Dimensions::three : engine::Dimensions::two;
    options.run.index = options.index.value_or(options.run.index);
}

Options interpret(const Typed& typed) {
    Options options = typed.options;
    if (!typed.shards.empty()) {
        options.shards = read_grid("--shards", typed.shards);
    }
    const auto indexes = engine::index_names();
    if (options.index && std::ranges::find(indexes, *options.index) == indexes.end()) {
        throw tools::BadInput(fmt::format("--index: '{}' is unknown; known: {}", *options.index,
                                          fmt::join(indexes, ", ")));
    }
    if (!options.recording) interpret_trace(typed, options);
    return options;
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// `asked_by`: the option, and what stands before the grid there.
shards::Layout grid_over(std::string_view what, const engine::Rect& extent,
                         const Options::Grid& grid, std::string_view asked_by = "--shards ") {
    auto made = shards::Layout::grid(extent, grid.columns, grid.rows);
    if (auto* layout = std::get_if<shards::Layout>(&made)) return std::move(*layout);
    std::string text = fmt::format("{}{}x{}: {} ({}) cannot be cut like that", asked_by,
                                   grid.columns, grid.rows, what, config::edges_text(extent));
    for (const auto& error : std::get<std::vector<shards::LayoutError>>(made)) {
        text += "\n  " + error.message;
    }
    throw tools::BadInput(text);
}

/// The layout that the options ask for, whose world holds the trace: a grid over its extent, or
/// that of a file.
shards::Layout layout_for_trace(const Options& options, const engine::Rect& extent) {
    if (!options.layout)
        return grid_over("the trace's extent", extent, options.shards.value_or(Options::Grid{}));
    auto layout = tools::require(config::load_layout(*options.layout, std::nullopt, extent));
    if (holds(layout.world(), extent)) return layout;
    throw tools::BadInput(fmt::format(
        "{}: positions of the trace are outside the layout\n"
        "  the trace:  {}\n  the layout: {}\n"
        "  hint: widen the layout's outer regions to hold the trace",
        options.layout->string(), config::edges_text(extent), config::edges_text(layout.world())));
}

/// The same for a recording, whose world the layout must tile.
shards::Layout layout_for_replay(const Options& options, const engine::Rect& world) {
    return options.layout ? tools::require(config::load_layout(*options.layout, world, world))
                          : grid_over("the recording's world", world,
                                      options.shards.value_or(Options::Grid{}));
}

/// The layouts of the run after the first, over the same world.
std::vector<shards::Layout> layouts_of_changes(const Options& options, const engine::Rect& world) {
    std::vector<shards::Layout> layouts;
    for (const Options::Change& change : options.changes) {
        const auto* const file = std::get_if<fs::path>(&change.layout);
        layouts.push_back(file != nullptr ? tools::require(config::load_layout(*file, world, world))
                                          : grid_over("the first layout's world", world,
                                                      std::get<Options::Grid>(change.layout),
                                                      fmt::format("--change {}:", change.tick)));
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

/// What the run reads.
std::vector<fs::path> inputs_of(const Options& options) {
    std::vector<fs::path> inputs{options.trace, options.layout.value_or("")};
    for (const Options::Change& change : options.changes) {
        const auto* const file = std::get_if<fs::path>(&change.layout);
        if (file != nullptr) inputs.push_back(*file);
    }
    std::error_code ignored;
    std::uint32_t part = 0;
    for (auto name = options.recording.value_or(""); fs::exists(name, ignored);
         name = shards::part_path(*options.recording, ++part)) {
        inputs.push_back(name);
    }
    return inputs;
}

/// One call of the program: where it writes, and exit codes.
class Program {
public:
    Program(const Options& options, std::ostream& out, std::ostream& err, bool progress)
        : options_(options), out_(out), err_(err), line_(err, progress) {}

    int run_trace() {
        const auto start = Clock::now();
        const auto trace = tools::require(load_trace(options_.trace));
        if (options_.run.dimensions == engine::Dimensions::three && !trace.has_z) {
            throw tools::BadInput(options_.trace.string() + ": --dims 3 needs a column z");
        }
        const auto layout = layout_for_trace(options_, trace.extent);
        const auto changes = layouts_of_changes(options_, layout.world());
        if (!options_.changes.empty() && options_.changes.back().tick >= trace.ticks.size()) {
            throw tools::BadInput(fmt::format("--change: tick {} of a trace that has {}",
                                              options_.changes.back().tick, trace.ticks.size()));
        }
        open_events();
        Report report;
        report.entities = trace.entity_count;
        report.samples = trace.samples.size();
        report.read_seconds = seconds_since(start);

        const auto run_start = Clock::now();
        TraceRun run(trace, options_.run, layout, log_);
        for (std::size_t next = 0; !run.is_done() && can_write();) {
            if (next < options_.changes.size() && options_.changes[next].tick == run.ticks_done()) {
                run.change_layout(changes[next++]);
            }
            run.step();
            line_.show("trace: tick", run.ticks_done(), trace.ticks.size());
        }
        line_.clear();
        commit_events();
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
        if (const auto error = reader.open()) throw tools::BadInput(to_text(*error));
        ReplayOptions replay;
        replay.index = options_.index;
        if (options_.layout || options_.shards) {
            replay.layout = layout_for_replay(options_, reader.options().world);
        }
        open_events();
        const auto start = Clock::now();
        ReplayRun run(reader, std::move(replay), log_);
        while (can_write() && tools::require(run.step())) {
            line_.show("replay: tick", run.ticks_done(), 0);
        }
        line_.clear();
        commit_events();
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
    void open_events() {
        if (!options_.events) return;
        tools::keep_what_is_read("--events", *options_.events, inputs_of(options_));
        log_ = EventLog([this](std::string_view lines) { file_.write(lines); });
        end_where(file_.open(*options_.events));
    }

    [[nodiscard]] bool can_write() const { return !options_.events || file_.is_good(); }
    void commit_events() {
        if (options_.events) end_where(file_.commit());
    }
    /// The events could not be written.
    void end_where(const std::optional<std::string>& error) {
        if (!error) return;
        err_ << *error << '\n';
        throw tools::ExitCode{tools::kExitFailed};
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
    const auto run = [&] {
        CLI::App app(
            "Runs a movement trace, or a recording, through a sharded zone and reports who saw "
            "whom "
            "when.",
            "marchland-trace");
        app.footer(kFooter);
        app.set_version_flag("--version", std::string(version));
        Typed typed;
        declare(app, typed);
        tools::parse(app, argc, argv, out, err);
        const Options options = tools::accept([&] { return interpret(typed); });
        Program program(options, out, err, progress);
        return options.recording ? program.run_replay() : program.run_trace();
    };
    return tools::run_or_refuse(run, err);
}

}  // namespace marchland::trace
