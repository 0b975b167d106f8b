#include "tools/bots/zone_scout.h"

#include "net/decode_server.h"
#include "net/encode_client.h"
#include "tools/bots/clock.h"
#include "tools/bots/connection.h"

#include <flatbuffers/flatbuffer_builder.h>
#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <poll.h>
#include <utility>

namespace marchland::bots {
namespace {

using namespace std::chrono_literals;

constexpr auto kConnectMax = 5s;
constexpr auto kWelcomeMax = 10s;

/// False when `deadline` came first.
bool wait_for(const Connection& connection, short events, Instant deadline) {
    while (true) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() <= 0) {
            return false;
        }
        pollfd wanted{connection.fd(), events, 0};
        if (poll(&wanted, 1, static_cast<int>(left.count())) > 0) {
            return true;
        }
    }
}

std::variant<Connection, std::string> connect_to(const Address& address) {
    auto started = Connection::start(address);
    if (const auto* error = std::get_if<std::error_code>(&started)) {
        return error->message();
    }
    auto& connection = std::get<Connection>(started);
    if (!wait_for(connection, POLLOUT, Clock::now() + kConnectMax)) {
        return std::string("no answer in time");
    }
    if (const std::error_code error = connection.connect_error()) {
        return error.message();
    }
    return std::move(connection);
}

/// The first answer to a Hello. The string says why there is none.
std::variant<net::ServerMessage, std::string> first_answer(Connection& connection) {
    ReadBuffer buffer;
    std::optional<net::ServerMessage> answer;
    std::string problem;
    const Instant deadline = Clock::now() + kWelcomeMax;
    while (!answer && problem.empty()) {
        if (!wait_for(connection, POLLIN, deadline)) {
            return std::string("no Welcome in time");
        }
        const auto read = connection.read(buffer, [&](std::span<const std::byte> message) {
            if (const auto error = net::decode_server(message, answer.emplace())) {
                problem = error->text;
            }
            return false;
        });
        if (!answer && read.health != Connection::Health::open) {
            return std::string("closed without a Welcome");
        }
    }
    if (!problem.empty()) {
        return problem;
    }
    return std::move(*answer);
}

std::variant<ZoneFacts, std::string> facts_of(const net::Welcome& welcome) {
    const auto [min, max] = std::pair(welcome.world_min, welcome.world_max);
    if (min.x > max.x || min.y > max.y || min.z > max.z) {
        return std::string("the Welcome's world is empty");
    }
    if (welcome.tick_rate_hz < 1 || welcome.tick_rate_hz > 128) {
        return fmt::format("the Welcome's tick rate is {} Hz, not 1 to 128", welcome.tick_rate_hz);
    }
    return ZoneFacts{{min, max, welcome.dimensions},
                     welcome.tick_rate_hz,
                     welcome.crowd,
                     static_cast<std::int32_t>(welcome.quantum_mm)};
}

std::variant<ZoneFacts, std::string> ask(Connection& connection) {
    flatbuffers::FlatBufferBuilder builder;
    if (!connection.send(net::encode(builder, net::Hello{}))) {
        return std::string("cannot send");
    }
    auto answer = first_answer(connection);
    if (auto* problem = std::get_if<std::string>(&answer)) {
        return std::move(*problem);
    }
    const auto& message = std::get<net::ServerMessage>(answer);
    if (const auto* error = std::get_if<net::ErrorMessage>(&message)) {
        return fmt::format("the server says {} ({}): {}", net::name_of(error->code),
                           static_cast<unsigned>(error->code), error->text);
    }
    const auto* welcome = std::get_if<net::Welcome>(&message);
    if (welcome == nullptr) {
        return std::string("the first message is no Welcome");
    }
    (void)connection.send(net::encode(builder, net::LeaveZone{}));  // closing says the same
    return facts_of(*welcome);
}

}  // namespace

std::variant<Scouted, std::string> scout_zone(const std::vector<Address>& addresses) {
    std::string problem = "no address";
    for (const Address& address : addresses) {
        auto connected = connect_to(address);
        if (auto* why = std::get_if<std::string>(&connected)) {
            problem = std::move(*why);
            continue;
        }
        auto facts = ask(std::get<Connection>(connected));
        if (auto* why = std::get_if<std::string>(&facts)) {
            return std::move(*why);
        }
        return Scouted{std::get<ZoneFacts>(facts), address};
    }
    return problem;
}

}  // namespace marchland::bots
