// Sessions without sockets: one that says what the input says, and one beside it that keeps to the
// protocol and must be sent a sound stream. The input is a list of steps, each of a byte and its
// argument:
//
//   0      u16 n, n bytes    so many bytes come from the stranger
//   1, 5   -                 the zone ticks, and the frames go out
//   4      u8 what, 3 bytes  something that a service says comes from the stranger: a whole message
//   2      u8 n              the stranger's socket takes 64 n bytes; 255: whatever comes
//   3      u8 n              n seconds pass, as deadlines see it
//   6      -                 the stranger's line is cut
//   7      -                 the stranger comes again, with the newest resume token, as what it was
//
// A stranger that is a service must be sent a sound stream for each of its watchers, too; it may do
// with the other's entity what it likes, but for breaking what that is sent.

#include "shards/lockstep.h"
#include "net/connection.h"
#include "net/decode_server.h"
#include "net/encode_client.h"
#include "net/receive_buffer.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/net/sent_world.h"

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace {

using namespace marchland;
using boost::system::error_code;
using tests::demand;
using Bytes = std::vector<std::byte>;

constexpr std::size_t kEverything = std::numeric_limits<std::size_t>::max();

/// The other end of a transport without a line.
class Line {
public:
    std::span<const std::byte> unread;
    error_code end;                          ///< after that
    net::Transport::User* reader = nullptr;  ///< awaits something
    net::Transport::User* sender = nullptr;  ///< waits until there is room for what is unsent
    std::shared_ptr<const void> holder;      ///< of that
    net::Transport::Buffers unsent;
    std::size_t room = kEverything;
    Bytes sent;  ///< by the server

    /// Some bytes come, as many as the session has space for at a time.
    void arrive(std::span<const std::byte> bytes) {
        unread = bytes;
        while (!unread.empty() && reader != nullptr) {
            std::exchange(reader, nullptr)->on_readable();
        }
        unread = {};
    }
    void cut() {
        end = boost::asio::error::connection_reset;
        if (auto* const user = std::exchange(reader, nullptr)) {
            user->on_readable();
        }
    }
    void make_room(std::size_t bytes) {
        room = bytes;
        if (sender != nullptr && send_unsent()) {
            const auto held = std::exchange(holder, nullptr);
            std::exchange(sender, nullptr)->on_sent({});
        }
    }
    /// As much as there is room for; true: all of it.
    bool send_unsent() {
        for (auto& buffer : unsent) {
            const std::size_t some = std::min(buffer.size(), room);
            const auto* const bytes = static_cast<const std::byte*>(buffer.data());
            sent.insert(sent.end(), bytes, bytes + some);
            room -= room == kEverything ? 0 : some;
            buffer += some;
        }
        return boost::asio::buffer_size(unsent) == 0;
    }
};

class LineTransport final : public net::Transport {
public:
    explicit LineTransport(std::shared_ptr<Line> line) : line_(std::move(line)) {}

    void await_readable() override {
        demand(line_->reader == nullptr, "two reads at once");
        line_->reader = user_;
    }
    Read read(std::span<std::byte> space, error_code& error) override {
        demand(!space.empty(), "a read without space");
        const std::size_t some = std::min(line_->unread.size(), space.size());
        std::ranges::copy(line_->unread.first(some), space.begin());
        line_->unread = line_->unread.subspan(some);
        error = some == 0 ? line_->end : error_code();
        return {some, some};
    }
    bool send(const Buffers& buffers, std::shared_ptr<const void> holder, error_code&) override {
        demand(line_->sender == nullptr, "two sends at once");
        line_->unsent = buffers;
        if (line_->send_unsent()) {
            return true;
        }
        line_->sender = user_;
        line_->holder = std::move(holder);
        return false;
    }
    void shut_down() override {}
    void close() override {
        line_->reader = nullptr;
        line_->sender = nullptr;
        line_->holder.reset();
    }
    void reset() override { close(); }
    [[nodiscard]] std::string peer() const override { return "a stranger"; }

private:
    const std::shared_ptr<Line> line_;
};

net::ServerOptions server_options() {
    net::ServerOptions options;
    options.player_states_per_second_max = 50;
    options.player_messages = {50, 200};
    options.speed_max_mm_per_s = 20'000;
    options.services.services_max = 2;
    options.services.entities_max = 8;
    options.services.watchers_max = 3;
    return options;
}

shards::ZoneOptions zone_options() {
    shards::ZoneOptions options;
    options.world = {-50'000, -50'000, 49'999, 49'999};
    options.entities_max = 16;
    options.cell_mm = 25'000;
    return options;
}

/// A zone of two shards with a door for lines: what an I/O thread does, by hand.
class Door final : public shards::FrameOutlet {
public:
    Door()
        : mailbox_(io_),
          store_({std::chrono::milliseconds(server_.resume_grace_ms), 4},
                 {std::chrono::milliseconds(server_.services.grace_ms), 2}, now_),
          gate_(net::AuthOptions{}),
          zone_(zone_options(),
                std::get<shards::Layout>(shards::Layout::grid(zone_options().world, 2, 1)), *this),
          lockstep_(zone_),
          context_{server_,
                   zone_,
                   0,
                   mailbox_,
                   counters_,
                   gate_,
                   store_,
                   directory_,
                   rules_,
                   net::LogLimit(0, now_),
                   flatbuffers::FlatBufferBuilder(),
                   [this](const net::Connection& closed) { forget(closed); },
                   net::ServedTime(now_, net::kIoThreadStallMin)} {}
    ~Door() override {
        while (!connections_.empty()) {
            const auto held = connections_.back();
            held->give_up();
        }
        mailbox_.close();
    }

    std::shared_ptr<Line> connect() {
        auto line = std::make_shared<Line>();
        net::IoThreadCounters::add(counters_.connections);
        connections_.push_back(std::make_shared<net::Connection>(
            context_, std::make_unique<LineTransport>(line), net::AddressTable::Slot(), now_));
        const auto held = connections_.back();
        held->start();
        return line;
    }
    void tick() {
        lockstep_.step();
        deliver();
    }
    /// For all but who came first.
    void pass(std::chrono::seconds time) {
        for (std::chrono::seconds passed{}; passed < time; ++passed) {
            now_ += std::chrono::seconds(1);
            store_.expire(now_);  // in steps, or it would be a stall of the server
        }
        const std::vector held(connections_.begin() + 1, connections_.end());
        for (const auto& connection : held) {
            connection->check_deadlines(now_);
        }
    }

    [[nodiscard]] std::uint32_t io_thread_count() const override { return 1; }
    void post(std::uint32_t, std::span<const std::shared_ptr<shards::EntityPort>> ports) override {
        mailbox_.post_frames(ports);
    }

private:
    void deliver() {
        net::Mailbox::Mail mail;
        mailbox_.take(mail);
        const auto connection_of = [](const std::shared_ptr<shards::EntityPort>& port) {
            net::Connection* const connection = static_cast<net::PlayerPort&>(*port).connection();
            return connection == nullptr ? nullptr : connection->shared_from_this();
        };
        for (const auto& port : mail.frames) {
            if (const auto connection = connection_of(port)) {
                connection->on_frame(static_cast<net::PlayerPort&>(*port));
            }
        }
        for (const auto& other : mail.others) {
            if (const auto* const room = std::get_if<net::Mailbox::Room>(&other)) {
                if (const auto connection = connection_of(room->port)) {
                    connection->on_room();
                }
            } else if (const auto* const removed = std::get_if<net::Mailbox::Removed>(&other)) {
                if (const auto connection = connection_of(removed->port)) {
                    connection->on_removed(static_cast<net::PlayerPort&>(*removed->port));
                }
            } else if (net::Connection* const connection =
                           std::get<std::shared_ptr<net::NoticeQueue>>(other)->connection()) {
                const auto held = connection->shared_from_this();
                connection->on_notices();
            }
        }
    }
    void forget(const net::Connection& closed) {
        std::erase_if(connections_,
                      [&](const auto& connection) { return connection.get() == &closed; });
    }

    net::Connection::TimePoint now_ = std::chrono::steady_clock::now();
    const net::ServerOptions server_ = server_options();
    boost::asio::io_context io_{1};
    net::IoThreadCounters counters_;
    net::Mailbox mailbox_;
    net::ResumeStore store_;
    net::Directory directory_;
    net::OperatorRules rules_;
    net::TokenGate gate_;
    shards::Zone zone_;
    shards::Lockstep lockstep_;
    net::SessionContext context_;
    std::vector<std::shared_ptr<net::Connection>> connections_;
};

/// Reads what a server sends, and demands that it can be read.
class Reader {
public:
    /// Passes each message to `take`.
    template <typename Take>
    void read(Line& line, Take&& take) {
        std::span<const std::byte> sent = line.sent;
        while (!sent.empty()) {
            const std::span<std::byte> space = buffer_.writable();
            const std::size_t some = std::min(sent.size(), space.size());
            std::memcpy(space.data(), sent.data(), some);
            buffer_.commit(some);
            sent = sent.subspan(some);
            std::span<const std::byte> bytes;
            while (buffer_.next(bytes) == net::ReceiveBuffer::Next::message) {
                net::ServerMessage message;
                demand(!net::decode_server(bytes, message), "the server sends what nobody reads");
                take(message);
            }
        }
        line.sent.clear();
    }
    /// Another line begins.
    void forget() { buffer_.clear(); }

private:
    net::ReceiveBuffer buffer_{std::size_t{256} * 1024};
};

Bytes bytes_of(const net::ClientMessage& message) {
    flatbuffers::FlatBufferBuilder builder;
    const auto bytes = net::encode(builder, message);
    return {bytes.begin(), bytes.end()};
}

/// Sees everything, and must be sent it in order.
class Witness {
public:
    explicit Witness(Door& door) : line_(door.connect()) {
        net::Hello hello;
        hello.spawn = engine::Position{0, 0, 0};
        hello.view = engine::View::circle(90'000, 100'000);
        hello.reads_ranks = true;
        line_->arrive(bytes_of(hello));
    }
    void look() {
        reader_.read(*line_, [this](const net::ServerMessage& message) {
            if (const auto* const frame = std::get_if<net::FrameMessage>(&message)) {
                world_.apply(*frame);
            } else if (const auto* const error = std::get_if<net::ErrorMessage>(&message)) {
                demand(error->code == net::ErrorCode::removed, "the witness is sent away");
            } else {
                demand(std::holds_alternative<net::Welcome>(message), "the witness is sent more");
            }
        });
    }
    void speak() { line_->arrive(bytes_of(net::Move{++moves_, {0, 0, 0}})); }

private:
    const std::shared_ptr<Line> line_;
    Reader reader_;
    tests::SentWorld world_;
    std::uint32_t moves_ = 0;
};

/// Whoever says what the input says, on one line after the other.
class Stranger {
public:
    explicit Stranger(Door& door) : door_(door), line_(door.connect()) {}

    [[nodiscard]] Line& line() { return *line_; }
    void come_again() {
        line_ = door_.connect();
        reader_.forget();
        net::Hello hello;
        hello.resume_token = token_;
        hello.last_tick = last_tick_;
        net::ServiceHello service;
        service.resume_token = token_;
        line_->arrive(is_service_ ? bytes_of(service) : bytes_of(hello));
    }
    void say(const net::ClientMessage& message) { line_->arrive(bytes_of(message)); }
    void read() {
        reader_.read(*line_, [this](const net::ServerMessage& message) {
            if (const auto* const welcome = std::get_if<net::Welcome>(&message)) {
                token_ = welcome->resume_token;
                is_service_ = false;
            } else if (const auto* const service = std::get_if<net::ServiceWelcome>(&message)) {
                token_ = service->resume_token;
                is_service_ = true;
                demand(service->entities.size() <= server_options().services.entities_max,
                       "a service owns too much");
                is_sent_.clear();
            } else if (const auto* const frame = std::get_if<net::FrameMessage>(&message)) {
                last_tick_ = frame->tick;
                look(*frame);
            }
        });
    }

private:
    void look(const net::FrameMessage& frame) {
        if (!is_service_) {
            return;
        }
        const bool is_first = is_sent_.insert(frame.watcher).second;
        demand(!is_first || frame.is_keyframe || !worlds_.contains(frame.watcher),
               "a watcher goes on without a keyframe");
        worlds_[frame.watcher].apply(frame);
    }

    Door& door_;
    std::shared_ptr<Line> line_;
    Reader reader_;
    Bytes token_;
    engine::Tick last_tick_ = engine::kNever;
    bool is_service_ = false;
    std::map<engine::EntityId, tests::SentWorld> worlds_;  ///< by watcher
    std::set<engine::EntityId> is_sent_;  ///< watchers that had a frame on this connection
};

class Steps {
public:
    explicit Steps(std::span<const std::byte> input) : input_(input) {}

    [[nodiscard]] bool is_at_end() const { return input_.empty(); }
    unsigned byte() {
        const auto bytes = take(1);
        return bytes.empty() ? 0 : std::to_integer<unsigned>(bytes[0]);
    }
    std::span<const std::byte> take(std::size_t bytes) {
        const auto taken = input_.first(std::min(bytes, input_.size()));
        input_ = input_.subspan(taken.size());
        return taken;
    }

private:
    std::span<const std::byte> input_;
};

engine::Position place_of(unsigned x, unsigned y) {
    return {static_cast<std::int32_t>(x) * 500 - 60'000,
            static_cast<std::int32_t>(y) * 500 - 60'000, 0};
}

/// Some that the zone has, and some that it has not.
std::vector<engine::StateWrite> state_of(unsigned bits) {
    if (bits % 2 == 0) {
        return {{static_cast<std::uint8_t>(bits / 2 % 4), std::int64_t{bits}}};
    }
    return {{0, std::make_shared<const Bytes>(bits % 40)}};
}

net::Spawn spawn_of(unsigned bits, unsigned x, unsigned y) {
    net::SpawnOne one;
    one.position = place_of(x, y);
    one.watches = (bits & 8U) != 0;
    one.layers.layers = (bits & 16U) != 0 ? engine::kNoLayers : engine::kDefaultLayer;
    one.view = engine::View::circle((bits & 32U) != 0 ? 0 : 30'000, 40'000);
    one.notify = {0, (bits & 64U) != 0 ? 80'000 : 0};
    one.state = state_of(y);
    return {std::vector<net::SpawnOne>(1 + bits % 3, one)};
}

net::Change change_of(unsigned bits, unsigned entity, unsigned x) {
    net::ChangeOne one;
    one.entity = engine::EntityId{entity};
    if ((bits & 8U) != 0) {
        one.position = place_of(x, bits);
    }
    if ((bits & 16U) != 0) {
        one.layers = net::Layers{x % 3, x % 2};
    }
    if ((bits & 32U) != 0) {
        one.view = engine::View::circle(static_cast<std::int32_t>(x) * 100, 30'000);
    }
    if ((bits & 64U) != 0) {
        one.state = state_of(x);
    }
    if ((bits & 128U) != 0) {
        one.speed_percent = static_cast<std::uint16_t>(x % 2 * 50);
        one.authority = static_cast<net::Authority>(bits % 4);
        one.move_ack = x;
    }
    return {{one}};
}

net::ClientMessage service_says(unsigned what, unsigned a, unsigned b, unsigned c) {
    const engine::EntityId entity{a};
    switch (what % 8) {
        case 0: {
            net::ServiceHello hello;
            hello.admits = (what & 8U) != 0;
            return hello;
        }
        case 1:
            return spawn_of(what, a, b);
        case 2:
            return net::Despawn{{entity, engine::EntityId{b}}};
        case 3:
            return net::MoveMany{{{entity, (what & 8U) != 0, std::int64_t{b} * 500 - 60'000,
                                   std::int64_t{c} * 500 - 60'000, 0}}};
        case 4:
            return change_of(what, a, b);
        case 5:
            return net::SendMessages{std::vector<net::MessageTo>(
                1 + c % 20, {{engine::EntityId{c}}, false, 1, Bytes(b)})};
        case 6:
            if ((what & 16U) != 0) {
                return net::Subscribe{{1}, (what & 8U) != 0, {}, (what & 32U) != 0};
            }
            return (what & 8U) != 0 ? net::ClientMessage(net::KeyframeRequest{})
                                    : net::ClientMessage(net::Ping{a});
        default:
            return (what & 8U) != 0 ? net::ClientMessage(net::LeaveZone{})
                                    : net::ClientMessage(net::AdmitPlayer{a, {}});
    }
}

void run(Steps& steps, Door& door, Stranger& stranger) {
    switch (steps.byte() % 8) {
        case 4: {
            const unsigned what = steps.byte();
            const unsigned a = steps.byte();
            const unsigned b = steps.byte();
            stranger.say(service_says(what, a, b, steps.byte()));
            break;
        }
        case 0: {
            const unsigned low = steps.byte();
            stranger.line().arrive(steps.take(low + 256 * steps.byte()));
            break;
        }
        case 1:
        case 5:
            door.tick();
            break;
        case 2: {
            const std::size_t units = steps.byte();
            stranger.line().make_room(units == 255 ? kEverything : 64 * units);
            break;
        }
        case 3:
            door.pass(std::chrono::seconds(steps.byte()));
            break;
        case 6:
            stranger.line().cut();
            break;
        default:
            stranger.come_again();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr int kStepsMax = 150;
    spdlog::set_level(spdlog::level::off);
    Door door;
    Witness witness(door);
    Stranger stranger(door);
    Steps steps(std::as_bytes(std::span(data, size)));
    for (int i = 0; i < kStepsMax && !steps.is_at_end(); ++i) {
        run(steps, door, stranger);
        stranger.read();
        witness.speak();
        witness.look();
    }
    door.tick();
    witness.look();
    return 0;
}
