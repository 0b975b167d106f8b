#pragma once

#include "engine/entity.h"
#include "net/messages.h"
#include "tools/bots/figures.h"
#include "tools/bots/poller.h"
#include "tools/bots/referee.h"
#include "tools/bots/zone.h"
#include "tools/clients/cpp/address.h"
#include "tools/clients/cpp/connection.h"
#include "tools/clients/cpp/own_way.h"
#include "tools/clients/cpp/way_in.h"
#include "tools/random/random.h"

#include <flatbuffers/flatbuffer_builder.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace marchland::bots {

struct SwarmOptions {
    client::Address server;
    client::WayIn way;
    std::size_t players_max = 0;
    std::optional<engine::View> view;  ///< what each player asks for; nothing: the zone's default
    std::string token;                 ///< what each player shows; empty: nothing
    std::vector<std::string> tokens = {};        ///< instead, one for each player; empty: `token`
    bool has_own_addresses = false;              ///< each player its own of this machine's
    std::optional<client::Address> source = {};  ///< or all of them this one
    /// The server may be restarted: who is lost tries for so long to come back. 0: a lost
    /// connection is a fault.
    Clock::duration restart_max{};
    std::uint16_t frames_hz = 0;  ///< what each player asks for; 0: as the server says
};

/// Thousands of players' connections, on one thread: joins, sends, reads, and notes who is lost.
/// Where the players go is a Director's business, what they are sent the Referee's.
///
/// A player:  join()   waiting -> connecting -> opening -> greeting -> playing
///            move()   while playing, any number of times
///            leave()  -> leaving -> closed, when the server closes; who is greeting, or was cut,
///                     gets in first: a Leave ends its entity at once
///            cut()    -> waiting, and from there back to playing as the same entity
///            lost     -> waiting, likewise, where the server may be restarted: all of them spread
///                     over some seconds, and who is not let in waits longer each time
///
/// Bounds   At most kHandshakesMax players are between waiting and playing: the others wait, so
///          that the server's backlog is not what is tested. Each handshake and each farewell has a
///          time limit.
/// Cost     One send a move, one read a frame. Nothing is allocated while players play.
class Swarm {
public:
    /// The poller's tokens below players_max are the swarm's. `referee` and `poller` outlive it.
    Swarm(const SwarmOptions& options, Referee& referee, Poller& poller);

    /// Each player once. `receive_bytes`: what the kernel may hold that it has not read; 0: what it
    /// likes.
    void join(PlayerIndex player, engine::Position spawn, int receive_bytes = 0);
    /// Where the player is from now on. One that is not let in yet goes there as soon as it is.
    void move(PlayerIndex player, engine::Position position);
    /// There, or where the server has corrected it to since.
    [[nodiscard]] engine::Position position(PlayerIndex player) const {
        return players_[to_number(player)].position;
    }
    void leave(PlayerIndex player);
    /// The player's connection is lost, and it comes back over another; if it is playing and may.
    void cut(PlayerIndex player);
    void leave_all();

    /// Whoever is playing reads nothing any more, until go_on_reading(); it still moves.
    void stop_reading(PlayerIndex player);
    void go_on_reading(PlayerIndex player);
    /// Who has stopped reads once, so many bytes at most.
    void sip(PlayerIndex player, std::size_t bytes_max);

    /// Begins to connect as many of those that wait as may.
    void start_waiting();
    void on_event(PlayerIndex player, std::uint32_t events);
    /// About once a second: gives up what takes too long, and keeps those alive that say nothing.
    void sweep();
    /// Closes what is still open.
    void close_all();

    [[nodiscard]] bool is_playing(PlayerIndex player) const {
        return players_[to_number(player)].state == State::playing;
    }
    [[nodiscard]] std::size_t playing() const { return count(State::playing); }
    /// On their way in.
    [[nodiscard]] std::size_t joining() const { return count(State::waiting) + shaking_hands(); }
    /// Neither absent nor closed.
    [[nodiscard]] std::size_t present() const {
        return joining() + playing() + count(State::leaving);
    }
    [[nodiscard]] const Fates& fates() const { return fates_; }
    /// Who is among those that fates() counts as lost.
    [[nodiscard]] const std::vector<PlayerIndex>& lost() const { return lost_; }

private:
    static constexpr std::size_t kHandshakesMax = 128;

    enum class State : std::uint8_t {
        absent,
        waiting,     ///< for a place among the handshakes
        connecting,  ///< TCP
        opening,     ///< TLS, WebSocket
        greeting,    ///< said Hello
        playing,
        leaving,  ///< said Leave
        closed,
    };
    static constexpr std::size_t kStates = 8;

    struct Player {
        State state = State::absent;
        Instant since;              ///< when the state began
        Instant last_sent;          ///< anything
        Instant last_frame;         ///< or when it was let in
        engine::Position position;  ///< where it is to be
        client::OwnWay way;         ///< where the server expects it
        std::optional<client::Connection> connection;
        std::vector<std::byte> resume_token;  ///< of the newest Welcome; empty before the first
        bool is_to_leave = false;             ///< a Leave is still to be said
        bool has_left = false;   ///< it was, and the server has not refused this player
        bool is_reading = true;  ///< whenever there is something to read
        int receive_bytes = 0;   ///< of the kernel; 0: what it likes
        std::optional<Instant> lost_at = {};  ///< and not back yet: no frame has come
        Clock::duration retry_wait{};         ///< after the next attempt
        bool is_refused = false;              ///< nobody resumes with its token
    };

    [[nodiscard]] std::size_t count(State state) const {
        return counts_[static_cast<std::size_t>(state)];
    }
    [[nodiscard]] std::size_t shaking_hands() const {
        return count(State::connecting) + count(State::opening) + count(State::greeting);
    }
    Player& at(PlayerIndex player) { return players_[to_number(player)]; }
    void enter_state(PlayerIndex player, State state);

    void connect(PlayerIndex player);
    [[nodiscard]] net::Hello hello_of(PlayerIndex player) const;
    void on_connected(PlayerIndex player);
    void greet(PlayerIndex player);
    void read(PlayerIndex player, std::size_t bytes_max = client::ReadBuffer::kChunkBytes);
    void sweep(PlayerIndex player, Instant now);
    /// False when the connection was closed.
    bool on_message(PlayerIndex player, std::span<const std::byte> bytes);
    void on_frame(PlayerIndex player, const net::FrameMessage& frame);
    bool on_welcome(PlayerIndex player, const net::Welcome& welcome);
    bool on_resumed(PlayerIndex player, const net::Welcome& welcome);
    bool on_error(PlayerIndex player, const net::ErrorMessage& error);
    bool refuse(PlayerIndex player, Violation kind, const std::string& what);
    void on_closed_by_server(PlayerIndex player, const std::string& how);

    bool send(PlayerIndex player, const net::ClientMessage& message);
    void say_leave(PlayerIndex player);
    void send_move(PlayerIndex player, engine::Position position);
    void start_playing(PlayerIndex player);
    void end(PlayerIndex player);
    void lose(PlayerIndex player, std::size_t Fates::*which, const std::string& why);
    [[nodiscard]] bool comes_back(PlayerIndex player);
    /// From within a read, which then ends it: its connection is in use.
    void drop(PlayerIndex player, const std::string& why);
    void note_trouble(PlayerIndex player, const std::string& what);

    const SwarmOptions options_;
    Referee& referee_;
    Poller& poller_;

    std::vector<Player> players_;
    std::array<std::size_t, kStates> counts_{};
    std::deque<PlayerIndex> waiting_;
    std::multimap<Instant, PlayerIndex>
        returning_;            ///< wait for that moment, and then with the others
    tools::Random random_{1};  ///< when they return
    Instant last_sweep_;
    Fates fates_;
    std::vector<PlayerIndex> lost_;

    // Scratch memory, shared by all players.
    client::ReadBuffer read_buffer_;
    flatbuffers::FlatBufferBuilder builder_;
    net::ServerMessage decoded_;
    net::FrameMessage head_;
};

}  // namespace marchland::bots
