#include "tools/bots/report.h"

#include "engine/assert.h"
#include "tools/command_line/json_text.h"
#include "tools/command_line/parse.h"

#include <boost/json.hpp>
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <ostream>
#include <span>

namespace marchland::bots {
extern const std::string_view report_page;  ///< report_page.html, as it is embedded

namespace {

using tools::json_text;

double per_second(const Report& report, std::uint64_t count) {
    return report.seconds > 0 ? static_cast<double>(count) / report.seconds : 0;
}

double cpu_percent(const Report& report) {
    return report.seconds > 0 ? 100.0 * report.cpu_seconds / report.seconds : 0;
}

std::string errors_text(const Fates& fates) {
    std::vector<std::string> errors;
    for (const auto& [code, count] : fates.errors) {
        errors.push_back(fmt::format("{} ({}) {} times", net::name_of(code),
                                     static_cast<unsigned>(code), count));
    }
    return fmt::format("{}", fmt::join(errors, ", "));
}

std::string fates_json(const Fates& fates) {
    return fmt::format(
        R"("players_joined":{},"players_lost":{},"not_let_in":{},"closed_by_server":{},)"
        R"("dropped":{},"resumed":{},"lost_in_restart":{},"resumed_after_restart":{},)"
        R"("return_ms_max":{},"error_codes":{{{}}})",
        fates.joined, fates.lost(), fates.not_let_in, fates.closed_by_server, fates.dropped,
        fates.resumed, fates.lost_in_restart, fates.resumed_after_restart, fates.return_ms_max,
        tools::json_list(fates.errors, [](const auto& error) {
            return fmt::format("\"{}\":{}", static_cast<unsigned>(error.first), error.second);
        }));
}

std::string latency_text(const LatencyHistogram& latency) {
    return fmt::format("p50 {:.1f} ms, p99 {:.1f} ms, max {:.1f} ms ({} measured)",
                       in_ms(latency.quantile_us(0.5)), in_ms(latency.quantile_us(0.99)),
                       in_ms(latency.max_us()), latency.count());
}

std::string latency_json(const LatencyHistogram& latency) {
    return fmt::format(R"({{"p50":{:.3f},"p99":{:.3f},"max":{:.3f},"count":{}}})",
                       in_ms(latency.quantile_us(0.5)), in_ms(latency.quantile_us(0.99)),
                       in_ms(latency.max_us()), latency.count());
}

/// One that was not reached is empty.
Report::Phase phase_called(std::string_view name, const Report& report) {
    const auto found = std::ranges::find(report.phases, name, &Report::Phase::name);
    return found == report.phases.end() ? Report::Phase() : *found;
}

std::string quick_text(const Report::Phase& phase) {
    return fmt::format("{:.1f} s, {:.2f} frames per player and second, {}", phase.seconds,
                       phase.frames_per_player_per_second, latency_text(phase.latency));
}

std::string quick_json(const Report::Phase& phase) {
    return fmt::format(R"({{"seconds":{:.3f},"frames_per_player_per_second":{:.3f},)"
                       R"("latency_ms":{}}})",
                       phase.seconds, phase.frames_per_player_per_second,
                       latency_json(phase.latency));
}

/// Processor time of the server for each frame that these players got; in microseconds.
double server_us_per_frame(const Report& report) {
    const Report::Server& server = *report.server;
    const double frames = report.seconds > 0 ? static_cast<double>(report.traffic.frames) /
                                                   report.seconds * server.seconds_between
                                             : 0;
    return frames > 0 ? 1e6 * server.cpu_seconds / frames : 0;
}

double server_cpu_percent(const Report::Server& server) {
    return server.seconds_between > 0 ? 100 * server.cpu_seconds / server.seconds_between : 0;
}

/// From the first attack to the last.
LatencyHistogram latency_under_siege(const Report& report) {
    LatencyHistogram all;
    for (std::size_t i = 1; i + 1 < report.phases.size(); ++i) {
        all.add(report.phases[i].latency);
    }
    return all;
}

std::string siege_json(const Report& report) {
    const std::string phases = tools::json_list(report.phases, [](const Report::Phase& phase) {
        return fmt::format(R"({{"name":{},"seconds":{:.3f},"latency_ms":{},"connections":{},)"
                           R"("ended_by_server":{},"server_resident_bytes":{}}})",
                           json_text(phase.name), phase.seconds, latency_json(phase.latency),
                           phase.abuse.connections, phase.abuse.closed_by_server,
                           phase.resident_bytes);
    });
    return fmt::format(R"(,"siege":{{"quiet_latency_ms":{},"siege_latency_ms":{},)"
                       R"("phases":[{}]}})",
                       latency_json(report.phases.front().latency),
                       latency_json(latency_under_siege(report)), phases);
}

/// What only some runs have, with a comma before each.
std::string more_json(const Report& report) {
    std::string out;
    if (report.abuse.connections > 0 || !report.abuse.failure.empty()) {
        out += fmt::format(
            R"(,"abuse":{{"connections":{},"ended_by_server":{},"speed_mm_per_s_max":{},"take_over_moves":{},"failure":{}}})",
            report.abuse.connections, report.abuse.closed_by_server,
            report.abuse.speed_mm_per_s_max, report.abuse.moves_made,
            json_text(report.abuse.failure));
    }
    if (report.is_siege()) {
        out += siege_json(report);
    }
    if (report.slow) {
        const Report::Slow& slow = *report.slow;
        out += fmt::format(
            R"(,"slow":{{"players":{},"stalls":{},"frames":{},"gaps":{},"gaps_looked_at":{},)"
            R"("unsent_bytes_max":{},"before":{},"beside":{}}})",
            slow.players, slow.stalls, report.traffic.slow_frames, report.traffic.gaps,
            report.traffic.gaps_looked_at, slow.unsent_bytes_max,
            quick_json(phase_called("before", report)), quick_json(phase_called("beside", report)));
    }
    if (report.server) {
        const Report::Server& server = *report.server;
        out += fmt::format(
            R"(,"server":{{"resident_bytes_first":{},"resident_bytes_last":{},)"
            R"("resident_bytes_max":{},"resident_bytes_settled":{},"seconds_settled":{:.1f},)"
            R"("cpu_percent":{:.1f},"cpu_us_per_frame":{:.3f},)"
            R"("failures":{}}})",
            server.resident_bytes_first, server.resident_bytes_last, server.resident_bytes_max,
            server.resident_bytes_settled, server.seconds_settled, server_cpu_percent(server),
            server_us_per_frame(report), server.failures);
    }
    return out;
}

std::string groups_json(const Report& report) {
    const std::string groups = tools::json_list(report.groups, [](const Report::Group& group) {
        return fmt::format(
            R"({{"name":{},"scenario":{},"players":{},"players_lost":{},"violations":{},"latency_ms":{}}})",
            json_text(group.name), json_text(group.scenario), group.players, group.lost,
            group.violations, latency_json(group.latency));
    });
    return fmt::format(R"(,"groups":[{}])", groups);
}

/// One list for each figure, so that names are there once.
std::string points_json(const Report& report) {
    std::string out = R"(,"points":{)";
    const auto list = [&](const char* name, int decimals, auto&& figure) {
        out += fmt::format(R"({}"{}":[{}])", out.ends_with('{') ? "" : ",", name,
                           tools::json_list(report.points, [&](const Report::Point& point) {
                               return fmt::format("{:.{}f}", static_cast<double>(figure(point)),
                                                  decimals);
                           }));
    };
    const auto rate = [](std::uint64_t count, const Report::Point& it) {
        return it.seconds > 0 ? static_cast<double>(count) / it.seconds : 0;
    };
    list("at_s", 1, [](const auto& it) { return it.at_s; });
    list("players", 0, [](const auto& it) { return it.players; });
    list("frames_per_s", 0, [&](const auto& it) { return rate(it.traffic.frames, it); });
    list("updates_per_s", 0, [&](const auto& it) { return rate(it.traffic.updates(), it); });
    list("bytes_per_s", 0, [&](const auto& it) { return rate(it.traffic.bytes_in, it); });
    list("latency_p50_ms", 1, [](const auto& it) { return in_ms(it.latency.quantile_us(0.5)); });
    list("latency_p99_ms", 1, [](const auto& it) { return in_ms(it.latency.quantile_us(0.99)); });
    list("latency_max_ms", 1, [](const auto& it) { return in_ms(it.latency.max_us()); });
    if (report.server) {
        list("tick_max_ms", 2, [](const auto& it) { return 1e3 * it.tick_max_s; });
        list("server_resident_bytes", 0, [](const auto& it) { return it.resident_bytes; });
    }
    return out + '}';
}

std::string distribution_json(const LatencyHistogram& latency) {
    std::string out;
    latency.for_each([&](std::uint64_t highest_us, std::uint64_t count) {
        out += fmt::format("{}[{:.3f},{}]", out.empty() ? "" : ",", in_ms(highest_us), count);
    });
    return fmt::format(R"(,"latency_distribution":[{}])", out);
}

std::string verdict(const Report& report) {
    if (!report.is_all_well()) {
        const std::string why = report.failure();
        return why.empty() ? "NOT WELL" : "NOT WELL: " + why;
    }
    return report.pairs_checked > 0 ? "all is well"
                                    : "no fault was seen, but nothing was compared with the truth";
}

}  // namespace

std::string list_of_kinds(const ViolationLog& log) {
    std::vector<std::string> kinds;
    for (std::size_t i = 0; i < kViolationKinds; ++i) {
        const auto kind = static_cast<Violation>(i);
        if (log.count(kind) > 0) {
            kinds.push_back(fmt::format("{} {}", name_of(kind), log.count(kind)));
        }
    }
    return fmt::format("{}", fmt::join(kinds, ", "));
}

void Report::add(Point point) {
    points.push_back(std::move(point));
    if (points.size() < kPointsMax) {
        return;
    }
    // From two points one: so each has about the length of the others, and a long run as many as a
    // short one.
    for (std::size_t i = 0; i < points.size() / 2; ++i) {
        Point pair = points[2 * i];
        pair.add(points[2 * i + 1]);
        points[i] = std::move(pair);
    }
    points.resize(points.size() / 2);
}

std::string Report::failure() const {
    if (!abuse.failure.empty()) {
        return "nobody attacked any more: " + abuse.failure;
    }
    // All players at once: one of them may well be refused what it asks for, as long as it likes.
    constexpr double kStandstillSeconds = 5;
    Point last;
    for (auto it = points.rbegin(); it != points.rend() && last.seconds < kStandstillSeconds;
         ++it) {
        last.seconds += it->seconds;
        last.traffic += it->traffic;
    }
    const std::uint64_t wanted = last.traffic.moves_sent + last.traffic.moves_dropped;
    if (last.seconds < kStandstillSeconds || wanted == 0 || last.traffic.moves_made > 0) {
        return "";
    }
    return fmt::format(
        "nobody moved any more: the server made none of {} moves in the last {:.0f} s", wanted,
        last.seconds);
}

void Report::Point::add(const Point& later) {
    const double both_seconds = seconds + later.seconds;
    add_beside(later);
    at_s = later.at_s;
    seconds = both_seconds;
    players = later.players;
}

void Report::add(const Report& other) {
    MARCHLAND_ASSERT(!slow && phases.empty() &&
                     (groups.empty() || groups.size() == other.groups.size()));
    seconds = std::max(seconds, other.seconds);
    player_seconds += other.player_seconds;
    cpu_seconds += other.cpu_seconds;
    traffic += other.traffic;
    latency.add(other.latency);
    late_steps += other.late_steps;
    fates += other.fates;
    violations += other.violations;
    if (!other.violations_by_kind.empty()) {
        violations_by_kind += (violations_by_kind.empty() ? "" : "; ") + other.violations_by_kind;
    }
    pairs_checked += other.pairs_checked;
    positions_checked += other.positions_checked;
    shown_error_mm_max = std::max(shown_error_mm_max, other.shown_error_mm_max);
    if (!server) {
        server = other.server;
    }
    groups.resize(other.groups.size());  // of one plan: the same, or none yet
    for (std::size_t i = 0; i < groups.size(); ++i) {
        groups[i].name = other.groups[i].name;
        groups[i].scenario = other.groups[i].scenario;
        groups[i].players += other.groups[i].players;
        groups[i].lost += other.groups[i].lost;
        groups[i].violations += other.groups[i].violations;
        groups[i].latency.add(other.groups[i].latency);
    }
    points.resize(std::max(points.size(), other.points.size()));
    for (std::size_t i = 0; i < other.points.size(); ++i) {
        points[i].add_beside(other.points[i]);
    }
}

void Report::Point::add_beside(const Point& other) {
    at_s = std::max(at_s, other.at_s);
    seconds = std::max(seconds, other.seconds);
    players += other.players;
    traffic += other.traffic;
    latency.add(other.latency);
    tick_max_s = std::max(tick_max_s, other.tick_max_s);
    resident_bytes = std::max(resident_bytes, other.resident_bytes);
}

std::string to_text(const Report& report) {
    const Fates& fates = report.fates;
    std::string out;
    const auto line = [&out](std::string_view name, const std::string& text) {
        fmt::format_to(std::back_inserter(out), "{:<12}{}\n", name, text);
    };
    line("played", fmt::format("{}, seed {}, {:.1f} s", report.play, report.seed, report.seconds));
    line("players", fmt::format("{} asked for, {} joined, {} lost", report.players, fates.joined,
                                fates.lost()));
    if (fates.lost() > 0) {
        line("", fmt::format("{} not let in, {} closed by the server, {} dropped", fates.not_let_in,
                             fates.closed_by_server, fates.dropped));
        line("", fmt::format("first: {}", fates.first_trouble));
    }
    if (fates.resumed > 0) {
        line("resumed", fmt::format("{} times, after a connection was cut", fates.resumed));
    }
    if (fates.lost_in_restart > 0) {
        line("restarts",
             fmt::format("{} connections lost, {} back, the last one with a frame after {:.1f} s",
                         fates.lost_in_restart, fates.resumed_after_restart,
                         static_cast<double>(fates.return_ms_max) / 1'000));
    }
    if (!fates.errors.empty()) {
        line("errors", errors_text(fates));
    }
    line("frames",
         fmt::format("{} ({:.0f}/s), {} of them stale at a border", report.traffic.frames,
                     per_second(report, report.traffic.frames), report.traffic.stale_frames));
    line("updates",
         fmt::format("{} ({:.0f}/s): {} enters, {} moves, {} leaves", report.traffic.updates(),
                     per_second(report, report.traffic.updates()), report.traffic.enters,
                     report.traffic.moves, report.traffic.leaves));
    line("down",
         fmt::format("{:.0f} bytes per player per second", report.bytes_per_player_per_second()));
    line("up", fmt::format("{} moves ({:.0f}/s), {} not taken by the socket, {} left out as late",
                           report.traffic.moves_sent, per_second(report, report.traffic.moves_sent),
                           report.traffic.moves_dropped, report.late_steps));
    line("latency", latency_text(report.latency));
    if (report.slow) {
        const Report::Slow& slow = *report.slow;
        line("slow",
             fmt::format("{} read badly, {} stops; {} frames of theirs, {} after a gap, {} of "
                         "these compared with the truth",
                         slow.players, slow.stalls, report.traffic.slow_frames, report.traffic.gaps,
                         report.traffic.gaps_looked_at));
        line("", fmt::format("at most {} bytes unsent for one connection in the server's kernel",
                             slow.unsent_bytes_max));
        line("others", "before: " + quick_text(phase_called("before", report)));
        line("", "beside: " + quick_text(phase_called("beside", report)));
    }
    if (report.abuse.connections > 0) {
        line("abuse",
             fmt::format("{} connections that behaved badly, {} ended by the server; {:.1f} m/s "
                         "at most by take-overs",
                         report.abuse.connections, report.abuse.closed_by_server,
                         static_cast<double>(report.abuse.speed_mm_per_s_max) / 1'000));
    }
    for (const Report::Group& group : report.groups) {
        line(&group == &report.groups.front() ? "groups" : "",
             fmt::format("{} ({}): {} players, {} lost, {} violations, {}", group.name,
                         group.scenario, group.players, group.lost, group.violations,
                         latency_text(group.latency)));
    }
    if (report.is_siege()) {
        for (const Report::Phase& phase : report.phases) {
            line(&phase == &report.phases.front() ? "phases" : "",
                 fmt::format(
                     "{:<11} {:5.1f} s, p99 {:6.1f} ms, {} attackers, {} ended by the server, "
                     "server {:.1f} MiB",
                     phase.name, phase.seconds, in_ms(phase.latency.quantile_us(0.99)),
                     phase.abuse.connections, phase.abuse.closed_by_server,
                     mib(phase.resident_bytes)));
        }
        line("siege",
             fmt::format("p99 {:.1f} ms in the quiet, {:.1f} ms under attack; server {:.1f} MiB "
                         "before, {:.1f} MiB after",
                         in_ms(report.phases.front().latency.quantile_us(0.99)),
                         in_ms(latency_under_siege(report).quantile_us(0.99)),
                         mib(report.phases.front().resident_bytes),
                         mib(report.phases.back().resident_bytes)));
    }
    if (report.server) {
        const Report::Server& server = *report.server;
        line("server",
             fmt::format("{:.1f} MiB at first, {:.1f} at the end, {:.1f} at most; cpu {:.0f} % "
                         "of one core, {:.2f} us per frame of these players",
                         mib(server.resident_bytes_first), mib(server.resident_bytes_last),
                         mib(server.resident_bytes_max), server_cpu_percent(server),
                         server_us_per_frame(report)));
        const double grown = mib(server.resident_bytes_last) - mib(server.resident_bytes_settled);
        line("", fmt::format("memory grew by {:.2f} MiB in the last {:.0f} s", grown,
                             server.seconds_settled));
        if (server.failures > 0) {
            line("", fmt::format("{} requests to its admin port failed", server.failures));
        }
    }
    line("cpu", fmt::format("{:.0f} % of one core", cpu_percent(report)));
    line("checked",
         fmt::format("{} pairs against the truth, {} seen positions among them, shown up "
                     "to {:.0f} mm off",
                     report.pairs_checked, report.positions_checked, report.shown_error_mm_max));
    if (report.looked_into < report.players) {
        line("", fmt::format("of {} of the {} players: updates and latency are theirs alone",
                             report.looked_into, report.players));
    }
    line("violations", report.violations == 0
                           ? std::string("0")
                           : fmt::format("{}: {}", report.violations, report.violations_by_kind));
    line("verdict", verdict(report));
    return out;
}

std::string to_json(const Report& report) {
    const std::string rest = more_json(report) +
                             (report.groups.empty() ? "" : groups_json(report)) +
                             distribution_json(report.latency) + points_json(report);
    return fmt::format(
        R"({{"is_well":{},"verdict":{},"players":{},"looked_into":{},"processes":{},"seconds":{:.3f},"frames":{},"updates":{},"violations":{},)"
        R"("latency_ms":{},)"
        R"("bytes_per_player_per_second":{:.1f},)"
        R"("enters":{},"moves":{},"leaves":{},"stale_frames":{},"moves_sent":{},"moves_made":{},"late_steps":{},)"
        R"("pairs_checked":{},"positions_checked":{},"shown_error_mm_max":{:.1f},"cpu_percent":{:.1f},{},)"
        R"("scenario":{},"seed":{}{}}})",
        report.is_all_well(), json_text(verdict(report)), report.players, report.looked_into,
        report.processes, report.seconds, report.traffic.frames, report.traffic.updates(),
        report.violations, latency_json(report.latency), report.bytes_per_player_per_second(),
        report.traffic.enters, report.traffic.moves, report.traffic.leaves,
        report.traffic.stale_frames, report.traffic.moves_sent, report.traffic.moves_made,
        report.late_steps, report.pairs_checked, report.positions_checked,
        report.shown_error_mm_max, cpu_percent(report), fates_json(report.fates),
        json_text(report.play), report.seed, rest);
}

std::string to_page(const Report& report) {
    constexpr std::string_view kHole = "@REPORT@";
    const auto hole = report_page.find(kHole);
    MARCHLAND_ASSERT(hole != std::string_view::npos);
    std::string json;
    for (const char c : to_json(report)) {
        json += c == '<' ? std::string("\\u003c") : std::string(1, c);  // a name may end no script
    }
    return std::string(report_page.substr(0, hole)) + json +
           std::string(report_page.substr(hole + kHole.size()));
}

namespace {

namespace json = boost::json;

/// A figure of a run, and where it is in the JSON.
struct Figure {
    const char* name;
    const char* pointer;
    int decimals = 0;
};

/// Two runs with other values of these are no two runs of the same.
constexpr std::array kConditions{
    Figure{"scenario", "/scenario"},
    Figure{"players", "/players"},
    Figure{"looked into", "/looked_into"},
    Figure{"processes", "/processes"},
    Figure{"seed", "/seed"},
};

constexpr std::array kFigures{
    Figure{"seconds", "/seconds", 1},
    Figure{"violations", "/violations"},
    Figure{"players lost", "/players_lost"},
    Figure{"pairs checked", "/pairs_checked"},
    Figure{"frames", "/frames"},
    Figure{"updates", "/updates"},
    Figure{"stale frames", "/stale_frames"},
    Figure{"bytes per player and second", "/bytes_per_player_per_second", 1},
    Figure{"latency p50, ms", "/latency_ms/p50", 1},
    Figure{"latency p99, ms", "/latency_ms/p99", 1},
    Figure{"latency max, ms", "/latency_ms/max", 1},
    Figure{"server: CPU, % of a core", "/server/cpu_percent", 1},
    Figure{"server: us per frame", "/server/cpu_us_per_frame", 2},
    Figure{"server: memory at most, bytes", "/server/resident_bytes_max"},
    Figure{"bots: CPU, % of a core", "/cpu_percent", 1},
};

constexpr std::array kGroupFigures{
    Figure{"violations", "/violations"},
    Figure{"players lost", "/players_lost"},
    Figure{"latency p50, ms", "/latency_ms/p50", 1},
    Figure{"latency p99, ms", "/latency_ms/p99", 1},
};

/// The object of the last line, which is what --json prints after all else. Throws tools::BadInput
/// where there is none.
json::value read_run(const std::string& file) {
    const std::string all = tools::read_file(file);
    std::string_view text = all;
    text = text.substr(0, text.find_last_not_of("\r\n") + 1);
    text.remove_prefix(text.find_last_of('\n') + 1);
    boost::system::error_code error;
    json::value value = json::parse(text, error);
    boost::system::error_code is_missing;
    if (error || value.find_pointer("/latency_ms/p99", is_missing) == nullptr) {
        throw tools::BadInput(file + ": its last line is not what marchland-bots --json prints");
    }
    return value;
}

std::string text_of(const json::value* value, int decimals) {
    boost::system::error_code is_no_number;
    if (value == nullptr) {
        return "-";
    }
    if (value->is_string()) {
        return std::string(value->get_string());
    }
    const auto number = value->to_number<double>(is_no_number);
    return is_no_number ? "-" : fmt::format("{:.{}f}", number, decimals);
}

/// "+4.8 %"; empty where nothing changed, or nothing can be said.
std::string change_of(const json::value* a, const json::value* b) {
    boost::system::error_code error;
    if (a == nullptr || b == nullptr || *a == *b || a->is_string() || b->is_string()) {
        return "";
    }
    const auto before = a->to_number<double>(error);
    const auto after = b->to_number<double>(error);
    return error || before == 0 ? "" : fmt::format("{:+.1f} %", 100 * (after - before) / before);
}

class Table {
public:
    Table(std::ostream& out, const std::string& a, const std::string& b) : out_(out) {
        row("", a, b, "change");
    }
    void add(const json::value& a, const json::value& b, std::span<const Figure> figures) {
        for (const Figure& figure : figures) {
            boost::system::error_code is_missing;
            const json::value* const in_a = a.find_pointer(figure.pointer, is_missing);
            const json::value* const in_b = b.find_pointer(figure.pointer, is_missing);
            if (in_a != nullptr || in_b != nullptr) {
                row(figure.name, text_of(in_a, figure.decimals), text_of(in_b, figure.decimals),
                    change_of(in_a, in_b));
            }
        }
    }

private:
    void row(std::string_view name, std::string_view a, std::string_view b,
             std::string_view change) {
        std::string line = fmt::format("{:<30}{:>18}{:>18}{:>12}", name, a, b, change);
        out_ << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
    }

    std::ostream& out_;
};

/// The group of that name; null where a run has none.
const json::value* group_of(const json::value& run, const json::value& name) {
    const json::value* const groups = run.as_object().if_contains("groups");
    if (groups == nullptr || !groups->is_array()) {
        return nullptr;
    }
    for (const json::value& group : groups->get_array()) {
        if (group.is_object() && group.get_object().contains("name") &&
            group.get_object().at("name") == name) {
            return &group;
        }
    }
    return nullptr;
}

}  // namespace

int compare_runs(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
    CLI::App app("What changed between two runs of marchland-bots.", "marchland-bots compare");
    std::string file_a;
    std::string file_b;
    app.add_option("A", file_a, "What the first run printed with --json, or its --report wrote")
        ->required();
    app.add_option("B", file_b, "The same of the second")->required();
    tools::parse(app, argc, argv, out, err);
    const json::value a = read_run(file_a);
    const json::value b = read_run(file_b);
    Table table(out, std::filesystem::path(file_a).stem().string(),
                std::filesystem::path(file_b).stem().string());
    table.add(a, b, kConditions);
    table.add(a, b, kFigures);
    const json::value* const groups = a.as_object().if_contains("groups");
    for (const json::value& group :
         groups == nullptr || !groups->is_array() ? json::array() : groups->get_array()) {
        const json::value* const name =
            group.is_object() ? group.get_object().if_contains("name") : nullptr;
        const json::value* const other = name != nullptr ? group_of(b, *name) : nullptr;
        if (other == nullptr) {
            continue;
        }
        out << text_of(name, 0) << '\n';
        table.add(group, *other, kGroupFigures);
    }
    for (const Figure& figure : kConditions) {
        boost::system::error_code is_missing;
        const json::value* const in_a = a.find_pointer(figure.pointer, is_missing);
        const json::value* const in_b = b.find_pointer(figure.pointer, is_missing);
        if ((in_a == nullptr) != (in_b == nullptr) || (in_a != nullptr && *in_a != *in_b)) {
            out << "not two runs of the same: " << figure.name << '\n';
        }
    }
    return 0;
}

}  // namespace marchland::bots
