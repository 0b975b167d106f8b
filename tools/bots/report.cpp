#include "tools/bots/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <string_view>
#include <vector>

namespace marchland::bots {
namespace {

double ms(std::uint64_t us) {
    return static_cast<double>(us) / 1000.0;
}

double per_second(const Report& report, std::uint64_t count) {
    return report.seconds > 0 ? static_cast<double>(count) / report.seconds : 0;
}

double cpu_percent(const Report& report) {
    return report.seconds > 0 ? 100.0 * report.cpu_seconds / report.seconds : 0;
}

std::string json_string(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
            out += c;
        }
    }
    return out + '"';
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
    line("latency",
         fmt::format("p50 {:.1f} ms, p99 {:.1f} ms, max {:.1f} ms ({} measured)",
                     ms(report.latency.quantile_us(0.5)), ms(report.latency.quantile_us(0.99)),
                     ms(report.latency.max_us()), report.latency.count()));
    line("cpu", fmt::format("{:.0f} % of one core", cpu_percent(report)));
    line("checked", fmt::format("{} pairs against the truth, {} seen positions among them",
                                report.pairs_checked, report.positions_checked));
    line("violations", report.violations == 0
                           ? std::string("0")
                           : fmt::format("{}: {}", report.violations, report.violations_by_kind));
    line("verdict", verdict(report));
    return out;
}

std::string to_json(const Report& report) {
    return fmt::format(
        R"({{"players":{},"seconds":{:.3f},"frames":{},"updates":{},"violations":{},)"
        R"("latency_ms":{{"p50":{:.3f},"p99":{:.3f},"max":{:.3f},"count":{}}},)"
        R"("bytes_per_player_per_second":{:.1f},)"
        R"("enters":{},"moves":{},"leaves":{},"stale_frames":{},"moves_sent":{},"late_steps":{},)"
        R"("pairs_checked":{},"positions_checked":{},"cpu_percent":{:.1f},{},)"
        R"("scenario":{},"seed":{}}})",
        report.players, report.seconds, report.traffic.frames, report.traffic.updates(),
        report.violations, ms(report.latency.quantile_us(0.5)),
        ms(report.latency.quantile_us(0.99)), ms(report.latency.max_us()), report.latency.count(),
        report.bytes_per_player_per_second(), report.traffic.enters, report.traffic.moves,
        report.traffic.leaves, report.traffic.stale_frames, report.traffic.moves_sent,
        report.late_steps, report.pairs_checked, report.positions_checked, cpu_percent(report),
        fates_json(report.fates), json_string(report.play), report.seed);
}

}  // namespace marchland::bots
