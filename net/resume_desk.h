#pragma once

#include "net/messages.h"
#include "net/player_port.h"
#include "net/service_estate.h"
#include "net/token_bucket.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace marchland::net {

/// What a client shows to go on where its last connection ended: random, and good until its holder is
/// known to have the next one.
using ResumeToken = std::array<std::byte, 16>;

/// What becomes of a player, or of a service, whose connection is lost.
struct ResumeTerms {
    std::chrono::milliseconds grace{0};  ///< how long it may come back; 0: not at all
    std::size_t resting_max = 0;         ///< how many may be away at once
};

/// A player's place in the zone.
struct PlayerSeat {
    engine::EntityId entity{};
    std::shared_ptr<PlayerPort> port;
    Welcome welcome;  ///< as the newest connection was told

    void supersede() const { port->supersede(); }
    void give_up() const { port->ask_leave(); }
};

/// A service's.
struct ServiceSeat {
    std::shared_ptr<ServiceEstate> estate;

    void supersede() const {}  // whoever takes it moves into the estate, and that says it
    void give_up() const { estate->leave_all(); }
};

/// Where sessions can be continued: a seat for each player and each service, from its Welcome on.
///
///     issue ──► taken seat ── rest (connection lost) ──► resting ── expire (grace over) ──► gone
///                  │  │                                     │
///                  │  └────────────── take ◄────────────────┘    whoever shows the token, once
///                  └── forget (it left in order)
///
/// A seat may be taken while its connection still seems to be there: often the client knows first
/// that a line is dead. The old connection then finds its port superseded.
///
/// Whoever takes a seat gets a new token in a Welcome, and that may be lost with its connection. So the
/// token that was shown leads to the new seat, too, until confirm(): its holder has the new one.
///
/// Threads  Any. The mutex guards the seats: lanes hand players to each other here, a few times in a
///          session's life.
/// Bounds   One seat for each who is connected; of those that rest, `resting_max` of either kind.
class ResumeDesk {
public:
    using TimePoint = TokenBucket::TimePoint;

    using Seat = std::variant<PlayerSeat, ServiceSeat>;

    ResumeDesk(const ResumeTerms& players, const ResumeTerms& services)
        : terms_{players, services} {}

    /// May whoever has such a seat come back?
    template <typename Kind>
    [[nodiscard]] bool is_open() const {
        return terms<Kind>().grace.count() > 0;
    }
    template <typename Kind>
    [[nodiscard]] std::uint32_t grace_ms() const {
        return static_cast<std::uint32_t>(terms<Kind>().grace.count());
    }

    /// A token that nobody can guess. Throws std::runtime_error when the system has no randomness.
    [[nodiscard]] static ResumeToken make_token();

    /// `subject`: of the token that its holder showed: only the same one may take the seat. `shown`: the
    /// resume token that it took the seat with, nothing if it is new.
    void issue(const ResumeToken& token, Seat seat, std::string subject,
               std::span<const std::byte> shown);
    /// Its holder has the token: from here on the one that was shown before is good for nothing.
    void confirm(const ResumeToken& token);
    enum class Rest : std::uint8_t {
        rests,    ///< the entity stays, until the grace is over
        no_room,  ///< too many rest: it must give up
        taken,    ///< somebody has the seat already, and what belongs to it
    };
    /// The connection is lost.
    [[nodiscard]] Rest rest(const ResumeToken& token, TimePoint now);
    /// Its holder leaves. False when somebody has the seat already.
    [[nodiscard]] bool forget(const ResumeToken& token);

    /// The seat, which is no longer here, superseded. Nothing when there is none of this kind and token,
    /// it is another subject's, or its grace is over.
    template <typename Kind>
    [[nodiscard]] std::optional<Kind> take(std::span<const std::byte> token,
                                           const std::string& subject, TimePoint now) {
        auto seat = take(token, subject, now, Seat(Kind{}).index());
        return seat ? std::optional(std::get<Kind>(*std::move(seat))) : std::nullopt;
    }

    /// Lets those give up whose grace is over.
    void expire(TimePoint now);

private:
    using Resting = std::multimap<TimePoint, ResumeToken>;
    struct Entry {
        Seat seat;
        std::string subject;
        std::optional<Resting::iterator> rests;  ///< its place in resting_, while it rests
        std::optional<ResumeToken> shown;        ///< a key of shown_, until it is confirmed
    };
    using Entries = std::map<ResumeToken, Entry>;

    template <typename Kind>
    [[nodiscard]] const ResumeTerms& terms() const {
        return terms_[Seat(Kind{}).index()];
    }
    [[nodiscard]] std::optional<Seat> take(std::span<const std::byte> token,
                                           const std::string& subject, TimePoint now,
                                           std::size_t kind);
    [[nodiscard]] Entries::iterator find(const ResumeToken& token);
    [[nodiscard]] std::vector<Seat> take_expired(TimePoint now);
    void erase(Entries::iterator entry);

    const std::array<ResumeTerms, 2> terms_;  ///< by the kind of seat
    std::mutex mutex_;
    // Guarded by mutex_.
    Entries entries_;
    std::map<ResumeToken, ResumeToken>
        shown_;        ///< to a seat's token, from the one that it was taken with
    Resting resting_;  ///< in the order in which their grace ends
    std::array<std::size_t, 2> resting_count_{};  ///< by the kind of seat
};

}  // namespace marchland::net
