#pragma once

#include "net/messages.h"
#include "tools/bots/director.h"
#include "tools/bots/scenario.h"
#include "tools/bots/zone.h"
#include "tools/clients/cpp/address.h"
#include "tools/clients/cpp/connection.h"
#include "tools/random/random.h"

#include <flatbuffers/flatbuffer_builder.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace marchland::bots {

/// What one connection does, until the server ends it or its time is over:
///
///   noise      bytes that are nothing                silence    not a word
///   half       half a Hello, and no more             drip       a Hello, a byte a second
///   order      a Move before the Hello               length     the largest length prefix
///   token      a Hello with a token that proves nothing
///   flood      joins, then pings, views and keyframe requests without end
///   web_page   to the WebSocket entrance: half a request, a huge one, frames that are wrong
///   vanish     joins, and is gone                    deaf       joins, and never reads
///   crowd      joins on the one spot, sends one SetView and, where players have a slot of bytes, 1
///              KB for it, and reads
///   take_over  joins, walks too far, and takes itself over by another connection, again and again
///   logins     joins as one of a few subjects, all of which others join as at the same time
///   churn      joins, now here, now there, and leaves
///   large      joins, and sends a message as large as it may at the same moment as all others, and
///              waits
///   operator_  connects to the admin port, and says nothing, or half of something
enum class Deed : std::uint8_t {
    noise,
    silence,
    half,
    drip,
    order,
    length,
    token,
    flood,
    web_page,
    vanish,
    deaf,
    crowd,
    take_over,
    logins,
    churn,
    large,
    operator_,
};

/// Connections that attack in one way; each does one deed after the other.
struct Attack {
    std::string_view name;
    std::vector<Deed> deeds;
    std::size_t connections = 0;  ///< at once
    /// A connection is given up after that, if the server has not closed it before.
    Clock::duration life_max = std::chrono::seconds(8);
    bool is_each_new_address = false;  ///< each connection comes from another address
};

struct AbuseOptions {
    client::Address server;
    client::WayIn way;
    std::vector<std::string> tokens;  ///< of the connections in turn; one, empty: none is shown
    std::uint64_t seed = 1;
    std::optional<client::Address> web_socket = {};  ///< nothing: web_page goes to `server`
    std::optional<client::Address> admin = {};
    bool has_many_addresses = false;  ///< of this machine; else the usual one
    engine::Position spot = {};       ///< where they stand
};

/// Connections that behave badly, beside players who must not notice.
///
/// Cost     Each is looked at every 20 ms, or ten thousand a second together.
class Abusers {
public:
    Abusers(const AbuseOptions& options, const std::vector<Attack>& attacks);

    /// Does what is due of the attacks whose bit is set; the others' connections are dropped.
    void advance(Instant now, std::uint32_t attacks = UINT32_MAX);

    // From any thread.
    [[nodiscard]] std::uint64_t connections() const { return connections_; }
    [[nodiscard]] std::uint64_t closed_by_server() const { return closed_by_server_; }
    /// How fast whoever takes itself over got away from where it first was, at most: less what a
    /// second's way, which may be saved up, makes of it. In the zone's ticks, so that it is no more
    /// than the zone allows, exactly.
    [[nodiscard]] std::uint64_t speed_mm_per_s_max() const { return speed_mm_per_s_max_; }
    /// How many frames said that a move over a connection that took one over was made.
    [[nodiscard]] std::uint64_t moves_made() const { return moves_made_; }

private:
    struct Abuser {
        std::size_t number = 0;
        std::size_t token = 0;  ///< which; who vanishes is another subject each time
        Deed deed = Deed::noise;
        Instant since = {};
        std::optional<client::Connection> connection = {};  ///< empty: begins anew
        // Of the connection.
        bool is_open = false;  ///< the socket is connected, and the layers begin to shake hands
        bool has_acted = false;
        bool is_let_in = false;                        ///< a Welcome came
        std::optional<std::uint32_t> correction = {};  ///< the newest one's number
        std::optional<std::uint8_t> slot = {};         ///< of bytes, its own to write
        std::uint32_t tick_rate_hz = 0;
        std::uint32_t looks = 0;  ///< since it was let in, of whoever takes itself over
        // What goes on over several connections.
        std::uint32_t repeats = 0;
        std::vector<std::byte> resume_token = {};
        std::int32_t view_mm = 0;  ///< the widest that the Welcome allows
        engine::Position first_place = {};
        engine::Tick first_tick = engine::kNever;  ///< when it was there; kNever: nobody knows yet
        engine::Position ahead = {};               ///< where it is, or asked to be
        std::optional<client::Connection> before = {};  ///< whose entity `connection` takes over
    };
    struct Troop {
        Attack attack;
        std::vector<Abuser> abusers;
        std::optional<Pacer> turns;  ///< while it attacks
    };

    void begin(const Troop& troop, Abuser& abuser, Instant now);
    void connect(const Troop& troop, Abuser& abuser);
    void advance(const Troop& troop, Abuser& abuser, Instant now);
    void act(Abuser& abuser);
    /// Does once more what is done again and again.
    void repeat(const Troop& troop, Abuser& abuser, Instant now);
    void note(Abuser& abuser, const net::Welcome& welcome);
    void note_place(Abuser& abuser, const net::Correction& correction, engine::Tick tick);
    void flood(Abuser& abuser);
    void send_large(Abuser& abuser, Instant now);
    void take_over(const Troop& troop, Abuser& abuser);
    void read(Abuser& abuser);
    void send(Abuser& abuser, const net::ClientMessage& message);
    void send_text(Abuser& abuser, std::string_view text);
    void send_bytes(Abuser& abuser, std::span<const std::byte> bytes);
    [[nodiscard]] net::Hello hello(const Abuser& abuser) const;
    [[nodiscard]] static net::SetView wide_view(const Abuser& abuser);
    [[nodiscard]] std::vector<std::byte> noise(std::size_t bytes);
    [[nodiscard]] std::string bad_token(const Abuser& abuser);
    [[nodiscard]] std::string web_page();

    const AbuseOptions options_;
    tools::Random random_;
    std::vector<Troop> troops_;
    std::atomic<std::uint64_t> connections_ = 0;
    std::atomic<std::uint64_t> closed_by_server_ = 0;
    std::atomic<std::uint64_t> speed_mm_per_s_max_ = 0;
    std::atomic<std::uint64_t> moves_made_ = 0;
    client::ReadBuffer buffer_;
    net::ServerMessage decoded_;
    flatbuffers::FlatBufferBuilder builder_;
};

/// Players of the scenarios soak and siege, beside those who attack the zone: in a soak all the
/// time, in a siege
///
///   quiet │ strangers │ tokens │ ... one attack after the other │ all │ after: nobody attacks
///   └ 1/6 ┴─────────────────────── 2/3 ─────────────────────────┴ 1/5 ┴ 2/15 ┘   of the duration
///
/// Threads   The attackers have one of their own, or the players would wait for them here and it
///           would look as if the server were late. They share nothing with the players.
/// Errors    What is thrown there ends the attacks, and is in the report: abuse().failure.
class HostileDirector final : public ScenarioDirector {
public:
    /// Of a scenario; none of any other. The admin port is attacked only where it is known.
    static std::vector<Attack> attacks(Scenario scenario, std::size_t crowd, bool has_admin);
    static std::size_t connections_max(const std::vector<Attack>& attacks);

    HostileDirector(const ScenarioOptions& options, const ZoneFacts& zone, Instant start,
                    Clock::duration duration, const AbuseOptions& abuse,
                    const std::vector<Attack>& attacks);

    void advance(Instant now, Swarm& swarm) override;
    [[nodiscard]] std::string_view phase() const override { return phases_[phase_].name; }
    [[nodiscard]] Abuse abuse() const override {
        return {abusers_.connections(), abusers_.closed_by_server(), abusers_.speed_mm_per_s_max(),
                abusers_.moves_made(), has_failed_ ? failure_ : ""};
    }

private:
    struct Phase {
        std::string_view name;
        std::uint32_t attacks = 0;  ///< a bit each
        Clock::duration length{};
    };
    static std::vector<Phase> plan(Scenario scenario, const std::vector<Attack>& attacks,
                                   Clock::duration duration);

    const std::vector<Phase> phases_;
    std::size_t phase_ = 0;
    std::optional<Instant> phase_ends_;  ///< nothing: not all players are in yet
    Abusers abusers_;
    std::atomic<std::uint32_t> attacks_now_ = 0;
    std::string failure_;  ///< the attackers' until has_failed_, then nobody writes it
    std::atomic<bool> has_failed_ = false;
    std::jthread attackers_;  ///< the last one: it ends before what it uses
};

}  // namespace marchland::bots
