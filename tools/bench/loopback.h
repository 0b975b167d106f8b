#pragma once

#include "engine/geometry.h"
#include "shards/lockstep.h"
#include "shards/zone.h"
#include "net/messages.h"
#include "net/server.h"
#include "tools/bench/workload.h"
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
#include <memory>
#include <semaphore>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

/// Servers under measurement and their clients, in one process over loopback.
namespace marchland::bench {

/// Returns when the condition holds; throws std::runtime_error(what) when it does not for 20 s. Looks now
/// and then: to be notified would cost the server.
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

/// Twenty ticks a second, unless a server is slower.
class Pace {
public:
    /// Returns when the next tick is due.
    void wait() {
        due_ = std::max(due_ + std::chrono::milliseconds(50), std::chrono::steady_clock::now());
        std::this_thread::sleep_until(due_);
    }

private:
    std::chrono::steady_clock::time_point due_ = std::chrono::steady_clock::now();
};

/// A square on which so many walkers are such that each sees about 60 of them: 57 in its radius, and
/// those who have left it for a tenth.
engine::Rect map_for(std::size_t walkers);
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

/// Listens on loopback, and sends one frame to each of its clients when it is asked to, on threads of its own.
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
    /// Writes to clients that were made.
    [[nodiscard]] virtual std::uint64_t writes_total() const = 0;
    /// Bytes of clients that were read, and are in force from the next tick on.
    [[nodiscard]] virtual std::uint64_t bytes_in_total() const = 0;
};

/// This project's server as it stands: engine, one shard, sessions, one I/O thread. Only its clock is
/// not its own: a tick is run when it is asked for.
class ZoneServer final : public SendServer {
public:
    /// The map holds the origin. `walkers` entities without a client move in every tick; their ids are the
    /// first ones.
    ZoneServer(const engine::Rect& map, std::size_t clients_max, std::size_t walkers,
               std::uint64_t seed);
    ~ZoneServer() override;

    [[nodiscard]] std::uint16_t port() const override { return door_.port(); }
    void start_tick() override { begin_.release(); }
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
    bool is_over_ = false;                 ///< set before the last release of begin_
    std::thread thread_;
};

/// What is left of a server when the game is taken out: one thread of Asio that throws away what its
/// clients send, and in each tick writes to each of them the bytes that a script has for it. It has no
/// limits and no state; nothing that sends the same bytes over TCP costs much less.
///
/// Life  The script may be rewritten between ticks, and outlives it.
class BareServer final : public SendServer {
public:
    explicit BareServer(const FrameScript& script);
    ~BareServer() override;

    [[nodiscard]] std::uint16_t port() const override { return port_; }
    void start_tick() override;
    [[nodiscard]] std::uint64_t writes_total() const override { return writes_; }
    [[nodiscard]] std::uint64_t bytes_in_total() const override { return bytes_in_; }

    /// The next tick is the script's first.
    void rewind() { next_tick_ = 0; }
    /// Clients that were let in. Any thread.
    [[nodiscard]] std::size_t clients() const { return client_count_; }

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
    std::uint16_t port_ = 0;
    std::vector<std::unique_ptr<Client>> clients_;  ///< in the order of their coming
    std::size_t next_tick_ = 0;
    std::atomic<std::size_t> client_count_{0};
    std::atomic<std::uint64_t> writes_{0};
    std::atomic<std::uint64_t> bytes_in_{0};
    std::thread thread_;
};

[[noreturn]] void fail_with_errno(const char* what);

/// A connection to this machine's port. What takes longer than twenty seconds fails.
///
/// Errors  std::system_error.
process::Descriptor connect_to_loopback(std::uint16_t port);

/// Who moves, and so is in every frame.
enum class Movers {
    walkers,  ///< entities of the zone without a client; clients stand still and send nothing
    clients,  ///< each client sends in each tick where it is now
};

/// The clients of a server under measurement, all on one thread: whatever they do, they do one after
/// the other, when the server has done its part. So no server pays for waking them.
///
/// They check what they read: it is one message, it decodes, and a frame has exactly so many
/// moves as there are movers that its client knows.
///
/// Errors  std::runtime_error says what is wrong.
class SendClients {
public:
    /// Connects so many.
    SendClients(std::uint16_t port, std::size_t count);

    /// Sends Hello and reads the Welcome, each. They begin as the walkers do; `walkers`: ids up to this
    /// one are of such, and all others are clients.
    void join(std::span<const Walker> clients, Movers movers, std::uint64_t walkers);

    /// All of them step and send where they are. Returns the bytes.
    std::size_t send_moves(std::span<Walker> clients);
    /// What these others sent last: for a server that does not care who sends it.
    std::size_t send_moves_of(const SendClients& others);

    /// One frame for each, which is checked and added to the script.
    void read_frames(FrameScript& script);
    /// One frame for each, as the script has it in this tick.
    void read_again(const FrameScript& script, std::size_t tick);

    [[nodiscard]] std::size_t size() const { return sockets_.size(); }
    /// In all frames that were checked.
    [[nodiscard]] std::uint64_t moves_total() const { return moves_total_; }

private:
    [[nodiscard]] std::span<const std::byte> read_message(std::size_t client);
    void check(std::size_t client, const net::FrameMessage& frame);
    [[nodiscard]] bool is_mover(engine::EntityId id) const;
    void send(std::size_t client, std::span<const std::byte> message);

    std::vector<process::Descriptor> sockets_;
    std::vector<std::size_t> known_movers_;          ///< by client
    std::vector<std::vector<std::byte>> last_move_;  ///< by client
    Movers movers_ = Movers::walkers;
    std::uint64_t walkers_ = 0;
    std::uint32_t seq_ = 0;
    std::uint64_t moves_total_ = 0;

    flatbuffers::FlatBufferBuilder builder_;
    std::vector<std::uint64_t> interest_;  ///< of one message: a multiple of 8, as decoders need it
    net::ServerMessage decoded_;
};

}  // namespace marchland::bench
