#include "tools/bench/send_clients.h"

#include "net/decode_server.h"
#include "net/encode_client.h"
#include "tools/bench/loopback_socket.h"
#include "tools/bench/workload.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <variant>
#include <sys/socket.h>

namespace marchland::bench {
namespace {

constexpr std::size_t kMessageBytesMax = std::size_t{1} << 20U;
constexpr std::size_t kPrefixBytes = 4;

[[noreturn]] void fail(std::size_t client, const std::string& what) {
    throw std::runtime_error(fmt::format("client {}: {}", client, what));
}

}  // namespace

SendClients::SendClients(std::uint16_t port, std::size_t count)
    : known_movers_(count), last_move_(count), space_(kMessageBytesMax / 8) {
    for (std::size_t i = 0; i < count; ++i) {
        sockets_.push_back(connect_to_loopback(port));
    }
}

void SendClients::join(std::span<const Walker> clients, Movers movers, std::uint64_t walkers) {
    movers_ = movers;
    walkers_ = walkers;
    for (std::size_t i = 0; i < size(); ++i) {
        net::Hello hello;
        hello.spawn = clients[i].at();
        hello.view = engine::View::circle(kRadiusMm, kRadiusMm + kRadiusMm / 10);
        send(i, net::encode(builder_, hello));
    }
    for (std::size_t i = 0; i < size(); ++i) {
        if (net::decode_server(read_message(i), decoded_) ||
            !std::holds_alternative<net::Welcome>(decoded_)) {
            fail(i, "was not welcome");
        }
    }
}

std::size_t SendClients::send_moves(std::span<Walker> clients) {
    ++seq_;
    for (std::size_t i = 0; i < size(); ++i) {
        const auto move = net::encode(builder_, net::Move{seq_, clients[i].step()});
        last_move_[i].assign(move.begin(), move.end());
    }
    return send_moves_of(*this);
}

std::size_t SendClients::send_moves_of(const SendClients& others) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < size(); ++i) {
        send(i, others.last_move_[i]);
        bytes += others.last_move_[i].size();
    }
    return bytes;
}

void SendClients::read_frames(FrameScript& script) {
    for (std::size_t i = 0; i < size(); ++i) {
        const auto message = read_message(i);
        if (const auto error = net::decode_server(message, decoded_)) {
            fail(i, error->text);
        }
        const auto* const frame = std::get_if<net::FrameMessage>(&decoded_);
        if (frame == nullptr) {
            fail(i, "was sent something that is no frame");
        }
        check(i, *frame);
        script.add(message);
    }
}

void SendClients::read_again(const FrameScript& script, std::size_t tick) {
    for (std::size_t i = 0; i < size(); ++i) {
        if (!std::ranges::equal(read_message(i), script.frame(tick, i))) {
            fail(i, "was sent other bytes than the script has");
        }
    }
}

/// Everyone who moves does so in every tick: who is known before and after a frame moved in it.
void SendClients::check(std::size_t client, const net::FrameMessage& frame) {
    std::size_t& known = known_movers_[client];
    known -= static_cast<std::size_t>(std::ranges::count_if(
        frame.leaves, [this](const engine::Leave& leave) { return is_mover(leave.id); }));
    if (frame.moves.size() != known) {
        fail(client, fmt::format("was told of {} moves by tick {}, and knows {} movers",
                                 frame.moves.size(), frame.tick, known));
    }
    known += static_cast<std::size_t>(std::ranges::count_if(
        frame.enters, [this](const net::Entered& entered) { return is_mover(entered.entity); }));
    moves_total_ += frame.moves.size();
}

bool SendClients::is_mover(engine::EntityId id) const {
    return (to_number(id) <= walkers_) == (movers_ == Movers::walkers);
}

/// No other message follows before the next tick: what comes is one message, whole, in the end.
std::span<const std::byte> SendClients::read_message(std::size_t client) {
    const auto space = std::as_writable_bytes(std::span(space_));
    std::size_t bytes = 0;
    std::size_t wanted = kPrefixBytes;
    while (bytes < wanted) {
        const auto left = space.subspan(bytes);
        const ssize_t got = ::recv(sockets_[client].fd(), left.data(), left.size(), 0);
        if (got < 0) {
            fail_with_errno("recv");
        }
        if (got == 0) {
            fail(client, "its connection was closed");
        }
        bytes += static_cast<std::size_t>(got);
        if (bytes >= kPrefixBytes) {
            std::uint32_t length = 0;  // little endian, as this machine is
            std::memcpy(&length, space.data(), sizeof length);
            wanted = kPrefixBytes + length;
        }
        if (wanted > space.size() || bytes > wanted) {
            fail(client, "was sent other than one message");
        }
    }
    return space.first(bytes);
}

void SendClients::send(std::size_t client, std::span<const std::byte> message) {
    const ssize_t sent =
        ::send(sockets_[client].fd(), message.data(), message.size(), MSG_NOSIGNAL);
    if (sent < 0) {
        fail_with_errno("send");
    }
    if (static_cast<std::size_t>(sent) != message.size()) {
        fail(client, "cannot send: its server does not read");
    }
}

}  // namespace marchland::bench
