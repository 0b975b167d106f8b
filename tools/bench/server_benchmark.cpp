#include "tools/bench/benchmark.h"
#include "tools/bench/loopback.h"
#include "tools/bench/naive_server.h"
#include "tools/bench/statistics.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

namespace marchland::bench {
namespace {

constexpr const char* kFooter = R"(
Our whole server (engine, one shard, sessions, one I/O thread) and a naive one in one process, each with so many players
on loopback, in turns of some ticks. The naive one is what a studio writes by hand: a thread of Boost.Asio and a hash grid,
which sends each player in each tick where everybody in view is (tools/bench/naive_server.cpp). Players walk 0.25 m in
each tick, the same ways for both, and say so once a tick; that comes evenly over four fifths of the tick, as on a net.
With --prediction-error-mm those of ours say it as the client libraries do: when the server would be wrong by more than that.
Each sees all within 50 m; of ours they leave at 55 m.

CPU time is that of all threads but the players'. These count the frames of both servers, and that each of ours has the
moves of all who are known; for every fiftieth the set, and where its members are, is compared with the truth: with
--prediction-error-mm within that bound of where the server has them, and within twice of where they are.

A tick begins when the benchmark says so, and the next when all is sent and read: no server can fall behind, or save.

Each player needs four file descriptors: the limit of open files is raised as far as it goes.

Exit code: 0 all is well, 1 a player was sent something wrong, 2 bad arguments, 130 interrupted with
Ctrl-C (the cases that were finished are reported).

  marchland-bench server
  marchland-bench server --case view60 --players 2500 --hz 10 --repetitions 30 --json
  marchland-bench server --case view60 --players 2500 --prediction-error-mm 50)";

constexpr std::size_t kComparedEvery = 50;
constexpr std::int32_t kMobMm = 60'000;
constexpr std::uint32_t kNearest = 100;

struct ServerCase {
    std::string_view name;
    std::string_view summary;
    std::size_t players;
    double in_view;             ///< within 50 m; 0: all stand in a square of kMobMm
    std::uint32_t nearest_max;  ///< 0: no limit
    std::size_t ticks;          ///< of a turn

    [[nodiscard]] engine::Rect map(std::size_t of_players) const {
        return in_view == 0 ? engine::Rect{0, 0, kMobMm, kMobMm} : map_for(of_players, in_view);
    }
    [[nodiscard]] engine::CrowdLimits crowd() const {
        engine::CrowdLimits limits;
        limits.visible_max = nearest_max;
        return limits;
    }
};

constexpr std::array<ServerCase, 4> kCases = {{
    {"view20", "an open world: each sees about 20 others", 1'000, 19, 0, 10},
    {"view60", "a town: each sees about 60 others", 1'000, 57, 0, 10},
    {"mob", "a flash mob: all within 60 m, each is sent the nearest 100", 2'000, 0, kNearest, 4},
    {"mob_all", "a flash mob without limits: each is sent everybody within 50 m", 2'000, 0, 0, 2},
}};

/// The naive server's players. They check as SendClients do.
class NaiveClients {
public:
    NaiveClients(std::uint16_t port, std::size_t count, std::chrono::microseconds spread,
                 std::size_t nearest_max)
        : sockets_(port, count), spread_(spread), nearest_max_(nearest_max) {}

    /// All of them step and say where they are. Returns the bytes.
    std::size_t send_moves(std::span<Walker> walkers) {
        sockets_.spread(spread_, [&](std::size_t i) {
            const engine::Position at = walkers[i].step();
            const std::array<std::int32_t, 2> message = {at.x, at.y};
            sockets_.send(i, std::as_bytes(std::span(message)));
        });
        return sockets_.size() * sizeof(std::array<std::int32_t, 2>);
    }

    /// One frame for each; their bytes.
    std::size_t read_frames(std::span<const Walker> walkers) {
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < sockets_.size(); ++i) {
            const auto frame = sockets_.read_message(i);
            bytes += frame.size();
            if (i % kComparedEvery == 0) {
                compare(i, frame, walkers);
            }
        }
        return bytes;
    }

private:
    void compare(std::size_t client, std::span<const std::byte> frame,
                 std::span<const Walker> walkers) const {
        using Place = std::pair<std::int32_t, std::int32_t>;
        constexpr std::size_t kHeaderBytes = 8;
        const engine::Position at = walkers[client].at();
        const auto square_to = [&at](const Place& place) {
            const std::int64_t x = place.first - at.x;
            const std::int64_t y = place.second - at.y;
            return x * x + y * y;
        };
        std::vector<std::pair<std::int64_t, Place>> truth;
        for (std::size_t i = 0; i < walkers.size(); ++i) {
            const Place place{walkers[i].at().x, walkers[i].at().y};
            if (i != client && square_to(place) <= std::int64_t{kRadiusMm} * kRadiusMm) {
                truth.emplace_back(square_to(place), place);
            }
        }
        std::vector<std::pair<std::int64_t, Place>> sent;
        for (std::size_t begin = kHeaderBytes; begin < frame.size();
             begin += sizeof(NaiveServer::Seen)) {
            NaiveServer::Seen seen{};
            std::memcpy(&seen, frame.data() + begin, sizeof seen);
            sent.emplace_back(square_to({seen.x, seen.y}), Place{seen.x, seen.y});
        }
        std::ranges::sort(truth);
        std::ranges::sort(sent);
        // At the edge of the nearest any of those that are as far away will do.
        const std::size_t count =
            nearest_max_ == 0 ? truth.size() : std::min(truth.size(), nearest_max_);
        const bool is_all = count == truth.size();
        const bool is_right =
            sent.size() == count &&
            (is_all ? sent == truth
                    : std::equal(sent.begin(), sent.end(), truth.begin(),
                                 [](const auto& a, const auto& b) { return a.first == b.first; }));
        if (!is_right) {
            fail(client,
                 fmt::format(
                     "of the naive server was sent {} others instead of {}, or not where they are",
                     sent.size(), count));
        }
    }

    ClientSockets sockets_;
    const std::chrono::microseconds spread_;
    const std::size_t nearest_max_;
};

/// Both servers, each with its players, in one process. The thread that makes it is the players'.
class ServerStage {
public:
    ServerStage(const ServerCase& one, std::size_t players, std::uint32_t tick_rate_hz,
                net::ServerOptions::Io io, std::int32_t prediction_error_mm,
                const CommonOptions& common, std::uint64_t (*allocation_count)())
        : one_(one),
          tick_rate_hz_(tick_rate_hz),
          allocation_count_(allocation_count),
          walkers_(walkers_on(one.map(players), players, common.seed << 32U)),
          naive_walkers_(walkers_),
          zone_(one.map(players), players, 0, common.seed, one.crowd(), tick_rate_hz, io,
                prediction_error_mm),
          naive_(kRadiusMm, one.nearest_max),
          clients_(zone_.port(), players, spread()),
          naive_clients_(naive_.port(), players, spread(), one.nearest_max) {
        clients_.join(walkers_, Movers::clients, 0);
        clients_.compare_with(walkers_, kComparedEvery, one.crowd());
        await([&] { return naive_.clients() == players; }, "the naive server lets nobody in");
    }

    SendTurn run_zone() {
        return run_zone_turn(zone_, clients_, script_, one_.ticks, Pace(tick_rate_hz_),
                             allocation_count_, [this] { return clients_.send_moves(walkers_); });
    }

    SendTurn run_naive() {
        std::uint64_t bytes = 0;
        SendTurn turn = run_turn(
            naive_, walkers_.size(), one_.ticks, Pace(tick_rate_hz_), allocation_count_,
            [this] { return naive_clients_.send_moves(naive_walkers_); },
            [&](std::size_t, std::size_t) { bytes += naive_clients_.read_frames(naive_walkers_); });
        turn.bytes = bytes;
        return turn;
    }

private:
    /// What comes on a net comes in no step with the ticks.
    [[nodiscard]] std::chrono::microseconds spread() const {
        return std::chrono::microseconds(800'000 / tick_rate_hz_);
    }

    const ServerCase& one_;
    const std::uint32_t tick_rate_hz_;
    std::uint64_t (*const allocation_count_)();
    std::vector<Walker> walkers_;
    std::vector<Walker> naive_walkers_;  ///< the same, who go the same ways
    FrameScript script_{walkers_.size()};
    ZoneServer zone_;
    NaiveServer naive_;
    SendClients clients_;
    NaiveClients naive_clients_;
};

struct Options {
    std::vector<std::string> cases;
    std::size_t players = 0;  ///< 0: as the case says
    std::uint32_t tick_rate_hz = 20;
    net::ServerOptions::Io io = net::ServerOptions::Io::automatic;
    std::int32_t prediction_error_mm = 0;
    CommonOptions common{.repetitions = 15};
};

/// By repetition. The report has the medians.
struct Measured {
    std::string_view name;  ///< of the case
    std::size_t players = 0;
    std::uint32_t tick_rate_hz = 0;
    std::int32_t prediction_error_mm = 0;
    // For each frame, that is, for each player and tick.
    std::vector<double> updates, cpu_us, naive_cpu_us, bytes, naive_bytes, allocations;

    void add(const SendTurn& zone, const SendTurn& naive) {
        const auto per_frame = [&](std::uint64_t amount) {
            return static_cast<double>(amount) / static_cast<double>(zone.frames);
        };
        updates.push_back(per_frame(zone.updates));
        cpu_us.push_back(per_frame(zone.cpu_ns) / 1'000);
        naive_cpu_us.push_back(per_frame(naive.cpu_ns) / 1'000);
        bytes.push_back(per_frame(zone.bytes));
        naive_bytes.push_back(per_frame(naive.bytes));
        allocations.push_back(per_frame(zone.allocations));
    }
    /// CPU time of our server for one tick of all players.
    [[nodiscard]] double tick_ms() const {
        return median(cpu_us) * static_cast<double>(players) / 1'000;
    }
};

std::string to_json(const Measured& of) {
    return fmt::format(
        R"({{"case":"{}","players":{},"tick_rate_hz":{},"prediction_error_mm":{},"updates_per_frame":{:.2f},)"
        R"("cpu_us_per_frame":{:.3f},"naive_cpu_us_per_frame":{:.3f},"cpu_ratio_to_naive_server":{:.4f},)"
        R"("bytes_per_frame":{:.1f},"naive_bytes_per_frame":{:.1f},"bytes_ratio_to_naive_server":{:.4f},)"
        R"("tick_cpu_ms":{:.3f},"allocations_per_frame":{:.4f},"spread":{:.3f}}})",
        of.name, of.players, of.tick_rate_hz, of.prediction_error_mm, median(of.updates),
        median(of.cpu_us), median(of.naive_cpu_us), median_ratio(of.cpu_us, of.naive_cpu_us),
        median(of.bytes), median(of.naive_bytes), median_ratio(of.bytes, of.naive_bytes),
        of.tick_ms(), median(of.allocations), spread(of.cpu_us));
}

std::string table_of(const std::vector<Measured>& results) {
    std::string table =
        fmt::format("{:<8} {:>7} {:>8} {:>8} {:>8} {:>9} {:>7} {:>7} {:>9} {:>8} {:>7}\n", "case",
                    "players", "updates", "CPU us", "naive us", "of naive", "bytes", "naive",
                    "of naive", "tick ms", "spread");
    for (const Measured& of : results) {
        table += fmt::format(
            "{:<8} {:>7} {:>8.1f} {:>8.2f} {:>8.2f} {:>8.2f}x {:>7.0f} {:>7.0f} {:>8.2f}x {:>8.2f} "
            "{:>6.0f}%\n",
            of.name, of.players, median(of.updates), median(of.cpu_us), median(of.naive_cpu_us),
            median_ratio(of.cpu_us, of.naive_cpu_us), median(of.bytes), median(of.naive_bytes),
            median_ratio(of.bytes, of.naive_bytes), of.tick_ms(), spread(of.cpu_us) * 100);
    }
    return table +
           "Updates, CPU and bytes: for each frame, that is, for each player and tick. tick ms: "
           "our CPU for all of one tick.\n"
           "Compare within one run only, as 'of naive'.\n";
}

/// Nothing when it was interrupted.
std::vector<Measured> measure(const ServerCase& one, const Options& options, const Host& host,
                              tools::ProgressLine& line) {
    const std::size_t players = options.players == 0 ? one.players : options.players;
    ServerStage stage(one, players, options.tick_rate_hz, options.io, options.prediction_error_mm,
                      options.common, host.allocation_count);
    Measured measured;
    measured.name = one.name;
    measured.players = players;
    measured.tick_rate_hz = options.tick_rate_hz;
    measured.prediction_error_mm = options.prediction_error_mm;
    const auto turn = [&](bool is_measured) {
        const SendTurn zone = stage.run_zone();
        const SendTurn naive = stage.run_naive();
        if (is_measured) measured.add(zone, naive);
    };
    return run_turns(fmt::format("server: {}, turn", one.name), options.common, host, line, turn)
               ? std::vector{measured}
               : std::vector<Measured>();
}

void declare(CLI::App& app, Options& options) {
    app.add_option("--case", options.cases, listing("Only these:", kCases))
        ->check(CLI::IsMember(names_of(kCases)))
        ->type_name("NAME...");
    app.add_option("--players", options.players, "Of each server; else as many as the case has")
        ->check(CLI::Range(100, 20'000));
    app.add_option("--hz", options.tick_rate_hz, "Ticks a second, and moves of each player")
        ->check(CLI::Range(1, 128))
        ->capture_default_str();
    app.add_option("--prediction-error-mm", options.prediction_error_mm,
                   "How far off our server may show somebody; 0: it sends every move")
        ->check(CLI::Range(0, engine::kPredictionErrorMaxMm))
        ->capture_default_str();
    declare_io(app, options.io);
}

}  // namespace

int run_server_benchmark(int argc, const char* const* argv, const Host& host) {
    CLI::App app("What a player costs, against a plain server as a studio would write it.",
                 "marchland-bench server");
    app.footer(kFooter);
    Options options;
    declare(app, options);
    parse(app, options.common, "200 players, and unsteady: does it run, are the frames right?",
          argc, argv, host);
    if (options.common.is_quick) options.players = 200;
    const std::size_t players_max = options.players == 0 ? 2'000 : options.players;
    require_open_files("--players", players_max, 2);
    return run_cases<Measured>("server", kCases, options, host, measure, to_json, table_of);
}

}  // namespace marchland::bench
