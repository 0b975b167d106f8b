#pragma once

#include "shards/zone.h"
#include "net/address_table.h"
#include "net/auth/token_gate.h"
#include "net/connection.h"
#include "net/io_thread_counters.h"
#include "net/mailbox.h"
#include "net/player_port.h"
#include "net/server_options.h"
#include "net/transport/handshake_turns.h"
#include "net/transport/socket_io.h"
#include "net/transport/transport.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace marchland::net {

/// A connection on its way from the listener to its I/O thread.
struct Arrival {
    enum class Refusal : std::uint8_t { none, full, address_limit };

    std::unique_ptr<Transport> transport;
    AddressTable::Slot slot;
    Refusal refusal = Refusal::none;  ///< else: what it is sent before it is closed
};

/// One I/O thread and the connections that were dealt to it.
///
/// Life     start() once; hold_clients() or not; stop_soon(), then join(), once; all from the
///          owner's thread.
/// Threads  What is marked so belongs to the owner's or to any thread; everything else to the I/O
///          thread.
/// Errors   What is thrown while one connection is looked after ends that one. For anything else
///          on_failure is called, on the I/O thread, which goes on: until its owner stops it there
///          are clients to notify.
/// Cost     One timer for all of its connections: a sweep over them some times a second. One look
///          at all sockets in batch_us; one write for each frame, all of a tick's in one go.
class IoThread {
public:
    /// Throws boost::system::system_error when the system gives no descriptors.
    IoThread(std::uint32_t number, const ServerOptions& options, shards::Zone& zone,
             const TokenGate& gate, IoThreadCounters& counters, ResumeStore& store,
             Directory& directory, OperatorRules& rules,
             std::function<void(const std::string&)> on_failure = nullptr);

    /// The owner's thread.
    void start();
    /// The owner's thread: from when it returns no client's message is read.
    void hold_clients();
    /// The owner's thread. Sends every client `stopping`; the thread ends when the last connection
    /// did, at most the linger time later.
    void stop_soon();
    /// The owner's thread.
    void join();

    /// Any thread: takes a connection on, or sends it why not and closes it.
    void adopt(Arrival arrival);
    /// What became of whoever was to make room.
    enum class Displaced : std::uint8_t {
        gone,
        /// It waits for the server, as TLS handshakes do: only its elders in that wait go before
        /// it.
        waits_for_turn,
        stays,  ///< it sent something that was not read yet, or has not been silent for long
    };
    /// Any thread: others need this handshake's place (AddressTable::Slot::place). `is_own`: others
    /// of its own address. `answer` is called on the I/O thread.
    void displace(std::uint64_t place, bool is_own, std::function<void(Displaced)> answer);
    /// The first I/O thread: a listener has connections that wait for a place, or has none any
    /// more.
    void set_door_waits(bool waits) { doors_waiting_ += waits ? 1 : -1; }
    /// Any thread.
    [[nodiscard]] HandshakeTurns& turns() { return turns_; }
    /// Any thread.
    [[nodiscard]] SocketIo& sockets() { return *sockets_; }
    [[nodiscard]] Mailbox& mailbox() { return mailbox_; }
    /// Before start(): for those who are put back into the zone.
    [[nodiscard]] SessionContext& context() { return context_; }
    /// Any thread: `each` is called for every connection, then `done`, on the I/O thread.
    void visit(std::function<void(Connection&)> each, std::function<void()> done);
    [[nodiscard]] IoThreadCounters& counters() { return context_.counters; }
    [[nodiscard]] boost::asio::io_context& io() { return io_; }
    [[nodiscard]] std::uint32_t number() const { return context_.io_thread; }

private:
    void run();
    void await_mail();
    void take_on(Arrival arrival);
    void begin(const std::shared_ptr<Connection>& connection, Arrival::Refusal refusal);
    [[nodiscard]] Displaced displace(std::uint64_t place, bool is_own);
    void forget(const Connection& connection);
    template <typename Use>
    void for_each_connection(Use&& use);
    void read_mail();
    void sweep();
    void stop();
    void end_if_over();
    [[nodiscard]] bool is_over() const { return is_stopping_ && connections_.empty(); }

    // Constant after construction.
    const std::chrono::milliseconds sweep_period_;
    const std::function<void(const std::string&)> on_failure_;

    boost::asio::io_context io_;
    Mailbox mailbox_;
    boost::asio::steady_timer sweep_timer_;
    SessionContext context_;
    std::vector<std::shared_ptr<Connection>> connections_;
    /// Who began to wait for a Hello, by place, so the longest first; some of them have sent it or
    /// are gone.
    std::deque<std::pair<std::uint64_t, std::weak_ptr<Connection>>> newcomers_;
    HandshakeTurns turns_;
    const std::unique_ptr<SocketIo> sockets_;
    int doors_waiting_ = 0;
    Mailbox::Mail mail_;  ///< scratch memory
    bool is_mail_awaited_ = false;
    bool is_stopping_ = false;

    std::thread thread_;
};

}  // namespace marchland::net
