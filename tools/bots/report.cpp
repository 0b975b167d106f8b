#include "tools/bots/report.h"

#include "tools/command_line/json_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <string_view>
#include <vector>

namespace marchland::bots {
namespace {

using tools::json_text;

double ms(std::uint64_t us) {
    return static_cast<double>(us) / 1000.0;
}

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
    std::vector<std::string> errors;
    for (const auto& [code, count] : fates.errors) {
        errors.push_back(fmt::format("\"{}\":{}", static_cast<unsigned>(code), count));
    }
    return fmt::format(
        R"("players_joined":{},"players_lost":{},"not_let_in":{},"closed_by_server":{},)"
        R"("dropped":{},"resumed":{},"error_codes":{{{}}})",
        fates.joined, fates.lost(), fates.not_let_in, fates.closed_by_server, fates.dropped,
        fates.resumed, fmt::join(errors, ","));
}

std::string latency_text(const LatencyHistogram& latency) {
    return fmt::format("p50 {:.1f} ms, p99 {:.1f} ms, max {:.1f} ms ({} measured)",
                       ms(latency.quantile_us(0.5)), ms(latency.quantile_us(0.99)),
                       ms(latency.max_us()), latency.count());
}

std::string latency_json(const LatencyHistogram& latency) {
    return fmt::format(R"({{"p50":{:.3f},"p99":{:.3f},"max":{:.3f},"count":{}}})",
                       ms(latency.quantile_us(0.5)), ms(latency.quantile_us(0.99)),
                       ms(latency.max_us()), latency.count());
}

std::string quick_text(const Report::Quick& quick) {
    return fmt::format("{:.1f} s, {:.2f} frames per player and second, {}", quick.seconds,
                       quick.frames_per_player_per_second, latency_text(quick.latency));
}

std::string quick_json(const Report::Quick& quick) {
    return fmt::format(R"({{"seconds":{:.3f},"frames_per_player_per_second":{:.3f},)"
                       R"("latency_ms":{}}})",
                       quick.seconds, quick.frames_per_player_per_second,
                       latency_json(quick.latency));
}

double mib(std::uint64_t bytes) {
    return static_cast<double>(bytes) / (1U << 20U);
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
    std::vector<std::string> phases;
    for (const Report::Phase& phase : report.phases) {
        phases.push_back(fmt::format(
            R"({{"name":{},"seconds":{:.3f},"latency_ms":{},"connections":{},)"
            R"("ended_by_server":{},"server_resident_bytes":{}}})",
            json_text(phase.name), phase.seconds, latency_json(phase.latency),
            phase.abuse.connections, phase.abuse.closed_by_server, phase.resident_bytes));
    }
    return fmt::format(R"(,"siege":{{"quiet_latency_ms":{},"siege_latency_ms":{},)"
                       R"("phases":[{}]}})",
                       latency_json(report.phases.front().latency),
                       latency_json(latency_under_siege(report)), fmt::join(phases, ","));
}

/// What only some runs have, with a comma before each.
std::string more_json(const Report& report) {
    std::string out;
    if (report.abuse.connections > 0) {
        out += fmt::format(R"(,"abuse":{{"connections":{},"ended_by_server":{}}})",
                           report.abuse.connections, report.abuse.closed_by_server);
    }
    if (!report.phases.empty()) {
        out += siege_json(report);
    }
    if (report.slow) {
        const Report::Slow& slow = *report.slow;
        out += fmt::format(
            R"(,"slow":{{"players":{},"stalls":{},"frames":{},"gaps":{},"gaps_looked_at":{},)"
            R"("unsent_bytes_max":{},"before":{},"beside":{}}})",
            slow.players, slow.stalls, report.traffic.slow_frames, report.traffic.gaps,
            report.traffic.gaps_looked_at, slow.unsent_bytes_max, quick_json(slow.before),
            quick_json(slow.beside));
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

std::string verdict(const Report& report) {
    if (!report.is_all_well()) {
        return "NOT WELL";
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
        line("others", "before: " + quick_text(slow.before));
        line("", "beside: " + quick_text(slow.beside));
    }
    if (report.abuse.connections > 0) {
        line("abuse", fmt::format("{} connections that behaved badly, {} ended by the server",
                                  report.abuse.connections, report.abuse.closed_by_server));
    }
    for (const Report::Phase& phase : report.phases) {
        line(&phase == &report.phases.front() ? "phases" : "",
             fmt::format("{:<11} {:5.1f} s, p99 {:6.1f} ms, {} attackers, {} ended by the server, "
                         "server {:.1f} MiB",
                         phase.name, phase.seconds, ms(phase.latency.quantile_us(0.99)),
                         phase.abuse.connections, phase.abuse.closed_by_server,
                         mib(phase.resident_bytes)));
    }
    if (!report.phases.empty()) {
        line("siege",
             fmt::format("p99 {:.1f} ms in the quiet, {:.1f} ms under attack; server {:.1f} MiB "
                         "before, {:.1f} MiB after",
                         ms(report.phases.front().latency.quantile_us(0.99)),
                         ms(latency_under_siege(report).quantile_us(0.99)),
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
    line("checked", fmt::format("{} pairs against the truth, {} seen positions among them",
                                report.pairs_checked, report.positions_checked));
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
    return fmt::format(
        R"({{"players":{},"looked_into":{},"seconds":{:.3f},"frames":{},"updates":{},"violations":{},)"
        R"("latency_ms":{},)"
        R"("bytes_per_player_per_second":{:.1f},)"
        R"("enters":{},"moves":{},"leaves":{},"stale_frames":{},"moves_sent":{},"late_steps":{},)"
        R"("pairs_checked":{},"positions_checked":{},"cpu_percent":{:.1f},{},)"
        R"("scenario":{},"seed":{}{}}})",
        report.players, report.looked_into, report.seconds, report.traffic.frames,
        report.traffic.updates(), report.violations, latency_json(report.latency),
        report.bytes_per_player_per_second(), report.traffic.enters, report.traffic.moves,
        report.traffic.leaves, report.traffic.stale_frames, report.traffic.moves_sent,
        report.late_steps, report.pairs_checked, report.positions_checked, cpu_percent(report),
        fates_json(report.fates), json_text(report.play), report.seed, more_json(report));
}

}  // namespace marchland::bots
