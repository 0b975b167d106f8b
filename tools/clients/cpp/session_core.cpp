#include "tools/clients/cpp/session_core.h"

#include "net/decode_server.h"
#include "net/encode_client.h"
#include "net/wire_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <thread>
#include <utility>

namespace marchland::client {
namespace {

using namespace std::chrono_literals;

constexpr auto kConnectMax = 5s;
constexpr auto kWelcomeMax = 10s;
constexpr auto kFarewellMax = 5s;
/// A connection that lasts as long is no attempt any more.
constexpr auto kLasts = 5s;
constexpr SessionCore::Milliseconds kLongestWait = 24h;
constexpr SessionCore::Milliseconds kAskAgain = 100ms;
/// In the nonce of a Ping that was to be answered.
constexpr std::uint64_t kAsked = std::uint64_t{1} << 62U;
constexpr std::size_t kPostedBytesMax = std::size_t{16} << 20U;

SessionCore::Milliseconds left_until(std::chrono::steady_clock::time_point deadline) {
    const auto left = deadline - std::chrono::steady_clock::now();
    return std::max(0ms, std::chrono::ceil<SessionCore::Milliseconds>(left));
}

Problem of_network(std::string text) {
    return {Problem::Of::network, {}, std::move(text)};
}

/// The entity is still there, or may be again when the server is. So it is after `too_large` and
/// `too_fast`, but who sent too much would do so again: the program decides.
bool may_be_resumed(const Problem& problem) {
    return problem.of == Problem::Of::network || problem.code == net::ErrorCode::idle_timeout ||
           problem.code == net::ErrorCode::too_slow || problem.code == net::ErrorCode::stopping;
}

/// The zone to which the game sent the player may let it in later.
bool may_be_followed(const Problem& problem) {
    return problem.of == Problem::Of::network || problem.code == net::ErrorCode::full ||
           problem.code == net::ErrorCode::stopping || problem.code == net::ErrorCode::overloaded;
}

}  // namespace

SessionCore::MaybeProblem SessionCore::join(std::span<const Address> servers) {
    const SessionOptions own = options_;
    const auto& [resume_token, address, token] = own.resumption;
    if (!resume_token.empty() && !address.empty()) {
        go_to(address, token);
    }
    resumption_.resume_token = resume_token;
    auto problem = is_to_follow_ ? follow() : join_anew(servers);
    if (problem && problem->code == net::ErrorCode::resume_refused) {
        options_ = own;
        resumption_ = {};
        problem = join_anew(servers);
    }
    return problem;
}

SessionCore::MaybeProblem SessionCore::join_anew(std::span<const Address> servers) {
    MaybeProblem problem = of_network("no address");
    for (std::size_t i = 0; problem && problem->of == Problem::Of::network && i < servers.size();
         ++i) {
        problem = begin(servers[i]);
    }
    return problem;
}

/// To the Welcome.
SessionCore::MaybeProblem SessionCore::begin(const Address& server) {
    is_welcome_ = false;
    posted_.clear();
    posted_bytes_ = 0;
    if (auto problem = connect(server)) {
        problem->text.insert(0, "cannot connect: ");
        return problem;
    }
    return greet(Clock::now() + kWelcomeMax);
}

SessionCore::MaybeProblem SessionCore::connect(const Address& server) {
    auto started = Connection::start(server, options_.way);
    if (const auto* error = std::get_if<std::error_code>(&started)) {
        return of_network(error->message());
    }
    connection_.emplace(std::get<Connection>(std::move(started)));
    if (wait_for(POLLOUT, kConnectMax) == 0) {
        return of_network("no answer in time");
    }
    if (const std::error_code error = connection_->connect_error()) {
        return of_network(error.message());
    }
    server_ = server;
    connection_->open();
    const auto deadline = Clock::now() + kWelcomeMax;
    while (!connection_->is_ready()) {
        if (wait_for(POLLIN, left_until(deadline)) == 0) {
            return of_network("no handshake in time");
        }
        if (auto problem = read()) {
            return problem;
        }
    }
    return std::nullopt;
}

SessionCore::MaybeProblem SessionCore::greet(Clock::time_point deadline) {
    net::ClientMessage first = hello(resumption_.resume_token);
    if (options_.token) {
        std::visit(
            [&](auto& message) {
                if constexpr (requires { message.token; }) {
                    message.token = options_.token();
                }
            },
            first);
    }
    spoke_at_ = received_at_ = pinged_at_ = Clock::now();
    if (!connection_->send(net::encode(builder_, first))) {
        return of_network("cannot send");
    }
    while (!is_welcome_) {
        if (wait_for(POLLIN, left_until(deadline)) == 0) {
            return of_network("no Welcome in time");
        }
        if (auto problem = read()) {
            return problem;
        }
    }
    return std::nullopt;
}

short SessionCore::wait_for(short events, Milliseconds wait_max) const {
    pollfd wanted{connection_->fd(), events, 0};
    const auto deadline = Clock::now() + wait_max;
    int ready = 0;
    do {
        ready = poll(&wanted, 1, static_cast<int>(left_until(deadline).count()));
    } while (ready < 0 && errno == EINTR);  // a signal is no end of the wait
    return ready > 0 ? wanted.revents : short{0};
}

bool SessionCore::send(const net::ClientMessage& message) {
    if (!is_connected() || !posted_.empty()) {
        return false;
    }
    spoke_at_ = Clock::now();
    return connection_->send(net::encode(builder_, message));
}

bool SessionCore::post(const net::ClientMessage& message, std::size_t bytes_max) {
    if (!is_connected()) {
        return true;
    }
    const auto bytes = net::encode(builder_, message);
    if (bytes.size() - net::kLengthPrefixBytes > bytes_max) {
        return false;
    }
    posted_.emplace_back(bytes.begin(), bytes.end());
    posted_bytes_ += bytes.size();
    spoke_at_ = Clock::now();
    flush();
    return true;
}

void SessionCore::flush() {
    while (!posted_.empty() && connection_->send(posted_.front())) {
        posted_bytes_ -= posted_.front().size();
        posted_.pop_front();
    }
    (void)connection_->flush();
}

SessionCore::MaybeProblem SessionCore::serve(Milliseconds wait_max) {
    if (ended_by_) {
        return ended_by_;
    }
    const auto deadline = Clock::now() + std::min(wait_max, kLongestWait);
    is_in_call_ = true;
    auto problem = connection_ ? serve_connection(deadline) : try_again(deadline);
    if (problem && is_to_follow_ && !is_leaving_) {
        is_following_ = true;
        problem = follow();
    }
    ended_by_ = problem && !is_leaving_ ? lost(*std::move(problem)) : std::nullopt;
    is_in_call_ = false;
    if (is_leaving_) {
        say_farewell();
    }
    return ended_by_;
}

bool SessionCore::wait_until_safe(Milliseconds wait_max) {
    const auto deadline = Clock::now() + std::min(wait_max, kLongestWait);
    const std::uint64_t connection = welcomes_;
    std::optional<net::Pong> first;
    for (;;) {
        const auto newest = ask(deadline);
        if (!newest || welcomes_ != connection) {
            return false;
        }
        first = first ? first : newest;
        // What was taken in before the first Pong is in force two ticks later.
        if (newest->safe_tick >= first->tick + 2) {
            return true;
        }
        serve_while([] { return true; }, std::min(Clock::now() + kAskAgain, deadline));
    }
}

/// Behind all that was asked for. Nothing: not in time, or the connection was lost.
std::optional<net::Pong> SessionCore::ask(Clock::time_point deadline) {
    serve_while([this] { return has_waiting() || !posted_.empty(); }, deadline);
    if (!is_connected()) {
        return std::nullopt;
    }
    pong_.reset();
    post(net::Ping{kAsked | ++asked_});
    serve_while([this] { return !pong_; }, deadline);
    return pong_;
}

/// On this connection.
template <typename Condition>
void SessionCore::serve_while(Condition&& condition, Clock::time_point deadline) {
    const std::uint64_t connection = welcomes_;
    if (is_connected()) {
        send_waiting();
    }
    while (is_connected() && welcomes_ == connection && Clock::now() < deadline && condition() &&
           !serve(std::min(left_until(deadline), kAskAgain))) {
    }
}

void SessionCore::go_to(std::string address, std::string token) {
    resumption_ = {{}, std::move(address), resumption_.token};
    is_to_follow_ = true;
    if (!token.empty()) {
        resumption_.token = token;
        options_.token = [token] { return token; };
    }
}

/// As one that begins: nothing of the zone before counts.
SessionCore::MaybeProblem SessionCore::follow() {
    is_to_follow_ = false;
    connection_.reset();
    const auto where = parse_transfer_address(resumption_.address);
    if (!where) {
        return unexpected(("sent to no address of a zone: " + resumption_.address).c_str());
    }
    WayIn& way = options_.way;
    way.is_web_socket = where->is_web_socket;
    if (!where->keeps_tls) {
        if (where->is_tls && trusted_ == nullptr) {
            auto made = tls_trusting("");
            if (const auto* problem = std::get_if<std::string>(&made)) {
                return unexpected(problem->c_str());
            }
            trusted_ = std::get<std::shared_ptr<ssl_ctx_st>>(std::move(made));
        }
        way.tls = where->is_tls ? trusted_ : nullptr;
    } else {  // a resumption may begin with another way in
        resumption_.address.insert(0, way.tls ? "tls://" : "tcp://");
    }
    if (!options_.keeps_server_name) {
        way.server_name = where->at.host;
    }
    const auto servers = resolve(where->at);
    if (const auto* error = std::get_if<std::string>(&servers)) {
        return of_network(*error);
    }
    return join_anew(std::get<std::vector<Address>>(servers));
}

/// Also when much is sent and nothing received: where nobody is near, only a Pong shows that the
/// server is there.
SessionCore::Clock::time_point SessionCore::ping_at() const {
    return std::min(spoke_at_, std::max(received_at_, pinged_at_)) + options_.ping_after;
}

SessionCore::MaybeProblem SessionCore::serve_connection(Clock::time_point deadline) {
    for (;;) {
        send_waiting();
        if (posted_bytes_ > kPostedBytesMax) {
            return of_network("the server does not read");
        }
        const auto now = Clock::now();
        // Who did not call for so long may find what was said meanwhile.
        if (now >= received_at_ + options_.silence_max && wait_for(POLLIN, 0ms) == 0) {
            return of_network("the server says nothing any more");
        }
        if (now >= ping_at()) {
            pinged_at_ = now;
            post(net::Ping{});
        }
        const auto until = std::min({deadline, received_at_ + options_.silence_max, ping_at()});
        const bool has_rest = !posted_.empty() || connection_->has_unsent();
        const short wanted = has_rest ? POLLIN | POLLOUT : POLLIN;
        const short ready = wait_for(wanted, left_until(until));
        if ((ready & POLLOUT) != 0) {
            flush();
        }
        if ((ready & ~POLLOUT) != 0) {
            return read();
        }
        if (Clock::now() >= deadline) {
            return std::nullopt;
        }
    }
}

SessionCore::MaybeProblem SessionCore::read() {
    MaybeProblem problem;
    const Connection::Read got =
        connection_->read(buffer_, [&](std::span<const std::byte> message) {
            const auto error = net::decode_server(message, decoded_);
            if (!error) {
                times_.complete(decoded_);
            }
            problem = error ? unexpected(error->text.c_str()) : take_any(decoded_);
            return !problem;
        });
    if (got.bytes > 0) {
        received_at_ = Clock::now();
    }
    if (problem || got.health == Connection::Health::open) {
        return problem;
    }
    if (auto layer_problem = connection_->problem(); !layer_problem.empty()) {
        return of_network(layer_problem);
    }
    if (got.health == Connection::Health::broken) {
        return unexpected("a length that no message has");
    }
    return of_network(got.health == Connection::Health::ended ? "the server closed the connection"
                                                              : "the connection was reset");
}

SessionCore::MaybeProblem SessionCore::take_any(net::ServerMessage& message) {
    if (const auto* error = std::get_if<net::ErrorMessage>(&message)) {
        return Problem{Problem::Of::server, error->code,
                       fmt::format("the server says {} ({}): {}", net::name_of(error->code),
                                   static_cast<unsigned>(error->code), error->text)};
    }
    if (const auto* const pong = std::get_if<net::Pong>(&message);
        pong != nullptr && pong->nonce == (kAsked | asked_)) {
        pong_ = *pong;
    }
    if (is_welcome_) {
        return take(message);
    }
    const net::AnyWelcome* const welcome = take_welcome(message);
    if (welcome == nullptr) {
        return unexpected("something else than a Welcome");
    }
    is_welcome_ = true;
    ++welcomes_;
    welcome_at_ = Clock::now();
    newest_welcome_ = welcome;
    resumption_.resume_token = welcome->resume_token;
    send_waiting();
    const bool was_lost = std::exchange(is_lost_, false);
    if (std::exchange(is_following_, false)) {
        if (options_.on_transferred) {
            options_.on_transferred();  // before that zone's frames
        }
    } else if (was_lost && options_.on_resumed) {
        options_.on_resumed();
    }
    return std::nullopt;
}

/// Nothing: it will be tried again.
SessionCore::MaybeProblem SessionCore::lost(Problem problem) {
    connection_.reset();
    const auto now = Clock::now();
    if (!is_lost_) {
        const bool can_go_on = is_following_
                                   ? may_be_followed(problem)
                                   : !resumption_.resume_token.empty() && may_be_resumed(problem);
        if (!can_go_on || !options_.resume) {
            return problem;
        }
        is_lost_ = true;
        const net::AnyWelcome& welcome = *newest_welcome_;
        const bool may_restart = welcome.restart_grace_ms > 0;
        give_up_at_ =
            now + Milliseconds(std::max(welcome.resume_grace_ms, welcome.restart_grace_ms));
        const bool is_first = is_following_ || retry_ == 0ms || now >= welcome_at_ + kLasts;
        retry_ = is_first ? options_.retry : retry_;
        const bool is_stop = may_restart && problem.code == net::ErrorCode::stopping;
        has_spread_ = is_following_ || !may_restart || (!is_first && !is_stop);
        const bool is_at_once = is_first && !is_stop && !is_following_;
        try_at_ = is_at_once ? now : std::min(now + next_wait(), give_up_at_);
        if (options_.on_lost && !is_following_) {
            options_.on_lost(problem);
        }
        return std::nullopt;
    }
    if (now >= give_up_at_ || problem.of == Problem::Of::stream ||
        problem.code == net::ErrorCode::resume_refused ||
        (is_following_ && !may_be_followed(problem))) {
        return problem;
    }
    try_at_ = std::min(now + next_wait(), give_up_at_);
    return std::nullopt;
}

SessionCore::Milliseconds SessionCore::next_wait() {
    const double some = std::uniform_real_distribution<double>()(dice_);
    if (!std::exchange(has_spread_, true)) {
        return std::chrono::duration_cast<Milliseconds>(options_.restart_spread * some);
    }
    const auto wait = std::chrono::duration_cast<Milliseconds>(retry_ * (0.5 + some));
    retry_ = std::min(2 * retry_, std::max(retry_, options_.retry_max));
    return wait;
}

SessionCore::MaybeProblem SessionCore::try_again(Clock::time_point deadline) {
    if (!is_lost_) {
        return of_network("not connected");
    }
    std::this_thread::sleep_until(std::min(try_at_, deadline));
    if (Clock::now() < try_at_) {
        return std::nullopt;
    }
    return is_following_ ? follow() : begin(server_);
}

void SessionCore::cut() {
    if (connection_) {
        (void)lost(of_network("cut"));
    }
}

void SessionCore::leave() {
    is_leaving_ = true;
    if (!is_in_call_ && !ended_by_) {
        say_farewell();
    }
}

/// Not serve(): from here on nothing is resumed, and no Transfer followed.
void SessionCore::say_farewell() {
    is_in_call_ = true;
    if (is_connected()) {
        const auto deadline = Clock::now() + kFarewellMax;
        MaybeProblem problem;
        send_waiting();
        while (has_waiting() && !problem && Clock::now() < deadline) {
            problem = serve_connection(std::min(deadline, Clock::now() + kAskAgain));
        }
        post(net::LeaveZone{});
        while (!problem && Clock::now() < deadline) {
            problem = serve_connection(deadline);
        }
    }
    is_in_call_ = false;
    connection_.reset();
    ended_by_ = of_network("left");
}

Session::Session(std::unique_ptr<SessionCore> core) : core_(std::move(core)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

int Session::fd() const {
    return core_->fd();
}
std::optional<Problem> Session::serve(Milliseconds wait_max) {
    return core_->serve(wait_max);
}
bool Session::wait_until_safe(Milliseconds wait_max) {
    return core_->wait_until_safe(wait_max);
}
void Session::cut() {
    core_->cut();
}
void Session::leave() {
    core_->leave();
}

}  // namespace marchland::client
