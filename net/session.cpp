#include "net/session.h"

#include "engine/assert.h"
#include "net/encode_server.h"

#include <boost/asio/error.hpp>
#include <spdlog/spdlog.h>

#include <utility>

namespace marchland::net {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using std::chrono::milliseconds;

/// A client that is being closed may send on so many bytes before it is cut off.
constexpr std::size_t kDiscardedBytesMax = std::size_t{256} * 1024;

}  // namespace

Session::Session(SessionContext& context, std::unique_ptr<Transport> transport,
                 AddressTable::Slot slot, TimePoint now)
    : context_(context),
      transport_(std::move(transport)),
      slot_(std::move(slot)),
      receive_(context.options.message_bytes_max),
      message_limit_(context.options.messages_per_second_max, now),
      byte_limit_(context.options.bytes_per_second_max, now),
      event_limit_(context.options.player_events.per_second_max, now),
      state_limit_(context.options.player_states.per_second_max, now),
      opened_at_(now),
      heard_at_(now) {}

Session::~Session() {
    LaneCounters::subtract(context_.counters.connections);
}

void Session::start() {
    is_in_handshake_ = true;
    ++context_.handshakes;
    read();
}

void Session::refuse(ErrorCode code, std::string text) {
    close_with(code, std::move(text));
    if (state_ != State::closed) {
        read();
    }
}

// In

void Session::read() {
    transport_->async_read(receive_.writable(), shared_from_this());
}

void Session::on_read(const error_code& error, std::size_t bytes, std::size_t wire_bytes) {
    if (state_ == State::closed) {
        return;
    }
    if (error) {
        on_end_of_stream();
        return;
    }
    LaneCounters::add(context_.counters.bytes_in_total, wire_bytes);
    if (state_ == State::closing) {
        discard(wire_bytes);
    } else {
        receive(bytes, wire_bytes, std::chrono::steady_clock::now());
    }
    if (state_ != State::closed && !peer_has_ended_) {
        read();
    }
}

/// Half of a closed connection or all of it: the client is gone, unless it waits for our Error.
void Session::on_end_of_stream() {
    peer_has_ended_ = true;
    if (state_ != State::closing || (outbox_.is_empty() && transport_->is_drained())) {
        drop();
    }
}

void Session::discard(std::size_t wire_bytes) {
    discarded_bytes_ += wire_bytes;
    if (discarded_bytes_ > kDiscardedBytesMax) {
        reset();
    }
}

void Session::receive(std::size_t bytes, std::size_t wire_bytes, TimePoint now) {
    receive_.commit(bytes);
    if (!byte_limit_.take(wire_bytes, now)) {
        close_with(ErrorCode::too_fast, "too many bytes per second");
    }
    while (state_ == State::waiting_for_hello || state_ == State::playing) {
        std::span<const std::byte> message;
        const ReceiveBuffer::Next next = receive_.next(message);
        if (next == ReceiveBuffer::Next::incomplete) {
            break;
        }
        if (next == ReceiveBuffer::Next::too_large) {
            close_with(ErrorCode::too_large,
                       fmt::format("a length prefix over the limit of {} bytes",
                                   context_.options.message_bytes_max));
        } else {
            handle_message(message, now);
        }
    }
    if (state_ == State::playing) {
        end_handshake();
    } else if (state_ == State::closing) {
        receive_.clear();
    }
    if (state_ != State::closed) {
        flush();  // what was answered, in one write
    }
}

// Out

void Session::send_frame() {
    MARCHLAND_ASSERT(state_ == State::playing);
    outbox_.put_frame(port_->frame());
    flush();
}

/// One write. If the transport does not take and pass on all of it, the rest waits until it does.
void Session::flush() {
    if (is_waiting_to_write_ || (outbox_.is_empty() && transport_->is_drained())) {
        return;
    }
    error_code error;
    const std::size_t sent = transport_->write(outbox_.buffers(), error);
    if (error && error != asio::error::would_block && error != asio::error::try_again) {
        drop();
        return;
    }
    LaneCounters::add(context_.counters.sends_total);
    LaneCounters::add(context_.counters.bytes_out_total, sent);
    frame_is_leaving_ |= outbox_.consume(sent);
    if (!transport_->is_drained()) {
        wait_until_writable();
        return;
    }
    if (std::exchange(frame_is_leaving_, false)) {
        port_->frame_sent();
        blocked_since_.reset();
    }
    if (outbox_.is_empty()) {
        on_flushed();
    } else {
        wait_until_writable();
    }
}

void Session::wait_until_writable() {
    if (!blocked_since_) {
        blocked_since_ = std::chrono::steady_clock::now();
    }
    is_waiting_to_write_ = true;
    transport_->async_wait_writable(shared_from_this());
}

void Session::on_writable(const error_code& error) {
    is_waiting_to_write_ = false;
    if (state_ == State::closed) {
        return;
    }
    if (error) {
        drop();
    } else {
        flush();
    }
}

void Session::on_flushed() {
    blocked_since_.reset();
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

void Session::on_removed() {
    close_with(ErrorCode::too_slow, "no frame was taken for too long");
}

void Session::check_deadlines(TimePoint now) {
    const ServerOptions& options = context_.options;
    switch (state_) {
        case State::waiting_for_hello:
            if (now - opened_at_ > milliseconds(options.handshake_timeout_ms)) {
                close_with(ErrorCode::handshake_timeout, "no Hello in time");
            }
            break;
        case State::playing:
            if (port_->is_superseded()) {
                close_with(ErrorCode::superseded, "the session goes on in another connection");
            } else if (blocked_since_ &&
                       now - *blocked_since_ > milliseconds(options.slow_timeout_ms)) {
                rest_in_zone();
                close_with(ErrorCode::too_slow, "no frame was taken for too long");
            } else if (now - heard_at_ > milliseconds(options.idle_timeout_ms)) {
                rest_in_zone();
                close_with(ErrorCode::idle_timeout, "nothing was heard for too long");
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

void Session::close_with(ErrorCode code, std::string text) {
    if (state_ == State::closing || state_ == State::closed) {
        return;
    }
    const ErrorMessage error{code, std::move(text)};
    log_closing(error);
    LaneCounters::add(context_.counters.closed_with_error_total);
    outbox_.push(encode(context_.control_builder, error));
    begin_closing();
}

void Session::end_handshake() {
    if (std::exchange(is_in_handshake_, false)) {
        --context_.handshakes;
        slot_.end_handshake();
    }
}

void Session::begin_closing() {
    end_handshake();
    leave_zone();
    state_ = State::closing;
    closing_since_ = std::chrono::steady_clock::now();
    outbox_.drop_frame_if_not_begun();
    if (outbox_.is_empty() && transport_->is_drained()) {
        on_flushed();
    } else {
        flush();
    }
}

void Session::leave_zone() {
    if (!std::exchange(is_in_zone_, false)) {
        return;
    }
    if (token_ && !context_.desk.forget(*token_)) {
        port_->park();
    } else {
        port_->leave();
    }
    LaneCounters::subtract(context_.counters.players);
}

/// The connection is lost: its entity stays in the world for a while.
void Session::rest_in_zone() {
    if (!token_) {
        leave_zone();
        return;
    }
    if (!std::exchange(is_in_zone_, false)) {
        return;
    }
    port_->park();
    const auto now = std::chrono::steady_clock::now();
    if (context_.desk.rest(*token_, now) == ResumeDesk::Rest::no_room) {
        port_->ask_leave();
    }
    LaneCounters::subtract(context_.counters.players);
}

/// Closes the connection, at whatever point things are.
void Session::drop() {
    end_handshake();
    rest_in_zone();
    state_ = State::closed;
    transport_->close();
    context_.on_closed(*this);
}

/// Drops a connection whose peer had its time: what the kernel holds unsent is thrown away too.
void Session::reset() {
    transport_->reset();
    drop();
}

void Session::log_closing(const ErrorMessage& error) {
    if (!context_.log_limit.allows_line(std::chrono::steady_clock::now())) {
        return;
    }
    const std::uint64_t left_out = context_.log_limit.take_left_out();
    const std::string subject = permit_.subject.empty() ? "" : " (" + permit_.subject + ')';
    spdlog::info("{}{}: closed: {}: {}{}", transport_->peer(), subject, name_of(error.code),
                 error.text,
                 left_out == 0 ? "" : fmt::format(" ({} such lines left out before)", left_out));
}

}  // namespace marchland::net
