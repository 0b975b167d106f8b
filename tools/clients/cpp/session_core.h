#pragma once

#include "net/frame_times.h"
#include "net/messages.h"
#include "tools/clients/cpp/address.h"
#include "tools/clients/cpp/connection.h"
#include "tools/clients/cpp/session.h"

#include <flatbuffers/flatbuffer_builder.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

namespace marchland::client {

/// What a player's and a service's sessions have in common: a connection that is kept, and resumed
/// when it is lost.
///
///     join() ──► serve(), again and again ──► leave()
///                  │ lost             ▲
///                  └─► waits, tries ──┘ or the grace is over: serve() says why
///
/// Threads  One at a time; nothing happens but in calls.
class SessionCore {
public:
    using Milliseconds = std::chrono::milliseconds;
    using MaybeProblem = std::optional<Problem>;

    explicit SessionCore(SessionOptions options)
        : options_(std::move(options)), trusted_(options_.way.tls) {}
    virtual ~SessionCore() = default;
    SessionCore(const SessionCore&) = delete;
    SessionCore& operator=(const SessionCore&) = delete;

    MaybeProblem join(std::span<const Address> servers);
    MaybeProblem serve(Milliseconds wait_max);
    /// Serves until what was asked for before would survive a crash of the server. False: not in
    /// time, the connection was lost meanwhile, or the zone keeps no state. A problem is that of
    /// the next serve().
    bool wait_until_safe(Milliseconds wait_max);
    /// False: it is lost just now, or the kernel has no room.
    bool send(const net::ClientMessage& message);
    /// Waits for room; lost with the connection. False: it has more bytes than that behind its
    /// length, and does not go out.
    bool post(const net::ClientMessage& message, std::size_t bytes_max = ~std::size_t{0});
    void cut();
    /// In a callback: once the call that called it is at its end.
    void leave();

    [[nodiscard]] const Address& server() const { return server_; }
    [[nodiscard]] const Resumption& resumption() const { return resumption_; }
    [[nodiscard]] bool is_connected() const { return connection_ && is_welcome_; }
    /// For poll(2) of the caller's own; -1 while it is lost.
    [[nodiscard]] int fd() const { return is_connected() ? connection_->fd() : -1; }

protected:
    using Clock = std::chrono::steady_clock;

    /// The first message, but for its token.
    virtual net::ClientMessage hello(const std::vector<std::byte>& resume_token) = 0;
    /// The Welcome, which stays until the next one. Null: the message is none that such a session
    /// begins with.
    virtual const net::AnyWelcome* take_welcome(const net::ServerMessage& message) = 0;
    virtual MaybeProblem take(net::ServerMessage& message) = 0;
    /// What was asked for since, and waits for room, goes out.
    virtual void send_waiting() {}
    /// Is there more of that?
    [[nodiscard]] virtual bool has_waiting() const { return false; }

    /// Once the server has closed: its player is in another zone. `token`: empty, the one that it
    /// has.
    void go_to(std::string address, std::string token);

    static Problem unexpected(const char* what) { return {Problem::Of::stream, {}, what}; }

private:
    MaybeProblem join_anew(std::span<const Address> servers);
    MaybeProblem connect(const Address& server);
    MaybeProblem begin(const Address& server);
    MaybeProblem greet(Clock::time_point deadline);
    [[nodiscard]] Clock::time_point ping_at() const;
    MaybeProblem serve_connection(Clock::time_point deadline);
    std::optional<net::Pong> ask(Clock::time_point deadline);
    template <typename Condition>
    void serve_while(Condition&& condition, Clock::time_point deadline);
    MaybeProblem read();
    MaybeProblem take_any(net::ServerMessage& message);
    MaybeProblem lost(Problem problem);
    [[nodiscard]] Milliseconds next_wait();
    MaybeProblem try_again(Clock::time_point deadline);
    MaybeProblem follow();
    [[nodiscard]] short wait_for(short events, Milliseconds wait_max) const;
    void flush();
    void say_farewell();

    SessionOptions options_;
    std::shared_ptr<ssl_ctx_st> trusted_;  ///< also while a zone is spoken to without TLS
    Address server_;
    std::optional<Connection> connection_;
    bool is_welcome_ = false;  ///< on this connection
    const net::AnyWelcome* newest_welcome_ = nullptr;
    Resumption resumption_;      ///< with which resume token the next Hello is said, and where
    bool is_to_follow_ = false;  ///< there, once the server has closed
    bool is_following_ = false;  ///< no Welcome came from there yet
    MaybeProblem ended_by_;
    bool is_in_call_ = false;  ///< that calls back: a connection in use must stay
    bool is_leaving_ = false;
    std::uint64_t welcomes_ = 0;     ///< connections that were welcome
    std::uint64_t asked_ = 0;        ///< number of the newest Ping that was to be answered
    std::optional<net::Pong> pong_;  ///< the answer
    std::deque<std::vector<std::byte>> posted_;
    std::size_t posted_bytes_ = 0;
    Clock::time_point welcome_at_;
    Clock::time_point spoke_at_;
    Clock::time_point received_at_;
    Clock::time_point pinged_at_;

    bool is_lost_ = false;
    Clock::time_point try_at_;
    Clock::time_point give_up_at_;
    bool has_spread_ = false;  ///< has waited a part of restart_spread, if it is to
    /// The next wait, also after a connection that did not last; 0: none was lost yet.
    Milliseconds retry_{};
    std::minstd_rand dice_{std::random_device{}()};

    ReadBuffer buffer_;
    flatbuffers::FlatBufferBuilder builder_;
    net::ServerMessage decoded_;
    net::FrameTimes times_;
};

}  // namespace marchland::client
