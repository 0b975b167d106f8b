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
        troop.abusers.resize(attack.connections);
        for (Abuser& abuser : troop.abusers) {
            abuser.number = number++;
        }
    }
}

void Abusers::advance(Instant now, std::uint32_t attacks) {
    for (std::size_t i = 0; i < troops_.size(); ++i) {
        Troop& troop = troops_[i];
        if (troop.abusers.empty()) {
            continue;
        }
        if (((attacks >> i) & 1U) == 0) {
            if (troop.turns) {
                troop.turns.reset();
                std::ranges::for_each(troop.abusers, [](Abuser& it) { it = {it.number}; });
            }
            continue;
        }
        if (!troop.turns) {
            const auto abusers = static_cast<Clock::rep>(troop.abusers.size());
            troop.turns.emplace(troop.abusers.size(), std::max(kLookInterval, kLookCost * abusers),
                                now);
        }
        troop.turns->take_due(now, [&](std::uint64_t number) {
            Abuser& abuser = troop.abusers[number];
            abuser.connection ? advance(troop, abuser, now) : begin(troop, abuser, now);
        });
    }
}

void Abusers::begin(const Troop& troop, Abuser& abuser, Instant now) {
    abuser = Abuser{abuser.number};
    abuser.deed = troop.attack.deeds[random_.next() % troop.attack.deeds.size()];
    abuser.since = now;
    abuser.token = (abuser.deed == Deed::vanish   ? random_.next()
                    : abuser.deed == Deed::logins ? abuser.number % kLoginSubjects
                                                  : abuser.number) %
                   options_.tokens.size();
    connect(troop, abuser);
}

void Abusers::connect(const Troop& troop, Abuser& abuser) {
    client::WayIn way = is_raw(abuser.deed) ? client::WayIn{} : options_.way;
    client::Address where = options_.server;
    if (abuser.deed == Deed::web_page) {
        way.is_web_socket = false;  // its frames are made here, wrong as they are
        where = options_.web_socket.value_or(where);
    } else if (abuser.deed == Deed::operator_ && options_.admin) {
        where = *options_.admin;
    }
    std::optional<client::Address> from;
    if (options_.has_many_addresses) {
        const std::uint64_t number = troop.attack.is_each_new_address
                                         ? random_.next() % kManyAddresses
                                         : abuser.number % kAddresses;
        from = loopback_source(kAttackersBlock, static_cast<std::uint32_t>(number));
    }
    auto started = client::Connection::start(
        where, way, abuser.deed == Deed::deaf ? SlowReaders::kReceiveBytes : 0, from);
    abuser.is_open = abuser.has_acted = abuser.is_let_in = false;
    abuser.correction.reset();
    abuser.looks = 0;
    if (auto* const connection = std::get_if<client::Connection>(&started)) {
        abuser.connection.emplace(std::move(*connection));
        ++connections_;
    }
}

void Abusers::advance(const Troop& troop, Abuser& abuser, Instant now) {
    client::Connection& it = *abuser.connection;
    if (now - abuser.since > troop.attack.life_max ||
        (abuser.is_let_in && abuser.deed == Deed::vanish)) {
        abuser.connection.reset();
        return;
    }
    if (!abuser.is_open) {
        if (is_connected(it)) {
            abuser.is_open = true;
            it.open();
        }
        return;
    }
    if (it.is_ready() && !abuser.has_acted) {
        act(abuser);
        abuser.has_acted = true;
    } else if (abuser.has_acted) {
        repeat(troop, abuser, now);
    }
    if (abuser.connection && !(abuser.has_acted && abuser.deed == Deed::deaf)) {
        read(abuser);
    }
}

void Abusers::read(Abuser& abuser) {
    const auto read = abuser.connection->read(buffer_, [&](std::span<const std::byte> message) {
        if ((!abuser.is_let_in || abuser.deed == Deed::take_over) &&
            !net::decode_server(message, decoded_)) {
            if (const auto* const welcome = std::get_if<net::Welcome>(&decoded_)) {
                note(abuser, *welcome);
            } else if (const auto* const frame = std::get_if<net::FrameMessage>(&decoded_)) {
                moves_made_ += abuser.repeats > 0 && frame->move_ack > 0 ? 1 : 0;
                if (frame->correction) {
                    note_place(abuser, *frame->correction, frame->tick);
                }
            }
        }
        return true;
    });
    using Health = client::Connection::Health;
    // An answer to a web page is no message, and no end either.
    if (read.health == Health::ended || read.health == Health::failed) {
        ++closed_by_server_;
        abuser.connection.reset();
    }
}

void Abusers::note(Abuser& abuser, const net::Welcome& welcome) {
    abuser.is_let_in = true;
    abuser.resume_token = welcome.resume_token;
    abuser.view_mm = welcome.leave_radius_mm_max;
    abuser.tick_rate_hz = welcome.tick_rate_hz;
    abuser.before.reset();
    if (!welcome.resumed) {
        note_place(abuser, {0, welcome.spawn}, welcome.tick);
    }
    const auto slot = std::ranges::find_if(welcome.slots, [](const engine::StateSlot& it) {
        return it.type == engine::StateType::bytes && it.writer == engine::StateWriter::player &&
               it.bytes_max >= kStateBytes;
    });
    if (slot != welcome.slots.end() && welcome.states_per_second_max > 0) {
        abuser.slot = static_cast<std::uint8_t>(slot - welcome.slots.begin());
    }
}

void Abusers::note_place(Abuser& abuser, const net::Correction& correction, engine::Tick tick) {
    const engine::Position at = correction.position;
    abuser.correction = correction.number;
    abuser.ahead = at;
    if (abuser.first_tick == engine::kNever) {
        abuser.first_tick = tick;
        abuser.first_place = at;
    }
    const double way_mm = std::hypot(static_cast<double>(at.x) - abuser.first_place.x,
                                     static_cast<double>(at.y) - abuser.first_place.y);
    const auto ticks = static_cast<double>(tick - abuser.first_tick + abuser.tick_rate_hz);
    speed_mm_per_s_max_ = std::max<std::uint64_t>(
        speed_mm_per_s_max_, static_cast<std::uint64_t>(way_mm * abuser.tick_rate_hz / ticks));
}

void Abusers::act(Abuser& abuser) {
    switch (abuser.deed) {
        case Deed::noise:
            send_bytes(abuser, noise(1 + random_.next() % 4096));
            break;
        case Deed::silence:
        case Deed::drip:
            break;
        case Deed::half: {
            const auto whole = net::encode(builder_, hello(abuser));
            const std::vector<std::byte> half(whole.begin(), whole.begin() + std::ssize(whole) / 2);
            send_bytes(abuser, half);
            break;
        }
        case Deed::order:
            send(abuser, net::Move{1, {}, {}, 0});
            break;
        case Deed::length:
            send_bytes(abuser, std::array{std::byte{0xff}, std::byte{0xff}, std::byte{0xff},
                                          std::byte{0x7f}, std::byte{1}});
            break;
        case Deed::token: {
            net::Hello wrong = hello(abuser);
            wrong.token = bad_token(abuser);
            send(abuser, wrong);
            break;
        }
        case Deed::web_page:
            send_text(abuser, web_page());
            break;
        case Deed::operator_:
            if (random_.one_in(2)) {
                send_text(abuser, "GET /status HTTP/1.");
            }
            break;
        case Deed::churn: {
            net::Hello elsewhere = hello(abuser);
            elsewhere.spawn->x += static_cast<std::int32_t>(random_.next() % kFarMm);
            send(abuser, elsewhere);
            break;
        }
        case Deed::crowd:
        case Deed::logins:
        case Deed::large:
        case Deed::deaf:
        case Deed::flood:
        case Deed::vanish:
        case Deed::take_over:
            send(abuser, hello(abuser));
            break;
    }
}

void Abusers::repeat(const Troop& troop, Abuser& abuser, Instant now) {
    const Clock::duration age = now - abuser.since;
    if (abuser.deed == Deed::drip && age > 1s * abuser.repeats) {
        const auto whole = net::encode(builder_, hello(abuser));
        send_bytes(abuser, whole.subspan(abuser.repeats++ % whole.size(), 1));
    }
    if (!abuser.is_let_in) {
        return;
    }
    if (abuser.deed == Deed::flood) {
        flood(abuser);
    } else if (abuser.deed == Deed::take_over) {
        take_over(troop, abuser);
    } else if (abuser.deed == Deed::churn && abuser.repeats++ == 0) {
        send(abuser, net::LeaveZone{});
    } else if (abuser.deed == Deed::large) {
        send_large(abuser, now);
    } else if (abuser.deed == Deed::crowd && age >= kQuietMax * abuser.repeats) {
        if (abuser.repeats++ > 0) {
            send(abuser, net::Ping{abuser.repeats});
            return;
        }
        send(abuser, wide_view(abuser));
        if (abuser.slot) {
            auto state = std::make_shared<const std::vector<std::byte>>(noise(kStateBytes));
            send(abuser, net::SetState{{{*abuser.slot, std::move(state)}}});
        }
    }
}

/// A Ping, and behind it bytes that no reader looks at.
void Abusers::send_large(Abuser& abuser, Instant now) {
    const auto wave = static_cast<std::uint32_t>(now.time_since_epoch() / kWaveInterval);
    if (std::exchange(abuser.repeats, wave) == wave) {
        return;
    }
    const auto ping = net::encode(builder_, net::Ping{wave});
    std::vector<std::byte> large(ping.begin(), ping.end());
    large.resize(kLargeBytes);
    const std::uint32_t prefix = kLargeBytes - sizeof prefix;
    std::memcpy(large.data(), &prefix, sizeof prefix);
    send_bytes(abuser, large);
}

void Abusers::flood(Abuser& abuser) {
    for (int i = 0; i < kFloodPerLook; ++i) {
        switch (i % 8) {
            case 0:
                send(abuser, net::KeyframeRequest{});
                break;
            case 1:
                send(abuser, wide_view(abuser));
                break;
            default:
                send(abuser, net::Ping{random_.next()});
                break;
        }
    }
}

/// The first frame over a connection has its place, but may be a second late, and its number is 1
/// as a rule, as everybody may guess. So it waits for one now and then, and else for a tick to
/// which its move is not too early.
void Abusers::take_over(const Troop& troop, Abuser& abuser) {
    if (abuser.first_tick == engine::kNever) {
        return;
    }
    engine::Position to = abuser.ahead;
    const std::int32_t step_mm = kStepsMm[abuser.number % kStepsMm.size()];
    to.x += static_cast<std::int32_t>(abuser.repeats) / (kFarMm / step_mm) % 2 == 0 ? step_mm
                                                                                    : -step_mm;
    if (abuser.looks++ < kLooksOfTwoTicks) {
        send(abuser, net::Move{1, to, {}, abuser.correction.value_or(1)});
    } else if (abuser.correction || abuser.repeats % kTakeOversUnseen != 0) {
        abuser.ahead = to;
        ++abuser.repeats;
        abuser.before = std::move(abuser.connection);  // open until the new one is let in
        abuser.connection.reset();
        connect(troop, abuser);
    }
}

net::SetView Abusers::wide_view(const Abuser& abuser) {
    return {engine::View::circle(abuser.view_mm, abuser.view_mm)};
}

net::Hello Abusers::hello(const Abuser& abuser) const {
    net::Hello hello;
    hello.token = options_.tokens[abuser.token];
    hello.spawn = options_.spot;
    hello.resume_token = abuser.resume_token;
    return hello;
}

std::vector<std::byte> Abusers::noise(std::size_t bytes) {
    std::vector<std::byte> noise(bytes);
    std::ranges::generate(noise, [&] { return static_cast<std::byte>(random_.next()); });
    return noise;
}

/// Another signature, no algorithm, nothing at all, a thousand dots.
std::string Abusers::bad_token(const Abuser& abuser) {
    std::string token = options_.tokens[abuser.token];
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

void Abusers::send(Abuser& abuser, const net::ClientMessage& message) {
    send_bytes(abuser, net::encode(builder_, message));
}

void Abusers::send_text(Abuser& abuser, std::string_view text) {
    send_bytes(abuser, std::as_bytes(std::span(text)));
}

void Abusers::send_bytes(Abuser& abuser, std::span<const std::byte> bytes) {
    (void)abuser.connection->send(
        bytes);  // what the kernel does not take is not sent, and no matter
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
