#include "tools/bots/options.h"

#include "config/fields.h"
#include "tools/command_line/parse.h"
#include "tools/trace_file/decimal.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <ostream>
#include <utility>

namespace marchland::bots {
namespace {

constexpr std::size_t kGroupsMax = 64;
constexpr std::size_t kNameBytesMax = 64;
constexpr config::WholeRange kSeconds{0, 7 * 24 * 3'600};
constexpr config::WholeRange kPlayers{1, static_cast<std::int64_t>(kPlayersMax)};
constexpr config::WholeRange kSpeedMm{0, kSpeedMmMax};

/// Those that some players of many may play. The others are about the whole run.
constexpr std::array kOfGroups{
    std::pair{name_of(Scenario::roam), Scenario::roam},
    std::pair{name_of(Scenario::crowd), Scenario::crowd},
    std::pair{name_of(Scenario::market), Scenario::market},
    std::pair{name_of(Scenario::border), Scenario::border},
    std::pair{name_of(Scenario::teleport), Scenario::teleport},
    std::pair{name_of(Scenario::resume), Scenario::resume},
};

std::string check_name(const std::string& name) {
    return name.empty() || name.size() > kNameBytesMax ? "must have 1 to 64 bytes" : "";
}

template <typename Target>
config::Field<Target> seconds(std::string_view name, auto at) {
    const auto unwritten = [](const auto&) { return std::string(); };
    return config::scalar<Target>(name, at, std::bind_front(config::read_whole, kSeconds),
                                  unwritten);
}

config::Fields<Group> group_fields() {
    return {config::text<Group>("name", &Group::name, check_name),
            config::choice<Group>("scenario", &Group::scenario, kOfGroups),
            config::required(config::whole<Group>("players", &Group::players, kPlayers)),
            config::metres<Group>("speed_m_s", &Group::speed_mm_per_s, kSpeedMm),
            seconds<Group>("joins_at_s", &Group::joins_at),
            seconds<Group>("joins_over_s", &Group::joins_over),
            seconds<Group>("leaves_at_s", &Group::leaves_at),
            seconds<Group>("leaves_over_s", &Group::leaves_over)};
}

void read_group(const config::Node& node, const std::string& key, PlanFile& plan,
                config::Reading& reading) {
    Group group;
    const std::size_t refused_before = reading.refused_count();
    config::read_table(node, key, group_fields(), group, reading);
    if (reading.refused_count() != refused_before) {
        return;
    }
    if (group.name.empty()) {
        group.name = name_of(group.scenario);
    }
    if (std::ranges::find(plan.groups, group.name, &Group::name) != plan.groups.end()) {
        reading.refuse(node.place, key, "a second group is called '" + group.name + "'",
                       "give each a name: what it came to is reported by that");
    }
    if (group.leaves_at && *group.leaves_at < group.joins_at + group.joins_over) {
        reading.refuse(
            node.place, key,
            fmt::format("the players of '{}' leave from {} s on, and join until {} s", group.name,
                        group.leaves_at->count(), (group.joins_at + group.joins_over).count()));
    }
    if (!group.leaves_at && group.leaves_over.count() > 0) {
        reading.refuse(node.place, key, "leaves_over_s says nothing without leaves_at_s");
    }
    plan.groups.push_back(std::move(group));
}

config::Fields<PlanFile> plan_fields() {
    const auto read_groups = [](const config::Node& node, const std::string& key, PlanFile& plan,
                                config::Reading& reading) {
        const config::NodeList* const groups = config::read_list(node, key, kGroupsMax, reading);
        for (const config::Node& group : groups == nullptr ? config::NodeList() : *groups) {
            read_group(group, key, plan, reading);
        }
    };
    return {config::required(seconds<PlanFile>("seconds", &PlanFile::length)),
            config::required(config::Field<PlanFile>{"group", read_groups, nullptr})};
}

}  // namespace

std::variant<PlanFile, config::Diagnostics> load_plan(const std::filesystem::path& file) {
    config::Reading reading(file.string());
    PlanFile plan;
    const auto document = config::read_document(file);
    if (const auto* const problem = std::get_if<config::FileProblem>(&document)) {
        reading.refuse(*problem);
    } else {
        const auto& root = std::get<config::Node>(document);
        config::read_table(root, "", plan_fields(), plan, reading);
        std::size_t players = 0;
        for (const Group& group : plan.groups) {
            players += group.players;
        }
        if (players > kPlayersMax) {
            reading.refuse(
                root.place, "group",
                fmt::format("{} players together, the limit is {}", players, kPlayersMax));
        }
    }
    if (reading.refused_count() > 0) {
        return reading.take_diagnostics();
    }
    return plan;
}

namespace {

constexpr const char* kFooter = R"(
Every player checks its own stream: enters, moves and leaves are well formed, ticks ascend. All
players of the process together know where each of them is at every tick, since a frame says which
move it acknowledges: so what a player sees is compared with what it must see, pair by pair and
exactly. Players of other processes are seen and left out of that comparison.

Scenarios:
  roam      uniform over the map, from one random waypoint to the next
  crowd     all press into the middle of the map and out again
  market    all keep within a square a quarter of the map wide, around the first quarter of both sides:
            one shard of four has all the work
  border    pace over the lines through the middle and the quarters of the map, and their corners
  teleport  walk, and jump across the whole map now and then
  resume    roam; about every 100th step a player drops its connection without a Leave, and goes on
            over another, as the same entity
  slow      roam; after --stall-seconds in which all read, every other player reads badly: half of
            these 1,000 bytes a second, half not at all for --stall-seconds, again and again.
            Frames are judged 30 s late, so --check-pairs counts for a tenth. The report compares
            the others before and beside them, and says what the server's kernel held unsent for
            one connection, where the server runs on this machine
  soak      half roam, half as in border; connections are cut and resumed, everybody leaves after a
            minute on average and another joins, and beside them some connections behave badly
            (noise, silence, half a Hello, floods, ...), some a second. For --minutes, with --admin:
            the report says by how much the server's memory grew after five minutes, or after
            half of a shorter run
  siege     roam, connections are cut and resumed now and then, and after a sixth of --seconds in
            quiet the zone is attacked from many addresses of 127.0.0.0/8, one attack after the other,
            then all at once: strangers (noise, floods, half and dripped Hellos), bad tokens,
            WebSocket abuse, waves of silent connections, a crowd on one spot, take-overs for speed,
            one subject over many connections, joins and leaves, waves of large messages, players lost
            on purpose, clients that never read, silent operators (with --admin). At last it is quiet
            again. The report has latency and the server's memory of each phase, and how fast
            take-overs made a hostile player: no faster than limits.speed_max_mm_per_s, if all is well.
            Only against a server on this machine; with tokens: --token-key

A plan (--plan FILE) is TOML: seconds, and [[group]] once for each group, with players and, as one likes, name,
scenario (roam, crowd, market, border, teleport or resume), speed_m_s, joins_at_s, joins_over_s, leaves_at_s,
leaves_over_s.
The report has latency, losses and violations of each group.

  marchland-bots compare A.json B.json   what changed between two runs, by the JSON that they printed or wrote

A trace is CSV with a header: t,id,x,y[,z][,...]; t in seconds, ascending; positions in metres. One
player for each entity, from its first sample until --hold seconds after its last, in real time.

Each player needs a file descriptor, and sends one move a tick. Figures count from the moment at
which all have joined. SIGINT and SIGTERM end the run early and in order; a second one ends it at
once.

Exit code: 0 all is well; 1 the server broke its contract, or players were lost: not let in, or
closed by the server; 2 bad arguments or a bad file.

  marchland-bots --connect 127.0.0.1:7777 --players 2000 --seconds 30
  marchland-bots --connect [::1]:7777 --players 500 --seconds 10 --scenario border --seed 7 --json
  marchland-bots --connect 127.0.0.1:7777 --trace walk.csv --hold 5
  marchland-bots --connect 127.0.0.1:7777 --admin 127.0.0.1:7779 --scenario soak --minutes 30
  marchland-bots --connect 127.0.0.1:7777 --admin 127.0.0.1:7779 --scenario siege --minutes 2
  marchland-bots --connect 127.0.0.1:7777 --admin 127.0.0.1:7779 --plan evening.toml --report evening.html
  marchland-bots --connect 127.0.0.1:7777 --players 40000 --processes 3 --check-share 5 --seconds 60
  marchland-bots --connect localhost:7778 --web-socket --tls --ca certificate.pem --players 100)";

constexpr std::int64_t kSoakNsMax = std::int64_t{7 * 24 * 3600} * 1'000'000'000;
constexpr std::int64_t kDurationNsMax = std::int64_t{1'000'000'000} * 1'000'000'000;  // 31 years

/// The arguments as they were typed: into the options, or, where that takes more, as text; empty
/// where they were not.
struct Typed {
    Options options;
    TraceOptions trace;
    std::optional<std::int64_t> minutes;  ///< times 10^9
    std::string scenario = "roam";
    std::string view_radius;
    std::string leave_radius;
    std::size_t check_share = 100;
};

std::int64_t decimal(std::string_view name, const std::string& typed, unsigned decimals,
                     std::int64_t max) {
    return tools::require(trace::read_decimal(name, typed, decimals, max));
}

/// Into `into` goes what was typed times 10^decimals, which is `max` at most.
template <typename Into>
CLI::Option* add_decimal(CLI::App& app, const std::string& name, Into& into, unsigned decimals,
                         std::int64_t max, const std::string& help) {
    const auto read = [=, &into](const std::string& typed) {
        into = tools::accept([&] { return Into(decimal(name, typed, decimals, max)); });
    };
    return app.add_option_function<std::string>(name, read, help);
}

template <typename Into>
CLI::Option* add_address(CLI::App& app, const std::string& name, Into& into, int port_such_as,
                         const std::string& help) {
    const auto read = [=, &into](const std::string& typed) {
        into = tools::accept([&] {
            const auto result = client::parse_host_port(typed);
            if (!result) {
                throw tools::BadInput(fmt::format("{}: '{}' is not HOST:PORT, such as 127.0.0.1:{}",
                                                  name, typed, port_such_as));
            }
            return *result;
        });
    };
    return app.add_option_function<std::string>(name, read, help)->type_name("HOST:PORT");
}

constexpr std::int64_t kStallNsMax = 15'000'000'000;  // servers give up after 20 s
constexpr std::int64_t kRestartNsMax = 600'000'000'000;

void declare_players(CLI::App& app, Typed& typed) {
    ScenarioOptions& scenario = typed.options.scenario;
    add_address(app, "--connect", typed.options.server, 7777, "The server")->required();
    app.add_option("--players", scenario.players, "How many players")
        ->check(CLI::Range(std::size_t{1}, kPlayersMax))
        ->type_name("N")
        ->capture_default_str();
    auto* seconds = add_decimal(app, "--seconds", typed.options.duration_ns, 9, kDurationNsMax,
                                "How long they play; 0: until a signal, or the end of the trace")
                        ->type_name("S")
                        ->default_str("0");
    add_decimal(app, "--minutes", typed.minutes, 9, kDurationNsMax / 60, "The same in minutes")
        ->excludes(seconds)
        ->type_name("M");
    app.add_option("--scenario", typed.scenario, "How they move, see below")
        ->check(
            CLI::IsMember(std::vector<std::string>(kScenarioNames.begin(), kScenarioNames.end())))
        ->type_name("NAME")
        ->capture_default_str();
    app.add_option("--seed", scenario.seed, "The same seed walks the same ways")
        ->type_name("K")
        ->capture_default_str();
    add_decimal(app, "--speed-m-s", scenario.speed_mm_per_s, 3, kSpeedMmMax,
                "How fast they walk, in metres a second")
        ->type_name("V")
        ->default_str("5");
    add_decimal(app, "--stall-seconds", scenario.stall, 9, kStallNsMax,
                "Scenario slow: how long one stops reading at a time, at most 15")
        ->type_name("S")
        ->default_str("10");
    add_decimal(app, "--restart-seconds", typed.options.restart_max, 9, kRestartNsMax,
                "The server may be restarted: who is lost tries for so long to come back; 0: a "
                "lost connection is a fault")
        ->type_name("S")
        ->default_str("0");
    app.add_option("--siege-crowd", typed.options.siege_crowd,
                   "Scenario siege: hostile clients on one spot")
        ->check(CLI::Range(std::size_t{0}, std::size_t{2'000}))
        ->type_name("N")
        ->capture_default_str();
    add_address(app, "--siege-web-socket", typed.options.siege_web_socket, 7778,
                "Scenario siege: the server's other entrance, attacked by web pages");
    app.add_option("--view-radius-m", typed.view_radius,
                   "How far each sees (default: the zone's own default)")
        ->type_name("R");
    app.add_option("--leave-radius-m", typed.leave_radius,
                   "How far each still sees what it saw (default: the view radius)")
        ->needs("--view-radius-m")
        ->type_name("R");
}

void declare_way_in(CLI::App& app, Typed& typed) {
    auto* tls = app.add_flag("--tls", typed.options.is_tls,
                             "Speak TLS: the server's entrance says tls = true");
    auto* ca = app.add_option("--ca", typed.options.trust.ca_file,
                              "Trust the certificates in this file (PEM), a server's own one too "
                              "(default: those that this machine trusts)")
                   ->needs(tls)
                   ->type_name("FILE");
    app.add_flag("--any-certificate", typed.options.trust.any_certificate,
                 "Do not look at the server's certificate: whoever can change bytes on the way can "
                 "be the server. For tries")
        ->needs(tls)
        ->excludes(ca);
    app.add_flag("--web-socket", typed.options.is_web_socket,
                 "Speak WebSocket, to the port of [websocket]; with --tls: wss");
    CLI::Option* const token =
        app.add_option(
               "--token", typed.options.token_file,
               "A file with the token that every player shows, where the server asks for one")
            ->type_name("FILE");
    CLI::Option* const key =
        app.add_option("--token-key", typed.options.token_key.file,
                       "The issuer's key instead (marchland-token new-key): each player shows a "
                       "token of its own, with the subject bot-NUMBER")
            ->excludes(token)
            ->type_name("FILE");
    CLI::Option* const audience =
        app.add_option("--token-audience", typed.options.token_key.audience,
                       "The server's auth.audience")
            ->needs(key);
    key->needs(audience);
    app.add_option("--token-kid", typed.options.token_key.kid,
                   "The key's kid, where the server has several")
        ->needs(key);
}

void declare_rest(CLI::App& app, Typed& typed) {
    auto* trace = app.add_option("--trace", typed.trace.file, "Play a movement trace instead")
                      ->excludes("--players")
                      ->excludes("--scenario")
                      ->type_name("FILE");
    app.add_option("--plan", typed.options.plan,
                   "A file with groups of players that do different things, and come and go")
        ->excludes("--players")
        ->excludes("--scenario")
        ->excludes("--seconds")
        ->excludes("--minutes")
        ->excludes("--speed-m-s")
        ->excludes(trace)
        ->type_name("FILE");
    app.add_option("--processes", typed.options.processes,
                   "Play in so many processes, where one may not have enough open files; each "
                   "compares its own players. Not with slow, soak, siege or a trace")
        ->check(CLI::Range(std::size_t{1}, kProcessesMax))
        ->excludes(trace)
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--report", typed.options.report,
                   "Write the report as a page with plots, and as JSON beside it, whose name ends "
                   "in .json instead")
        ->type_name("FILE.html");
    add_decimal(app, "--hold", typed.trace.hold_ns, 9, kDurationNsMax,
                "With a trace: an entity leaves S seconds after its last sample (default: one "
                "and a half of the usual time between two of its samples)")
        ->needs(trace)
        ->type_name("S");
    app.add_option("--trace-speed", typed.trace.speed, "With a trace: its seconds a second")
        ->needs(trace)
        ->check(CLI::Range(0.001, 1000.0))
        ->type_name("F")
        ->capture_default_str();
    add_address(app, "--admin", typed.options.admin, 7779,
                "The server's admin port, for its memory and processor time in the report");
    app.add_option(
           "--frames-hz", typed.options.frames_hz,
           "Each player asks for so many frames a second; 0: for as many as the server gives")
        ->check(CLI::Range(0, 128))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--check-pairs", typed.options.pairs_per_tick_max,
                   "Pairs of players that are compared with the truth each tick, at most; 0: none")
        ->check(CLI::Range(std::size_t{0}, std::size_t{100'000'000}))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--check-share", typed.check_share,
                   "Percent of the players whose streams are looked into. Of the others' only the "
                   "heads of frames are read, for where they are, five times a second: less work "
                   "here, the same for the server. Not with slow, soak, siege, resume or a trace")
        ->check(CLI::Range(std::size_t{1}, std::size_t{100}))
        ->type_name("PERCENT")
        ->capture_default_str();
    app.add_flag("--json", typed.options.json,
                 "One JSON object as the last line of standard output");
}

std::optional<engine::View> read_view(const Typed& typed) {
    if (typed.view_radius.empty()) {
        return std::nullopt;
    }
    constexpr std::int64_t kRadiusMax = std::numeric_limits<std::int32_t>::max();
    const std::int64_t radius = decimal("--view-radius-m", typed.view_radius, 3, kRadiusMax);
    const std::string& leave = typed.leave_radius.empty() ? typed.view_radius : typed.leave_radius;
    const std::int64_t leave_radius = decimal("--leave-radius-m", leave, 3, kRadiusMax);
    return engine::View::circle(static_cast<std::int32_t>(radius),
                                static_cast<std::int32_t>(leave_radius));
}

void use(PlanFile plan, Options& options) {
    options.duration_ns = std::chrono::nanoseconds(plan.length).count();
    options.scenario.players = 0;
    for (const Group& group : plan.groups) {
        options.scenario.players += group.players;
    }
    options.scenario.groups = std::move(plan.groups);
}

/// What would keep the two files of --report from being written is said before anything starts.
void check_report(const Options& options) {
    const std::filesystem::path& page = options.report;
    if (page.extension() == ".json") {
        throw tools::BadInput("--report: the page cannot have the name of the JSON beside it");
    }
    auto beside = page;
    for (const auto& file : {page, beside.replace_extension(".json")}) {
        tools::keep_what_is_read(
            "--report", file,
            {options.plan, options.trace ? options.trace->file : "", options.token_file,
             options.token_key.file, options.trust.ca_file});
        std::error_code ignored;
        if (std::filesystem::is_directory(file, ignored)) {
            throw tools::BadInput(fmt::format("--report: {} is a folder", file.string()));
        }
    }
    const auto folder = page.has_parent_path() ? page.parent_path() : ".";
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored)) {
        throw tools::BadInput(fmt::format("--report: there is no folder {}", folder.string()));
    }
}

Options interpret(const Typed& typed) {
    Options options = typed.options;
    options.duration_ns = typed.minutes ? 60 * *typed.minutes : options.duration_ns;
    options.scenario.scenario = scenario_of(typed.scenario).value_or(Scenario::roam);
    options.view = read_view(typed);
    if (!options.plan.empty()) {
        use(tools::require(load_plan(options.plan)), options);
    }
    if (!typed.trace.file.empty()) {
        options.trace = typed.trace;
    }
    if (typed.check_share < 100) {
        options.scenario.looked_into =
            std::max<std::size_t>(1, options.scenario.players * typed.check_share / 100);
    }
    if (!options.report.empty()) {
        check_report(options);
    }
    if (options.scenario.players < options.processes) {
        throw tools::BadInput(fmt::format("--processes: {} players in {} processes",
                                          options.scenario.players, options.processes));
    }
    const bool needs_length =
        options.scenario.plays(Scenario::soak) || options.scenario.plays(Scenario::siege);
    const bool is_whole = needs_length || options.scenario.plays(Scenario::slow);
    if (options.processes > 1 && is_whole) {
        throw tools::BadInput("--processes: not with the scenarios slow, soak and siege");
    }
    if (typed.check_share < 100 &&
        (is_whole || options.scenario.plays(Scenario::resume) || options.trace)) {
        throw tools::BadInput(
            "--check-share: not with the scenarios slow, soak, siege and resume, nor with a trace");
    }
    if (needs_length && (options.duration_ns == 0 || options.duration_ns > kSoakNsMax)) {
        throw tools::BadInput(
            fmt::format("--scenario {}: how long, up to a week? --minutes or --seconds says it",
                        name_of(options.scenario.scenario)));
    }
    if (options.view && options.view->leave_radius_mm < options.view->radius_mm) {
        throw tools::BadInput(fmt::format("--leave-radius-m: {} is less than the view radius, {}",
                                          typed.leave_radius, typed.view_radius));
    }
    return options;
}

}  // namespace

Options parse_options(int argc, const char* const* argv, std::string_view version,
                      std::ostream& out, std::ostream& err) {
    CLI::App app("Simulated players that check what a zone server sends them.", "marchland-bots");
    app.footer(kFooter);
    app.set_version_flag("--version", std::string(version));
    Typed typed;
    declare_players(app, typed);
    declare_way_in(app, typed);
    declare_rest(app, typed);
    tools::parse(app, argc, argv, out, err);
    return tools::accept([&] { return interpret(typed); });
}

}  // namespace marchland::bots
