#pragma once

#include "net/messages.h"
#include "net/player_port.h"
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

namespace marchland::net {

/// What a client shows to go on where its last connection ended: random, and good once.
using ResumeToken = std::array<std::byte, 16>;

/// Where sessions can be continued: a seat for each player, from its Welcome on.
///
///     issue ──► taken seat ── rest (connection lost) ──► resting ── expire (grace over) ──► gone
///                  │  │                                     │
///                  │  └────────────── take ◄────────────────┘    whoever shows the token, once
///                  └── forget (the player left)
///
/// A seat may be taken while its connection still seems to be there: often the client knows first
/// that a line is dead. The old connection then finds its port superseded.
///
/// Threads  Any. The mutex guards the seats: lanes hand players to each other here, a few times in a
///          session's life.
/// Bounds   One seat for each player; of those that rest, `resting_max`.
class ResumeDesk {
public:
    using TimePoint = TokenBucket::TimePoint;

    struct Seat {
        std::shared_ptr<PlayerPort> port;
        Welcome welcome;      ///< as the newest connection was told
        std::string subject;  ///< of its player's token: only the same one may take the seat
    };

    /// `grace` 0: nobody rests.
    ResumeDesk(std::chrono::milliseconds grace, std::size_t resting_max)
        : grace_(grace), resting_max_(resting_max) {}

    [[nodiscard]] bool is_open() const { return grace_.count() > 0; }
    [[nodiscard]] std::uint32_t grace_ms() const {
        return static_cast<std::uint32_t>(grace_.count());
    }

    /// A token that nobody can guess. Throws std::runtime_error when the system has no randomness.
    [[nodiscard]] static ResumeToken make_token();

    void issue(const ResumeToken& token, Seat seat);
    /// Its view is another one now.
    void note_view(const ResumeToken& token, const engine::View& view);
    enum class Rest : std::uint8_t {
        rests,    ///< the entity stays, until the grace is over
        no_room,  ///< too many rest: it must leave
        taken,    ///< somebody has the seat already: the entity is theirs
    };
    /// The connection is lost.
    [[nodiscard]] Rest rest(const ResumeToken& token, TimePoint now);
    /// The player leaves. False when somebody has the seat already: the entity is theirs.
    [[nodiscard]] bool forget(const ResumeToken& token);

    /// The seat, which is no longer here, and its port marked as superseded. Nothing when there is
    /// none of this token, it is another subject's, or its grace is over.
    [[nodiscard]] std::optional<Seat> take(std::span<const std::byte> token,
                                           const std::string& subject, TimePoint now);

    /// Lets those leave whose grace is over.
    void expire(TimePoint now);
    [[nodiscard]] std::size_t resting();

private:
    struct Entry {
        Seat seat;
        std::optional<TimePoint> rests_until;
    };

    const std::chrono::milliseconds grace_;
    const std::size_t resting_max_;
    std::mutex mutex_;
    // Guarded by mutex_.
    std::map<ResumeToken, Entry> entries_;
    /// Of those that rest, in the order in which their grace ends: that of coming, for all have the same.
    std::multimap<TimePoint, ResumeToken> resting_;
};

}  // namespace marchland::net
