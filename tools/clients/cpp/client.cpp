#include "tools/clients/cpp/client.h"

#include "net/quantum.h"
#include "tools/clients/cpp/own_way.h"
#include "tools/clients/cpp/session_core.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace marchland::client {
namespace {

/// In the nonce of a Ping that asks whether messages were taken in; with the number of the newest.
constexpr std::uint64_t kConfirming = std::uint64_t{1} << 63U;
/// In that of a Ping behind a SetView; with the number of the view.
constexpr std::uint64_t kViewing = std::uint64_t{1} << 61U;

/// As many as a second allows go in this time: what is held up on its way comes closer together.
constexpr std::chrono::milliseconds kMessagesIn{1'250};

}  // namespace

class Client::Impl final : public SessionCore {
public:
    Impl(const net::Hello& hello, OnFrame on_frame, SessionOptions options)
        : SessionCore(options),
          hello_(hello),
          on_frame_(std::move(on_frame)),
          on_notice_(std::move(options.on_notice)) {}

    void turn(engine::Angle facing);
    void move(engine::Position position);
    bool step(engine::Position position);
    bool say(std::uint16_t kind, std::vector<std::byte> payload);
    bool send_any(const net::ClientMessage& message);

    std::optional<net::Welcome> welcome;
    std::optional<SeenWorld> world;
    engine::Position position;
    std::optional<Drawing> drawing;

private:
    net::ClientMessage hello(const std::vector<std::byte>& resume_token) override;
    const net::AnyWelcome* take_welcome(const net::ServerMessage& message) override;
    MaybeProblem take(net::ServerMessage& message) override;
    void send_waiting() override;
    [[nodiscard]] bool has_waiting() const override {
        return sent_messages_ < unconfirmed_.size() || !is_view_said_ || !is_frame_rate_said_;
    }
    MaybeProblem take_frame(net::FrameMessage& frame);
    [[nodiscard]] bool send_move(engine::Step velocity);
    void take_pong(const net::Pong& pong);
    void take_transfer(const net::Transfer& transfer);

    net::Hello hello_;
    bool shows_token_ = false;  ///< the newest Hello, to resume
    OnFrame on_frame_;
    std::function<void(const net::Notice&)> on_notice_;
    std::uint32_t newest_seq_ = 0;
    std::uint32_t correction_seen_ = 0;
    OwnWay way_;
    std::optional<engine::Angle> facing_;  ///< that was asked for, if any
    bool is_facing_said_ = false;
    std::deque<net::SendMessage> unconfirmed_;  ///< messages that the server may not have, in order
    std::size_t sent_messages_ = 0;             ///< of these, on this connection
    std::uint32_t newest_message_ = 0;
    bool is_confirming_ = false;
    std::optional<net::SetView> view_;  ///< that the server may not have
    std::uint64_t newest_view_ = 0;     ///< its number
    net::SetFrameRate frame_rate_;      ///< which holds for a connection
    bool is_view_said_ = true;          ///< on this connection
    bool is_frame_rate_said_ = true;
    /// Messages on this connection, of the last kMessagesIn.
    std::deque<Clock::time_point> sent_at_;
};

net::ClientMessage Client::Impl::hello(const std::vector<std::byte>& resume_token) {
    net::Hello hello = hello_;
    hello.reads_ranks = true;
    hello.resume_token = resume_token;
    shows_token_ = !resume_token.empty();
    hello.facing = facing_.value_or(hello_.facing);
    hello.last_tick = world && !resume_token.empty() ? world->tick() : engine::kNever;
    return hello;
}

const net::AnyWelcome* Client::Impl::take_welcome(const net::ServerMessage& message) {
    const auto* const found = std::get_if<net::Welcome>(&message);
    if (found == nullptr) {
        return nullptr;
    }
    // A restart of the zone may change both, which the world decodes by.
    const bool is_same_zone =
        welcome && welcome->quantum_mm == found->quantum_mm && welcome->slots == found->slots;
    welcome = *found;
    correction_seen_ = 0;
    is_facing_said_ = false;
    way_ = OwnWay(static_cast<std::int32_t>(welcome->prediction_error_mm),
                  welcome->prediction_ms_max * engine::Tick{welcome->tick_rate_hz} / 1'000);
    // A zone may resume who comes anew, in place of an older session: nothing of that one's world
    // is known here.
    const bool is_kept = welcome->resumed && shows_token_ && world;
    if (!is_kept || !is_same_zone) {
        world.emplace(welcome->quantum_mm, welcome->entity);
        drawing.emplace(welcome->tick_rate_hz);
    }
    position = is_kept ? position : welcome->spawn;
    while (!unconfirmed_.empty() && unconfirmed_.front().number <= welcome->message_number) {
        unconfirmed_.pop_front();
    }
    newest_message_ = welcome->message_number;
    for (net::SendMessage& unconfirmed : unconfirmed_) {
        unconfirmed.number = ++newest_message_;  // a server that crashed may know fewer
    }
    sent_messages_ = 0;
    sent_at_.clear();
    is_confirming_ = false;
    is_view_said_ = !view_;
    is_frame_rate_said_ = frame_rate_.frames_hz == 0;
    return &*welcome;
}

SessionCore::MaybeProblem Client::Impl::take(net::ServerMessage& message) {
    if (auto* frame = std::get_if<net::FrameMessage>(&message)) {
        return take_frame(*frame);
    }
    if (const auto* transfer = std::get_if<net::Transfer>(&message)) {
        take_transfer(*transfer);
        return std::nullopt;
    }
    if (const auto* pong = std::get_if<net::Pong>(&message)) {
        take_pong(*pong);
        return std::nullopt;
    }
    if (const auto* notice = std::get_if<net::Notice>(&message)) {
        if (on_notice_) {
            on_notice_(*notice);
        }
        return std::nullopt;
    }
    return std::holds_alternative<net::SkippedMessage>(message)
               ? std::nullopt
               : MaybeProblem(unexpected("a message that is not expected here"));
}

SessionCore::MaybeProblem Client::Impl::take_frame(net::FrameMessage& frame) {
    if (auto problem = world->apply(frame)) {
        return unexpected(problem->c_str());
    }
    drawing->apply(frame, *world);
    // A keyframe has the number that holds already: moves that were sent since are made after it.
    std::optional<engine::Position> corrected;
    if (frame.correction && frame.correction->number != correction_seen_) {
        correction_seen_ = frame.correction->number;
        corrected = position = frame.correction->position;
        way_.put({});
        is_facing_said_ = false;  // a move that was not made turned nobody
    }
    if (on_frame_) {
        on_frame_(frame, *world, corrected);
    }
    return std::nullopt;
}

/// Where it begins there, that zone decides. What was said and not confirmed is lost.
void Client::Impl::take_transfer(const net::Transfer& transfer) {
    hello_.carried = transfer.carried;
    hello_.spawn.reset();
    unconfirmed_.clear();
    sent_messages_ = 0;
    view_.reset();
    is_view_said_ = true;
    go_to(transfer.address, transfer.token);
}

void Client::Impl::turn(engine::Angle facing) {
    if (facing_ != facing) {
        facing_ = facing;
        is_facing_said_ = false;
        way_.forget();
    }
}

void Client::Impl::move(engine::Position to) {
    position = to;
    way_.put(position);
    static_cast<void>(send_move({}));
}

bool Client::Impl::send_move(engine::Step velocity) {
    const auto facing = is_facing_said_ ? std::nullopt : facing_;
    const bool is_sent =
        send(net::Move{++newest_seq_, position, facing, correction_seen_, velocity});
    is_facing_said_ = is_facing_said_ || is_sent;
    return is_sent;
}

bool Client::Impl::step(engine::Position to) {
    position = net::on_grid(
        to, static_cast<std::int32_t>(welcome->quantum_mm),
        {welcome->world_min.x, welcome->world_min.y, welcome->world_max.x, welcome->world_max.y});
    const auto velocity = way_.step(position);
    if (velocity && !send_move(*velocity)) {
        way_.forget();
    }
    return velocity.has_value();
}

bool Client::Impl::say(std::uint16_t kind, std::vector<std::byte> payload) {
    if (payload.size() >
        std::min<std::size_t>(engine::kMessageBytesMax, welcome->messages.bytes_max)) {
        return false;
    }
    send_waiting();  // forgets what went long enough ago
    // Both: so all that is taken goes at once, and no leave() finds it waiting.
    const bool has_room =
        std::max(unconfirmed_.size(), sent_at_.size()) < welcome->messages.per_second_max;
    if (has_room) {
        unconfirmed_.push_back({++newest_message_, kind, std::move(payload)});
    }
    send_waiting();
    return has_room;
}

bool Client::Impl::send_any(const net::ClientMessage& message) {
    if (const auto* const view = std::get_if<net::SetView>(&message)) {
        view_ = *view;
        ++newest_view_;
        is_view_said_ = false;
        send_waiting();
        return is_view_said_;
    }
    if (const auto* const rate = std::get_if<net::SetFrameRate>(&message)) {
        frame_rate_ = *rate;
        is_frame_rate_said_ = false;
        send_waiting();
        return is_frame_rate_said_;
    }
    return send(message);
}

/// As many as the kernel has room for, and the server in this second; and a Ping, when many wait to
/// be confirmed.
void Client::Impl::send_waiting() {
    if (!is_view_said_ && send(*view_)) {
        is_view_said_ = true;
        send(net::Ping{kViewing | newest_view_});
    }
    is_frame_rate_said_ = is_frame_rate_said_ || send(frame_rate_);
    const auto now = Clock::now();
    while (!sent_at_.empty() && sent_at_.front() + kMessagesIn < now) {
        sent_at_.pop_front();
    }
    while (sent_messages_ < unconfirmed_.size() &&
           sent_at_.size() < welcome->messages.per_second_max &&
           send(unconfirmed_[sent_messages_])) {
        ++sent_messages_;
        sent_at_.push_back(now);
    }
    if (2 * sent_messages_ > welcome->messages.per_second_max && !is_confirming_) {
        is_confirming_ = send(net::Ping{kConfirming | unconfirmed_[sent_messages_ - 1].number});
    }
}

/// All that was sent before its Ping is taken in.
void Client::Impl::take_pong(const net::Pong& pong) {
    if (is_view_said_ && pong.nonce == (kViewing | newest_view_)) {
        view_.reset();
    }
    if ((pong.nonce & kConfirming) == 0) {
        return;
    }
    is_confirming_ = false;
    while (sent_messages_ > 0 && unconfirmed_.front().number <= (pong.nonce & ~kConfirming)) {
        unconfirmed_.pop_front();
        --sent_messages_;
    }
}

std::variant<Client, Problem> Client::join(std::span<const Address> servers,
                                           const net::Hello& hello, OnFrame on_frame,
                                           SessionOptions options) {
    Client client(std::make_unique<Impl>(hello, std::move(on_frame), std::move(options)));
    if (auto problem = client.impl().join(servers)) {
        return *std::move(problem);
    }
    return client;
}

Client::Client(std::unique_ptr<Impl> impl) : Session(std::move(impl)) {}

Client::Impl& Client::impl() const {
    return static_cast<Impl&>(*core_);
}

const Address& Client::server() const {
    return impl().server();
}
const net::Welcome& Client::welcome() const {
    return *impl().welcome;
}
const SeenWorld& Client::world() const {
    return *impl().world;
}
engine::Position Client::position() const {
    return impl().position;
}
const Drawing& Client::drawing() const {
    return *impl().drawing;
}
const Resumption& Client::resumption() const {
    return impl().resumption();
}
void Client::turn(engine::Angle facing) {
    impl().turn(facing);
}
bool Client::step(engine::Position position) {
    return impl().step(position);
}
void Client::move(engine::Position position) {
    impl().move(position);
}
bool Client::send(const net::ClientMessage& message) {
    return impl().send_any(message);
}
bool Client::say(std::uint16_t kind, std::vector<std::byte> payload) {
    return impl().say(kind, std::move(payload));
}

}  // namespace marchland::client
