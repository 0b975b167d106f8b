#include "tools/clients/cpp/client.h"

#include "net/decode_server.h"
#include "net/encode_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <poll.h>
#include <utility>

namespace marchland::client {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kConnectMax = 5s;
constexpr auto kWelcomeMax = 10s;
constexpr auto kFarewellMax = 5s;
constexpr Client::Milliseconds kLongestWait = 24h;
/// In the nonce of a Ping that asks whether messages were taken in; with the number of the newest.
constexpr std::uint64_t kConfirming = std::uint64_t{1} << 63U;

Client::Milliseconds left_until(Clock::time_point deadline) {
    return std::max(0ms, std::chrono::duration_cast<Client::Milliseconds>(deadline - Clock::now()));
}

}  // namespace

std::variant<Client, std::string> Client::join(std::span<const Address> servers,
                                               const net::Hello& hello, OnFrame on_frame,
                                               const WayIn& way) {
    Client client(hello, std::move(on_frame), way);
    Problem problem = "no address";
    for (std::size_t i = 0; problem && i < servers.size(); ++i) {
        problem = client.connect(servers[i]);
    }
    if (!problem) {
        problem = client.greet(hello);
    }
    if (problem) {
        return *std::move(problem);
    }
    return client;
}

Client::Problem Client::connect(const Address& server) {
    auto started = Connection::start(server, way_);
    if (const auto* error = std::get_if<std::error_code>(&started)) {
        return "cannot connect: " + error->message();
    }
    connection_.emplace(std::get<Connection>(std::move(started)));
    if (!wait_for(POLLOUT, kConnectMax)) {
        return "cannot connect: no answer in time";
    }
    if (const std::error_code error = connection_->connect_error()) {
        return "cannot connect: " + error.message();
    }
    server_ = server;
    return shake_hands();
}

Client::Problem Client::shake_hands() {
    is_welcome_ = false;
    connection_->open();
    const auto deadline = Clock::now() + kWelcomeMax;
    while (!connection_->is_ready()) {
        if (auto problem = serve(left_until(deadline))) {
            return "cannot connect: " + *problem;
        }
        if (!connection_->is_ready() && Clock::now() >= deadline) {
            return "cannot connect: no handshake in time";
        }
    }
    return std::nullopt;
}

Client::Problem Client::greet(const net::Hello& hello) {
    if (!send(hello)) {
        return "cannot send";
    }
    const auto deadline = Clock::now() + kWelcomeMax;
    while (!is_welcome_) {
        if (auto problem = serve(left_until(deadline))) {
            return problem;
        }
        if (!is_welcome_ && Clock::now() >= deadline) {
            return "no Welcome in time";
        }
    }
    return std::nullopt;
}

bool Client::wait_for(short events, Milliseconds wait_max) const {
    pollfd wanted{connection_->fd(), events, 0};
    return poll(&wanted, 1, static_cast<int>(wait_max.count())) > 0;
}

void Client::move(engine::Position position) {
    position_ = position;
    (void)send(net::Move{++newest_seq_, position, {}, correction_seen_});
}

bool Client::send(const net::ClientMessage& message) {
    spoke_at_ = Clock::now();
    return connection_->send(net::encode(builder_, message));
}

bool Client::say(std::uint16_t kind, std::vector<std::byte> payload) {
    const std::size_t count_max = welcome_->messages.per_second_max;
    const bool has_room = unconfirmed_.size() < count_max;
    if (has_room) {
        unconfirmed_.push_back({++newest_message_, kind, std::move(payload)});
    }
    send_messages();
    return has_room;
}

/// As many as the kernel has room for; and a Ping, when many wait to be confirmed.
void Client::send_messages() {
    while (sent_messages_ < unconfirmed_.size() && send(unconfirmed_[sent_messages_])) {
        ++sent_messages_;
    }
    if (2 * sent_messages_ > welcome_->messages.per_second_max && !is_confirming_) {
        is_confirming_ = send(net::Ping{kConfirming | unconfirmed_[sent_messages_ - 1].number});
    }
}

/// All that was sent before its Ping is taken in.
void Client::take_pong(const net::Pong& pong) {
    if ((pong.nonce & kConfirming) == 0) {
        return;
    }
    is_confirming_ = false;
    while (sent_messages_ > 0 && unconfirmed_.front().number <= (pong.nonce & ~kConfirming)) {
        unconfirmed_.pop_front();
        --sent_messages_;
    }
}

/// How long there is until the next one is due.
Client::Milliseconds Client::ping_if_due() {
    if (is_welcome_ && Clock::now() >= spoke_at_ + ping_after_) {
        (void)send(net::Ping{});
    }
    return is_welcome_ ? left_until(spoke_at_ + ping_after_) + 1ms : kLongestWait;
}

std::optional<std::string> Client::serve(Milliseconds wait_max) {
    const auto deadline = Clock::now() + std::min(wait_max, kLongestWait);
    while (!wait_for(POLLIN, std::min(left_until(deadline), ping_if_due()))) {
        if (Clock::now() >= deadline) {
            return std::nullopt;
        }
    }
    if (is_welcome_) {
        send_messages();
    }
    Problem problem;
    const Connection::Read read =
        connection_->read(buffer_, [&](std::span<const std::byte> message) {
            const auto error = net::decode_server(message, decoded_);
            problem = error ? Problem(error->text) : take(decoded_);
            return !problem;
        });
    if (problem || read.health == Connection::Health::open) {
        return problem;
    }
    if (auto layer_problem = connection_->problem(); !layer_problem.empty()) {
        return layer_problem;
    }
    return read.health == Connection::Health::broken  ? "a length that no message has"
           : read.health == Connection::Health::ended ? "the server closed the connection"
                                                      : "the connection was reset";
}

Client::Problem Client::take(const net::ServerMessage& message) {
    if (const auto* error = std::get_if<net::ErrorMessage>(&message)) {
        return fmt::format("the server says {} ({}): {}", net::name_of(error->code),
                           static_cast<unsigned>(error->code), error->text);
    }
    if (const auto* welcome = std::get_if<net::Welcome>(&message); welcome && !is_welcome_) {
        take_welcome(*welcome);
        return std::nullopt;
    }
    const auto* frame = std::get_if<net::FrameMessage>(&message);
    if (frame != nullptr && is_welcome_) {
        return take_frame(*frame);
    }
    if (const auto* pong = std::get_if<net::Pong>(&message)) {
        take_pong(*pong);
        return std::nullopt;
    }
    const bool is_known = std::holds_alternative<net::Notice>(message) ||
                          std::holds_alternative<net::SkippedMessage>(message);
    return is_known ? std::nullopt : Problem("a message that is not expected here");
}

void Client::take_welcome(const net::Welcome& welcome) {
    is_welcome_ = true;
    welcome_ = welcome;
    correction_seen_ = 0;
    if (!welcome.resumed || !world_) {
        world_.emplace(welcome.quantum_mm);
        position_ = welcome.spawn;
    }
    while (!unconfirmed_.empty() && unconfirmed_.front().number <= welcome.message_number) {
        unconfirmed_.pop_front();
    }
    newest_message_ = welcome.message_number;
    for (net::SendMessage& message : unconfirmed_) {
        message.number = ++newest_message_;  // a server that was restarted counts anew
    }
    sent_messages_ = 0;
    is_confirming_ = false;
    send_messages();
}

Client::Problem Client::take_frame(const net::FrameMessage& frame) {
    if (auto problem = world_->apply(frame)) {
        return problem;
    }
    // A keyframe tells the number that holds already: moves that were sent since are made after it.
    if (frame.correction && frame.correction->number != correction_seen_) {
        correction_seen_ = frame.correction->number;
        position_ = frame.correction->position;
    }
    if (on_frame_) {
        on_frame_(frame);
    }
    return std::nullopt;
}

std::optional<std::string> Client::resume() {
    if (welcome_->resume_token.empty()) {
        return "the server does not let sessions be resumed";
    }
    net::Hello hello = hello_;
    hello.resume_token = welcome_->resume_token;
    hello.last_tick = world_->tick();
    if (auto problem = connect(server_)) {
        return problem;
    }
    return greet(hello);
}

void Client::leave() {
    if (!send(net::LeaveZone{})) {
        connection_->close();
        return;
    }
    const auto deadline = Clock::now() + kFarewellMax;
    while (!serve(left_until(deadline)) && Clock::now() < deadline) {
    }
    connection_->close();
}

}  // namespace marchland::client
