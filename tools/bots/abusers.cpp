#include "tools/bots/abusers.h"

#include "net/decode_server.h"
#include "net/encode_client.h"
#include "tools/bots/swarm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <exception>
#include <memory>
#include <poll.h>
#include <utility>
#include <variant>

namespace marchland::bots {
namespace {

using namespace std::chrono_literals;

constexpr Clock::duration kLookInterval = 20ms;
constexpr Clock::duration kLookCost = 100us;  // of one connection
constexpr auto kQuietMax = 5s;                // below any server's idle timeout
constexpr int kFloodPerLook = 64;
constexpr std::array kStepsMm{2'000, 10'000,
                              50'000};  // too often, a second's way, and no way at all
constexpr std::int32_t kFarMm = 100'000;
constexpr std::size_t kStateBytes = 1'024;
constexpr std::size_t kLargeBytes = 2'000;  // any server takes so much at once
constexpr auto kWaveInterval = 2s;
constexpr auto kNap = 2ms;
constexpr std::size_t kLoginSubjects = 4;
constexpr std::uint32_t kLooksOfTwoTicks = 5;
constexpr std::uint32_t kTakeOversUnseen = 8;  // before it waits to see where it is

// Where they come from: enough addresses that the limits of one keep nobody out.
constexpr std::uint32_t kAttackersBlock = 128;
constexpr std::uint32_t kAddresses = 256;
constexpr std::uint32_t kManyAddresses = 1U << 22U;

bool is_connected(const client::Connection& connection) {
    pollfd wanted{connection.fd(), POLLOUT, 0};
    return poll(&wanted, 1, 0) > 0 && !connection.connect_error();
}

/// Does the deed go to the port as it is: into TLS and HTTP, where the server speaks these?
bool is_raw(Deed deed) {
    return deed == Deed::noise || deed == Deed::silence || deed == Deed::operator_;
}

}  // namespace

Abusers::Abusers(const AbuseOptions& options, const std::vector<Attack>& attacks)
    : options_(options), random_(options.seed) {
    std::size_t number = 0;
    for (const Attack& attack : attacks) {
        Troop& troop = troops_.emplace_back(Troop{attack, {}, std::nullopt});
        troop.seats.resize(attack.connections);
        for (Seat& seat : troop.seats) {
            seat.number = number++;
        }
    }
}

void Abusers::advance(Instant now, std::uint32_t attacks) {
    for (std::size_t i = 0; i < troops_.size(); ++i) {
        Troop& troop = troops_[i];
        if (troop.seats.empty()) {
            continue;
        }
        if (((attacks >> i) & 1U) == 0) {
            if (troop.turns) {
                troop.turns.reset();
                std::ranges::for_each(troop.seats, [](Seat& it) { it = {it.number}; });
            }
            continue;
        }
        if (!troop.turns) {
            const auto seats = static_cast<Clock::rep>(troop.seats.size());
            troop.turns.emplace(troop.seats.size(), std::max(kLookInterval, kLookCost * seats),
                                now);
        }
        troop.turns->take_due(now, [&](std::uint64_t number) {
            Seat& seat = troop.seats[number];
            seat.connection ? advance(troop, seat, now) : begin(troop, seat, now);
        });
    }
}

void Abusers::begin(const Troop& troop, Seat& seat, Instant now) {
    seat = Seat{seat.number};
    seat.deed = troop.attack.deeds[random_.next() % troop.attack.deeds.size()];
    seat.since = now;
    seat.token = (seat.deed == Deed::vanish   ? random_.next()
                  : seat.deed == Deed::logins ? seat.number % kLoginSubjects
                                              : seat.number) %
                 options_.tokens.size();
    connect(troop, seat);
}

void Abusers::connect(const Troop& troop, Seat& seat) {
    client::WayIn way = is_raw(seat.deed) ? client::WayIn{} : options_.way;
    client::Address where = options_.server;
    if (seat.deed == Deed::web_page) {
        way.is_web_socket = false;  // its frames are made here, wrong as they are
        where = options_.web_socket.value_or(where);
    } else if (seat.deed == Deed::operator_ && options_.admin) {
        where = *options_.admin;
    }
    std::optional<client::Address> from;
    if (options_.has_many_addresses) {
        const std::uint64_t number = troop.attack.is_each_new_address
                                         ? random_.next() % kManyAddresses
                                         : seat.number % kAddresses;
        from = loopback_source(kAttackersBlock, static_cast<std::uint32_t>(number));
    }
    auto started = client::Connection::start(
        where, way, seat.deed == Deed::deaf ? SlowReaders::kReceiveBytes : 0, from);
    seat.is_open = seat.has_acted = seat.is_let_in = false;
    seat.correction.reset();
    seat.looks = 0;
    if (auto* const connection = std::get_if<client::Connection>(&started)) {
        seat.connection.emplace(std::move(*connection));
        ++connections_;
    }
}

void Abusers::advance(const Troop& troop, Seat& seat, Instant now) {
    client::Connection& it = *seat.connection;
    if (now - seat.since > troop.attack.life_max || (seat.is_let_in && seat.deed == Deed::vanish)) {
        seat.connection.reset();
        return;
    }
    if (!seat.is_open) {
        if (is_connected(it)) {
            seat.is_open = true;
            it.open();
        }
        return;
    }
    if (it.is_ready() && !seat.has_acted) {
        act(seat);
        seat.has_acted = true;
    } else if (seat.has_acted) {
        repeat(troop, seat, now);
    }
    if (seat.connection && !(seat.has_acted && seat.deed == Deed::deaf)) {
        read(seat);
    }
}

void Abusers::read(Seat& seat) {
    const auto read = seat.connection->read(buffer_, [&](std::span<const std::byte> message) {
        if ((!seat.is_let_in || seat.deed == Deed::take_over) &&
            !net::decode_server(message, decoded_)) {
            if (const auto* const welcome = std::get_if<net::Welcome>(&decoded_)) {
                note(seat, *welcome);
            } else if (const auto* const frame = std::get_if<net::FrameMessage>(&decoded_)) {
                moves_made_ += seat.repeats > 0 && frame->move_ack > 0 ? 1 : 0;
                if (frame->correction) {
                    note_place(seat, *frame->correction, frame->tick);
                }
            }
        }
        return true;
    });
    using Health = client::Connection::Health;
    // An answer to a web page is no message, and no end either.
    if (read.health == Health::ended || read.health == Health::failed) {
        ++closed_by_server_;
        seat.connection.reset();
    }
}

void Abusers::note(Seat& seat, const net::Welcome& welcome) {
    seat.is_let_in = true;
    seat.resume_token = welcome.resume_token;
    seat.view_mm = welcome.leave_radius_mm_max;
    seat.tick_rate_hz = welcome.tick_rate_hz;
    seat.before.reset();
    if (!welcome.resumed) {
        note_place(seat, {0, welcome.spawn}, welcome.tick);
    }
    const auto slot = std::ranges::find_if(welcome.slots, [](const engine::StateSlot& it) {
        return it.type == engine::StateType::bytes && it.writer == engine::StateWriter::player &&
               it.bytes_max >= kStateBytes;
    });
    if (slot != welcome.slots.end() && welcome.states_per_second_max > 0) {
        seat.slot = static_cast<std::uint8_t>(slot - welcome.slots.begin());
    }
}

void Abusers::note_place(Seat& seat, const net::Correction& correction, engine::Tick tick) {
    const engine::Position at = correction.position;
    seat.correction = correction.number;
    seat.ahead = at;
    if (seat.first_tick == engine::kNever) {
        seat.first_tick = tick;
        seat.first_place = at;
    }
    const double way_mm = std::hypot(static_cast<double>(at.x) - seat.first_place.x,
                                     static_cast<double>(at.y) - seat.first_place.y);
    const auto ticks = static_cast<double>(tick - seat.first_tick + seat.tick_rate_hz);
    speed_mm_per_s_max_ = std::max<std::uint64_t>(
        speed_mm_per_s_max_, static_cast<std::uint64_t>(way_mm * seat.tick_rate_hz / ticks));
}

void Abusers::act(Seat& seat) {
    switch (seat.deed) {
        case Deed::noise:
            send_bytes(seat, noise(1 + random_.next() % 4096));
            break;
        case Deed::silence:
        case Deed::drip:
            break;
        case Deed::half: {
            const auto whole = net::encode(builder_, hello(seat));
            const std::vector<std::byte> half(whole.begin(), whole.begin() + std::ssize(whole) / 2);
            send_bytes(seat, half);
            break;
        }
        case Deed::order:
            send(seat, net::Move{1, {}, {}, 0});
            break;
        case Deed::length:
            send_bytes(seat, std::array{std::byte{0xff}, std::byte{0xff}, std::byte{0xff},
                                        std::byte{0x7f}, std::byte{1}});
            break;
        case Deed::token: {
            net::Hello wrong = hello(seat);
            wrong.token = bad_token(seat);
            send(seat, wrong);
            break;
        }
        case Deed::web_page:
            send_text(seat, web_page());
            break;
        case Deed::operator_:
            if (random_.one_in(2)) {
                send_text(seat, "GET /status HTTP/1.");
            }
            break;
        case Deed::churn: {
            net::Hello elsewhere = hello(seat);
            elsewhere.spawn->x += static_cast<std::int32_t>(random_.next() % kFarMm);
            send(seat, elsewhere);
            break;
        }
        case Deed::crowd:
        case Deed::logins:
        case Deed::large:
        case Deed::deaf:
        case Deed::flood:
        case Deed::vanish:
        case Deed::take_over:
            send(seat, hello(seat));
            break;
    }
}

void Abusers::repeat(const Troop& troop, Seat& seat, Instant now) {
    const Clock::duration age = now - seat.since;
    if (seat.deed == Deed::drip && age > 1s * seat.repeats) {
        const auto whole = net::encode(builder_, hello(seat));
        send_bytes(seat, whole.subspan(seat.repeats++ % whole.size(), 1));
    }
    if (!seat.is_let_in) {
        return;
    }
    if (seat.deed == Deed::flood) {
        flood(seat);
    } else if (seat.deed == Deed::take_over) {
        take_over(troop, seat);
    } else if (seat.deed == Deed::churn && seat.repeats++ == 0) {
        send(seat, net::LeaveZone{});
    } else if (seat.deed == Deed::large) {
        send_large(seat, now);
    } else if (seat.deed == Deed::crowd && age >= kQuietMax * seat.repeats) {
        if (seat.repeats++ > 0) {
            send(seat, net::Ping{seat.repeats});
            return;
        }
        send(seat, wide_view(seat));
        if (seat.slot) {
            auto state = std::make_shared<const std::vector<std::byte>>(noise(kStateBytes));
            send(seat, net::SetState{{{*seat.slot, std::move(state)}}});
        }
    }
}

/// A Ping, and behind it bytes that no reader looks at.
void Abusers::send_large(Seat& seat, Instant now) {
    const auto wave = static_cast<std::uint32_t>(now.time_since_epoch() / kWaveInterval);
    if (std::exchange(seat.repeats, wave) == wave) {
        return;
    }
    const auto ping = net::encode(builder_, net::Ping{wave});
    std::vector<std::byte> large(ping.begin(), ping.end());
    large.resize(kLargeBytes);
    const std::uint32_t prefix = kLargeBytes - sizeof prefix;
    std::memcpy(large.data(), &prefix, sizeof prefix);
    send_bytes(seat, large);
}

void Abusers::flood(Seat& seat) {
    for (int i = 0; i < kFloodPerLook; ++i) {
        switch (i % 8) {
            case 0:
                send(seat, net::KeyframeRequest{});
                break;
            case 1:
                send(seat, wide_view(seat));
                break;
            default:
                send(seat, net::Ping{random_.next()});
                break;
        }
    }
}

/// The first frame over a connection has its place, but may be a second late, and its number is 1 as a rule, as everybody
/// may guess. So it waits for one now and then, and else for a tick to which its move is not too early.
void Abusers::take_over(const Troop& troop, Seat& seat) {
    if (seat.first_tick == engine::kNever) {
        return;
    }
    engine::Position to = seat.ahead;
    const std::int32_t step_mm = kStepsMm[seat.number % kStepsMm.size()];
    to.x +=
        static_cast<std::int32_t>(seat.repeats) / (kFarMm / step_mm) % 2 == 0 ? step_mm : -step_mm;
    if (seat.looks++ < kLooksOfTwoTicks) {
        send(seat, net::Move{1, to, {}, seat.correction.value_or(1)});
    } else if (seat.correction || seat.repeats % kTakeOversUnseen != 0) {
        seat.ahead = to;
        ++seat.repeats;
        seat.before = std::move(seat.connection);  // open until the new one is let in
        seat.connection.reset();
        connect(troop, seat);
    }
}

net::SetView Abusers::wide_view(const Seat& seat) {
    return {engine::View::circle(seat.view_mm, seat.view_mm)};
}

net::Hello Abusers::hello(const Seat& seat) const {
    net::Hello hello;
    hello.token = options_.tokens[seat.token];
    hello.spawn = options_.spot;
    hello.resume_token = seat.resume_token;
    return hello;
}

std::vector<std::byte> Abusers::noise(std::size_t bytes) {
    std::vector<std::byte> noise(bytes);
    std::ranges::generate(noise, [&] { return static_cast<std::byte>(random_.next()); });
    return noise;
}

/// Another signature, no algorithm, nothing at all, a thousand dots.
std::string Abusers::bad_token(const Seat& seat) {
    std::string token = options_.tokens[seat.token];
    switch (random_.next() % 4) {
        case 0:
            if (!token.empty()) {
                char& changed = token[token.size() - 1 - random_.next() % token.size() / 2];
                changed = changed == 'A' ? 'B' : 'A';
            }
            return token;
        case 1:
            return "eyJhbGciOiJub25lIn0." + token + ".";
        case 2:
            return "";
        default:
            return std::string(1'000, '.');
    }
}

std::string Abusers::web_page() {
    const std::string upgrade =
        "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    using namespace std::string_literals;
    // A frame's first two bytes: FIN and opcode, mask and length. The mask is 0: payload as it is.
    switch (random_.next() % 9) {
        case 0:
            return upgrade.substr(0, random_.next() % upgrade.size());
        case 1:
            return upgrade + "X-Large: " + std::string(32'768, 'x') + "\r\n\r\n";
        case 2:
            return "POST / HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\n";
        case 3:
            return upgrade + "Origin: https://evil.example.org\r\n\r\n";
        case 4:  // not masked
            return upgrade + "\r\n\x82\x05hello"s;
        case 5:  // 2^63 - 1 bytes
            return upgrade + "\r\n\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0"s;
        case 6: {  // pings
            std::string pings = upgrade + "\r\n";
            for (int i = 0; i < 1'000; ++i) {
                pings += "\x89\x84\0\0\0\0ping"s;
            }
            return pings;
        }
        case 7: {  // a message that never ends
            std::string parts = upgrade + "\r\n\x02\x80\0\0\0\0"s;
            for (int i = 0; i < 1'000; ++i) {
                parts += "\0\x80\0\0\0\0"s;
            }
            return parts;
        }
        default:  // closes with 1005, which may not be sent
            return upgrade + "\r\n\x88\x82\0\0\0\0\x03\xed"s;
    }
}

void Abusers::send(Seat& seat, const net::ClientMessage& message) {
    send_bytes(seat, net::encode(builder_, message));
}

void Abusers::send_text(Seat& seat, std::string_view text) {
    send_bytes(seat, std::as_bytes(std::span(text)));
}

void Abusers::send_bytes(Seat& seat, std::span<const std::byte> bytes) {
    (void)seat.connection->send(bytes);  // what the kernel does not take is not sent, and no matter
}

std::vector<Attack> HostileDirector::attacks(Scenario scenario, std::size_t crowd, bool has_admin) {
    if (scenario == Scenario::soak) {
        return {{"mixed",
                 {Deed::noise, Deed::silence, Deed::half, Deed::order, Deed::length, Deed::flood,
                  Deed::vanish, Deed::deaf},
                 16}};
    }
    if (scenario != Scenario::siege) {
        return {};
    }
    std::vector<Attack> attacks = {
        {"strangers",
         {Deed::noise, Deed::silence, Deed::half, Deed::drip, Deed::order, Deed::length,
          Deed::flood},
         64},
        {"tokens", {Deed::token}, 40},
        {"web_socket", {Deed::web_page}, 40},
        {"wave", {Deed::silence}, 400, 2s, true},
        {"crowd", {Deed::crowd}, crowd, 60s},
        {"take_over", {Deed::take_over}, 16},
        {"logins", {Deed::logins}, 32},
        {"churn", {Deed::churn}, 40},
        {"large", {Deed::large}, 100},
        {"resume_pool", {Deed::vanish}, 100},
        {"never_read", {Deed::deaf}, 40, 40s},
    };
    if (has_admin) {
        attacks.push_back({"admin", {Deed::operator_}, 32});
    }
    return attacks;
}

std::size_t HostileDirector::connections_max(const std::vector<Attack>& attacks) {
    std::size_t all = 0;
    for (const Attack& attack : attacks) {
        all += attack.connections;
    }
    return all;
}

std::vector<HostileDirector::Phase> HostileDirector::plan(Scenario scenario,
                                                          const std::vector<Attack>& attacks,
                                                          Clock::duration duration) {
    if (scenario == Scenario::soak) {
        return {{"", UINT32_MAX, {}}};
    }
    std::vector<Phase> phases = {{"quiet", 0, duration / 6}};
    const auto count = static_cast<Clock::rep>(attacks.size());
    for (std::size_t i = 0; i < attacks.size(); ++i) {
        phases.push_back({attacks[i].name, 1U << i, duration * 2 / 3 / count});
    }
    phases.push_back({"all", UINT32_MAX, duration / 5});
    phases.push_back({"after", 0, {}});
    return phases;
}

HostileDirector::HostileDirector(const ScenarioOptions& options, const ZoneFacts& zone,
                                 Instant start, Clock::duration duration, const AbuseOptions& abuse,
                                 const std::vector<Attack>& attacks)
    : ScenarioDirector(options, zone, start),
      phases_(plan(options.scenario, attacks, duration)),
      abusers_(abuse, attacks),
      attackers_([this](const std::stop_token& stop) {
          try {
              while (!stop.stop_requested()) {
                  abusers_.advance(Clock::now(), attacks_now_.load());
                  std::this_thread::sleep_for(kNap);
              }
          } catch (const std::exception& error) {
              failure_ = error.what();
              has_failed_ = true;
          }
      }) {}

void HostileDirector::advance(Instant now, Swarm& swarm) {
    ScenarioDirector::advance(now, swarm);
    attacks_now_ = phases_[phase_].attacks;  // whoever counts by phases has seen this one begin
    if (!phase_ends_ && is_complete(swarm)) {
        phase_ends_ = now + phases_.front().length;
    }
    if (phase_ends_ && now >= *phase_ends_ && phase_ + 1 < phases_.size()) {
        ++phase_;
        *phase_ends_ = now + phases_[phase_].length;
    }
}

}  // namespace marchland::bots
