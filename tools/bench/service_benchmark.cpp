#include "net/decode_server.h"
#include "net/encode_client.h"
#include "net/messages.h"
#include "net/receive_buffer.h"
#include "tools/bench/benchmark.h"
#include "tools/bench/loopback.h"
#include "tools/bench/statistics.h"
#include "tools/progress/progress_line.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <sys/socket.h>

namespace marchland::bench {
namespace {

constexpr const char* kFooter = R"(
Two zones in one process, each with as many players, who stand and look, and as large a crowd, which walks 0.25 m
in each tick; they take turns of ten ticks, 20 a second. In one zone the crowd is a service's, which moves all of it
over its connection, in packed moves; in the other it is the zone's own, which costs nothing to ask. What the first
takes more is what the service costs. CPU time is that of all threads but the service's and the players'.

With --slots the crowd of both zones is a service's: in one an entity has so many integer slots, of which everybody who sees it is sent
what changes, one of a tenth of the entities in each tick; in the other it has none. What the first takes more is what the slots cost.

  marchland-bench service
  marchland-bench service --entities 10000 --slots 4
  marchland-bench service --entities 10000 --players 500 --repetitions 30 --json)";

/// A service that owns a crowd of walkers, and moves all of them in packed moves. A blocking
/// socket, on the thread that made it.
///
/// Errors  std::runtime_error, std::system_error: the server did not do what it was asked.
class ServiceClient {
public:
    /// Sends ServiceHello, spawns one entity for each walker, and returns when they are there: ids
    /// from 1 on, in their order. Nobody else may be in the zone.
    ServiceClient(std::uint16_t port, std::span<const Walker> walkers)
        : socket_(connect_to_loopback(port)), received_(std::size_t{1} << 20U) {
        send(net::encode(builder_, net::ServiceHello{}));
        receive<net::ServiceWelcome>();
        for (std::size_t first = 0; first < walkers.size(); first += net::kServiceItemsMax) {
            net::Spawn spawn;
            for (const Walker& walker :
                 walkers.subspan(first, std::min(net::kServiceItemsMax, walkers.size() - first))) {
                net::SpawnOne one;
                one.position = walker.at();
                spawn.entities.push_back(one);
                sent_.push_back(walker.at());
            }
            send(net::encode(builder_, spawn));
            const auto spawned = receive<net::Spawned>();
            if (spawned.entities.size() != spawn.entities.size() ||
                spawned.entities.front().entity != id_of(first)) {
                throw std::runtime_error("the service's entities are not there");
            }
        }
    }

    /// All of them step, and of a tenth one of so many slots changes: returns the messages that say
    /// so, ready to be sent.
    std::span<const std::byte> step(std::span<Walker> walkers, std::size_t slots) {
        const bool is_first = moves_.empty();
        moves_.clear();
        net::MoveMany many;
        for (std::size_t i = 0; i < walkers.size(); ++i) {
            const engine::Position now = walkers[i].step();
            const engine::Position from = is_first ? engine::Position{} : sent_[i];
            many.moves.push_back({id_of(i), !is_first, std::int64_t{now.x} - from.x,
                                  std::int64_t{now.y} - from.y, std::int64_t{now.z} - from.z});
            sent_[i] = now;
            if (many.moves.size() == net::kServiceItemsMax || i + 1 == walkers.size()) {
                const auto message = net::encode(builder_, many);
                moves_.insert(moves_.end(), message.begin(), message.end());
                many.moves.clear();
            }
        }
        if (slots > 0) {
            append_changes(walkers.size(), slots);
        }
        return moves_;
    }

    void send(std::span<const std::byte> messages) {
        while (!messages.empty()) {
            const ssize_t sent =
                ::send(socket_.fd(), messages.data(), messages.size(), MSG_NOSIGNAL);
            if (sent < 0) fail_with_errno("send");
            messages = messages.subspan(static_cast<std::size_t>(sent));
        }
    }

    /// Returns when the server has taken in all that was sent.
    void fence() {
        send(net::encode(builder_, net::Ping{++pings_}));
        while (receive<net::Pong>().nonce != pings_) {
        }
    }

private:
    void append_changes(std::size_t walkers, std::size_t slots) {
        constexpr std::size_t kOneIn = 10;
        ++changes_;
        const auto number = static_cast<std::uint8_t>(changes_ / kOneIn % slots);
        net::Change change;
        for (std::size_t i = changes_ % kOneIn; i < walkers; i += kOneIn) {
            net::ChangeOne one;
            one.entity = id_of(i);
            one.state = {{number, static_cast<std::int64_t>(changes_)}};
            change.entities.push_back(std::move(one));
            if (change.entities.size() == net::kServiceItemsMax || i + kOneIn >= walkers) {
                const auto message = net::encode(builder_, change);
                moves_.insert(moves_.end(), message.begin(), message.end());
                change.entities.clear();
            }
        }
    }

    static engine::EntityId id_of(std::size_t walker) {
        return static_cast<engine::EntityId>(walker + 1);
    }

    /// The next message of this kind. Players' joining is passed over.
    template <typename Message>
    Message receive() {
        while (true) {
            std::span<const std::byte> message;
            while (received_.next(message) != net::ReceiveBuffer::Next::message) {
                const auto interest = received_.writable();
                const ssize_t got = ::recv(socket_.fd(), interest.data(), interest.size(), 0);
                if (got <= 0) fail_with_errno("nothing for the service to receive");
                received_.commit(static_cast<std::size_t>(got));
            }
            net::ServerMessage decoded;
            if (const auto error = net::decode_server(message, decoded)) {
                throw std::runtime_error("the service was sent nonsense: " + error->text);
            }
            if (auto* const wanted = std::get_if<Message>(&decoded)) return std::move(*wanted);
            if (!std::holds_alternative<net::PlayerJoined>(decoded) &&
                !std::holds_alternative<net::PlayersListed>(decoded)) {
                throw std::runtime_error("the service was sent something else");
            }
        }
    }

    process::Descriptor socket_;
    flatbuffers::FlatBufferBuilder builder_;
    net::ReceiveBuffer received_;
    std::vector<engine::Position> sent_;  ///< by walker
    std::vector<std::byte> moves_;
    std::uint64_t pings_ = 0;
    std::uint64_t changes_ = 0;  ///< ticks with some
};

struct ServiceCrowd {
    std::size_t entities = 5'000;
    std::size_t players = 200;
    std::uint64_t seed = 1;
    std::size_t slots = 0;
};

engine::StateSlots slots_of(std::size_t count) {
    engine::StateSlots slots(count);
    for (std::size_t number = 0; number < count; ++number) {
        slots[number].name = fmt::format("slot{}", number);
    }
    return slots;
}

/// What some ticks took.
struct ServiceTurn {
    SendTurn all = {};              ///< bytes and updates are those of the players' frames
    std::uint64_t take_cpu_ns = 0;  ///< of the server's threads, from the first move to the Pong
    std::uint64_t bytes_in = 0;     ///< of moves, and changes
};

/// A zone with players who stand and look, and a crowd that walks in each tick: a service's, with
/// as many slots, or the zone's own. All crowds walk the same ways.
///
/// Threads  The thread that makes it is that of service and players: its CPU time is not the
///          server's.
/// Errors   std::runtime_error: somebody was sent something wrong, or nothing.
class ServiceStage {
public:
    ServiceStage(const ServiceCrowd& crowd, bool has_service)
        : slots_(crowd.slots),
          walkers_(walkers_on(map_for(crowd.entities), crowd.entities, crowd.seed)),
          zone_(map_for(crowd.entities), crowd.players + (has_service ? crowd.entities + 1 : 0),
                has_service ? 0 : crowd.entities, crowd.seed, {}, 20,
                net::ServerOptions::Io::automatic, 0, slots_of(crowd.slots)),
          players_(zone_.port(), crowd.players),
          script_(crowd.players) {
        if (has_service) service_.emplace(zone_.port(), walkers_);
        players_.join(walkers_on(map_for(crowd.entities), crowd.players, crowd.seed << 32U),
                      Movers::walkers, crowd.entities);
        if (service_) service_->fence();  // it knows all players: nothing more is sent to it
    }

    ServiceTurn run(std::size_t ticks, std::uint64_t (*allocation_count)()) {
        ServiceTurn turn;
        const auto move_crowd = [&] {
            if (service_) {
                const auto moves = service_->step(walkers_, slots_);
                turn.bytes_in += moves.size();
                const std::uint64_t take_before = others_cpu_ns();
                service_->send(moves);
                service_->fence();
                turn.take_cpu_ns += others_cpu_ns() - take_before;
            }
            return 0;  // who moves here is no player
        };
        turn.all =
            run_zone_turn(zone_, players_, script_, ticks, Pace(), allocation_count, move_crowd);
        return turn;
    }

private:
    const std::size_t slots_;
    std::vector<Walker> walkers_;  ///< the service's
    ZoneServer zone_;
    std::optional<ServiceClient> service_;
    SendClients players_;
    FrameScript script_;
};

struct Options {
    ServiceCrowd crowd;
    CommonOptions common{.repetitions = 15};
};

void declare(CLI::App& app, Options& options) {
    app.add_option("--entities", options.crowd.entities, "Of the service, each moved in each tick")
        ->check(CLI::Range(100, 10'000))
        ->capture_default_str();
    app.add_option("--players", options.crowd.players, "Who look, of each zone")
        ->check(CLI::Range(1, 5'000))
        ->capture_default_str();
    app.add_option("--slots", options.crowd.slots,
                   "What as many slots cost, instead of the service")
        ->check(CLI::Range(std::size_t{0}, engine::kStateSlotsMax))
        ->capture_default_str();
}

/// By repetition, for each entity that was moved.
struct Measured {
    std::vector<double> take_ns, more_ns, cpu_ns, bytes, updates, more_bytes, ratio;

    void add(const ServiceTurn& service, const ServiceTurn& alone, double moves, double frames) {
        more_bytes.push_back(
            (static_cast<double>(service.all.bytes) - static_cast<double>(alone.all.bytes)) /
            frames);
        ratio.push_back(static_cast<double>(service.all.cpu_ns) /
                        static_cast<double>(alone.all.cpu_ns));
        take_ns.push_back(static_cast<double>(service.take_cpu_ns) / moves);
        more_ns.push_back(
            (static_cast<double>(service.all.cpu_ns) - static_cast<double>(alone.all.cpu_ns)) /
            moves);
        cpu_ns.push_back(static_cast<double>(service.all.cpu_ns) / moves);
        bytes.push_back(static_cast<double>(service.bytes_in) / moves);
        updates.push_back(static_cast<double>(service.all.updates) / frames);
    }
};

/// Nothing when it was interrupted.
std::optional<Measured> measure(const Options& options, const Host& host,
                                tools::ProgressLine& line) {
    const std::size_t ticks = options.common.is_quick ? 4 : 10;  // of a turn
    ServiceStage owned(options.crowd, true);
    ServiceCrowd beside = options.crowd;
    beside.slots = 0;
    ServiceStage alone(beside, options.crowd.slots > 0);
    Measured measured;
    const auto turn = [&](bool is_measured) {
        const ServiceTurn with = owned.run(ticks, host.allocation_count);
        const ServiceTurn without = alone.run(ticks, host.allocation_count);
        if (with.all.updates != without.all.updates) {
            throw std::runtime_error("the two crowds were not seen alike");
        }
        if (is_measured) {
            measured.add(with, without, static_cast<double>(ticks * options.crowd.entities),
                         static_cast<double>(ticks * options.crowd.players));
        }
    };
    return run_turns("service: turn", options.common, host, line, turn) ? std::optional(measured)
                                                                        : std::nullopt;
}

std::string result_json(const Options& options, const Measured& measured) {
    return fmt::format(
        R"({{"entities":{},"players":{},"slots":{},"updates_per_frame":{:.2f},"take_ns_per_move":{:.1f},)"
        R"("more_cpu_ns_per_move":{:.1f},"cpu_ns_per_move":{:.1f},"bytes_per_move":{:.3f},)"
        R"("more_bytes_per_frame":{:.1f},"cpu_ratio":{:.3f},"spread":{:.3f}}})",
        options.crowd.entities, options.crowd.players, options.crowd.slots,
        median(measured.updates), median(measured.take_ns), median(measured.more_ns),
        median(measured.cpu_ns), median(measured.bytes), median(measured.more_bytes),
        median(measured.ratio), spread(measured.ratio));
}

std::string result_text(const Options& options, const Measured& measured) {
    return fmt::format(
        "{} entities of a service, {} players with {:.1f} moves in a frame\n"
        "for each entity that the service moves:\n"
        "  {:>8.1f} ns CPU to take it in (spread {:.0f}%)\n"
        "  {:>8.1f} ns CPU more, in all, than one that {}\n"
        "  {:>8.1f} ns CPU of the server, in all, the players' frames included: {:.2f} times the "
        "other's (spread {:.0f}%)\n"
        "  {:>8.2f} bytes to the server\n"
        "for each frame of a player:\n"
        "  {:>8.1f} bytes more\n",
        options.crowd.entities, options.crowd.players, median(measured.updates),
        median(measured.take_ns), spread(measured.take_ns) * 100, median(measured.more_ns),
        options.crowd.slots > 0 ? "has no slots" : "needs no service", median(measured.cpu_ns),
        median(measured.ratio), spread(measured.ratio) * 100, median(measured.bytes),
        median(measured.more_bytes));
}

}  // namespace

int run_service_benchmark(int argc, const char* const* argv, const Host& host) {
    CLI::App app("What it costs the server that a service moves its entities.",
                 "marchland-bench service");
    app.footer(kFooter);
    Options options;
    declare(app, options);
    parse(app, options.common, "500 entities, 20 players, and unsteady: does it run?", argc, argv,
          host);
    options.crowd.seed = options.common.seed;
    if (options.common.is_quick) {
        options.crowd.entities = 500;
        options.crowd.players = 20;
    }
    require_open_files("--players", options.crowd.players, 2);

    return run_one<Measured>(
        "service", options.common, host,
        [&](tools::ProgressLine& line) { return measure(options, host, line); },
        [&](const Measured& measured) { return result_json(options, measured); },
        [&](const Measured& measured) { return result_text(options, measured); });
}

}  // namespace marchland::bench
