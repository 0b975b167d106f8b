#pragma once

#include "net/messages.h"
#include "net/player_port.h"
#include "net/resume_token.h"
#include "net/served_time.h"
#include "net/service_entities.h"
#include "net/token_bucket.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace marchland::shards {
class StateKeeper;
}

namespace marchland::net {

/// What becomes of a player, or of a service, whose connection is lost.
struct ResumeTerms {
    std::chrono::milliseconds grace{0};  ///< how long it may come back; 0: not at all
    std::size_t resting_max = 0;         ///< how many may be away at once
};

/// Who has a session: what shares of the resting places are counted by.
struct SessionOwner {
    std::string subject;  ///< of its token; empty: nobody knows
    std::optional<std::uint64_t> address;
    std::string claims = {};           ///< of its token, that services are sent
    TokenBucket::TimePoint came_at{};  ///< with its Hello; before all others if before a restart
};

/// Tokens of a session, by their generation; 0: none.
struct TokensGiven {
    std::uint32_t newest = 0;
    std::uint32_t shown = 0;  ///< by who has the session now
};

/// What whoever resumes a player's session goes on with.
struct ResumablePlayer {
    engine::EntityId entity{};
    std::shared_ptr<PlayerPort> port;
    engine::Position spawn;  ///< where it came in
    engine::View view;       ///< the newest that its connections were sent
    TokensGiven tokens = {};
    TokenBucket::TimePoint joined_at{};  ///< before all others where it was there before a restart

    void supersede(PlayerPort::Takeover how) const { port->supersede(how); }
    void give_up() const { port->ask_leave(); }
};

/// A service's.
struct ResumableService {
    std::shared_ptr<ServiceEntities> entities;
    TokensGiven tokens;

    void supersede(PlayerPort::Takeover) const {
    }  // whoever takes it moves into the entities, and that is enough
    void give_up() const { entities->leave_all(); }
};

/// The sessions that can be continued: each player's and each service's, from its Welcome on.
///
///  restore ────────────────────────────────────────► resting         after a restart
///    issue ──► connected ── rest (connection lost) ──► resting ── expire (grace over) ──► gone
///                 │  │                                    │
///                 │  └────────────── take ◄───────────────┘    whoever shows the token, once
///                 └── forget (it left in order)
///
/// A session may be taken while its connection still seems to be there: often the client knows
/// first that a line is dead. The old connection then finds its port superseded.
///
/// Whoever takes a session gets a new token in a Welcome, and that may be lost with its connection.
/// So the token that was shown leads to the new session, too, until confirm(): its holder has the
/// new one. What a StateKeeper keeps is the oldest generation that is good; after a restart every
/// later one is, too, for it may have been given after the last write.
///
/// No room: who rests is counted by its address, and by its subject. One more takes the place of
/// the one that has rested longest of whichever address or subject has most of them, if its own has
/// less: so nobody can keep others from coming back by losing many connections. Nor can many
/// addresses that lose one each, as soon as they have it: where nobody has more than others, a
/// player takes the place of the one that played least, if it played more than twice as long
/// itself.
///
/// A grace counts only while the server is there for those who want to come back, and a quarter
/// while one of its I/O threads lets them wait to come in.
///
/// Threads  Any. The mutex guards the sessions: I/O threads hand players to each other here, a few
///          times in a session's life.
/// Bounds   One session for each who is connected; of those that rest, `resting_max` of either
///          kind.
/// Cost     O(log n), also where there is no room.
class ResumeStore {
public:
    using TimePoint = TokenBucket::TimePoint;

    using Resumable = std::variant<ResumablePlayer, ResumableService>;

    /// A server that is there calls expire() more often than that.
    static constexpr std::chrono::seconds kStallMin{2};

    ResumeStore(const ResumeTerms& players, const ResumeTerms& services, TimePoint now)
        : terms_{players, services}, time_(now, kStallMin) {}

    /// Before anybody comes: sessions survive a restart, after which they may come back for so
    /// long.
    void keep(const ResumeTokens& tokens, shards::StateKeeper& keeper,
              std::chrono::milliseconds restart_grace) {
        tokens_ = tokens;
        keeper_ = &keeper;
        restart_grace_ms_ = static_cast<std::uint32_t>(restart_grace.count());
    }

    /// May whoever has such a session come back?
    template <typename Kind>
    [[nodiscard]] bool is_open() const {
        return terms<Kind>().grace.count() > 0;
    }
    template <typename Kind>
    [[nodiscard]] std::uint32_t grace_ms() const {
        return static_cast<std::uint32_t>(terms<Kind>().grace.count());
    }
    /// 0: no session survives one.
    [[nodiscard]] std::uint32_t restart_grace_ms() const { return restart_grace_ms_; }

    /// The next token of a session: what is signed in it. Only who has the same subject may take
    /// the session.
    [[nodiscard]] SessionPass issue(Resumable resumable, SessionOwner owner);
    [[nodiscard]] std::vector<std::byte> sign(const SessionPass& pass) const {
        return tokens_.sign(pass);
    }
    /// A session from before a restart, which rests for so long, whatever the terms.
    void restore(Resumable resumable, SessionOwner owner, std::chrono::milliseconds grace,
                 TimePoint now);
    /// From here on nobody gives up: the server stops, and who is there may come back when it is
    /// started again.
    void keep_all();
    /// Its holder has the token: from here on the one that was shown before is good for nothing.
    void confirm(const SessionPass& pass);
    /// The connection is lost: the entity stays, until the grace is over. Where there is no room
    /// for it, or no memory, it gives up. Nothing happens when somebody has the session already.
    void rest(const SessionPass& pass, TimePoint now);
    /// Its holder leaves. False when somebody has the session already.
    [[nodiscard]] bool forget(const SessionPass& pass);

    /// The session, which is no longer here, superseded. Nothing when there is none of this kind
    /// and token, it is another subject's, or its grace is over.
    template <typename Kind>
    [[nodiscard]] std::optional<Kind> take(std::span<const std::byte> token,
                                           const std::string& subject, TimePoint now) {
        auto resumable = take(token, subject, now, Resumable(Kind{}).index());
        return resumable ? std::optional(std::get<Kind>(*std::move(resumable))) : std::nullopt;
    }

    /// Another login of this subject has its newest session, though it came later than `came_at`.
    [[nodiscard]] bool is_of_later(const std::string& subject, TimePoint came_at);
    /// The newest session of a player with this subject, superseded by another login of it; nothing
    /// when there is none, or its entity is on its way out of the zone.
    [[nodiscard]] std::optional<ResumablePlayer> take_of(const std::string& subject, TimePoint now);

    /// Does that I/O thread, one of 64, let newcomers wait, from `now` on?
    void set_behind(std::uint32_t io_thread, bool is_behind, TimePoint now);
    /// Lets those give up whose grace is over.
    void expire(TimePoint now);
    /// Lets players give up who rest, whatever is left of their grace: of one entity, or of a
    /// subject that is not empty. How many.
    std::size_t end_resting(std::optional<engine::EntityId> entity, const std::string& subject);

private:
    using Resting = std::pair<TimePoint, shards::SessionKey>;  ///< and when its grace ends
    struct Entry {
        Resumable resumable;
        SessionOwner owner;
        std::uint32_t newest = 0;       ///< generation of a token
        std::uint32_t oldest_good = 0;  ///< likewise
        std::optional<TimePoint> rests_until = {};
        bool is_restored = false;      ///< its newest token may be one that nobody here has seen
        TimePoint::duration played{};  ///< until it was lost
    };
    using Entries = std::map<shards::SessionKey, Entry>;
    [[nodiscard]] static shards::KeptSession kept(const shards::SessionKey& key,
                                                  const Entry& entry);

    /// Who rests, of one kind of session: all together, and by whose they are.
    class Shares {
    public:
        using Played = std::pair<TimePoint::duration, shards::SessionKey>;

        void add(const Entry& entry, const shards::SessionKey& key);
        void remove(const Entry& entry, const shards::SessionKey& key);
        /// Who played least.
        [[nodiscard]] const Played& shortest() const { return *by_played_.begin(); }
        [[nodiscard]] std::size_t size() const { return by_played_.size(); }
        /// How many of its address rest, or of its subject if those are more.
        [[nodiscard]] std::size_t of(const SessionOwner& owner) const;
        /// Of the address or subject that has most: how many, and which has rested longest.
        struct Largest {
            std::size_t count;
            shards::SessionKey oldest;
        };
        [[nodiscard]] std::optional<Largest> largest() const;

    private:
        using Group = std::variant<std::uint64_t, std::string>;
        template <typename Do>
        static void for_each_group(const SessionOwner& owner, Do&& act);

        std::set<Played> by_played_;
        std::map<Group, std::set<Resting>> groups_;
        std::set<std::pair<std::size_t, Group>> by_size_;
    };

    template <typename Kind>
    [[nodiscard]] const ResumeTerms& terms() const {
        return terms_[Resumable(Kind{}).index()];
    }
    [[nodiscard]] std::optional<Resumable> take(std::span<const std::byte> token,
                                                const std::string& subject, TimePoint now,
                                                std::size_t kind);
    [[nodiscard]] Resumable take(Entries::iterator entry, PlayerPort::Takeover how);
    /// Sessions that nobody comes back to: they give up when the mutex is free again, also where
    /// something was thrown. A service gives up all its entities, and the others' sessions do not
    /// wait for that.
    struct Ended {
        Entries entries;
        ~Ended();
    };
    [[nodiscard]] bool make_room(const Entry& comer, Ended& ended);
    [[nodiscard]] Entries::iterator find(const SessionPass& pass);
    [[nodiscard]] Entries::iterator newest_of(const std::string& subject);
    Entries::node_type erase(Entries::iterator entry);
    Entries::node_type end(Entries::iterator entry);

    const std::array<ResumeTerms, 2> terms_;  ///< by the kind of session
    ResumeTokens tokens_;
    shards::StateKeeper* keeper_ = nullptr;
    std::uint32_t restart_grace_ms_ = 0;
    std::mutex mutex_;
    // Guarded by mutex_.
    ServedTime time_;
    std::uint64_t io_threads_behind_ = 0;  ///< a bit for each
    Entries entries_;
    bool is_keeping_all_ = false;
    std::map<std::string, shards::SessionKey> players_;  ///< the newest session of each subject
    std::set<Resting> resting_;                          ///< in the order in which their grace ends
    std::array<Shares, 2> shares_;                       ///< by the kind of session
};

}  // namespace marchland::net
