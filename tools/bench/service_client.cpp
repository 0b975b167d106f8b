#include "tools/bench/service_client.h"

#include "net/decode_server.h"
#include "net/encode_client.h"
#include "tools/bench/loopback_socket.h"

#include <algorithm>
#include <stdexcept>
#include <variant>
#include <sys/socket.h>

namespace marchland::bench {
namespace {

constexpr std::size_t kMessageBytesMax = std::size_t{1} << 20U;

engine::EntityId id_of(std::size_t walker) {
    return static_cast<engine::EntityId>(walker + 1);
}

}  // namespace

ServiceClient::ServiceClient(std::uint16_t port, std::span<const Walker> walkers)
    : socket_(connect_to_loopback(port)), received_(kMessageBytesMax) {
    say(net::ServiceHello{});
    await<net::ServiceWelcome>();
    for (std::size_t first = 0; first < walkers.size(); first += net::kServiceItemsMax) {
        net::Spawn spawn;
        for (const Walker& walker :
             walkers.subspan(first, std::min(net::kServiceItemsMax, walkers.size() - first))) {
            net::SpawnOne one;
            one.position = walker.at();
            spawn.entities.push_back(one);
            told_.push_back(walker.at());
        }
        say(spawn);
        const auto spawned = await<net::Spawned>();
        if (spawned.entities.size() != spawn.entities.size() ||
            spawned.entities.front().entity != id_of(first)) {
            throw std::runtime_error("the service's entities are not there");
        }
    }
}

std::span<const std::byte> ServiceClient::step(std::span<Walker> walkers) {
    const bool is_first = moves_.empty();
    moves_.clear();
    net::MoveMany many;
    for (std::size_t i = 0; i < walkers.size(); ++i) {
        const engine::Position now = walkers[i].step();
        const engine::Position from = is_first ? engine::Position{} : told_[i];
        many.moves.push_back({id_of(i), !is_first, std::int64_t{now.x} - from.x,
                              std::int64_t{now.y} - from.y, std::int64_t{now.z} - from.z});
        told_[i] = now;
        if (many.moves.size() == net::kServiceItemsMax || i + 1 == walkers.size()) {
            const auto message = net::encode(builder_, many);
            moves_.insert(moves_.end(), message.begin(), message.end());
            many.moves.clear();
        }
    }
    return moves_;
}

void ServiceClient::send(std::span<const std::byte> messages) {
    while (!messages.empty()) {
        const ssize_t sent = ::send(socket_.fd(), messages.data(), messages.size(), MSG_NOSIGNAL);
        if (sent < 0) {
            fail_with_errno("send");
        }
        messages = messages.subspan(static_cast<std::size_t>(sent));
    }
}

void ServiceClient::fence() {
    say(net::Ping{++pings_});
    while (await<net::Pong>().nonce != pings_) {
    }
}

void ServiceClient::say(const net::ClientMessage& message) {
    send(net::encode(builder_, message));
}

/// Players' coming and going is passed over.
template <typename Message>
Message ServiceClient::await() {
    while (true) {
        std::span<const std::byte> message;
        while (received_.next(message) != net::ReceiveBuffer::Next::message) {
            const auto space = received_.writable();
            const ssize_t got = ::recv(socket_.fd(), space.data(), space.size(), 0);
            if (got <= 0) {
                fail_with_errno("the service hears nothing");
            }
            received_.commit(static_cast<std::size_t>(got));
        }
        net::ServerMessage decoded;
        if (const auto error = net::decode_server(message, decoded)) {
            throw std::runtime_error("the service was told nonsense: " + error->text);
        }
        if (std::holds_alternative<Message>(decoded)) {
            return std::get<Message>(std::move(decoded));
        }
        if (!std::holds_alternative<net::PlayerJoined>(decoded)) {
            throw std::runtime_error("the service was told something else");
        }
    }
}

}  // namespace marchland::bench
