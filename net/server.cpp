#include "net/server.h"

#include "engine/assert.h"
#include "net/io_thread.h"
#include "net/listener.h"

#include <boost/asio/post.hpp>
#include <boost/pfr/core.hpp>
#include <boost/system/system_error.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <functional>
#include <future>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace marchland::net {

namespace {

/// So long after a start the limits of addresses are wider (AddressLimits::restart_factor).
constexpr std::chrono::seconds kRestartTime{60};

bool others_can_connect(const ServerOptions& options) {
    return !is_loopback(options.address) ||
           (options.web_socket.is_on && !is_loopback(options.web_socket.address));
}

void add(const ConnectionCounts<IoThreadCounters::Counter>& part,
         ConnectionCounts<std::uint64_t>& sum) {
    boost::pfr::for_each_field(sum, [&part](auto& total, auto field) {
        const auto& counted = boost::pfr::get<field.value>(part);
        if constexpr (requires { total.size(); }) {
            std::ranges::transform(total, counted, total.begin(), std::plus<std::uint64_t>());
        } else {
            total += counted;
        }
    });
}

}  // namespace

std::string endpoint_text(const std::string& address, std::uint16_t port) {
    const bool is_v6 = address.find(':') != std::string::npos;
    return fmt::format("{}:{}", is_v6 ? '[' + address + ']' : address, port);
}

Server::Server(ServerOptions options)
    : options_(std::move(options)),
      counters_(std::make_unique<IoThreadCounters[]>(options_.io_threads)),
      addresses_(options_.address_limits, options_.handshakes_max,
                 std::chrono::steady_clock::now() + kRestartTime),
      tls_(options_.tls, others_can_connect(options_)),
      gate_(options_.auth, others_can_connect(options_)),
      origins_{options_.web_socket.origins, options_.auth.mode == AuthOptions::Mode::none},
      store_(
          {std::chrono::milliseconds(std::min(options_.resume_grace_ms, options_.slow_timeout_ms)),
           options_.resume_waiting_max},
          {std::chrono::milliseconds(options_.services.grace_ms), options_.services.services_max},
          std::chrono::steady_clock::now()) {
    MARCHLAND_ASSERT(options_.io_threads >= 1 && options_.io_threads <= 64);
}

Server::~Server() {
    stop();
}

std::optional<ListenFailure> Server::start(shards::Zone& zone, const OnFailure& on_failure,
                                           const std::optional<Restored>& restored,
                                           const InheritedSockets& inherited) {
    MARCHLAND_ASSERT(io_threads_.empty());
    MARCHLAND_ASSERT(zone.options().world.contains(options_.default_spawn));
    MARCHLAND_ASSERT(engine::leave_reach_mm(options_.default_view) <=
                     zone.options().leave_radius_mm_max);
    make_io_threads(zone, on_failure);
    if (restored) {
        is_kept_ = true;
        store_.keep(restored->tokens, *zone.keeper(), restored->grace);
        restore(*restored, io_thread(0).context());
    }
    for (const Entrance& entrance : entrances()) {
        const auto its = inherited.find(entrance.port);
        if (const std::error_code error = open(
                entrance, its == inherited.end() ? std::nullopt : std::optional(its->second))) {
            listeners_.clear();
            io_threads_.clear();
            return ListenFailure{error, entrance.address, entrance.port,
                                 entrance.origins == nullptr ? "server" : "websocket"};
        }
    }
    spdlog::info("sockets by {}", io_thread(0).sockets().name());
    for (const auto& io_thread : io_threads_) {
        io_thread->start();
    }
    is_running_ = true;
    return std::nullopt;
}

std::vector<Entrance> Server::entrances() const {
    const WebSocketOptions& web = options_.web_socket;
    std::vector<Entrance> all{{options_.address, options_.port, options_.is_tls ? &tls_ : nullptr,
                               nullptr, options_.is_behind_proxy}};
    if (web.is_on) {
        all.push_back(
            {web.address, web.port, web.is_tls ? &tls_ : nullptr, &origins_, web.is_behind_proxy});
    }
    return all;
}

std::error_code Server::open(const Entrance& entrance, std::optional<int> inherited) {
    try {
        auto listener = std::make_unique<Listener>(options_, entrance, addresses_, io_threads_);
        if (const auto error = listener->open(inherited)) {
            return error;
        }
        listeners_.push_back(std::move(listener));
    } catch (const boost::system::system_error& failure) {  // no descriptors for epoll or eventfd
        return failure.code();
    }
    return {};
}

/// The line that scripts wait for is the last one: then all are open.
void Server::log_entrances() const {
    if (gate_.is_open_to_all()) {
        spdlog::warn("auth: none: whoever can connect may play, and be a service");
    }
    if (options_.web_socket.is_on) {
        spdlog::info("websocket{} at {}", options_.web_socket.is_tls ? " with TLS" : "",
                     endpoint_text(options_.web_socket.address, web_socket_port()));
    }
    spdlog::info("{}listening on {}", options_.is_tls ? "with TLS, " : "",
                 endpoint_text(options_.address, port()));
}

std::vector<std::string> Server::load_secrets(std::optional<std::vector<TokenKeyFile>> keys) {
    const WebSocketOptions& web = options_.web_socket;
    const bool uses_tls = options_.is_tls || (web.is_on && web.is_tls);
    std::vector<std::string> flaws = uses_tls ? tls_.reload() : std::vector<std::string>();
    std::ranges::move(keys ? gate_.reload(*std::move(keys)) : gate_.reload(),
                      std::back_inserter(flaws));
    return flaws;
}

void Server::make_io_threads(shards::Zone& zone, const OnFailure& on_failure) {
    for (std::uint32_t i = 0; i < options_.io_threads; ++i) {
        io_threads_.push_back(std::make_unique<IoThread>(i, options_, zone, gate_, counters_[i],
                                                         store_, directory_, rules_, on_failure));
    }
}

void Server::inject_fault() {
    boost::asio::post(io_thread(0).io(), [] { throw std::runtime_error("a rehearsed failure"); });
}

void Server::hold_clients() {
    close_listeners();
    for (const auto& io_thread : io_threads_) {
        io_thread->hold_clients();
    }
}

void Server::close_listeners() {
    for (const auto& listener : listeners_) {
        listener->close();
    }
}

void Server::stop() {
    if (!is_running_) {
        return;
    }
    is_running_ = false;
    if (is_kept_) {
        store_.keep_all();
        directory_.notices().end();
    }
    close_listeners();
    for (const auto& io_thread : io_threads_) {
        io_thread->stop_soon();
    }
    for (const auto& io_thread : io_threads_) {
        io_thread->join();
    }
    spdlog::info("stopped listening");
}

/// What is over goes by itself, as players leave; the margin keeps each one's coming and going from
/// being logged.
void Server::look_after_memory(std::uint64_t bytes) {
    addresses_.forget_idle(std::chrono::steady_clock::now());
    const std::uint64_t most = memory_bytes_max_.load();
    const bool was_short = directory_.is_closed();
    const bool is_short = most != 0 && bytes > (was_short ? most / 20 * 19 : most);
    if (is_short == was_short) {
        return;
    }
    directory_.set_closed(is_short);
    if (is_short) {
        spdlog::warn("memory: {} MiB, more than limits.memory_bytes_max: nobody may join",
                     bytes >> 20U);
    } else {
        spdlog::warn("memory: {} MiB: players may join again", bytes >> 20U);
    }
}

std::vector<std::future<void>> Server::begin_visit(const std::function<void(Connection&)>& each) {
    std::vector<std::future<void>> answers;
    for (const auto& io_thread : io_threads_) {
        auto done = std::make_shared<std::promise<void>>();
        answers.push_back(done->get_future());
        io_thread->visit(each, [done] { done->set_value(); });
    }
    return answers;
}

bool Server::visit(const std::function<void(Connection&)>& each,
                   std::chrono::milliseconds wait_max) {
    const auto deadline = std::chrono::steady_clock::now() + wait_max;
    return std::ranges::all_of(begin_visit(each), [deadline](const std::future<void>& answer) {
        return answer.wait_until(deadline) == std::future_status::ready;
    });
}

std::size_t Server::end_lost(std::optional<engine::EntityId> entity, const std::string& subject) {
    return store_.end_resting(entity, subject);
}

std::uint16_t Server::port() const {
    return listeners_.front()->port();
}

std::uint16_t Server::web_socket_port() const {
    return options_.web_socket.is_on ? listeners_.back()->port() : std::uint16_t{0};
}

ServerMetrics Server::metrics() const {
    ServerMetrics sum;
    sum.service_entities = directory_.service_entities();
    sum.is_short_of_memory = directory_.is_closed();
    for (std::uint32_t i = 0; i < options_.io_threads; ++i) {
        const IoThreadCounters& io_thread = counters_[i];
        add(io_thread, sum);
        sum.io_threads.push_back({io_thread.mail_wait.counts(), io_thread.mail_items.counts(),
                                  io_thread.frame_bytes.counts()});
    }
    return sum;
}

IoThread& Server::io_thread(std::uint32_t number) {
    MARCHLAND_ASSERT(number < io_threads_.size());
    return *io_threads_[number];
}

void Server::post(std::uint32_t io_thread,
                  std::span<const std::shared_ptr<shards::EntityPort>> ports) {
    this->io_thread(io_thread).mailbox().post_frames(ports);
}

bool Server::wants_players(engine::Tick tick) const {
    return directory_.notices().wants_positions(tick);
}

void Server::post_players(shards::OwnPlayers&& players) {
    positions_.post(std::move(players));
}

}  // namespace marchland::net
