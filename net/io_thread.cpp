#include "net/io_thread.h"

#include "engine/assert.h"
#include "shards/pin_thread.h"

#include <boost/asio/post.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <future>
#include <utility>

namespace marchland::net {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// What clients do makes at most so many lines of log a second, for each I/O thread.
constexpr std::uint32_t kLogLinesPerSecond = 3;

/// A tenth of the shortest timeout: so none comes much late. Bounded so that a sweep costs nothing.
milliseconds sweep_period(const ServerOptions& options) {
    const std::uint32_t shortest_ms =
        std::min({options.handshake_timeout_ms, options.idle_timeout_ms, options.slow_timeout_ms,
                  options.linger_timeout_ms, options.services.admission_ms_max});
    return milliseconds(std::clamp(shortest_ms / 10, 10U, 500U));
}

/// How far ahead of the frame that is being sent the memory is asked for others' ports, and, once
/// those have come, for what they point to.
constexpr std::size_t kPortsAhead = 8;
constexpr std::size_t kFramesAhead = 4;
/// Of one frame; what follows is read in order, which the machine sees for itself.
constexpr std::size_t kFrameBytesAhead = 512;
constexpr std::size_t kCacheLineBytes = 64;

/// Inlined, or g++ 12 takes it for a call without effect.
[[gnu::always_inline]] inline void prefetch(const void* begin, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += kCacheLineBytes) {
        __builtin_prefetch(static_cast<const std::byte*>(begin) + at);
    }
}

/// Every port with an I/O thread of ours is one that a session of ours made.
PlayerPort& player_port(const std::shared_ptr<shards::EntityPort>& port) {
    return static_cast<PlayerPort&>(*port);
}

/// Does the work in the connection's guard, and keeps it until then; nothing where there is none.
template <typename Work>
void with(Connection* connection, Work&& work) {
    if (connection != nullptr) {
        const auto held = connection->shared_from_this();
        connection->guard([&] { work(*connection); });
    }
}

void handle(const Mailbox::Room& room) {
    with(player_port(room.port).connection(), [](Connection& connection) { connection.on_room(); });
}

void handle(const Mailbox::Removed& removed) {
    PlayerPort& port = player_port(removed.port);
    with(port.connection(), [&](Connection& connection) { connection.on_removed(port); });
}

void handle(const std::shared_ptr<NoticeQueue>& queue) {
    with(queue->connection(), [](Connection& connection) { connection.on_notices(); });
}

void handle(const std::shared_ptr<AskedFor>& player) {
    with(player->connection, [](Connection& connection) { connection.on_successor(); });
}

/// A thousand frames have been written by other cores, and a thousand connections not been looked
/// at for a tick: asked for one after another, each would be waited for.
void prefetch_after(const Mailbox::Ports& frames, std::size_t place) {
    if (place + kPortsAhead < frames.size()) {
        player_port(frames[place + kPortsAhead]).prefetch();
    }
    if (place + kFramesAhead < frames.size()) {
        const PlayerPort& port = player_port(frames[place + kFramesAhead]);
        if (port.connection() != nullptr) {
            const auto frame = port.frame();
            prefetch(frame.data(), std::min(frame.size(), kFrameBytesAhead));
            prefetch(port.connection(), sizeof(Connection));
        }
    }
}

}  // namespace

IoThread::IoThread(std::uint32_t number, const ServerOptions& options, shards::Zone& zone,
                   const TokenGate& gate, IoThreadCounters& counters, ResumeStore& store,
                   Directory& directory, OperatorRules& rules,
                   std::function<void(const std::string&)> on_failure)
    : sweep_period_(sweep_period(options)),
      on_failure_(std::move(on_failure)),
      io_(1),  // one thread runs it
      mailbox_(io_),
      sweep_timer_(io_),
      context_{options,
               zone,
               number,
               mailbox_,
               counters,
               gate,
               store,
               directory,
               rules,
               LogLimit(kLogLinesPerSecond, steady_clock::now()),
               flatbuffers::FlatBufferBuilder(),
               [this](const Connection& connection) { forget(connection); },
               ServedTime(steady_clock::now(), kIoThreadStallMin)},
      turns_(io_),
      sockets_(SocketIo::make(options.io, io_, std::chrono::microseconds(options.batch_us))) {}

void IoThread::start() {
    await_mail();
    sockets_->resume();
    sweep();
    thread_ = std::thread([this] {
        shards::name_this_thread(fmt::format("I/O {}", context_.io_thread));
        run();
    });
}

/// A handler that throws leaves io_ as it is: another run() goes on with the next. What is to be
/// there always is there again then: without mail and sweeps the I/O thread would never end.
void IoThread::run() {
    for (bool has_failed = false;;) {
        try {
            if (std::exchange(has_failed, false) && !is_over()) {
                if (!is_mail_awaited_) {
                    await_mail();
                }
                sockets_->resume();
                sweep();
            }
            io_.run();
            return;
        } catch (const std::exception& failure) {
            has_failed = true;
            if (on_failure_) {
                on_failure_(failure.what());
            }
        }
    }
}

void IoThread::await_mail() {
    mailbox_.async_wait([this] {
        is_mail_awaited_ = false;
        read_mail();
    });
    is_mail_awaited_ = true;
}

void IoThread::hold_clients() {
    const auto done = std::make_shared<std::promise<void>>();
    const std::future<void> is_done = done->get_future();
    asio::post(io_, [this, done] {
        context_.holds_clients = true;
        done->set_value();
    });
    is_done.wait();
}

void IoThread::stop_soon() {
    asio::post(io_, [this] { stop(); });
}

void IoThread::join() {
    thread_.join();
}

/// Backwards: forget() fills the gap with the last one, which was looked at by then.
template <typename Use>
void IoThread::for_each_connection(Use&& use) {
    for (std::size_t i = connections_.size(); i > 0; --i) {
        with(connections_[i - 1].get(), use);
    }
}

void IoThread::visit(std::function<void(Connection&)> each, std::function<void()> done) {
    asio::post(io_, [this, each = std::move(each), done = std::move(done)] {
        for_each_connection(each);
        done();
    });
}

void IoThread::adopt(Arrival arrival) {
    IoThreadCounters::add(context_.counters.connections);
    try {
        asio::post(io_,
                   [this, arrival = std::move(arrival)]() mutable { take_on(std::move(arrival)); });
    } catch (...) {
        IoThreadCounters::subtract(context_.counters.connections);
        throw;
    }
}

void IoThread::take_on(Arrival arrival) {
    std::shared_ptr<Connection> connection;
    try {
        connection = std::make_shared<Connection>(context_, std::move(arrival.transport),
                                                  std::move(arrival.slot),
                                                  context_.time.advance(steady_clock::now()));
        connection->place = connections_.size();
        connections_.push_back(connection);
    } catch (const std::exception&) {
        IoThreadCounters::add(context_.counters.failed_connections_total);
        if (!connection) {
            IoThreadCounters::subtract(context_.counters.connections);  // else it does that itself
        }
        return;
    }
    connection->guard([&] { begin(connection, arrival.refusal); });
}

void IoThread::begin(const std::shared_ptr<Connection>& connection, Arrival::Refusal refusal) {
    if (is_stopping_) {
        connection->refuse(ErrorCode::stopping, "the server is going down");
    } else if (refusal == Arrival::Refusal::full) {
        connection->refuse(ErrorCode::full, "the server holds as many connections as it may");
    } else if (refusal == Arrival::Refusal::address_limit) {
        connection->refuse(ErrorCode::address_limit,
                           "too many connections from this address, at once or a second");
    } else {
        newcomers_.emplace_back(connection->address_slot().place(), connection);
        connection->start();
    }
}

void IoThread::displace(std::uint64_t place, bool is_own, std::function<void(Displaced)> answer) {
    asio::post(io_, [this, place, is_own, answer = std::move(answer)] {
        answer(displace(place, is_own));
    });
}

/// Whoever is gone already has made room, too.
IoThread::Displaced IoThread::displace(std::uint64_t place, bool is_own) {
    const auto found = std::ranges::lower_bound(
        newcomers_, place, {}, [](const auto& newcomer) { return newcomer.first; });
    const auto connection =
        found == newcomers_.end() || found->first != place ? nullptr : found->second.lock();
    if (!connection || !connection->is_in_handshake()) {
        return Displaced::gone;
    }
    if (connection->is_waiting_for_turn() ? is_own : !connection->gives_way()) {
        return connection->is_waiting_for_turn() ? Displaced::waits_for_turn : Displaced::stays;
    }
    IoThreadCounters::add(context_.counters.evicted_handshakes_total);
    connection->guard([&] { connection->give_up(); });
    return Displaced::gone;
}

void IoThread::forget(const Connection& connection) {
    MARCHLAND_ASSERT(connections_.at(connection.place).get() == &connection);
    connections_.back()->place = connection.place;
    std::swap(connections_[connection.place], connections_.back());
    connections_.pop_back();
    end_if_over();
}

void IoThread::read_mail() {
    mailbox_.take(mail_);
    if (const std::size_t items = mail_.items(); items != 0) {
        context_.counters.mail_wait.add(steady_clock::now() - mail_.since);
        context_.counters.mail_items.add(items);
    }
    // Ports, connections and sockets lie in memory about as their clients came; frames come in the
    // order of the map. In the first order all of it is found sooner: a frame costs a twentieth
    // less.
    std::ranges::sort(mail_.frames);
    for (std::size_t place = 0; place < mail_.frames.size(); ++place) {
        prefetch_after(mail_.frames, place);
        PlayerPort& port = player_port(mail_.frames[place]);
        with(port.connection(), [&](Connection& connection) { connection.on_frame(port); });
    }
    for (const Mailbox::Other& other : mail_.others) {
        std::visit([](const auto& one) { handle(one); }, other);
    }
    mail_.clear();
    if (!is_over()) {
        await_mail();
    }
}

void IoThread::sweep() {
    const bool is_behind = doors_waiting_ > 0 || turns_.is_behind(steady_clock::now());
    context_.store.set_behind(context_.io_thread, is_behind, steady_clock::now());
    context_.store.expire(steady_clock::now());
    const auto now = context_.time.advance(steady_clock::now());
    std::uint64_t bytes = 0;
    for_each_connection([&](Connection& connection) {
        connection.check_deadlines(now);
        bytes += connection.memory_bytes();
    });
    context_.counters.connection_bytes.store(bytes, std::memory_order_relaxed);
    std::erase_if(newcomers_, [](const auto& newcomer) {
        const auto connection = newcomer.second.lock();
        return !connection || !connection->is_in_handshake();
    });
    if (is_over()) {
        return;
    }
    if (context_.log_limit.has_left_out() && context_.log_limit.allows_line(steady_clock::now())) {
        spdlog::info("{} lines about connections were left out",
                     context_.log_limit.take_left_out());
    }
    sweep_timer_.expires_after(sweep_period_);
    sweep_timer_.async_wait([this](const error_code& error) {
        if (!error) {
            sweep();
        }
    });
}

void IoThread::stop() {
    is_stopping_ = true;
    for_each_connection([](Connection& connection) {
        connection.on_notices();
        connection.close_with(ErrorCode::stopping, "the server is going down");
    });
    end_if_over();
}

/// Without mailbox, sockets, timer and connections there is nothing left to wait for: run()
/// returns. What was about to wait again when this was called asks is_over() first.
void IoThread::end_if_over() {
    if (is_over()) {
        mailbox_.close();
        sockets_->close();
        sweep_timer_.cancel();
    }
}

}  // namespace marchland::net
