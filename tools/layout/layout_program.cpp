#include "tools/layout/layout_program.h"

#include "shards/border/reach.h"
#include "shards/ids.h"
#include "config/config.h"
#include "config/metres.h"
#include "tools/command_line/parse.h"
#include "tools/layout/balanced_layout.h"
#include "tools/layout/report.h"
#include "tools/trace_file/trace_file.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace marchland::layout {
namespace {

constexpr const char* kFooter = R"(
A layout file says which shard owns which part of the map: rectangles that tile the world, or a grid
(docs/layouts.md). The world is that of --config, a server's configuration; without one it is the
rectangle around the shards, and a [grid], which has no size of its own, cannot be read.

--positions takes a trace: CSV with the columns t,id,x,y, positions in metres. balance weighs every
sample, so a place counts for as long as somebody was there; show and diff count each entity once, where
its last sample is.

Exit code: 0 all is well, 1 what was to be written could not be, 2 bad arguments or a bad file.

  marchland-layout check layout.toml --config zone.toml
  marchland-layout show layout.toml --out layout.svg
  marchland-layout diff old.toml new.toml --positions walk.csv --out change.svg
  marchland-layout balance --positions walk.csv --shards 8 --min-shard-size 100 --out new.toml)";

/// The command line of marchland-layout.
struct Options {
    std::filesystem::path file;                   ///< check, show, diff: the layout
    std::filesystem::path other;                  ///< diff: the layout that takes its place
    std::optional<std::filesystem::path> config;  ///< a server's: the world to tile
    std::optional<std::filesystem::path> positions;
    std::optional<std::filesystem::path> out;
    std::size_t shards = 0;  ///< balance
    double side_m_min = 0.001;
    std::int64_t side_mm_min = 1;  ///< the same, read
    bool json = false;
};

CLI::Option* add_file(CLI::App& command, const std::string& name,
                      std::optional<std::filesystem::path>& file, const std::string& what) {
    return command.add_option(name, file, what)->type_name("FILE");
}

CLI::App* add_command(CLI::App& app, Options& options, const std::string& name,
                      const std::string& what) {
    CLI::App* const command = app.add_subcommand(name, what);
    add_file(*command, "--config", options.config,
             "A server's configuration: the world to tile, and how far shards look");
    command->add_flag("--json", options.json,
                      "One JSON object as the last line of standard output");
    return command;
}

void declare(CLI::App& app, Options& options) {
    constexpr const char* kPicture = "Draw it as SVG into this file";
    CLI::App* const check =
        add_command(app, options, "check", "Is it a layout? Every error with its place");
    check->add_option("FILE", options.file, "The layout")->required();

    CLI::App* const show = add_command(app, options, "show", "The shards of a layout");
    show->add_option("FILE", options.file, "The layout")->required();
    add_file(*show, "--positions", options.positions,
             "Count the entities of this trace in each shard");
    add_file(*show, "--out", options.out, kPicture);

    CLI::App* const diff =
        add_command(app, options, "diff", "What changes owner when B takes the place of A");
    diff->add_option("A", options.file, "The layout in force")->required();
    diff->add_option("B", options.other, "The one to come")->required();
    add_file(*diff, "--positions", options.positions,
             "Count the entities of this trace that change owner");
    add_file(*diff, "--out", options.out, kPicture);

    CLI::App* const balance =
        add_command(app, options, "balance", "Cut the world so that shards are equally crowded");
    add_file(*balance, "--positions", options.positions, "The trace that says where the crowd is")
        ->required();
    balance->add_option("--shards", options.shards, "How many shards")
        ->required()
        ->check(CLI::Range(std::size_t{1}, shards::kShardsMax));
    balance
        ->add_option("--min-shard-size", options.side_m_min,
                     "No side of a shard is shorter, in metres")
        ->type_name("M");
    add_file(*balance, "--out", options.out, "The layout file to write")->required();
    app.require_subcommand(1);
}

/// Where a trace was.
struct Positions {
    std::vector<engine::Position> samples;  ///< all of them
    std::vector<engine::Position> last;     ///< the last of each entity, by ascending id
    engine::Rect extent;
};

/// All of them lie in `world`, where there is one.
Positions read_positions(const std::filesystem::path& file,
                         const std::optional<engine::Rect>& world) {
    const trace::Trace trace = tools::require(trace::load_trace(file));
    const engine::Rect& extent = trace.extent;
    if (world && (extent.min_x < world->min_x || extent.min_y < world->min_y ||
                  extent.max_x > world->max_x || extent.max_y > world->max_y)) {
        throw tools::BadInput(to_text(config::Diagnostics{
            {file.string(), 0, 0, "",
             fmt::format("positions ({}) lie outside the world ({})", config::edges_text(extent),
                         config::edges_text(*world)),
             "the trace and the layout must be of one world, in metres"}}));
    }
    Positions positions;
    positions.extent = extent;
    positions.samples.reserve(trace.samples.size());
    std::map<engine::EntityId, engine::Position> last;
    for (const trace::TraceSample& sample : trace.samples) {
        positions.samples.push_back(sample.at);
        last[sample.id] = sample.at;
    }
    for (const auto& [id, at] : last) {
        positions.last.push_back(at);
    }
    return positions;
}

/// What a command works with, and where it speaks.
class Program {
public:
    Program(const Options& options, std::ostream& out, std::ostream& err)
        : options_(options), out_(out), err_(err) {
        if (options.out) {
            tools::keep_what_is_read("--out", *options.out,
                                     {options.file, options.other, options.config.value_or(""),
                                      options.positions.value_or("")});
        }
        if (options.config) {
            zone_ = tools::require(config::load_server_config(*options.config, std::nullopt)).zone;
            world_ = zone_->world;
        }
    }

    void run(const std::string& command) {
        static const std::map<std::string, void (Program::*)()> kCommands = {
            {"check", &Program::check},
            {"show", &Program::show},
            {"diff", &Program::diff},
            {"balance", &Program::balance}};
        (this->*kCommands.at(command))();
    }

private:
    void check() {
        const auto layout = config::load_layout(options_.file, world_, world_);
        const auto* errors = std::get_if<config::Diagnostics>(&layout);
        if (errors != nullptr && options_.json) out_ << errors_json(*errors) << '\n';
        const shards::Layout valid = tools::require(layout);
        out_ << (options_.json ? check_json(valid) : check_text(options_.file.string(), valid))
             << '\n';
    }

    void show() {
        const shards::Layout layout =
            tools::require(config::load_layout(options_.file, world_, world_));
        const auto last = read_last_positions(layout.world());
        const std::vector<std::size_t> counts =
            options_.positions ? count_in_regions(layout, last) : std::vector<std::size_t>{};
        write_picture(draw(layout, last, {}));
        const auto ghosts = count_ghosts(layout, last);
        out_ << (options_.json ? show_json(layout, counts, ghosts)
                               : show_text(layout, counts, ghosts))
             << '\n';
    }

    void diff() {
        const shards::Layout before =
            tools::require(config::load_layout(options_.file, world_, world_));
        // The old one's world is the one that is in use.
        const shards::Layout after =
            tools::require(config::load_layout(options_.other, before.world(), before.world()));
        const auto last = read_last_positions(before.world());
        const Comparison comparison = compare(before, after, last);
        write_picture(draw(after, last, comparison.changes));
        const auto entities =
            options_.positions ? std::optional<std::size_t>(last.size()) : std::nullopt;
        out_ << (options_.json ? diff_json(comparison, entities) : diff_text(comparison, entities))
             << '\n';
    }

    void balance() {
        const Positions positions = read_positions(*options_.positions, world_);
        const engine::Rect world = world_.value_or(positions.extent);
        const BalanceLimits limits{
            options_.shards, options_.side_mm_min,
            zone_ ? std::int64_t{zone_->leave_radius_mm_max} + zone_->border_hysteresis_mm : 0};
        if (!can_balance(world, limits)) {
            throw tools::BadInput(fmt::format(
                "{} shards of at least {} m each way do not fit the world ({})", limits.shards,
                config::metres_text(limits.side_mm_min), config::edges_text(world)));
        }
        const shards::Layout layout = balanced_layout(world, positions.samples, limits);
        write_file(config::to_toml(layout));
        const auto counts = count_in_regions(layout, positions.samples);
        const auto ghosts = count_ghosts(layout, positions.last);
        out_ << (options_.json
                     ? show_json(layout, counts, ghosts)
                     : show_text(layout, counts, ghosts) + "\nwritten to " + options_.out->string())
             << '\n';
    }

    [[nodiscard]] std::vector<engine::Position> read_last_positions(
        const engine::Rect& world) const {
        return options_.positions ? read_positions(*options_.positions, world).last
                                  : std::vector<engine::Position>{};
    }

    /// With a configuration: of all shards.
    [[nodiscard]] std::optional<std::size_t> count_ghosts(
        const shards::Layout& layout, std::span<const engine::Position> positions) const {
        if (!zone_ || positions.empty()) {
            return std::nullopt;
        }
        const shards::Reach reach(layout, zone_->leave_radius_mm_max, zone_->border_hysteresis_mm);
        std::size_t ghosts = 0;
        for (const engine::Position& at : positions) {
            reach.ghosts_for(layout.owner_of(at), at).for_each([&](shards::ShardId) { ++ghosts; });
        }
        return ghosts;
    }

    void write_picture(const std::string& svg) {
        if (options_.out) write_file(svg);
    }

    void write_file(const std::string& text) {
        errno = 0;
        std::ofstream file(*options_.out, std::ios::binary);
        file << text << std::flush;
        if (!file) {
            err_ << options_.out->string() << ": cannot be written: " << std::strerror(errno)
                 << '\n';
            throw tools::ExitCode{tools::kExitFailed};
        }
    }

    const Options& options_;
    std::ostream& out_;
    std::ostream& err_;
    std::optional<shards::ZoneOptions> zone_;
    std::optional<engine::Rect> world_;
};

}  // namespace

int run_program(int argc, const char* const* argv, std::string_view version, std::ostream& out,
                std::ostream& err) {
    const auto run = [&] {
        CLI::App app("Checks, draws, compares and derives layouts.", "marchland-layout");
        app.footer(kFooter);
        app.set_version_flag("--version", std::string(version));
        Options options;
        declare(app, options);
        tools::parse(app, argc, argv, out, err);
        options.side_mm_min = tools::accept([&] {
            const auto side_mm = config::whole_millimetres(options.side_m_min);
            if (side_mm && *side_mm >= 1) return *side_mm;
            throw tools::BadInput(fmt::format(
                "--min-shard-size: {} is no length of a millimetre or more, with at most three "
                "decimals",
                options.side_m_min));
        });
        Program(options, out, err).run(app.get_subcommands().at(0)->get_name());
        return 0;
    };
    return tools::run_or_refuse(run, err);
}

}  // namespace marchland::layout
