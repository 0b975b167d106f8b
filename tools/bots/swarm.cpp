#include "tools/bots/swarm.h"

#include "engine/assert.h"
#include "net/encode_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>
#include <sys/epoll.h>

namespace marchland::bots {
namespace {

using namespace std::chrono_literals;

constexpr auto kHandshakeMax = 10s;
constexpr auto kFarewellMax = 5s;
// Well below any server's idle timeout: a player that has nothing to say is not gone.
constexpr auto kQuietMax = 5s;
// A server that is well says something every second, if only that nothing changed.
constexpr auto kSilenceMax = 5s;
constexpr auto kSweepGapMax = 2s;

constexpr std::uint32_t kPlayersBlock = 64;

// After a restart: over so long they spread, so that all are back within 3 s, and who is not let in
// waits so long, and then longer.
constexpr auto kReturnSpread = 2'800ms;
constexpr Clock::duration kRetryFirst = 500ms;
constexpr Clock::duration kRetryMax = 4s;

}  // namespace

Swarm::Swarm(const SwarmOptions& options, Referee& referee, Poller& poller)
    : options_(options),
      referee_(referee),
      poller_(poller),
      players_(options.players_max),
      last_sweep_(Clock::now()) {
    counts_[static_cast<std::size_t>(State::absent)] = options.players_max;
}

// ---- what the director wants

void Swarm::join(PlayerIndex player, engine::Position spawn, int receive_bytes) {
    MARCHLAND_ASSERT(at(player).state == State::absent);
    at(player).receive_bytes = receive_bytes;
    at(player).position = spawn;
    enter_state(player, State::waiting);
    waiting_.push_back(player);
}

void Swarm::move(PlayerIndex player, engine::Position position) {
    Player& it = at(player);
    it.position = position;
    if (it.state == State::playing) {
        send_move(player, position);
    }
}

void Swarm::leave(PlayerIndex player) {
    Player& it = at(player);
    switch (it.state) {
        case State::waiting:
        case State::connecting:
        case State::opening:
            if (it.resume_token.empty()) {
                ++fates_.left;  // it was never there
                end(player);
                break;
            }
            [[fallthrough]];
        case State::greeting:
            // Its entity may be in the zone, and would stay for the grace: it goes in order.
            it.is_to_leave = true;
            break;
        case State::playing:
            go_on_reading(player);  // to the end of the stream
            enter_state(player, State::leaving);
            say_leave(player);
            break;
        case State::absent:
        case State::leaving:
        case State::closed:
            break;
    }
}

void Swarm::cut(PlayerIndex player) {
    Player& it = at(player);
    if (it.state != State::playing || it.resume_token.empty()) {
        return;
    }
    it.connection.reset();
    enter_state(player, State::waiting);
    waiting_.push_back(player);
}

void Swarm::stop_reading(PlayerIndex player) {
    Player& it = at(player);
    if (it.state == State::playing && it.is_reading) {
        it.is_reading = false;
        poller_.modify(it.connection->fd(), 0, to_number(player));
    }
}

void Swarm::go_on_reading(PlayerIndex player) {
    Player& it = at(player);
    if (it.state == State::playing && !it.is_reading) {
        it.is_reading = true;
        it.last_frame = Clock::now();
        poller_.modify(it.connection->fd(), EPOLLIN, to_number(player));
    }
}

void Swarm::sip(PlayerIndex player, std::size_t bytes_max) {
    if (at(player).state == State::playing && !at(player).is_reading) {
        read(player, bytes_max);
    }
}

void Swarm::leave_all() {
    for (std::size_t i = 0; i < players_.size(); ++i) {
        leave(static_cast<PlayerIndex>(i));
    }
}

// ---- a connection's life

void Swarm::start_waiting() {
    const Instant now = Clock::now();
    while (!returning_.empty() && returning_.begin()->first <= now) {
        waiting_.push_back(returning_.begin()->second);
        returning_.erase(returning_.begin());
    }
    while (!waiting_.empty() && shaking_hands() < kHandshakesMax) {
        const PlayerIndex player = waiting_.front();
        waiting_.pop_front();
        if (at(player).state == State::waiting) {
            connect(player);
        }
    }
}

void Swarm::connect(PlayerIndex player) {
    const auto number = static_cast<std::uint32_t>(to_number(player));
    auto started = client::Connection::start(
        options_.server, options_.way, at(player).receive_bytes,
        options_.has_own_addresses ? std::optional(loopback_source(kPlayersBlock, number))
                                   : options_.source);
    if (const auto* error = std::get_if<std::error_code>(&started)) {
        lose(player, &Fates::not_let_in, "cannot connect: " + error->message());
        return;
    }
    Player& it = at(player);
    it.connection.emplace(std::get<client::Connection>(std::move(started)));
    poller_.add(it.connection->fd(), EPOLLIN | EPOLLOUT, to_number(player));
    enter_state(player, State::connecting);
}

void Swarm::on_event(PlayerIndex player, std::uint32_t events) {
    Player& it = at(player);
    if (!it.connection) {
        return;  // closed by an earlier event of the same batch
    }
    if (it.state == State::connecting) {
        on_connected(player);
    } else if ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) {
        read(player);
    }
}

void Swarm::on_connected(PlayerIndex player) {
    Player& it = at(player);
    if (const std::error_code error = it.connection->connect_error()) {
        lose(player, &Fates::not_let_in, "cannot connect: " + error.message());
        return;
    }
    poller_.modify(it.connection->fd(), EPOLLIN, to_number(player));
    enter_state(player, State::opening);
    it.connection->open();
    greet(player);
}

/// Once TLS and WebSocket, where there are any, have shaken hands.
void Swarm::greet(PlayerIndex player) {
    if (at(player).connection->is_ready()) {
        // A new socket has room; what is wrong with it, the read will say.
        (void)send(player, hello_of(player));
        enter_state(player, State::greeting);
    }
}

net::Hello Swarm::hello_of(PlayerIndex player) const {
    const Player& it = players_[to_number(player)];
    net::Hello hello;
    hello.spawn = it.position;
    hello.view = options_.view;
    hello.reads_ranks = true;
    hello.token = options_.tokens.empty() ? options_.token : options_.tokens[to_number(player)];
    if (!it.resume_token.empty()) {
        hello.resume_token = it.resume_token;
        hello.last_tick = referee_.last_tick(player);
    }
    return hello;
}

void Swarm::read(PlayerIndex player, std::size_t bytes_max) {
    client::Connection& connection = *at(player).connection;
    const client::Connection::Read result = connection.read(
        read_buffer_,
        [&](std::span<const std::byte> message) { return on_message(player, message); }, bytes_max);
    referee_.traffic().bytes_in += result.bytes;
    if (!connection.is_open()) {
        end(player);
        return;
    }
    switch (result.health) {
        case client::Connection::Health::open:
            if (at(player).state == State::opening) {
                greet(player);
            }
            break;
        case client::Connection::Health::ended:
            if (at(player).has_left) {
                referee_.on_left(player, Clock::now());
            }
            on_closed_by_server(player, "closed by the server");
            break;
        case client::Connection::Health::failed:
            on_closed_by_server(
                player, connection.problem().empty() ? "connection reset" : connection.problem());
            break;
        case client::Connection::Health::broken:
            (void)refuse(player, Violation::malformed, "a length that no message has");
            end(player);
            break;
    }
}

void Swarm::on_closed_by_server(PlayerIndex player, const std::string& how) {
    switch (at(player).state) {
        case State::leaving:
            ++fates_.left;
            end(player);
            break;
        case State::playing:
            lose(player, &Fates::closed_by_server, how);
            break;
        default:
            lose(player, &Fates::not_let_in, how + " before a Welcome");
            break;
    }
}

void Swarm::sweep() {
    const Instant now = Clock::now();
    // Whoever was stopped himself has not read yet what came meanwhile: nobody is late by that.
    const bool was_stopped = now - last_sweep_ > kSweepGapMax;
    last_sweep_ = now;
    if (was_stopped) {
        return;
    }
    for (std::size_t i = 0; i < players_.size(); ++i) {
        sweep(static_cast<PlayerIndex>(i), now);
    }
}

void Swarm::sweep(PlayerIndex player, Instant now) {
    Player& it = at(player);
    switch (it.state) {
        case State::connecting:
        case State::opening:
        case State::greeting:
            if (now - it.since > kHandshakeMax) {
                lose(player, &Fates::not_let_in, "no Welcome in time");
            }
            break;
        case State::playing:
            if (now - it.last_sent > kQuietMax) {
                (void)send(player, net::Ping{to_number(player)});
            }
            if (it.is_reading && now - it.last_frame > kSilenceMax) {
                referee_.on_violation(player, Violation::silent, "no frame for too long");
                it.last_frame = now;
            }
            break;
        case State::leaving:
            if (it.is_to_leave) {
                say_leave(player);
            }
            if (now - it.since > kFarewellMax) {
                lose(player, &Fates::dropped, "the server does not close after Leave");
            }
            break;
        case State::absent:
        case State::waiting:
        case State::closed:
            break;
    }
}

void Swarm::close_all() {
    for (std::size_t i = 0; i < players_.size(); ++i) {
        const auto player = static_cast<PlayerIndex>(i);
        if (at(player).state != State::absent && at(player).state != State::closed) {
            ++fates_.left;
            end(player);
        }
    }
}

// ---- the smallest steps

bool Swarm::send(PlayerIndex player, const net::ClientMessage& message) {
    Player& it = at(player);
    if (!it.connection->send(net::encode(builder_, message))) {
        return false;
    }
    it.last_sent = Clock::now();
    return true;
}

void Swarm::say_leave(PlayerIndex player) {
    Player& it = at(player);
    it.is_to_leave = !send(player, net::LeaveZone{});
    it.has_left = !it.is_to_leave;
}

void Swarm::send_move(PlayerIndex player, engine::Position wanted) {
    const engine::Position position = referee_.placed(wanted);
    const auto velocity = at(player).way.step(position);
    if (!velocity) {
        return;
    }
    const std::uint32_t seq = referee_.next_seq(player);
    // Sent means handed to the kernel: the instant before is what a latency counts from.
    const Instant now = Clock::now();
    if (send(player, net::Move{seq, position, {}, referee_.correction_seen(player), *velocity})) {
        referee_.on_move_sent(player, position, now, *velocity);
    } else {
        at(player).way.forget();
        ++referee_.traffic().moves_dropped;
    }
}

void Swarm::enter_state(PlayerIndex player, State state) {
    Player& it = at(player);
    --counts_[static_cast<std::size_t>(it.state)];
    ++counts_[static_cast<std::size_t>(state)];
    it.state = state;
    it.since = Clock::now();
}

void Swarm::end(PlayerIndex player) {
    at(player).connection.reset();
    enter_state(player, State::closed);
}

bool Swarm::comes_back(PlayerIndex player) {
    Player& it = at(player);
    const bool is_first = !it.lost_at;
    if (options_.restart_max == Clock::duration::zero() || it.resume_token.empty() ||
        it.is_refused || (is_first && it.state != State::playing)) {
        return false;
    }
    const Instant now = Clock::now();
    const auto some_of = [this](Clock::duration span) {
        return span * static_cast<int>(random_.next() % 1'000) / 1'000;
    };
    Clock::duration wait = some_of(kReturnSpread);
    if (is_first) {
        it.lost_at = now;
        it.retry_wait = kRetryFirst;
        ++fates_.lost_in_restart;
    } else {
        wait = it.retry_wait / 2 + some_of(it.retry_wait);
        it.retry_wait = std::min(2 * it.retry_wait, kRetryMax);
    }
    if (now + wait > *it.lost_at + options_.restart_max) {
        return false;
    }
    it.connection.reset();
    it.is_reading = true;
    enter_state(player, State::waiting);
    returning_.emplace(now + wait, player);
    return true;
}

void Swarm::lose(PlayerIndex player, std::size_t Fates::*which, const std::string& why) {
    if (comes_back(player)) {
        return;
    }
    ++(fates_.*which);
    lost_.push_back(player);
    note_trouble(player, why);
    end(player);
}

void Swarm::drop(PlayerIndex player, const std::string& why) {
    ++fates_.dropped;
    lost_.push_back(player);
    note_trouble(player, why);
    at(player).connection->close();
}

void Swarm::note_trouble(PlayerIndex player, const std::string& what) {
    if (fates_.first_trouble.empty()) {
        fates_.first_trouble = fmt::format("player {}: {}", to_number(player), what);
    }
}

}  // namespace marchland::bots
