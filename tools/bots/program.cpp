#include "tools/bots/program.h"

#include "net/auth/token_signer.h"
#include "net/regular_file.h"
#include "config/config.h"
#include "tools/bots/abusers.h"
#include "tools/bots/options.h"
#include "tools/bots/run.h"
#include "tools/bots/scenario.h"
#include "tools/bots/trace_director.h"
#include "tools/bots/zone.h"
#include "tools/command_line/parse.h"
#include "tools/process/resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <numeric>
#include <ostream>
#include <utility>

namespace marchland::bots {
namespace {

constexpr std::uint64_t kViolationsPrintedPerKind = 5;

constexpr engine::Tick kSlowLagSeconds = 30;
constexpr std::size_t kSlowLessPairs = 10;
/// The server's longest tick is that since its own last second ended: asked four times a second,
/// most are seen.
constexpr std::chrono::milliseconds kServerInterval{250};
/// Which addresses of this machine are the processes'. A connection needs a port, and an address
/// has 28,000.
constexpr std::uint32_t kProcessesBlock = 96;

/// What the process has open besides the players' sockets: standard streams, epoll, signals, the
/// scout's socket, a trace, a resolver's.
constexpr std::size_t kFilesBesidePlayers = 16;

/// A trace that is read, cast, and waits for the zone to play in.
struct LoadedTrace {
    trace::Trace trace;
    TraceCast cast;
};

LoadedTrace load(const TraceOptions& options) {
    auto trace = tools::require(trace::load_trace(options.file));
    TraceCast cast = cast_trace(trace, options.hold_ns ? options.hold_ns : usual_hold_ns(trace));
    return {std::move(trace), std::move(cast)};
}

/// Refuses more players at once than fit, and says the way out.
void require_open_files(std::size_t players, std::size_t processes) {
    players = (players + processes - 1) / processes;
    const std::size_t files_max = process::raise_open_files_max();
    if (players + kFilesBesidePlayers > files_max) {
        throw tools::BadInput(fmt::format(
            "{} players at once need {} open files, and a process may have {}: {} players fit\n"
            "  hint: --processes, or raise the hard limit (ulimit -Hn)",
            players, players + kFilesBesidePlayers, files_max,
            files_max - std::min(files_max, kFilesBesidePlayers)));
    }
}

/// The file's text, without the line's end that editors put behind it.
std::string read_token(const std::filesystem::path& file) {
    std::string token = tools::read_file(file.string());
    token.erase(token.find_last_not_of(" \r\n") + 1);
    return token;
}

/// Tokens of the players, by number, of the attackers, then one for whoever else connects. Good for
/// a day longer than the run.
std::vector<std::string> sign_tokens(const Options& options, std::size_t players,
                                     std::size_t attackers) {
    const std::string about = fmt::format("--token-key: {}: ", options.token_key.file.string());
    const auto bytes = net::read_secret_file(options.token_key.file.string());
    if (const auto* const flaw = std::get_if<net::FileFlaw>(&bytes)) {
        throw tools::BadInput(about + flaw->reason);
    }
    const auto signer = tools::require(
        net::TokenSigner::make(std::get<std::string>(bytes), options.token_key.kid), about);
    using std::chrono::system_clock;
    const auto expires = system_clock::now() + std::chrono::hours(24) +
                         std::chrono::nanoseconds(options.duration_ns);
    net::NewClaims claims;
    claims.audience = options.token_key.audience;
    claims.expires_s =
        std::chrono::duration_cast<std::chrono::seconds>(expires.time_since_epoch()).count();
    std::vector<std::string> tokens;
    for (std::size_t i = 0; i <= players + attackers; ++i) {
        claims.subject = i < players               ? fmt::format("bot-{}", i)
                         : i < players + attackers ? fmt::format("attacker-{}", i - players)
                                                   : "bot-scout";
        const auto text = net::claims_text(claims);
        if (!text) {
            throw tools::BadInput("--token-audience: must be UTF-8");
        }
        tokens.push_back(signer.sign(*text));
    }
    return tokens;
}

/// All that a run needs, from before the first connection on.
struct Plan {
    Options options;
    std::optional<LoadedTrace> trace;
    std::vector<client::Address> addresses;
    client::WayIn way;
    std::string token;
    std::optional<client::Address> admin;
    std::vector<std::string> tokens = {};            ///< by player; empty: each shows `token`
    std::optional<client::Address> web_socket = {};  ///< to be attacked
    std::vector<Attack> attacks = {};                ///< of a soak or a siege
    std::optional<client::Address> source = {};      ///< of all connections; nothing: the usual one

    [[nodiscard]] std::size_t players() const {
        return trace ? trace->cast.players : options.scenario.players;
    }
    [[nodiscard]] bool plays(Scenario scenario) const { return options.scenario.plays(scenario); }
    [[nodiscard]] Clock::duration duration() const {
        return std::chrono::duration_cast<Clock::duration>(
            std::chrono::nanoseconds(options.duration_ns));
    }
    /// All that ever come.
    [[nodiscard]] std::size_t players_max() const {
        return plays(Scenario::soak) ? ScenarioDirector::players_max(players(), duration())
                                     : players();
    }
};

client::WayIn way_of(const Options& options) {
    client::WayIn way{nullptr, options.is_web_socket, options.server.host};
    if (options.is_tls) {
        way.tls = tools::require(net::make_client_tls(options.trust), "--ca: ");
    }
    return way;
}

std::vector<client::Address> resolve(const char* option, const client::HostPort& where) {
    return tools::require(client::resolve(where),
                          fmt::format("{}: cannot resolve '{}': ", option, where.host));
}

Plan make_plan(Options options) {
    Plan plan{std::move(options), std::nullopt, {}, {}, {}, std::nullopt};
    std::size_t at_once = plan.options.scenario.players;
    if (plan.options.trace) {
        plan.trace = load(*plan.options.trace);
        at_once = plan.trace->cast.live_max;
    }
    if (!plan.trace) {
        plan.attacks =
            HostileDirector::attacks(plan.options.scenario.scenario, plan.options.siege_crowd,
                                     plan.options.admin.has_value());
    }
    const std::size_t attackers = HostileDirector::connections_max(plan.attacks);
    require_open_files(at_once + attackers, plan.options.processes);
    if (!plan.options.token_file.empty()) {
        plan.token = read_token(plan.options.token_file);
    }
    if (!plan.options.token_key.file.empty()) {
        plan.tokens = sign_tokens(plan.options, plan.players_max(), attackers);
        plan.token = plan.tokens.back();
    }
    plan.way = way_of(plan.options);
    plan.addresses = resolve("--connect", plan.options.server);
    if (plan.options.admin) {
        plan.admin = resolve("--admin", *plan.options.admin).front();
    }
    if (plan.options.siege_web_socket) {
        plan.web_socket = resolve("--siege-web-socket", *plan.options.siege_web_socket).front();
    }

    const auto is_elsewhere = [](const client::Address& it) { return !is_loopback(it); };
    if (plan.plays(Scenario::siege)) {
        std::erase_if(plan.addresses, is_elsewhere);
        if (plan.addresses.empty() || (plan.web_socket && is_elsewhere(*plan.web_socket)) ||
            (plan.admin && is_elsewhere(*plan.admin))) {
            throw tools::BadInput("--scenario siege: only a server on 127.0.0.1 is attacked");
        }
    }
    return plan;
}

std::unique_ptr<Director> make_director(Plan& plan, const Scouted& scouted) {
    if (plan.trace) {
        return std::make_unique<TraceDirector>(std::move(plan.trace->trace),
                                               std::move(plan.trace->cast),
                                               plan.options.trace->speed, Clock::now());
    }
    ScenarioOptions options = plan.options.scenario;
    options.players_max = plan.players_max();
    if (plan.attacks.empty()) {
        return std::make_unique<ScenarioDirector>(options, scouted.zone, Clock::now());
    }
    const auto [min, max, dimensions] = scouted.zone.world;
    AbuseOptions abuse{scouted.server, plan.way, {plan.token}, options.seed};
    if (!plan.tokens.empty()) {
        // Behind the players', before the scout's.
        abuse.tokens.assign(plan.tokens.begin() + static_cast<std::ptrdiff_t>(options.players_max),
                            plan.tokens.end() - 1);
    }
    abuse.web_socket = plan.web_socket;
    abuse.admin = plan.admin;
    abuse.has_many_addresses = plan.plays(Scenario::siege);
    abuse.spot = {std::midpoint(min.x, max.x), std::midpoint(min.y, max.y), min.z};
    return std::make_unique<HostileDirector>(options, scouted.zone, Clock::now(), plan.duration(),
                                             abuse, plan.attacks);
}

/// Who is in which of these groups, by player.
std::vector<std::uint8_t> members_of(const std::vector<Group>& groups) {
    std::vector<std::uint8_t> group_of;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        group_of.insert(group_of.end(), groups[i].players, static_cast<std::uint8_t>(i));
    }
    return group_of;
}

std::vector<Report::Group> report_of(const std::vector<Group>& groups, const Referee& referee,
                                     const Swarm& swarm) {
    std::vector<Report::Group> reports;
    for (const Group& group : groups) {
        reports.push_back({group.name, std::string(name_of(group.scenario)), group.players, 0, 0,
                           referee.latency_by_group()[reports.size()]});
    }
    const std::vector<std::uint8_t> group_of = members_of(groups);
    for (std::size_t i = 0; i < group_of.size(); ++i) {
        reports[group_of[i]].violations += referee.violations().count(static_cast<PlayerIndex>(i));
    }
    for (const PlayerIndex player : groups.empty() ? std::vector<PlayerIndex>() : swarm.lost()) {
        ++reports[group_of[to_number(player)]].lost;
    }
    return reports;
}

Report play(Plan& plan, const Scouted& scouted, Together* together = nullptr) {
    const std::size_t players = plan.players_max();
    const std::vector<Group>& groups = plan.options.scenario.groups;
    process::StopSignals signals;  // from here on there is something to end in order
    ViolationLog log(stderr, kViolationsPrintedPerKind);
    const bool is_slow = plan.plays(Scenario::slow);
    // Who reads slowly says late where it was: until then evidence is kept, of fewer players.
    Referee referee(scouted.zone, players,
                    plan.options.pairs_per_tick_max / (is_slow ? kSlowLessPairs : 1), log,
                    is_slow ? kSlowLagSeconds * scouted.zone.tick_rate_hz : 0,
                    plan.options.scenario.looked_into);
    for (std::size_t i = 0; is_slow && i < players; ++i) {
        if (SlowReaders::is_slow(static_cast<PlayerIndex>(i))) {
            referee.expect_slow(static_cast<PlayerIndex>(i));
        }
    }
    if (!groups.empty()) {
        referee.measure_groups(members_of(groups), groups.size());
    }
    Poller poller;
    Swarm swarm({scouted.server, plan.way, players, plan.options.view, plan.token, plan.tokens,
                 plan.plays(Scenario::siege), plan.source, plan.options.restart_max,
                 plan.options.frames_hz},
                referee, poller);
    const std::unique_ptr<Director> director = make_director(plan, scouted);
    std::optional<ServerWatch> server;
    if (plan.admin) {
        server.emplace(*plan.admin, kServerInterval);
    }
    Report report = Run({*director, swarm, referee, poller, signals, server ? &*server : nullptr,
                         client::port_of(scouted.server), together},
                        plan.duration())
                        .play();
    report.groups = report_of(groups, referee, swarm);
    return report;
}

/// From where on the share of one of the processes is, of so many.
std::size_t share(std::size_t players, std::size_t process, std::size_t processes) {
    return players * process / processes;
}

/// What one of the processes plays: its share of each group.
Plan part_of(const Plan& plan, std::size_t process, bool is_loopback) {
    const std::size_t processes = plan.options.processes;
    const auto part = [&](std::size_t players) {
        return share(players, process + 1, processes) - share(players, process, processes);
    };
    Plan mine{plan.options, std::nullopt, plan.addresses, plan.way, plan.token, std::nullopt};
    ScenarioOptions& scenario = mine.options.scenario;
    std::size_t first = share(scenario.players, process, processes);
    scenario.players = part(scenario.players);
    scenario.looked_into =
        scenario.looked_into == SIZE_MAX
            ? SIZE_MAX
            : std::max<std::size_t>(1, part(std::min(scenario.looked_into, plan.players())));
    scenario.seed += process;
    if (!scenario.groups.empty()) {
        scenario.players = first = 0;
        for (Group& group : scenario.groups) {
            first += share(group.players, process, processes);
            group.players = part(group.players);
            scenario.players += group.players;
        }
    }
    mine.options.pairs_per_tick_max /= processes;
    if (!plan.tokens.empty()) {
        const auto begin = plan.tokens.begin() + static_cast<std::ptrdiff_t>(first);
        mine.tokens.assign(begin, begin + static_cast<std::ptrdiff_t>(scenario.players));
    }
    if (process == 0) {
        mine.admin = plan.admin;  // one asks for all
    }
    if (is_loopback) {
        mine.source = loopback_source(kProcessesBlock, static_cast<std::uint32_t>(process) + 1);
    }
    return mine;
}

/// One file whole, or what went wrong.
std::optional<std::string> write_file(const std::filesystem::path& file, const std::string& text) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    return out.good() ? std::nullopt
                      : std::optional(fmt::format("cannot write '{}'", file.string()));
}

int finish(const Plan& plan, Report report, std::size_t players, std::ostream& out,
           std::ostream& err) {
    const Options& options = plan.options;
    report.players = players;
    report.processes = options.processes;
    report.looked_into = std::min(players, options.scenario.looked_into);
    report.seed = options.scenario.seed;
    report.play = options.trace           ? options.trace->file.string()
                  : !options.plan.empty() ? options.plan.string()
                                          : std::string(name_of(options.scenario.scenario));
    out << to_text(report);
    std::optional<std::string> problem;
    if (!options.report.empty()) {
        auto json_file = options.report;
        problem = write_file(options.report, to_page(report));
        if (!problem) {
            problem = write_file(json_file.replace_extension(".json"), to_json(report) + '\n');
        }
        out << (problem ? "" : fmt::format("report      {}\n", options.report.string()));
    }
    if (options.json) {
        out << to_json(report) << '\n';
    }
    out.flush();
    if (problem) {
        err << "marchland-bots: --report: " << *problem << '\n';
    }
    return report.is_all_well() && !problem ? 0 : 1;
}

int run(Plan plan, std::ostream& out, std::ostream& err) {
    const std::size_t players = plan.players();
    if (plan.options.trust.any_certificate) {
        err << "marchland-bots: the server's certificate is not looked at: whoever can change "
               "bytes "
               "on the way can be the server\n";
    }
    const auto scouted = scout_zone(plan.addresses, plan.way, plan.token);
    if (const auto* problem = std::get_if<std::string>(&scouted)) {
        err << "marchland-bots: " << plan.options.server.host << ':' << plan.options.server.port
            << ": " << *problem << '\n';
        Report report;
        report.fates.not_let_in = players;
        report.fates.first_trouble = *problem;
        return finish(plan, report, players, out, err);
    }
    const auto& found = std::get<Scouted>(scouted);
    if (plan.trace) {
        if (const auto problem = why_not_in(found.zone.world, plan.trace->trace)) {
            throw tools::BadInput(plan.options.trace->file.string() + ": " + *problem);
        }
    }
    const bool is_to_resume = plan.plays(Scenario::resume) || plan.plays(Scenario::soak) ||
                              plan.plays(Scenario::siege) ||
                              plan.options.restart_max != Clock::duration::zero();
    if (is_to_resume && !found.zone.can_resume) {
        throw tools::BadInput(
            "players are to resume, and this zone lets nobody resume (limits.resume_grace_ms is "
            "0)");
    }
    if (plan.options.processes == 1) {
        return finish(plan, play(plan, found), players, out, err);
    }
    const Report sum =
        play_in_processes(plan.options.processes, [&](std::size_t process, Together& together) {
            Plan mine = part_of(plan, process, is_loopback(found.server));
            return play(mine, found, &together);
        });
    return finish(plan, sum, players, out, err);
}

}  // namespace

int run_program(int argc, const char* const* argv, std::string_view version, std::ostream& out,
                std::ostream& err) {
    const auto run_all = [&] {
        if (argc > 1 && argv[1] == std::string_view("compare")) {
            return tools::run_or_refuse([&] { return compare_runs(argc - 1, argv + 1, out, err); },
                                        err, "marchland-bots compare: ");
        }
        Options options = parse_options(argc, argv, version, out, err);
        return tools::run_or_refuse([&] { return run(make_plan(std::move(options)), out, err); },
                                    err, "marchland-bots: ");
    };
    return tools::run_or_refuse(run_all, err);
}

}  // namespace marchland::bots
