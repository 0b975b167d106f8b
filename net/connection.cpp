#include "net/connection.h"

#include "engine/assert.h"
#include "net/decode_client.h"
#include "net/encode_server.h"
#include "net/permit_rules.h"
#include "net/player_session.h"
#include "net/service_session.h"

#include <boost/asio/error.hpp>
#include <spdlog/spdlog.h>

#include <atomic>
#include <chrono>
#include <utility>
#include <variant>

namespace marchland::net {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;

/// A client that is being closed may send on so many bytes before it is cut off.
constexpr std::size_t kDiscardedBytesMax = std::size_t{256} * 1024;

/// Answers go out together once all that came is handled, but as soon as there are so many bytes.
constexpr std::size_t kAnswerBytesSoon = std::size_t{16} * 1024;

/// Of its time for a Hello: whoever has been silent for less may be at the end of a long line.
constexpr std::uint32_t kSilencePart = 10;
std::uint64_t next_id() {
    static std::atomic<std::uint64_t> newest{0};
    return newest.fetch_add(1, std::memory_order_relaxed) + 1;
}

/// Was it closed for a limit, and did not mean to go? Then it may come back.
bool is_loss(ErrorCode code) {
    return code == ErrorCode::idle_timeout || code == ErrorCode::too_slow ||
           code == ErrorCode::too_fast || code == ErrorCode::too_large;
}

}  // namespace

Connection::Connection(SessionContext& context, std::unique_ptr<Transport> transport,
                       AddressTable::Slot slot, TimePoint now)
    : context_(context),
      id_(next_id()),
      transport_(std::move(transport)),
      slot_(std::move(slot)),
      receive_(context.options.message_bytes_max),
      message_limit_(context.options.messages_per_second_max, now, TokenBucket::kSilenceSecondsMax),
      byte_limit_(context.options.bytes_per_second_max, now, TokenBucket::kSilenceSecondsMax),
      opened_at_(now),
      received_at_(now),
      received_tick_(context.zone.tick()),
      stalled_(context.time.stalled()) {
    transport_->attach(*this);
}

Connection::~Connection() {
    IoThreadCounters::subtract(context_.counters.connections);
}

void Connection::start() {
    is_in_handshake_ = true;
    read();
}

void Connection::refuse(ErrorCode code, std::string text) {
    close_with(code, std::move(text));
    if (state_ != State::closed) {
        read();
    }
}

Connection::Report Connection::report() const {
    using std::chrono::duration_cast;
    Report report;
    report.id = id_;
    report.address = transport_->peer();
    report.subject = permit_.subject;
    const bool is_attended = state_ == State::attended;
    report.role = state_ == State::waiting_for_hello     ? "newcomer"
                  : !is_attended                         ? "closing"
                  : permit_.role == Permit::Role::player ? "player"
                                                         : "service";
    report.entity = is_attended ? session_->entity() : std::nullopt;
    report.age = duration_cast<milliseconds>(now() - opened_at_);
    report.unsent_bytes = outbox_.bytes();
    report.blocked = blocked_since_ ? duration_cast<milliseconds>(now() - *blocked_since_)
                                    : milliseconds::zero();
    report.io_thread = context_.io_thread;
    return report;
}

void Connection::notify(const Notice& notice) {
    if (state_ == State::attended) {
        session_->notify(notice);
        flush();
    }
}

// In

void Connection::read() {
    is_reading_ = true;
    transport_->await_readable();
}

void Connection::on_readable() {
    const auto held = shared_from_this();
    guard([&] {
        error_code error;
        const auto [bytes, wire_bytes] = transport_->read(receive_.writable(), error);
        if (error == asio::error::would_block) {
            transport_->await_readable();
        } else {
            take_read(error, bytes, wire_bytes);
        }
    });
}

void Connection::take_read(const error_code& error, std::size_t bytes, std::size_t wire_bytes) {
    is_reading_ = false;
    if (state_ == State::closed) {
        return;
    }
    if (error) {
        const bool is_of_layers = error == asio::error::connection_aborted;
        if (is_of_layers && state_ == State::waiting_for_hello) {
            IoThreadCounters::add(context_.counters.failed_handshakes_total);
            if (const std::string failure = transport_->failure(); !failure.empty()) {
                log("refused: " + failure);
            }
        }
        on_end_of_stream();
        return;
    }
    if (state_ == State::closing) {
        discarded_bytes_ += wire_bytes;
        if (discarded_bytes_ > kDiscardedBytesMax) {
            reset();
        }
    } else {
        receive(bytes, wire_bytes, now());
    }
    IoThreadCounters::add(context_.counters.bytes_in_total, wire_bytes);
    read_on();
}

void Connection::read_on() {
    const bool has_room =
        intake_ == Intake::open || (intake_ == Intake::held_up && session_ &&
                                    session_->awaits_successor() && receive_.has_room());
    if (state_ != State::closed && !peer_has_ended_ && !is_reading_ && has_room) {
        read();
    }
}

/// Half of a closed connection or all of it: the client is gone, unless it waits for our Error.
void Connection::on_end_of_stream() {
    peer_has_ended_ = true;
    if (state_ != State::closing || outbox_.is_empty()) {
        drop();
    }
}

void Connection::receive(std::size_t bytes, std::size_t wire_bytes, TimePoint now) {
    receive_.commit(bytes);
    make_up_for_stalls();
    if (intake_ == Intake::held_up) {
        make_up_for_hold(now);
    }
    if (!byte_limit_.take(wire_bytes, now)) {
        close_with(ErrorCode::too_fast, "too many bytes per second");
    }
    if (intake_ == Intake::open) {
        take_messages(now);
    }
}

/// What it sent while the server was not there comes all at once now.
void Connection::make_up_for_stalls() {
    const auto stalled = context_.time.stalled() - std::exchange(stalled_, context_.time.stalled());
    if (stalled > TimePoint::duration::zero()) {
        message_limit_.make_up_for(stalled);
        byte_limit_.make_up_for(stalled);
        if (session_) {
            session_->make_up_for(stalled);
        }
    }
}

/// While it is held up its client is not listened to, but for what has room in the buffer.
void Connection::make_up_for_hold(TimePoint now) {
    message_limit_.make_up_for(held_up_since_, now);
    byte_limit_.make_up_for(held_up_since_, now);
    held_up_since_ = now;
}

void Connection::take_messages(TimePoint now) {
    while (state_ == State::waiting_for_hello || state_ == State::attended) {
        if (outbox_.control_bytes() > answer_bytes_mark_) {
            MARCHLAND_ASSERT(outbox_.is_sending());
            intake_ = Intake::held_back;
            break;
        }
        if (is_held_up(now)) {
            intake_ = Intake::held_up;
            held_up_since_ = now;
            break;
        }
        std::span<const std::byte> message;
        const ReceiveBuffer::Next next = receive_.next(message);
        if (next == ReceiveBuffer::Next::incomplete) {
            break;
        }
        if (next == ReceiveBuffer::Next::too_large) {
            close_with(ErrorCode::too_large,
                       fmt::format("a length prefix over the limit of {} bytes",
                                   receive_.message_bytes_max()));
        } else {
            handle_message(message, now);
        }
        if (outbox_.bytes() >= kAnswerBytesSoon && state_ != State::closed) {
            flush();
        }
    }
    if (state_ == State::closing) {
        receive_.clear();
    }
    if (state_ != State::closed) {
        flush();  // what was answered, in one write
    }
}

bool Connection::is_held_up(TimePoint now) {
    return context_.holds_clients || (session_ && session_->is_held_up(now));
}

void Connection::handle_message(std::span<const std::byte> message, TimePoint now) {
    received_at_ = now;
    received_tick_ = context_.zone.tick();
    IoThreadCounters::add(context_.counters.messages_in_total);
    if (!message_limit_.take(1, now)) {
        close_with(ErrorCode::too_fast, "too many messages per second");
        return;
    }
    auto decoded = decode_client(message);
    if (auto* const error = std::get_if<ErrorMessage>(&decoded)) {
        if (state_ != State::waiting_for_hello && error->code == ErrorCode::unsupported_version) {
            // A second Hello is out of order, whatever version it has.
            close_with(ErrorCode::out_of_order, "a Hello may come only once, and first");
        } else {
            close_with(error->code, std::move(error->text));
        }
        return;
    }
    auto& what = std::get<ClientMessage>(decoded);
    if (std::holds_alternative<SkippedMessage>(what)) {
        return;
    }
    if (state_ == State::waiting_for_hello) {
        greet(std::move(what));
    } else {
        session_->receive(std::move(what));
    }
}

/// The first message shows a token, and its sender becomes what that allows.
void Connection::greet(ClientMessage&& first) {
    auto* const hello = std::get_if<Hello>(&first);
    auto* const service = std::get_if<ServiceHello>(&first);
    if (hello == nullptr && service == nullptr) {
        close_with(ErrorCode::out_of_order, "the first message must be Hello or ServiceHello");
    } else if (hello != nullptr && shows_token(hello->token, Permit::Role::player)) {
        came_at_ = std::chrono::steady_clock::now();
        receive_session(PlayerSession::admit(*this, std::move(*hello)));
    } else if (service != nullptr && shows_token(service->token, Permit::Role::service)) {
        receive_session(ServiceSession::admit(*this, std::move(*service)));
    }
}

void Connection::receive_session(Session::Admitted admitted) {
    if (auto* const error = std::get_if<ErrorMessage>(&admitted)) {
        close_with(error->code, std::move(error->text));
        return;
    }
    session_ = std::get<std::unique_ptr<Session>>(std::move(admitted));
    session_is_in_ = true;
    state_ = State::attended;
    end_handshake();
}

/// False when it closed the connection instead.
bool Connection::shows_token(const std::string& token, Permit::Role role) {
    auto permit = permit_for(context_.gate, token, role, std::chrono::system_clock::now());
    if (auto* const error = std::get_if<ErrorMessage>(&permit)) {
        IoThreadCounters::add(context_.counters.refused_tokens_total);
        close_with(error->code, std::move(error->text));
        return false;
    }
    permit_ = std::get<Permit>(std::move(permit));
    if (auto error = context_.rules.refuse(permit_.subject, address_of_peer(transport_->peer()),
                                           std::chrono::system_clock::now())) {
        close_with(error->code, std::move(error->text));
        return false;
    }
    return true;
}

/// What came meanwhile waits in the buffer and in the kernel: the client was not silent.
void Connection::release(TimePoint now) {
    intake_ = Intake::open;
    received_at_ = now;
    received_tick_ = context_.zone.tick();
    take_messages(now);
    read_on();
}

void Connection::on_room() {
    const auto now = this->now();
    if (state_ == State::attended && intake_ == Intake::held_up && !is_held_up(now)) {
        make_up_for_hold(now);
        release(now);
    }
}

void Connection::on_successor() {
    if (state_ != State::attended || intake_ != Intake::held_up) {
        return;
    }
    if (auto successor = session_->successor(now())) {
        receive_session(*std::move(successor));
        on_room();
    }
}

// Out

void Connection::on_frame(PlayerPort& port) {
    MARCHLAND_ASSERT(state_ == State::attended);
    session_->on_frame(port);
    flush();
}

void Connection::answer(std::span<const std::byte> message) {
    if (state_ != State::attended) {
        return;
    }
    if (outbox_.has_room(message.size())) {
        outbox_.push(message);
    } else {
        close_with(ErrorCode::too_slow, "who does not read is not answered");
    }
}

void Connection::put_frame(std::span<const std::byte> frame) {
    context_.counters.frame_bytes.add(frame.size());
    outbox_.put_frame(frame);
}

void Connection::widen(const Limits& limits) {
    receive_.widen(limits.message_bytes_max);
    message_limit_ =
        TokenBucket(limits.messages_per_second_max, received_at_, TokenBucket::kSilenceSecondsMax);
    byte_limit_ =
        TokenBucket(limits.bytes_per_second_max, received_at_, TokenBucket::kSilenceSecondsMax);
    outbox_.widen(limits.answer_bytes_max);
    answer_bytes_mark_ = limits.answer_bytes_mark;
}

void Connection::on_notices() {
    if (state_ == State::attended) {
        session_->on_notices();
        flush();
    }
}

/// Sends as long as the transport takes all at once; then what comes waits.
void Connection::flush() {
    while (state_ != State::closed && outbox_.is_waiting() && !outbox_.is_sending()) {
        error_code error;
        IoThreadCounters::add(context_.counters.sends_total);
        if (transport_->send(outbox_.begin_send(), shared_from_this(), error)) {
            end_send();
        } else if (error) {
            drop();
        }
    }
}

void Connection::on_sent(const error_code& error) {
    guard([&] {
        if (state_ == State::closed) {
            return;
        }
        if (error) {
            drop();
            return;
        }
        end_send();
        flush();
        if (intake_ == Intake::released && state_ == State::attended) {
            release(now());
        }
    });
}

void Connection::end_send() {
    IoThreadCounters::add(context_.counters.bytes_out_total, outbox_.sending_bytes());
    blocked_since_.reset();
    if (outbox_.end_send()) {
        session_->on_frame_sent();
    }
    if (outbox_.is_empty()) {
        on_flushed();
    }
    if (outbox_.control_bytes() == 0) {
        on_said();
    }
}

void Connection::on_said() {
    if (state_ != State::attended) {
        return;
    }
    if (intake_ == Intake::held_back) {
        intake_ = Intake::released;
    }
    session_->on_said();
}

void Connection::on_flushed() {
    if (state_ != State::closing) {
        return;
    }
    if (peer_has_ended_) {
        drop();
        return;
    }
    transport_->shut_down();
}

// The end

void Connection::on_removed(PlayerPort& port) {
    session_->on_removed(port);
}

Connection::TimePoint Connection::now() const {
    return context_.time.advance(std::chrono::steady_clock::now());
}

/// For so long, and for as many ticks that really ran: who waits for frames that do not come is not
/// idle.
bool Connection::is_idle(TimePoint now) const {
    const milliseconds timeout(context_.options.idle_timeout_ms);
    if (now - received_at_ <= timeout) {
        return false;
    }
    const auto ticks = static_cast<std::int64_t>(context_.zone.tick() - received_tick_);
    return std::chrono::seconds(ticks) > timeout * context_.zone.options().tick_rate_hz;
}

/// What it took of its time for a Hello: not what the server took to answer it.
Connection::TimePoint::duration Connection::handshake_time(TimePoint now) const {
    return now - opened_at_ - transport_->waited(std::chrono::steady_clock::now());
}

bool Connection::gives_way() const {
    if (state_ == State::closing && outbox_.is_empty()) {
        return true;  // it was sent why
    }
    const milliseconds time_max(context_.options.handshake_timeout_ms);
    return handshake_time(now()) > time_max / kSilencePart && !transport_->has_unread();
}

void Connection::check_deadlines(TimePoint now) {
    const ServerOptions& options = context_.options;
    outbox_.trim(options.idle_buffer_bytes_max);
    transport_->trim(options.idle_buffer_bytes_max);
    switch (state_) {
        case State::waiting_for_hello:
            if (handshake_time(now) > milliseconds(options.handshake_timeout_ms)) {
                IoThreadCounters::add(context_.counters.failed_handshakes_total);
                close_with(ErrorCode::handshake_timeout, "no Hello in time");
            }
            break;
        case State::attended:
            if (outbox_.is_sending() && !blocked_since_) {
                blocked_since_ = now;
            }
            if (blocked_since_ && now - *blocked_since_ > milliseconds(options.slow_timeout_ms)) {
                close_with(ErrorCode::too_slow, "no frame was taken for too long");
            } else if (intake_ == Intake::open && is_idle(now)) {
                close_with(ErrorCode::idle_timeout, "nothing was received for too long");
            } else {
                session_->check();
                on_successor();
            }
            break;
        case State::closing:
            if (now - closing_since_ > milliseconds(options.linger_timeout_ms)) {
                reset();
            }
            break;
        case State::closed:
            break;
    }
}

void Connection::close_with(ErrorCode code, std::string text) {
    if (state_ == State::closing || state_ == State::closed) {
        return;
    }
    // Who is there when the server stops may come back after its next start, where anything
    // survives.
    const bool is_lost =
        is_loss(code) || (code == ErrorCode::stopping && context_.zone.keeper() != nullptr);
    const auto why =
        code == ErrorCode::removed ? PlayerLeftReason::removed : PlayerLeftReason::closed;
    end_session(is_lost ? std::nullopt : std::optional(why));
    const ErrorMessage error{code, std::move(text)};
    log(fmt::format("closed: {}: {}", name_of(error.code), error.text));
    IoThreadCounters::add(context_.counters.closed_with_error_total);
    IoThreadCounters::add(context_.counters.errors_total.at(static_cast<std::size_t>(code)));
    outbox_.push(encode(context_.control_builder, error));
    begin_closing();
}

void Connection::end_session(std::optional<PlayerLeftReason> why) {
    if (!std::exchange(session_is_in_, false)) {
        return;
    }
    if (why) {
        session_->leave(*why);
    } else {
        session_->lose();
    }
}

void Connection::end_handshake() {
    if (std::exchange(is_in_handshake_, false)) {
        slot_.end_handshake();
    }
}

void Connection::begin_closing() {
    end_session(PlayerLeftReason::left);
    state_ = State::closing;
    closing_since_ = now();
    outbox_.drop_frame();
    if (outbox_.is_empty()) {
        on_flushed();
    } else {
        flush();
    }
    if (std::exchange(intake_, Intake::open) != Intake::open) {
        receive_.clear();  // what is still sent is to be thrown away
        read_on();
    }
}

/// Closes the connection, at whatever point things are.
void Connection::drop() {
    end_handshake();
    end_session(std::nullopt);
    state_ = State::closed;
    transport_->close();
    context_.on_closed(*this);
}

/// Drops a connection whose peer had its time: what the kernel holds unsent is thrown away too.
void Connection::reset() {
    transport_->reset();
    drop();
}

/// Nobody knows how far things had come: nothing more is sent, so no client is sent anything wrong.
/// Its session is lost and may come back, if that much still works; if not, the I/O thread is
/// notified.
void Connection::cut(const std::exception& failure) {
    IoThreadCounters::add(context_.counters.failed_connections_total);
    // A builder that threw where it grew takes itself for longer than its memory is.
    context_.control_builder = flatbuffers::FlatBufferBuilder();
    if (state_ == State::closed) {
        return;
    }
    try {
        log(fmt::format("ended by an exception: {}", failure.what()));
    } catch (const std::exception&) {  // it is counted all the same
    }
    reset();
}

void Connection::log(std::string_view text) {
    if (!context_.log_limit.allows_line(std::chrono::steady_clock::now())) {
        return;
    }
    const std::uint64_t left_out = context_.log_limit.take_left_out();
    const std::string subject = permit_.subject.empty() ? "" : " (" + logged_subject(permit_) + ')';
    spdlog::info("{}{}: {}{}", transport_->peer(), subject, printable(std::string(text)),
                 left_out == 0 ? "" : fmt::format(" ({} such lines left out before)", left_out));
}

}  // namespace marchland::net
