#include "tools/layout/options.h"

#include "shards/ids.h"
#include "config/metres.h"
#include "tools/command_line/parse.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <ostream>
#include <string>

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

struct Typed {
    std::string file;
    std::string other;
    std::string config;
    std::string positions;
    std::string out;
    std::size_t shards = 0;
    double side_m = 0.001;
    bool json = false;
};

CLI::App* add_command(CLI::App& app, Typed& typed, const std::string& name,
                      const std::string& what) {
    CLI::App* const command = app.add_subcommand(name, what);
    command->add_option("--config", typed.config, "A server's configuration: the world to tile")
        ->type_name("FILE");
    command->add_flag("--json", typed.json, "One JSON object as the last line of standard output");
    return command;
}

void add_positions(CLI::App& command, Typed& typed, const std::string& what) {
    command.add_option("--positions", typed.positions, what)->type_name("FILE");
}

void add_picture(CLI::App& command, Typed& typed) {
    command.add_option("--out", typed.out, "Draw it as SVG into this file")->type_name("FILE");
}

void declare(CLI::App& app, Typed& typed) {
    CLI::App* const check =
        add_command(app, typed, "check", "Is it a layout? Every error with its place");
    check->add_option("FILE", typed.file, "The layout")->required();

    CLI::App* const show = add_command(app, typed, "show", "The shards of a layout");
    show->add_option("FILE", typed.file, "The layout")->required();
    add_positions(*show, typed, "Count the entities of this trace in each shard");
    add_picture(*show, typed);

    CLI::App* const diff =
        add_command(app, typed, "diff", "What changes owner when B takes the place of A");
    diff->add_option("A", typed.file, "The layout in force")->required();
    diff->add_option("B", typed.other, "The one to come")->required();
    add_positions(*diff, typed, "Count the entities of this trace that change owner");
    add_picture(*diff, typed);

    CLI::App* const balance =
        add_command(app, typed, "balance", "Cut the world so that shards are equally crowded");
    balance->add_option("--positions", typed.positions, "The trace that says where the crowd is")
        ->required()
        ->type_name("FILE");
    balance->add_option("--shards", typed.shards, "How many shards")
        ->required()
        ->check(CLI::Range(std::size_t{1}, shards::kShardsMax));
    balance
        ->add_option("--min-shard-size", typed.side_m, "No side of a shard is shorter, in metres")
        ->type_name("M");
    balance->add_option("--out", typed.out, "The layout file to write")
        ->required()
        ->type_name("FILE");
    app.require_subcommand(1);
}

std::optional<std::filesystem::path> path_of(const std::string& typed) {
    return typed.empty() ? std::nullopt : std::optional<std::filesystem::path>(typed);
}

std::variant<Options, std::string> interpret(const CLI::App& app, const Typed& typed) {
    Options options;
    const std::string name = app.get_subcommands().at(0)->get_name();
    options.command = name == "check"  ? Options::Command::check
                      : name == "show" ? Options::Command::show
                      : name == "diff" ? Options::Command::diff
                                       : Options::Command::balance;
    options.file = typed.file;
    options.other = typed.other;
    options.config = path_of(typed.config);
    options.positions = path_of(typed.positions);
    options.out = path_of(typed.out);
    options.shards = typed.shards;
    const auto side_mm = config::whole_millimetres(typed.side_m);
    if (!side_mm || *side_mm < 1) {
        return fmt::format(
            "--min-shard-size: {} is no length of a millimetre or more, with at "
            "most three decimals",
            typed.side_m);
    }
    options.side_mm_min = *side_mm;
    options.json = typed.json;
    return options;
}

}  // namespace

std::variant<Options, tools::ExitCode> parse_options(int argc, const char* const* argv,
                                                     std::string_view version, std::ostream& out,
                                                     std::ostream& err) {
    CLI::App app("Checks, draws, compares and derives layouts.", "marchland-layout");
    app.footer(kFooter);
    app.set_version_flag("--version", std::string(version));
    Typed typed;
    declare(app, typed);
    if (const auto ended = tools::parse(app, argc, argv, out, err)) {
        return *ended;
    }
    return tools::accept(interpret(app, typed), err);
}

}  // namespace marchland::layout
