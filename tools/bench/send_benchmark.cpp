#include "tools/bench/benchmark.h"
#include "tools/bench/loopback.h"
#include "tools/bench/statistics.h"
#include "tools/bench/uring_server.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <system_error>

namespace marchland::bench {
namespace {

constexpr const char* kFooter = R"(
Our server (engine, one shard, sessions, one I/O thread) and two yardsticks in one process, each with so
many clients on loopback, in turns of ten ticks, 20 a second: a bare Asio server, and one of io_uring alone, where the
kernel allows that. They write to each of their clients the bytes that ours wrote to the same one in the turn before,
and have nothing else to do. CPU time is that of all threads but the clients'. These check every frame: it decodes,
and has all whom the client knows and that moved; where clients walk, the sets of every fiftieth are compared with
the truth. The yardsticks' frames are compared with what they should be, byte by byte.

Each client sees about 60 movers in a circle of 50 m (leave radius 55 m). Each of them walks 0.25 m a tick.

Each client needs six file descriptors: the limit of open files is raised as far as it goes.

Exit code: 0 all is well, 1 a client was sent something wrong, 2 bad arguments, 130 interrupted with
Ctrl-C (the cases that were finished are reported).

  marchland-bench send
  marchland-bench send --case frames --clients 4000 --repetitions 30 --json)";

/// Our server and the yardsticks, with as many clients each, in one process. They take turns; the
/// yardsticks send in theirs what ours sent in the one before, and read as much.
///
/// Threads  The thread that makes it is that of all clients: its CPU time is no server's.
/// Errors   std::runtime_error: a client was sent something wrong, or nothing.
class SendStage {
public:
    /// `allocation_count`: see Host.
    SendStage(std::size_t clients, Movers movers, std::chrono::microseconds spread,
              std::uint64_t seed, net::ServerOptions::Io io, std::uint64_t (*allocation_count)())
        : movers_(movers),
          allocation_count_(allocation_count),
          walkers_(walkers_on(map_for(clients), clients, seed << 32U)),
          script_(clients),
          zone_(map_for(clients), clients, movers == Movers::walkers ? clients : 0, seed, {}, 20,
                io),
          bare_(script_),
          zone_clients_(zone_.port(), clients, spread),
          bare_clients_(bare_.port(), clients, spread) {
        zone_clients_.join(walkers_, movers, movers == Movers::walkers ? clients : 0);
        if (clients_move()) zone_clients_.compare_with(walkers_, 50);
        await([&] { return bare_.clients() == clients; }, "the bare server lets nobody in");
        try {
            raw_ = std::make_unique<UringServer>(script_, clients);
        } catch (const std::system_error&) {
            return;  // the kernel allows none
        }
        raw_clients_ = std::make_unique<SendClients>(raw_->port(), clients, spread);
        await([&] { return raw_->clients() == clients; }, "the io_uring server lets nobody in");
    }

    SendTurn run_zone(std::size_t ticks) {
        script_ticks_ = ticks;
        return run_zone_turn(
            zone_, zone_clients_, script_, ticks, Pace(), allocation_count_,
            [this] { return clients_move() ? zone_clients_.send_moves(walkers_) : 0; });
    }

    /// As many ticks as the zone had in its last turn.
    SendTurn run_bare() { return run_again(bare_, bare_clients_); }
    /// Likewise; nothing where the kernel allows no io_uring.
    std::optional<SendTurn> run_raw() {
        return raw_ ? std::optional(run_again(*raw_, *raw_clients_)) : std::nullopt;
    }

private:
    template <typename Server>
    SendTurn run_again(Server& server, SendClients& clients) {
        server.rewind();
        return run_turn(
            server, walkers_.size(), script_ticks_, Pace(), allocation_count_,
            [&] { return clients_move() ? clients.send_moves_of(zone_clients_) : 0; },
            [&](std::size_t tick, std::size_t) { clients.read_again(script_, tick); });
    }
    [[nodiscard]] bool clients_move() const { return movers_ == Movers::clients; }

    const Movers movers_;
    std::uint64_t (*const allocation_count_)();
    std::vector<Walker> walkers_;  ///< the clients'
    FrameScript script_;
    std::size_t script_ticks_ = 0;
    ZoneServer zone_;
    BareServer bare_;
    std::unique_ptr<UringServer> raw_;
    SendClients zone_clients_;
    SendClients bare_clients_;
    std::unique_ptr<SendClients> raw_clients_;
};

struct SendCase {
    std::string_view name;
    std::string_view summary;
    Movers movers;
    std::chrono::milliseconds spread{0};  ///< of the clients' moves
};

constexpr std::array<SendCase, 3> kCases = {{
    {"frames", "clients stand and read; as many others, of the server's own, walk",
     Movers::walkers},
    {"play", "each client sends in each tick where it walked; both servers read that",
     Movers::clients},
    {"spread", "as play, and what they send comes over 40 ms of each tick's 50, as on a net",
     Movers::clients, std::chrono::milliseconds(40)},
}};

struct Options {
    std::vector<std::string> cases;
    std::size_t clients = 1'000;
    net::ServerOptions::Io io = net::ServerOptions::Io::automatic;
    CommonOptions common{.repetitions = 15};
};

void declare(CLI::App& app, Options& options) {
    app.add_option("--case", options.cases, listing("Only these:", kCases))
        ->check(CLI::IsMember(names_of(kCases)))
        ->type_name("NAME...");
    app.add_option("--clients", options.clients, "Of each server")
        ->check(CLI::Range(100, 100'000))
        ->capture_default_str();
    declare_io(app, options.io);
}

/// What it took to send one kind of frames: by repetition, for each frame, that is, for each client
/// and tick. The report has the medians.
struct Measured {
    std::string_view name;  ///< of the case
    std::size_t clients = 0;
    /// CPU time of the server's threads alone, all steps of its tick included.
    std::vector<double> cpu_us, bare_cpu_us;
    std::vector<double> raw_cpu_us;  ///< as many, or none
    std::vector<double> updates, writes, allocations;
    std::vector<double> bytes;  ///< length prefixes included, TCP's headers left out

    void add(const SendTurn& zone, const SendTurn& bare, const std::optional<SendTurn>& raw) {
        const auto per_frame = [&](std::uint64_t amount) {
            return static_cast<double>(amount) / static_cast<double>(zone.frames);
        };
        cpu_us.push_back(per_frame(zone.cpu_ns) / 1'000);
        bare_cpu_us.push_back(per_frame(bare.cpu_ns) / 1'000);
        if (raw) {
            raw_cpu_us.push_back(per_frame(raw->cpu_ns) / 1'000);
        }
        updates.push_back(per_frame(zone.updates));
        bytes.push_back(per_frame(zone.bytes));
        writes.push_back(per_frame(zone.writes));
        allocations.push_back(per_frame(zone.allocations));
    }
    [[nodiscard]] std::string raw_us(const char* none) const {
        return raw_cpu_us.empty() ? none : fmt::format("{:.3f}", median(raw_cpu_us));
    }
    [[nodiscard]] std::string of_raw(const char* none) const {
        return raw_cpu_us.empty() ? none : fmt::format("{:.4f}", median_ratio(cpu_us, raw_cpu_us));
    }
};

std::string to_json(const Measured& of) {
    return fmt::format(
        R"({{"case":"{}","clients":{},"updates_per_frame":{:.2f},"cpu_us_per_frame":{:.3f},)"
        R"("bare_cpu_us_per_frame":{:.3f},"cpu_ratio_to_bare_server":{:.4f},)"
        R"("raw_cpu_us_per_frame":{},"cpu_ratio_to_raw_io_uring":{},)"
        R"("bytes_per_frame":{:.1f},"bytes_per_update":{:.3f},"writes_per_frame":{:.4f},)"
        R"("allocations_per_frame":{:.4f},"spread":{:.3f}}})",
        of.name, of.clients, median(of.updates), median(of.cpu_us), median(of.bare_cpu_us),
        median_ratio(of.cpu_us, of.bare_cpu_us), of.raw_us("null"), of.of_raw("null"),
        median(of.bytes), median_ratio(of.bytes, of.updates), median(of.writes),
        median(of.allocations), spread(of.cpu_us));
}

std::string table_of(const std::vector<Measured>& results) {
    std::string table = fmt::format(
        "{:<9} {:>7} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>7} {:>8} {:>8} {:>7} {:>7}\n", "case",
        "clients", "updates", "CPU us", "bare us", "of bare", "raw us", "of raw", "bytes",
        "/update", "writes", "allocs", "spread");
    for (const Measured& of : results) {
        table += fmt::format(
            "{:<9} {:>7} {:>8.1f} {:>8.2f} {:>8.2f} {:>7.2f}x {:>8} {:>8} {:>7.0f} {:>8.2f} "
            "{:>8.3f} {:>7.3f} {:>6.0f}%\n",
            of.name, of.clients, median(of.updates), median(of.cpu_us), median(of.bare_cpu_us),
            median_ratio(of.cpu_us, of.bare_cpu_us), of.raw_us("-"), of.of_raw("-"),
            median(of.bytes), median_ratio(of.bytes, of.updates), median(of.writes),
            median(of.allocations), spread(of.cpu_us) * 100);
    }
    return table +
           "All but clients and spread: for each frame, that is, for each client and tick.\n"
           "Compare within one run only, as 'of bare', and 'of raw', which is io_uring alone.\n";
}

/// Nothing when it was interrupted.
std::vector<Measured> measure(const SendCase& one, const Options& options, const Host& host,
                              tools::ProgressLine& line) {
    const std::size_t ticks = options.common.is_quick ? 4 : 10;  // of a turn
    SendStage stage(options.clients, one.movers, one.spread, options.common.seed, options.io,
                    host.allocation_count);
    Measured measured;
    measured.name = one.name;
    measured.clients = options.clients;
    const auto turn = [&](bool is_measured) {
        const SendTurn zone = stage.run_zone(ticks);
        const SendTurn bare = stage.run_bare();
        const std::optional<SendTurn> raw = stage.run_raw();
        if (is_measured) measured.add(zone, bare, raw);
    };
    return run_turns(fmt::format("send: {}, turn", one.name), options.common, host, line, turn)
               ? std::vector{measured}
               : std::vector<Measured>();
}

}  // namespace

int run_send_benchmark(int argc, const char* const* argv, const Host& host) {
    CLI::App app("What it costs to send frames, against a server that has nothing else to do.",
                 "marchland-bench send");
    app.footer(kFooter);
    Options options;
    declare(app, options);
    parse(app, options.common, "100 clients, and unsteady: does it run, are the frames right?",
          argc, argv, host);
    if (options.common.is_quick) options.clients = 100;
    require_open_files("--clients", options.clients, 3);
    return run_cases<Measured>("send", kCases, options, host, measure, to_json, table_of);
}

}  // namespace marchland::bench
