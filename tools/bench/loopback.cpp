#include "tools/bench/loopback.h"

#include "engine/assert.h"
#include "net/decode_server.h"
#include "net/encode_client.h"
#include "tools/bench/statistics.h"
#include "tools/bench/zone_stage.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <tuple>
#include <variant>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace marchland::bench {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr std::uint32_t kHourMs = 3'600'000;

shards::ZoneOptions zone_options(const engine::Rect& map, std::size_t entities_max,
                                 const engine::CrowdLimits& crowd, std::uint32_t tick_rate_hz,
                                 std::int32_t prediction_error_mm, engine::StateSlots slots) {
    shards::ZoneOptions options;
    options.slots = std::move(slots);
    options.prediction_error_mm = prediction_error_mm;
    options.crowd = crowd;
    options.tick_rate_hz = tick_rate_hz;
    options.world = map;
    options.leave_radius_mm_max = kLeaveRadiusMm;
    options.entities_max = entities_max;
    return options;
}

/// As it stands, but for what would end the silent clients of a paused server.
net::ServerOptions listener_options(std::size_t clients_max, net::ServerOptions::Io io) {
    net::ServerOptions options;
    options.io = io;
    options.port = 0;
    options.connections_max = clients_max;
    options.handshakes_max = clients_max;
    options.handshake_timeout_ms = kHourMs;
    options.idle_timeout_ms = kHourMs;
    options.default_view = engine::View::circle(kRadiusMm, kLeaveRadiusMm);
    return options;
}

constexpr bool kNeverListens = false;

constexpr timeval kPatience{20, 0};

template <typename Value>
void set_option(int fd, int level, int name, const Value& value) {
    if (::setsockopt(fd, level, name, &value, sizeof value) != 0) {
        fail_with_errno("setsockopt");
    }
}

constexpr std::size_t kMessageBytesMax = std::size_t{1} << 20U;
constexpr std::size_t kPrefixBytes = 4;

}  // namespace

[[noreturn]] void fail(std::size_t client, const std::string& what) {
    throw std::runtime_error(fmt::format("client {}: {}", client, what));
}

std::uint64_t others_cpu_ns() {
    return clocks_now().cpu_ns - thread_cpu_ns();
}

engine::Rect map_for(std::size_t walkers, double in_radius) {
    const std::int32_t side_mm = side_mm_for(static_cast<std::uint32_t>(walkers) + 1, in_radius);
    return {0, 0, side_mm, side_mm};
}

std::vector<Walker> walkers_on(const engine::Rect& map, std::size_t count, std::uint64_t seed) {
    std::vector<Walker> walkers;
    for (std::size_t i = 0; i < count; ++i) {
        walkers.emplace_back(map, Gait::walk, seed + i);
    }
    return walkers;
}

ZoneServer::ZoneServer(const engine::Rect& map, std::size_t clients_max, std::size_t walkers,
                       std::uint64_t seed, const engine::CrowdLimits& crowd,
                       std::uint32_t tick_rate_hz, net::ServerOptions::Io io,
                       std::int32_t prediction_error_mm, engine::StateSlots slots)
    : door_(listener_options(clients_max, io)),
      zone_(zone_options(map, clients_max + walkers, crowd, tick_rate_hz, prediction_error_mm,
                         std::move(slots)),
            grid_layout(map, 1, 1), door_),
      lockstep_(zone_) {
    for (const Walker& walker : walkers_on(map, walkers, seed)) {
        shards::Join join;
        join.entity.id = zone_.new_id();
        join.entity.position = walker.at();
        join.port = std::make_shared<ZonePlayer>(walker, kNeverListens);
        join.takes_frames = false;
        const bool has_joined = zone_.join(std::move(join));
        MARCHLAND_ASSERT(has_joined);
    }
    if (const auto failure = door_.start(zone_)) {
        throw std::runtime_error("cannot listen on loopback: " + failure->error.message());
    }
    thread_ = std::thread([this] {
        for (begin_.acquire(); !is_over_; begin_.acquire()) {
            lockstep_.step();
            is_in_tick_ = false;
        }
    });
}

ZoneServer::~ZoneServer() {
    is_over_ = true;
    begin_.release();
    thread_.join();
    door_.stop();
}

void ZoneServer::start_tick() {
    frames_before_ = zone_.metrics(shards::ShardId{0}).frames_total;
    is_in_tick_ = true;
    begin_.release();
}

std::optional<std::size_t> ZoneServer::frames_of_tick(std::size_t /*clients*/) {
    if (is_in_tick_) {
        return std::nullopt;
    }
    return zone_.metrics(shards::ShardId{0}).frames_total - frames_before_;
}

BareServer::BareServer(const FrameScript& script)
    : script_(script), acceptor_(io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
    port_ = acceptor_.local_endpoint().port();
    accept();
    thread_ = std::thread([this] { io_.run(); });
}

BareServer::~BareServer() {
    io_.stop();
    thread_.join();
}

void BareServer::start_tick() {
    asio::post(io_, [this, tick = next_tick_] { send(tick); });
    ++next_tick_;
}

void BareServer::accept() {
    acceptor_.async_accept([this](const error_code& error, tcp::socket socket) {
        if (error) {
            return;
        }
        socket.set_option(tcp::no_delay(true));
        socket.non_blocking(true);
        clients_.push_back(std::make_unique<Client>(std::move(socket)));
        read(*clients_.back());
        client_count_ = clients_.size();
        accept();
    });
}

void BareServer::read(Client& client) {
    client.socket.async_read_some(asio::buffer(client.interest),
                                  [this, &client](const error_code& error, std::size_t bytes) {
                                      if (!error) {
                                          bytes_in_ += bytes;
                                          read(client);
                                      }
                                  });
}

/// All clients have read the tick before: the kernel has room for a frame.
void BareServer::send(std::size_t tick) {
    for (std::size_t i = 0; i < clients_.size(); ++i) {
        const auto frame = script_.frame(tick, i);
        error_code error;
        const std::size_t sent =
            clients_[i]->socket.write_some(asio::buffer(frame.data(), frame.size()), error);
        MARCHLAND_ASSERT(!error && sent == frame.size());
        ++writes_;
    }
}

[[noreturn]] void fail_with_errno(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

process::Descriptor connect_to_loopback(std::uint16_t port) {
    process::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket.is_open()) {
        fail_with_errno("socket");
    }
    set_option(socket.fd(), SOL_SOCKET, SO_RCVTIMEO, kPatience);
    set_option(socket.fd(), SOL_SOCKET, SO_SNDTIMEO, kPatience);
    set_option(socket.fd(), IPPROTO_TCP, TCP_NODELAY, 1);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        fail_with_errno("connect");
    }
    return socket;
}

ClientSockets::ClientSockets(std::uint16_t port, std::size_t count) : bytes_(kMessageBytesMax / 8) {
    for (std::size_t i = 0; i < count; ++i) {
        sockets_.push_back(connect_to_loopback(port));
    }
}

/// No other message follows before the next tick: what comes is one message, whole, in the end.
std::span<const std::byte> ClientSockets::read_message(std::size_t client) {
    const auto space = std::as_writable_bytes(std::span(bytes_));
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

bool ClientSockets::has_message(std::size_t client) const {
    std::byte first{};
    return ::recv(sockets_[client].fd(), &first, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
}

void ClientSockets::send(std::size_t client, std::span<const std::byte> message) {
    const ssize_t sent =
        ::send(sockets_[client].fd(), message.data(), message.size(), MSG_NOSIGNAL);
    if (sent < 0) {
        fail_with_errno("send");
    }
    if (static_cast<std::size_t>(sent) != message.size()) {
        fail(client, "cannot send: its server does not read");
    }
}

SendClients::SendClients(std::uint16_t port, std::size_t count, std::chrono::microseconds spread)
    : sockets_(port, count), spread_(spread), known_movers_(count), last_move_(count) {}

void SendClients::join(std::span<const Walker> clients, Movers movers, std::uint64_t walkers) {
    movers_ = movers;
    walkers_ = walkers;
    for (std::size_t i = 0; i < sockets_.size(); ++i) {
        net::Hello hello;
        hello.spawn = clients[i].at();
        hello.view = engine::View::circle(kRadiusMm, kLeaveRadiusMm);
        hello.reads_ranks = true;
        sockets_.send(i, net::encode(builder_, hello));
    }
    for (std::size_t i = 0; i < sockets_.size(); ++i) {
        if (net::decode_server(sockets_.read_message(i), decoded_) ||
            !std::holds_alternative<net::Welcome>(decoded_)) {
            fail(i, "was not welcome");
        }
        welcome_ = std::get<net::Welcome>(decoded_);
        place_of_[welcome_.entity] = i;
        in_zone_.push_back({{welcome_.spawn, {}}, 0, {error_mm(), predicted_ticks_max()}});
    }
}

void SendClients::compare_with(std::span<const Walker> clients, std::size_t every,
                               const engine::CrowdLimits& crowd) {
    truth_ = clients;
    crowd_ = crowd;
    for (const auto& [id, place] : place_of_) {
        if (place % every == 0) worlds_.try_emplace(place, 1, id);
    }
}

std::size_t SendClients::send_moves(std::span<Walker> clients) {
    ++seq_;
    for (std::size_t i = 0; i < sockets_.size(); ++i) {
        const engine::Position at = clients[i].step();
        InZone& in_zone = in_zone_[i];
        last_move_[i].clear();
        if (const auto velocity = in_zone.way.step(at)) {
            const auto move = net::encode(
                builder_, net::Move{.seq = seq_, .position = at, .velocity = *velocity});
            last_move_[i].assign(move.begin(), move.end());
            in_zone = {{at, *velocity}, predicted_ticks_max(), in_zone.way};
        } else {
            go_on(in_zone);
        }
    }
    return send_moves_of(*this);
}

/// docs/visibility.md, word by word, of a player's prediction.
void SendClients::go_on(InZone& one) const {
    const engine::Position next = engine::after_steps(one.at, one.velocity, 1);
    const engine::Rect world{welcome_.world_min.x, welcome_.world_min.y, welcome_.world_max.x,
                             welcome_.world_max.y};
    if (one.ticks_left > 0 && world.contains(next)) {
        one.at = next;
        --one.ticks_left;
    } else {
        one.velocity = {};
    }
}

std::size_t SendClients::send_moves_of(const SendClients& others) {
    std::size_t bytes = 0;
    sockets_.spread(spread_, [&](std::size_t i) {
        if (!others.last_move_[i].empty()) sockets_.send(i, others.last_move_[i]);
        bytes += others.last_move_[i].size();
    });
    return bytes;
}

void SendClients::read_frames(FrameScript& script, std::size_t frames) {
    const bool are_all = frames == sockets_.size();  // then they are read in their order
    std::vector<bool> has_read(sockets_.size());
    ++tick_;
    await(
        [&] {
            for (std::size_t i = 0; i < sockets_.size() && frames > 0; ++i) {
                if (!has_read[i] && (are_all || sockets_.has_message(i))) {
                    has_read[i] = true;
                    read_frame(i, script);
                    --frames;
                }
            }
            return frames == 0;
        },
        "the frames do not come");
    for (std::size_t i = 0; i < sockets_.size(); ++i) {
        if (has_read[i]) continue;
        check(i, {});
        if (worlds_.contains(i)) compare(i, nullptr);
    }
}

void SendClients::read_frame(std::size_t client, FrameScript& script) {
    const auto message = sockets_.read_message(client);
    if (const auto error = net::decode_server(message, decoded_)) {
        fail(client, error->text);
    }
    auto* const frame = std::get_if<net::FrameMessage>(&decoded_);
    if (frame == nullptr) {
        fail(client, "was sent something that is no frame");
    }
    tick_ = frame->tick;
    check(client, *frame);
    if (worlds_.contains(client)) {
        compare(client, frame);
    }
    script.add(message);
}

void SendClients::read_again(const FrameScript& script, std::size_t tick) {
    for (std::size_t i = 0; i < sockets_.size(); ++i) {
        if (!std::ranges::equal(sockets_.read_message(i), script.frame(tick, i))) {
            fail(i, "was sent other bytes than the script has");
        }
    }
}

/// Everyone who moves does so in every tick: who is known before and after a frame moved in it, but
/// for those who went on as they were shown to.
void SendClients::check(std::size_t client, const net::FrameMessage& frame) {
    std::size_t& known = known_movers_[client];
    known -= static_cast<std::size_t>(std::ranges::count_if(
        frame.leaves, [this](const engine::Leave& leave) { return is_mover(leave.id); }));
    if (frame.moves.size() > known || (error_mm() == 0 && frame.moves.size() < known)) {
        fail(client, fmt::format("has {} moves in the frame of tick {}, and knows {} movers",
                                 frame.moves.size(), frame.tick, known));
    }
    known += static_cast<std::size_t>(std::ranges::count_if(
        frame.enters, [this](const net::Entered& entered) { return is_mover(entered.entity); }));
    moves_total_ += frame.moves.size();
}

/// Before it is applied. Null: it was sent none in this tick.
void SendClients::compare(std::size_t client, net::FrameMessage* frame) {
    client::SeenWorld& world = worlds_.at(client);
    const auto truth = truth_for(client, world);
    if (frame != nullptr) {
        if (const auto flaw = world.apply(*frame)) fail(client, *flaw);
    }
    const auto is_within = [](engine::Position a, engine::Position b, std::int32_t mm) {
        return engine::is_within(a, b, mm, engine::Dimensions::three);
    };
    const auto is_within_bound = [&](const auto& shown, const auto& true_one) {
        const auto& [id, seen] = shown;
        const std::size_t place = true_one.second;
        const engine::Position at =
            engine::after_steps(seen.position, seen.velocity, tick_ - world.tick());
        return id == true_one.first && is_within(at, in_zone_[place].at, error_mm()) &&
               is_within(at, truth_[place].at(), 2 * error_mm());
    };
    if (!std::ranges::equal(world.seen(), truth, is_within_bound)) {
        fail(client,
             fmt::format(
                 "in tick {} knows {} others, of whom the truth has {}, or not where they are",
                 tick_, world.seen().size(), truth.size()));
    }
}

/// docs/visibility.md, word by word: its leave range, and the order of its cap.
std::map<engine::EntityId, std::size_t> SendClients::truth_for(
    std::size_t client, const client::SeenWorld& before) const {
    const engine::Position at = in_zone_[client].at;
    std::vector<std::tuple<std::int64_t, bool, engine::EntityId, std::size_t>> candidates;
    for (const auto& [id, place] : place_of_) {
        const engine::Position other = in_zone_[place].at;
        const std::int64_t x = other.x - at.x;
        const std::int64_t y = other.y - at.y;
        const bool is_known = before.seen().contains(id);
        const std::int64_t radius = is_known ? kLeaveRadiusMm : kRadiusMm;
        if (place != client && x * x + y * y <= radius * radius) {
            const std::int64_t weight = is_known ? 100 - crowd_.sticky_percent : 100;
            candidates.emplace_back((x * x + y * y) * weight * weight, !is_known, id, place);
        }
    }
    if (crowd_.has_cap() && candidates.size() > crowd_.visible_max) {
        std::ranges::sort(candidates);
        candidates.resize(crowd_.visible_max);
    }
    std::map<engine::EntityId, std::size_t> truth;
    for (const auto& [square, is_new, id, place] : candidates) {
        truth[id] = place;
    }
    return truth;
}

bool SendClients::is_mover(engine::EntityId id) const {
    return (to_number(id) <= walkers_) == (movers_ == Movers::walkers);
}

}  // namespace marchland::bench
