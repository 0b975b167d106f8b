#pragma once

#include "engine/frame/crowd_limits.h"
#include "engine/geometry.h"
#include "shards/lockstep.h"
#include "shards/zone.h"
#include "net/messages.h"
#include "net/server.h"
#include "tools/bench/workload.h"
#include "tools/clients/cpp/own_way.h"
#include "tools/clients/cpp/seen_world.h"
#include "tools/process/descriptor.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <flatbuffers/flatbuffer_builder.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <semaphore>
#include <span>
#include <stdexcept>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

/// Servers under measurement and their clients, in one process over loopback.
namespace marchland::bench {

/// Returns when the condition holds; throws std::runtime_error(what) when it does not for 20 s.
/// Looks now and then: to be notified would cost the server.
template <typename Condition>
void await(const Condition& is_true, const char* what) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point patience_ends = Clock::now() + std::chrono::seconds(20);
    while (!is_true()) {
        if (Clock::now() > patience_ends) throw std::runtime_error(what);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
}

/// CPU time of all threads but the calling one.
std::uint64_t others_cpu_ns();

/// So many ticks a second, unless a server is slower.
class Pace {
public:
    explicit Pace(std::uint32_t tick_rate_hz = 20)
        : period_(std::chrono::microseconds(1'000'000 / tick_rate_hz)) {}

    /// Returns when the next tick is due.
    void wait() {
        due_ = std::max(due_ + period_, std::chrono::steady_clock::now());
        std::this_thread::sleep_until(due_);
    }

private:
    const std::chrono::microseconds period_;
    std::chrono::steady_clock::time_point due_ = std::chrono::steady_clock::now();
};

/// A square on which each of so many walkers has `in_radius` others within 50 m; those who have
/// left that for a tenth come on top: about 60 are seen where 57 are in the radius.
engine::Rect map_for(std::size_t walkers, double in_radius = 57);
std::vector<Walker> walkers_on(const engine::Rect& map, std::size_t count, std::uint64_t seed);

/// The frames that a server sent in some ticks, one to each client, to be sent again by another.
///
/// Shape   ticks x clients, in the order of add(): all clients of a tick, then those of the next.
class FrameScript {
public:
    explicit FrameScript(std::size_t clients) : clients_(clients) {}

    /// So much can be added while somebody reads what is there already.
    void reserve(std::size_t frames, std::size_t bytes) {
        ends_.reserve(frames);
        bytes_.reserve(bytes);
    }
    void clear() {
        bytes_.clear();
        ends_.clear();
    }
    void add(std::span<const std::byte> frame) {
        bytes_.insert(bytes_.end(), frame.begin(), frame.end());
        ends_.push_back(bytes_.size());
    }
    /// Of a tick that was added whole.
    [[nodiscard]] std::span<const std::byte> frame(std::size_t tick, std::size_t client) const {
        const std::size_t place = tick * clients_ + client;
        const std::size_t begin = place == 0 ? 0 : ends_.at(place - 1);
        return std::span(bytes_).subspan(begin, ends_.at(place) - begin);
    }
    [[nodiscard]] std::size_t bytes() const { return bytes_.size(); }

private:
    const std::size_t clients_;
    std::vector<std::byte> bytes_;
    std::vector<std::size_t> ends_;
};

/// Listens on loopback, and sends its clients their frames when it is asked to, on threads of its
/// own.
///
/// Threads  Everything is for the thread that made it.
class SendServer {
public:
    SendServer() = default;
    SendServer(const SendServer&) = delete;
    SendServer& operator=(const SendServer&) = delete;
    virtual ~SendServer() = default;

    [[nodiscard]] virtual std::uint16_t port() const = 0;
    /// Begins one tick and returns at once. The one before has ended: writes_total() says so.
    virtual void start_tick() = 0;
    /// How many frames the tick has for so many clients: one each. Nothing: that is not known yet.
    [[nodiscard]] virtual std::optional<std::size_t> frames_of_tick(std::size_t clients) {
        return clients;
    }
    /// Writes to clients that were made.
    [[nodiscard]] virtual std::uint64_t writes_total() const = 0;
    /// Bytes of clients that were read, and are in force from the next tick on.
    [[nodiscard]] virtual std::uint64_t bytes_in_total() const = 0;
};

/// One that counts by itself what it does, in the thread that does it: a yardstick.
class CountingServer : public SendServer {
public:
    [[nodiscard]] std::uint16_t port() const override { return port_; }
    [[nodiscard]] std::uint64_t writes_total() const override { return writes_; }
    [[nodiscard]] std::uint64_t bytes_in_total() const override { return bytes_in_; }
    /// Clients that were let in. Any thread.
    [[nodiscard]] std::size_t clients() const { return client_count_; }

protected:
    std::uint16_t port_ = 0;
    std::atomic<std::size_t> client_count_{0};
    std::atomic<std::uint64_t> writes_{0};
    std::atomic<std::uint64_t> bytes_in_{0};
};

/// What some ticks of one server took.
struct SendTurn {
    std::uint64_t frames = 0;
    std::uint64_t cpu_ns = 0;  ///< of all threads but the clients'
    std::uint64_t writes = 0;
    std::uint64_t updates = 0;      ///< in frames that were checked: not the bare server's
    std::uint64_t allocations = 0;  ///< of all threads while the server was at work
    std::uint64_t bytes = 0;
};

/// Begins a tick of a server with so many clients, and returns when it has sent its frames: how
/// many.
inline std::size_t run_tick(SendServer& server, std::size_t clients) {
    const std::uint64_t wrote = server.writes_total();
    std::optional<std::size_t> frames;
    server.start_tick();
    await(
        [&] {
            frames = server.frames_of_tick(clients);
            return frames && server.writes_total() >= wrote + *frames;
        },
        "the clients are not sent their frames");
    return *frames;
}

/// Takes a server with so many clients through some ticks: their moves, if they make any, are read;
/// then they are sent their frames; then they read. `send_moves` returns how many bytes they sent;
/// `read` reads so many frames of the turn's n-th tick. The thread is the clients'.
template <typename SendMoves, typename Read>
SendTurn run_turn(SendServer& server, std::size_t clients, std::size_t ticks, Pace pace,
                  std::uint64_t (*allocation_count)(), const SendMoves& send_moves,
                  const Read& read) {
    SendTurn turn;
    const std::uint64_t writes_before = server.writes_total();
    const std::uint64_t cpu_before = others_cpu_ns();
    for (std::size_t tick = 0; tick < ticks; ++tick) {
        const std::uint64_t allocations_before = allocation_count();
        const std::uint64_t read_before = server.bytes_in_total();
        if (const std::uint64_t sent = send_moves(); sent > 0) {
            await([&] { return server.bytes_in_total() >= read_before + sent; },
                  "the clients' moves are not read");
        }
        const std::size_t frames = run_tick(server, clients);
        turn.allocations += allocation_count() - allocations_before;
        read(tick, frames);
        pace.wait();
    }
    turn.cpu_ns = others_cpu_ns() - cpu_before;
    turn.frames = ticks * clients;
    turn.writes = server.writes_total() - writes_before;
    return turn;
}

/// This project's server as it stands: engine, one shard, sessions, one I/O thread. Only its clock
/// is not its own: a tick is run when it is asked for.
class ZoneServer final : public SendServer {
public:
    /// The map holds the origin. `walkers` entities without a client move in every tick; their ids
    /// are the first ones.
    ZoneServer(const engine::Rect& map, std::size_t clients_max, std::size_t walkers,
               std::uint64_t seed, const engine::CrowdLimits& crowd = {},
               std::uint32_t tick_rate_hz = 20,
               net::ServerOptions::Io io = net::ServerOptions::Io::automatic,
               std::int32_t prediction_error_mm = 0, engine::StateSlots slots = {});
    ~ZoneServer() override;

    [[nodiscard]] std::uint16_t port() const override { return door_.port(); }
    void start_tick() override;
    /// A client for whom nothing changed in this tick is sent none.
    [[nodiscard]] std::optional<std::size_t> frames_of_tick(std::size_t clients) override;
    [[nodiscard]] std::uint64_t writes_total() const override {
        return door_.metrics().sends_total;
    }
    [[nodiscard]] std::uint64_t bytes_in_total() const override {
        return door_.metrics().bytes_in_total;
    }

private:
    net::Server door_;
    shards::Zone zone_;
    shards::Lockstep lockstep_;
    std::counting_semaphore<2> begin_{0};  ///< a tick, or the end
    std::atomic<bool> is_over_ = false;    ///< set before the last release of begin_
    std::atomic<bool> is_in_tick_ = false;
    std::uint64_t frames_before_ = 0;  ///< the tick
    std::thread thread_;
};

/// What is left of a server when the game is taken out: one thread of Asio that throws away what
/// its clients send, and in each tick writes to each of them the bytes that a script has for it. It
/// has no limits and no state; nothing that sends the same bytes over TCP costs much less.
///
/// Life  The script may be rewritten between ticks, and outlives it.
class BareServer final : public CountingServer {
public:
    explicit BareServer(const FrameScript& script);
    ~BareServer() override;

    void start_tick() override;

    /// The next tick is the script's first.
    void rewind() { next_tick_ = 0; }

private:
    /// What was read is thrown away; large enough for what a client sends in a tick.
    struct Client {
        explicit Client(boost::asio::ip::tcp::socket&& of) : socket(std::move(of)) {}

        boost::asio::ip::tcp::socket socket;
        std::array<std::byte, 2'048> interest;
    };

    void accept();
    void read(Client& client);
    void send(std::size_t tick);

    const FrameScript& script_;
    boost::asio::io_context io_{1};
    boost::asio::ip::tcp::acceptor acceptor_;
    std::vector<std::unique_ptr<Client>> clients_;  ///< in the order of their coming
    std::size_t next_tick_ = 0;
    std::thread thread_;
};

[[noreturn]] void fail_with_errno(const char* what);

/// A connection to this machine's port. What takes longer than twenty seconds fails.
///
/// Errors  std::system_error.
process::Descriptor connect_to_loopback(std::uint16_t port);

/// Connections of clients to a server on this machine. Messages are as in our protocol: a length
/// (u32, little endian) and so many bytes.
///
/// Errors  std::runtime_error, std::system_error.
class ClientSockets {
public:
    ClientSockets(std::uint16_t port, std::size_t count);

    [[nodiscard]] std::size_t size() const { return sockets_.size(); }
    void send(std::size_t client, std::span<const std::byte> message);
    [[nodiscard]] bool has_message(std::size_t client) const;
    /// Waits for one, which no other follows yet. It begins at a multiple of 8; valid until the
    /// next call.
    [[nodiscard]] std::span<const std::byte> read_message(std::size_t client);
    /// Calls `send` for each client: at once, or evenly over this time, as on a net.
    template <typename Send>
    void spread(std::chrono::microseconds over, const Send& send) {
        const auto begin = std::chrono::steady_clock::now();
        for (std::size_t i = 0; i < size(); ++i) {
            const auto due = begin + over * i / size();
            if (due > std::chrono::steady_clock::now() + std::chrono::microseconds(200)) {
                std::this_thread::sleep_until(due);
            }
            send(i);
        }
    }

private:
    std::vector<process::Descriptor> sockets_;
    std::vector<std::uint64_t> bytes_;  ///< of one message: a multiple of 8, as decoders need it
};

[[noreturn]] void fail(std::size_t client, const std::string& what);

/// Who moves, and so is in every frame.
enum class Movers {
    walkers,  ///< entities of the zone without a client; clients stand still and send nothing
    clients,  ///< each client sends in each tick where it is now
};

/// The clients of a server under measurement, all on one thread: whatever they do, they do one
/// after the other, when the server has done its part. So no server pays for waking them.
///
/// They check what they read: it is one message, it decodes, and a frame has exactly so many
/// moves as there are movers that its client knows; at most so many where the zone predicts.
///
/// Errors  std::runtime_error says what is wrong.
class SendClients {
public:
    /// Connects so many. Moves come over so long a time; 0: all at once.
    SendClients(std::uint16_t port, std::size_t count, std::chrono::microseconds spread = {});

    /// Sends Hello and reads the Welcome, each. They begin as the walkers do; `walkers`: ids up to
    /// this one are of such, and all others are clients.
    void join(std::span<const Walker> clients, Movers movers, std::uint64_t walkers);

    /// After join(), where clients move: from here on every `every`-th one's known set, and where
    /// it believes its members to be, are compared with the truth in every frame: who is seen with
    /// where the zone has them, and where they are with these walkers, too. `crowd`: as the zone
    /// has it; only the cap.
    void compare_with(std::span<const Walker> clients, std::size_t every,
                      const engine::CrowdLimits& crowd = {});

    /// All of them step, and send where they are as the client libraries do: where the zone
    /// predicts, only when it would be wrong by more than its bound. Returns the bytes.
    std::size_t send_moves(std::span<Walker> clients);
    /// What these others sent last: for a server that does not care who sends it.
    std::size_t send_moves_of(const SendClients& others);

    /// So many frames, no two for one client, which are checked and added to the script.
    void read_frames(FrameScript& script, std::size_t frames);
    /// One frame for each, as the script has it in this tick.
    void read_again(const FrameScript& script, std::size_t tick);

    [[nodiscard]] std::size_t size() const { return sockets_.size(); }
    /// In all frames that were checked.
    [[nodiscard]] std::uint64_t moves_total() const { return moves_total_; }

private:
    /// Where one is shown, and how far it goes in a tick.
    struct Shown {
        engine::Position at;
        engine::Step velocity;
    };
    /// What the zone has of a client.
    struct InZone : Shown {
        engine::Tick ticks_left = 0;  ///< that it goes on
        client::OwnWay way;
    };

    void read_frame(std::size_t client, FrameScript& script);
    void check(std::size_t client, const net::FrameMessage& frame);
    void go_on(InZone& one) const;
    [[nodiscard]] std::int32_t error_mm() const {
        return static_cast<std::int32_t>(welcome_.prediction_error_mm);
    }
    [[nodiscard]] engine::Tick predicted_ticks_max() const {
        return engine::Tick{welcome_.prediction_ms_max} * welcome_.tick_rate_hz / 1'000;
    }
    void compare(std::size_t client, net::FrameMessage* frame);
    /// Whom it must know, by id: each one's place. `before`: whom it knew.
    [[nodiscard]] std::map<engine::EntityId, std::size_t> truth_for(
        std::size_t client, const client::SeenWorld& before) const;
    [[nodiscard]] bool is_mover(engine::EntityId id) const;

    ClientSockets sockets_;
    const std::chrono::microseconds spread_;
    std::vector<std::size_t> known_movers_;          ///< by client
    std::vector<std::vector<std::byte>> last_move_;  ///< by client
    Movers movers_ = Movers::walkers;
    std::uint64_t walkers_ = 0;
    std::uint32_t seq_ = 0;
    std::uint64_t moves_total_ = 0;

    std::map<engine::EntityId, std::size_t> place_of_;  ///< of a client, by its entity's id
    std::span<const Walker> truth_;
    engine::CrowdLimits crowd_;
    net::Welcome welcome_;         ///< the newest: what it says of the zone all say
    std::vector<InZone> in_zone_;  ///< by client
    engine::Tick tick_ = 0;        ///< of the frames that are read
    std::map<std::size_t, client::SeenWorld> worlds_;  ///< by client: of those that are compared

    flatbuffers::FlatBufferBuilder builder_;
    net::ServerMessage decoded_;
};

/// As run_turn(), of our server: what it sends is checked, and is in the script afterwards.
template <typename SendMoves>
SendTurn run_zone_turn(ZoneServer& zone, SendClients& clients, FrameScript& script,
                       std::size_t ticks, Pace pace, std::uint64_t (*allocation_count)(),
                       const SendMoves& send_moves) {
    script.clear();
    const std::uint64_t updates_before = clients.moves_total();
    SendTurn turn =
        run_turn(zone, clients.size(), ticks, pace, allocation_count, send_moves,
                 [&](std::size_t, std::size_t frames) { clients.read_frames(script, frames); });
    turn.updates = clients.moves_total() - updates_before;
    turn.bytes = script.bytes();
    return turn;
}

}  // namespace marchland::bench
