#include "tools/trace/options.h"

#include "engine/index/index.h"
#include "tools/command_line/parse.h"
#include "tools/trace_file/decimal.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <ostream>
#include <string>

namespace marchland::trace {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFooter = R"(
The trace is CSV with a header: t,id,x,y[,z][,...]; t in seconds, ascending. Columns stand in any
order, others are ignored. Positions keep three decimals, rounded half away from zero: thousandths of
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
    auto* trace = app.add_option("--trace", typed.options.trace, "The movement to run")
                      ->type_name("FILE")
                      ->check(tools::not_empty);
    auto* replay = app.add_option("--replay", typed.options.recording,
                                  "Or a recording of marchland-server to run again: needs all of "
                                  "FILE, FILE.1, FILE.2, ...")
                       ->type_name("FILE")
                       ->check(tools::not_empty)
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
        ->check(tools::not_empty)
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
        ->type_name("NAME")
        ->check(tools::not_empty);
    app.add_option("--events", typed.options.events,
                   "Write the events' lines here, once the run is whole")
        ->type_name("FILE")
        ->check(tools::not_empty);
    app.add_flag("--json", typed.options.json,
                 "One JSON object as the last line of standard output");
}

std::optional<Options::Grid> read_grid(std::string_view typed) {
    Options::Grid grid;
    const char* const end = typed.data() + typed.size();
    const auto columns = std::from_chars(typed.data(), end, grid.columns);
    if (columns.ec != std::errc{} || columns.ptr == end || *columns.ptr != 'x') return std::nullopt;
    const auto rows = std::from_chars(columns.ptr + 1, end, grid.rows);
    if (rows.ec != std::errc{} || rows.ptr != end) return std::nullopt;
    if (grid.columns == 0 || grid.rows == 0) return std::nullopt;
    return grid;
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
        if (const auto grid = read_grid(layout)) {
            change.layout = *grid;
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

Options interpret(const Typed& typed, bool has_shards) {
    Options options = typed.options;
    if (has_shards) {
        options.shards = read_grid(typed.shards);
        if (!options.shards) {
            throw tools::BadInput(
                fmt::format("--shards: '{}' is not columns x rows, such as 4x2", typed.shards));
        }
    }
    const auto indexes = engine::index_names();
    if (options.index && std::ranges::find(indexes, *options.index) == indexes.end()) {
        throw tools::BadInput(fmt::format("--index: '{}' is unknown; known: {}", *options.index,
                                          fmt::join(indexes, ", ")));
    }
    if (!options.recording) interpret_trace(typed, options);
    return options;
}

}  // namespace

std::variant<Options, tools::ExitCode> parse_options(int argc, const char* const* argv,
                                                     std::string_view version, std::ostream& out,
                                                     std::ostream& err) {
    CLI::App app(
        "Runs a movement trace, or a recording, through a sharded zone and reports who saw whom "
        "when.",
        "marchland-trace");
    app.footer(kFooter);
    app.set_version_flag("--version", std::string(version));
    Typed typed;
    declare(app, typed);
    if (const auto ended = tools::parse(app, argc, argv, out, err)) {
        return *ended;
    }
    return tools::accept([&] { return interpret(typed, app.count("--shards") > 0); }, err);
}

}  // namespace marchland::trace
