#include "tools/bots/abusers.h"

#include "net/encode_client.h"

#include <chrono>
#include <poll.h>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace marchland::bots {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookInterval = 20ms;
// Longer than a usual handshake timeout, shorter than a usual idle timeout.
constexpr auto kLifeMax = 8s;
constexpr int kPingsPerLook = 64;

bool is_connected(const client::Connection& connection) {
    pollfd wanted{connection.fd(), POLLOUT, 0};
    return poll(&wanted, 1, 0) > 0 && !connection.connect_error();
}

}  // namespace

Abusers::Abusers(const client::Address& server, const client::WayIn& way, const std::string& token,
                 std::uint64_t seed)
    : server_(server), way_(way), token_(token), random_(seed) {}

void Abusers::advance(Instant now) {
    if (now < next_) {
        return;
    }
    next_ = now + kLookInterval;
    for (Seat& seat : seats_) {
        if (seat.connection) {
            advance(seat, now);
        } else {
            begin(seat, now);
        }
    }
}

void Abusers::begin(Seat& seat, Instant now) {
    seat = Seat{std::nullopt, static_cast<Deed>(random_.next() % kDeeds), now};
    // Noise goes to the port as it is: into TLS and HTTP, where the server speaks these.
    const bool is_raw = seat.deed == Deed::noise || seat.deed == Deed::silence;
    auto started = client::Connection::start(server_, is_raw ? client::WayIn{} : way_);
    if (auto* const connection = std::get_if<client::Connection>(&started)) {
        seat.connection.emplace(std::move(*connection));
        ++connections_;
    }
}

void Abusers::advance(Seat& seat, Instant now) {
    client::Connection& it = *seat.connection;
    if (now - seat.since > kLifeMax || (seat.has_acted && seat.deed == Deed::vanish)) {
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
    if (it.is_ready() && (!seat.has_acted || seat.deed == Deed::flood)) {
        act(seat);
        seat.has_acted = true;
    }
    if (seat.has_acted && seat.deed == Deed::deaf) {
        return;
    }
    const auto read = it.read(buffer_, [](std::span<const std::byte>) { return true; });
    if (read.health != client::Connection::Health::open) {
        ++closed_by_server_;
        seat.connection.reset();
    }
}

void Abusers::act(Seat& seat) {
    switch (seat.deed) {
        case Deed::noise: {
            std::vector<std::byte> noise(1 + random_.next() % 4096);
            for (std::byte& byte : noise) {
                byte = static_cast<std::byte>(random_.next());
            }
            send_bytes(seat, noise);
            break;
        }
        case Deed::silence:
            break;
        case Deed::half: {
            const auto whole = net::encode(builder_, hello());
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
        case Deed::flood:
            if (!seat.has_acted) {
                send(seat, hello());
            }
            for (int i = 0; i < kPingsPerLook; ++i) {
                send(seat, net::Ping{random_.next()});
            }
            break;
        case Deed::vanish:
        case Deed::deaf:
            send(seat, hello());
            break;
    }
}

net::Hello Abusers::hello() const {
    net::Hello hello;
    hello.token = token_;
    return hello;
}

void Abusers::send(Seat& seat, const net::ClientMessage& message) {
    send_bytes(seat, net::encode(builder_, message));
}

void Abusers::send_bytes(Seat& seat, std::span<const std::byte> bytes) {
    (void)seat.connection->send(bytes);  // what the kernel does not take is not sent, and no matter
}

}  // namespace marchland::bots
