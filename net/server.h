#pragma once

#include "shards/entity_port.h"
#include "shards/zone.h"
#include "net/address_table.h"
#include "net/auth/token_gate.h"
#include "net/directory.h"
#include "net/error_code.h"
#include "net/io_thread_counters.h"
#include "net/operator_rules.h"
#include "net/player_notices.h"
#include "net/restore.h"
#include "net/resume_store.h"
#include "net/server_options.h"
#include "net/transport/tls_context.h"
#include "net/transport/web_socket_upgrade.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace marchland::net {

class Connection;
struct Entrance;
class IoThread;
class Listener;

/// What the server reports about itself.
struct ServerMetrics : ConnectionCounts<std::uint64_t> {
    bool is_short_of_memory = false;     ///< nobody may join
    std::uint64_t service_entities = 0;  ///< entities in the zone that are a service's
    struct IoThread {
        shards::HistogramCounts mail_wait_us;
        shards::HistogramCounts mail_items;
        shards::HistogramCounts frame_bytes;
    };
    std::vector<IoThread> io_threads = {};
};

/// "127.0.0.1:7777", "[::1]:7777"
std::string endpoint_text(const std::string& address, std::uint16_t port);

/// An address that cannot be listened on.
struct ListenFailure {
    std::error_code error;
    std::string address;
    std::uint16_t port = 0;
    std::string_view key;  ///< the section of the configuration that names it
};

/// The zone's server: accepts clients over TCP and WebSocket, checks every byte they send, and
/// carries frames out.
///
/// Threads  io_threads of its own, each with the connections that were dealt to it. The methods
///          here belong to the owner's thread, except post (shards' threads) and metrics (any).
/// Life     Made first, since a Zone needs an outlet; then start(zone); then stop(), before the
///          zone's threads are stopped; the zone is destroyed before the server.
class Server final : public shards::FrameOutlet {
public:
    using OnFailure = std::function<void(const std::string&)>;
    /// Sockets that listen already, by their ports: each becomes that of the entrance with its
    /// port.
    using InheritedSockets = std::map<std::uint16_t, int>;

    explicit Server(ServerOptions options);
    ~Server() override;

    /// Binds, listens and starts the I/O threads. Returns which address cannot be had; nothing runs
    /// then. Where TLS or tokens are used, load_secrets() comes first.
    /// `on_failure`, any of them: an I/O thread met an exception that is no one connection's. It
    /// goes on, so that clients can be notified when the owner, who should do that now, stops the
    /// server. `restored`: who was in the zone before a restart; they are put back before anybody
    /// can connect.
    [[nodiscard]] std::optional<ListenFailure> start(
        shards::Zone& zone, const OnFailure& on_failure = nullptr,
        const std::optional<Restored>& restored = std::nullopt,
        const InheritedSockets& inherited = {});

    /// A line for each address, after start(). Scripts wait for it: call it when everything else is
    /// ready, too.
    void log_entrances() const;

    /// So that whoever looks after servers can see that theirs notices: the first I/O thread meets
    /// an exception. After start().
    void inject_fault();

    /// Takes nothing more from any client, so that the zone's next ticks hold all that was taken;
    /// then stop().
    void hold_clients();
    /// Sends every client `stopping`, gives each a moment to read it, closes, joins the threads.
    void stop();

    /// So much memory does the process have now: see ServerOptions::memory_bytes_max. Forgets
    /// addresses that nothing need be known of. To be called about every second, by one thread.
    void look_after_memory(std::uint64_t bytes);

    /// Any thread: the limit that look_after_memory() keeps, until the next start; 0: none.
    [[nodiscard]] std::size_t memory_bytes_max() const { return memory_bytes_max_.load(); }
    void set_memory_bytes_max(std::size_t bytes) { memory_bytes_max_.store(bytes); }

    /// Reads certificate and token keys, as often as one likes: who is connected notices nothing.
    /// What is wrong, one line for each file; then the certificate, or the keys, stay what they
    /// were. Any thread. `keys`: in place of the list of token keys before, which stays where one
    /// of these is wrong.
    [[nodiscard]] std::vector<std::string> load_secrets(
        std::optional<std::vector<TokenKeyFile>> keys = std::nullopt);

    /// Any thread: who may come in. From the beginning.
    [[nodiscard]] OperatorRules& rules() { return rules_; }
    /// Any thread: ends the sessions of players whose connection is lost, of one entity or of a
    /// subject. How many.
    std::size_t end_lost(std::optional<engine::EntityId> entity, const std::string& subject);
    /// Any thread but an I/O thread, after start(): calls `each` for all connections, in the
    /// threads that they belong to, several at once. False: an I/O thread did not answer in time,
    /// and may call `each` later.
    bool visit(const std::function<void(Connection&)>& each, std::chrono::milliseconds wait_max);
    /// The same without waiting: each is ready when one of the I/O threads is done.
    [[nodiscard]] std::vector<std::future<void>> begin_visit(
        const std::function<void(Connection&)>& each);

    /// The port that was bound; after a start() that succeeded.
    [[nodiscard]] std::uint16_t port() const;
    /// Likewise; 0 when there is no WebSocket.
    [[nodiscard]] std::uint16_t web_socket_port() const;
    [[nodiscard]] ServerMetrics metrics() const;

    [[nodiscard]] std::uint32_t io_thread_count() const override { return options_.io_threads; }
    void post(std::uint32_t io_thread,
              std::span<const std::shared_ptr<shards::EntityPort>> ports) override;
    [[nodiscard]] bool wants_players(engine::Tick tick) const override;
    void post_players(shards::OwnPlayers&& players) override;

private:
    void make_io_threads(shards::Zone& zone, const OnFailure& on_failure);
    /// Before I/O threads are stopped or hold their clients: from then on they are given no
    /// connection.
    void close_listeners();
    [[nodiscard]] std::vector<Entrance> entrances() const;
    std::error_code open(const Entrance& entrance, std::optional<int> inherited);
    [[nodiscard]] IoThread& io_thread(std::uint32_t number);

    const ServerOptions options_;
    std::atomic<std::size_t> memory_bytes_max_{options_.memory_bytes_max};
    /// One for each I/O thread, from the beginning: so metrics may be read at any time.
    const std::unique_ptr<IoThreadCounters[]> counters_;
    AddressTable addresses_;
    TlsContext tls_;
    TokenGate gate_;
    const OriginRule origins_;
    ResumeStore store_;
    Directory directory_{options_.services};
    PlayerPositions positions_{
        [this](const auto& players) { directory_.notices().place(players); }};
    OperatorRules rules_;
    std::vector<std::unique_ptr<IoThread>> io_threads_;
    /// TCP's, then WebSocket's. Destroyed before the I/O threads, the first of which runs them.
    std::vector<std::unique_ptr<Listener>> listeners_;
    bool is_running_ = false;
    bool is_kept_ = false;  ///< sessions survive a restart
};

}  // namespace marchland::net
