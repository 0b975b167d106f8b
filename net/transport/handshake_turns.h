#pragma once

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>

namespace marchland::net {

/// Which TLS handshake is worked on next? A whole one costs a signature, a millisecond or so of an
/// I/O thread's time: more than a hundred frames. So they wait here, and those who are connected,
/// and those who come back with a ticket of an earlier session, which needs no signature, do not
/// wait for them.
///
/// Order    Addresses take turns; of one address whoever came first. So who floods waits for
///          itself.
/// Budget   Between two looks at its sockets the I/O thread works kTurnBudget on handshakes, and at
///          least on one.
/// Threads  The I/O thread's.
/// Bounds   As many wait as are in a handshake, limits.handshakes_max: whoever is closed must
///          cancel().
/// Cost     O(log addresses) for each; O(those that wait) to cancel.
class HandshakeTurns {
public:
    using Address = std::optional<std::uint64_t>;  ///< nothing: one that has no limits
    using Clock = std::chrono::steady_clock;

    static constexpr std::chrono::milliseconds kTurnBudget{2};
    /// Whoever has waited longer than this has waited for the server.
    static constexpr std::chrono::milliseconds kBehindMin{500};

    explicit HandshakeTurns(boost::asio::io_context& io) : io_(io) {}

    /// Calls `work` when it is its turn: later, never before this returns. What it throws is the
    /// I/O thread's. One turn at a time for each `who`.
    void wait(Address address, const void* who, std::function<void()> work);
    /// Lets go of its work, if that waits.
    void cancel(Address address, const void* who);
    [[nodiscard]] std::size_t waiting() const { return waiting_; }
    /// Does whoever is next wait too long?
    [[nodiscard]] bool is_behind(Clock::time_point now) const;

private:
    struct Handshake {
        const void* who;
        Clock::time_point since;
        std::function<void()> work;
    };

    void work_later();
    void work();
    [[nodiscard]] Handshake take_next();

    boost::asio::io_context& io_;
    std::map<Address, std::deque<Handshake>> handshakes_;  ///< of each address that has any
    std::deque<Address> order_;                            ///< of the addresses' turns
    std::size_t waiting_ = 0;
    bool is_posted_ = false;
};

}  // namespace marchland::net
