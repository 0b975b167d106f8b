#include "net/listener.h"

#include "net/transport/layered_transport.h"
#include "net/transport/socket_io.h"
#include "net/transport/tls_context.h"
#include "net/transport/tls_layer.h"
#include "net/transport/web_socket_layer.h"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <spdlog/spdlog.h>

#include <cerrno>
#include <chrono>
#include <functional>
#include <future>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>

namespace marchland::net {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// As long as the system allows (net.core.somaxconn): after a restart everybody comes at once.
constexpr int kBacklog = std::numeric_limits<int>::max();
/// How soon it looks again whether there is room for who waits.
constexpr auto kRoomPeriod = std::chrono::milliseconds(5);
constexpr auto kPauseAfterFailure = std::chrono::milliseconds(100);
/// So many connections over the limit are sent `full` at once; those beyond are just closed.
constexpr std::size_t kRefusalsMax = 256;
/// Where descriptors run out first, the last so many before the reserve are for sending `full`.
constexpr std::size_t kRefusalDescriptors = 16;

/// What the kernel may keep of what a client sent: a stalled I/O thread holds clients back instead
/// of filling memory.
constexpr int kReceiveBufferBytes = 64 * 1024;
/// What the kernel may keep of what was sent to a client, acknowledged or not: a client at 100 ms
/// gets at most this much in 100 ms.
constexpr int kSendBufferBytes = 64 * 1024;

using NotSentLowAt = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_NOTSENT_LOWAT>;
using UserTimeoutMs = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_USER_TIMEOUT>;

/// Failures are ignored: the socket works without, and a dead one reports it when it is read.
void configure(tcp::socket& socket, const ServerOptions& options) {
    error_code ignored;
    socket.non_blocking(true, ignored);
    // A frame is written whole: there is nothing to wait for before it is sent.
    socket.set_option(tcp::no_delay(true), ignored);
    socket.set_option(NotSentLowAt(static_cast<int>(options.unsent_bytes_max)), ignored);
    // A peer that vanished: the kernel gives up when we would have.
    socket.set_option(UserTimeoutMs(static_cast<int>(options.slow_timeout_ms) +
                                    static_cast<int>(options.linger_timeout_ms)),
                      ignored);
}

/// `from`: who is at the other end, which need not be the socket's. TLS handshakes wait for their
/// turn at `turns`, as those of `address`.
std::unique_ptr<Transport> make_transport(const Entrance& entrance,
                                          boost::asio::ip::tcp::socket socket,
                                          const boost::asio::ip::tcp::endpoint& from,
                                          SocketIo& sockets, HandshakeTurns& turns,
                                          HandshakeTurns::Address address) {
    std::vector<std::unique_ptr<Layer>> layers;
    if (entrance.tls != nullptr) {
        auto layer = std::make_unique<TlsLayer>(entrance.tls->current());
        layer->take_turns();
        layers.push_back(std::move(layer));
    }
    if (entrance.origins != nullptr) {
        layers.push_back(std::make_unique<WebSocketServerLayer>(*entrance.origins));
    }
    if (layers.empty()) {
        return sockets.adopt(std::move(socket), from);
    }
    auto transport =
        std::make_unique<LayeredTransport>(sockets, std::move(socket), std::move(layers), from);
    transport->take_turns(turns, address);
    return transport;
}

/// How many descriptors there are beyond this one. The system gives the lowest that is free: so
/// those are nobody's, or were there before players came.
std::size_t descriptors_beyond(int descriptor) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    const auto used = static_cast<rlim_t>(descriptor) + 1;
    return limit.rlim_cur > used ? static_cast<std::size_t>(limit.rlim_cur - used) : 0;
}

}  // namespace

/// A proxy's connection, of which is not known yet whose it is. Its pending operation holds it.
///
/// Threads  The first I/O thread's, whichever I/O thread the socket is for.
class Listener::Introduction : public std::enable_shared_from_this<Introduction> {
public:
    using Done = std::function<void(Introduction&, std::optional<ProxyHeader>)>;

    Introduction(tcp::socket socket, const tcp::endpoint& proxy, IoThread& io_thread, Done done)
        : stream_(std::move(socket)),
          proxy_(proxy),
          io_thread_(io_thread),
          header_(ProxyHeader::kFirstBytes),
          done_(std::move(done)) {}

    void start(std::chrono::milliseconds time_max) {
        stream_.expires_after(time_max);
        read(0);
    }
    /// Nobody is notified.
    void drop() {
        done_ = nullptr;
        stream_.close();
    }
    [[nodiscard]] tcp::socket take_socket() { return stream_.release_socket(); }
    [[nodiscard]] const tcp::endpoint& proxy() const { return proxy_; }
    [[nodiscard]] IoThread& io_thread() const { return io_thread_; }

private:
    /// Exactly the header: what follows is the client's.
    void read(std::size_t begin) {
        asio::async_read(stream_, asio::buffer(header_.data() + begin, header_.size() - begin),
                         [self = shared_from_this()](const error_code& error, std::size_t) {
                             self->on_read(error);
                         });
    }
    void on_read(const error_code& error) {
        if (error) {
            finish(std::nullopt);
            return;
        }
        const auto bytes =
            ProxyHeader::bytes_in_all(std::span(header_).first<ProxyHeader::kFirstBytes>());
        if (!bytes) {
            finish(std::nullopt);
        } else if (const std::size_t begin = header_.size(); begin < *bytes) {
            header_.resize(*bytes);
            read(begin);
        } else {
            finish(ProxyHeader::read(header_));
        }
    }
    void finish(std::optional<ProxyHeader> header) {
        if (const Done done = std::exchange(done_, nullptr)) {
            done(*this, std::move(header));
        }
    }

    boost::beast::tcp_stream stream_;
    const tcp::endpoint proxy_;
    IoThread& io_thread_;
    std::vector<std::byte> header_;
    Done done_;
};

Listener::Listener(const ServerOptions& options, Entrance entrance, AddressTable& addresses,
                   std::vector<std::unique_ptr<IoThread>>& io_threads)
    : options_(options),
      entrance_(std::move(entrance)),
      addresses_(addresses),
      io_threads_(io_threads),
      acceptor_(io_threads.front()->io()),
      pause_timer_(io_threads.front()->io()),
      room_timer_(io_threads.front()->io()),
      log_limit_(1, std::chrono::steady_clock::now()),
      proxies_(options.trusted_proxies) {}

Listener::~Listener() = default;

error_code Listener::open(std::optional<int> inherited) {
    error_code error =
        inherited ? adopt(*inherited) : bind_to(acceptor_, entrance_.address, entrance_.port);
    if (!error) {
        error = listen();
    }
    if (!error) {
        accept();
    }
    return error;
}

error_code Listener::adopt(int inherited) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    if (::getsockname(inherited, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        return {errno, boost::system::system_category()};
    }
    error_code error;
    acceptor_.assign(address.ss_family == AF_INET6 ? tcp::v6() : tcp::v4(), inherited, error);
    return error;
}

error_code Listener::listen() {
    error_code error;
    // Buffers are set here, before a connection's window is agreed on; connections inherit them.
    acceptor_.set_option(asio::socket_base::receive_buffer_size(kReceiveBufferBytes), error);
    acceptor_.set_option(asio::socket_base::send_buffer_size(kSendBufferBytes), error);
    acceptor_.listen(kBacklog, error);
    if (!error) {
        port_ = acceptor_.local_endpoint(error).port();
    }
    return error;
}

void Listener::close() {
    std::promise<void> closed;
    asio::post(acceptor_.get_executor(), [&] {
        error_code ignored;
        acceptor_.close(ignored);
        pause_timer_.cancel();
        room_timer_.cancel();
        newcomers_.clear();
        for (const auto& introduction : std::exchange(introductions_, {})) {
            introduction->drop();
        }
        closed.set_value();
    });
    closed.get_future().wait();
}

void Listener::accept() {
    if (is_accepting_ || !newcomers_.empty() || introductions_.size() >= options_.handshakes_max) {
        return;  // whoever makes room calls this again
    }
    is_accepting_ = true;
    IoThread& io_thread = *io_threads_[next_io_thread_];
    next_io_thread_ = (next_io_thread_ + 1) % io_threads_.size();
    acceptor_.async_accept([this, &io_thread](const error_code& error, tcp::socket socket) {
        is_accepting_ = false;
        if (!acceptor_.is_open()) {
            return;
        }
        if (error) {
            pause(error);
            return;
        }
        take(std::move(socket), io_thread);
    });
}

void Listener::take(tcp::socket socket, IoThread& io_thread) {
    if (descriptors_beyond(socket.native_handle()) < options_.descriptors_reserved()) {
        error_code ignored;
        socket.close(ignored);  // its descriptor is not for players
        pause(asio::error::no_descriptors);
        return;
    }
    end_one_that_fails(io_thread, [&] { receive(std::move(socket), io_thread); });
    accept();
}

/// Whoever waits for room is let go, too: nobody would look at them again.
template <typename Act>
void Listener::end_one_that_fails(IoThread& io_thread, Act&& act) {
    try {
        act();
    } catch (const std::exception& failure) {
        IoThreadCounters::add(io_thread.counters().failed_connections_total);
        spdlog::error("a connection ends: {}", failure.what());
        newcomers_.clear();
        take_in_waiting();
    }
}

void Listener::receive(tcp::socket socket, IoThread& io_thread) {
    error_code error;
    const tcp::endpoint from = socket.remote_endpoint(error);
    if (error) {
        return;  // gone already
    }
    if (entrance_.is_behind_proxy) {
        introduce(std::move(socket), from, io_thread);
    } else {
        deal(std::move(socket), from, io_thread);
    }
}

/// Nobody goes round the proxies; and they, too, may take only so long.
void Listener::introduce(tcp::socket socket, const tcp::endpoint& proxy, IoThread& io_thread) {
    if (!proxies_.contain(proxy.address())) {
        IoThreadCounters::add(io_thread.counters().refused_addresses_total);
        log(proxy, "is no trusted proxy");
        return;
    }
    const auto place = introductions_.emplace(
        introductions_.end(),
        std::make_shared<Introduction>(
            std::move(socket), proxy, io_thread,
            [this](Introduction& it, const std::optional<ProxyHeader>& header) {
                const auto held = std::ranges::find(introductions_, &it,
                                                    [](const auto& each) { return each.get(); });
                const std::shared_ptr<Introduction> introduction = std::move(*held);
                introductions_.erase(held);
                end_one_that_fails(it.io_thread(), [&] {
                    if (header) {
                        deal(it.take_socket(), header->source.value_or(it.proxy()), it.io_thread());
                    } else {
                        IoThreadCounters::add(it.io_thread().counters().failed_handshakes_total);
                        log(it.proxy(), "did not say whose connection it is");
                    }
                });
                accept();
            }));
    try {
        (*place)->start(std::chrono::milliseconds(options_.handshake_timeout_ms));
    } catch (...) {
        introductions_.erase(place);
        throw;
    }
}

void Listener::log(const tcp::endpoint& proxy, const char* problem) {
    if (log_limit_.allows_line(std::chrono::steady_clock::now())) {
        spdlog::warn("{}: {}; the connection is closed", text_of(proxy), problem);
    }
}

void Listener::deal(tcp::socket socket, const tcp::endpoint& from, IoThread& io_thread) {
    const bool is_scarce = descriptors_beyond(socket.native_handle()) <
                           options_.descriptors_reserved() + kRefusalDescriptors;
    const std::size_t others = connections();
    if (others >= options_.connections_max + kRefusalsMax) {
        return;  // closed here
    }
    auto [verdict, slot] = addresses_.admit(from.address(), std::chrono::steady_clock::now());
    if (verdict != AddressTable::Verdict::welcome) {
        IoThreadCounters::add(io_thread.counters().refused_addresses_total);
    }
    if (verdict == AddressTable::Verdict::refuse) {
        return;
    }
    configure(socket, options_);
    auto refusal = verdict == AddressTable::Verdict::tell_refuse ? Arrival::Refusal::address_limit
                   : is_scarce || others >= options_.connections_max ? Arrival::Refusal::full
                                                                     : Arrival::Refusal::none;
    Newcomer newcomer{std::move(socket), from, std::move(slot), &io_thread};
    if (refusal != Arrival::Refusal::none) {
        take_in(std::move(newcomer), refusal);
    } else {
        newcomers_.push_back(std::move(newcomer));
        take_in_waiting();
    }
}

void Listener::take_in(Newcomer newcomer, Arrival::Refusal refusal) {
    IoThread& io_thread = *newcomer.io_thread;
    try {
        auto transport =
            make_transport(entrance_, std::move(newcomer.socket), newcomer.from,
                           io_thread.sockets(), io_thread.turns(), newcomer.slot.address());
        io_thread.adopt({std::move(transport), std::move(newcomer.slot), refusal});
        IoThreadCounters::add(io_thread.counters().connections_total);
    } catch (const std::exception& failure) {
        IoThreadCounters::add(io_thread.counters().failed_connections_total);
        spdlog::error("a connection ends: {}", failure.what());
    }
}

/// In the order in which they came: as far as there is room.
void Listener::take_in_waiting() {
    while (!newcomers_.empty() && !is_displacing_) {
        if (!find_place(newcomers_.front())) {
            break;
        }
        Newcomer next = std::move(newcomers_.front());
        newcomers_.pop_front();
        take_in(std::move(next), Arrival::Refusal::none);
    }
    const bool waits = !newcomers_.empty();
    if (std::exchange(waits_, waits) != waits) {
        io_threads_.front()->set_door_waits(waits);
    }
    if (waits && !is_displacing_) {
        look_again(room_timer_, kRoomPeriod);
    }
}

bool Listener::find_place(Newcomer& newcomer) {
    const auto offer = addresses_.find_place(newcomer.slot, newcomer.io_thread->number());
    if (!offer.crowder) {
        return offer.has_place;
    }
    const AddressTable::Crowder& crowder = *offer.crowder;
    io_threads_[crowder.io_thread]->displace(
        crowder.place, crowder.is_own, [this](IoThread::Displaced displaced) {
            asio::post(acceptor_.get_executor(), [this, displaced] { on_displaced(displaced); });
        });
    is_displacing_ = true;
    return false;
}

void Listener::on_displaced(IoThread::Displaced displaced) {
    is_displacing_ = false;
    if (newcomers_.empty()) {
        return;  // closed meanwhile
    }
    if (displaced == IoThread::Displaced::stays) {
        look_again(room_timer_, kRoomPeriod);
        return;
    }
    if (displaced == IoThread::Displaced::waits_for_turn) {
        // Its address has its share of what the server can do, and more.
        IoThreadCounters::add(io_threads_.front()->counters().refused_addresses_total);
        newcomers_.pop_front();
    }
    take_in_waiting();
    accept();
}

void Listener::look_again(asio::steady_timer& timer, std::chrono::milliseconds wait) {
    timer.expires_after(wait);
    timer.async_wait([this](const error_code& error) {
        if (!error && acceptor_.is_open()) {
            take_in_waiting();
            accept();
        }
    });
}

void Listener::pause(const error_code& reason) {
    IoThreadCounters::add(io_threads_.front()->counters().accept_failures_total);
    if (log_limit_.allows_line(std::chrono::steady_clock::now())) {
        spdlog::warn("cannot accept connections: {}", reason.message());
    }
    look_again(pause_timer_, kPauseAfterFailure);
}

std::size_t Listener::connections() const {
    std::size_t sum = 0;
    for (const auto& io_thread : io_threads_) {
        sum += io_thread->counters().connections.load(std::memory_order_relaxed);
    }
    return sum;
}

}  // namespace marchland::net
