#pragma once

#include "net/address_table.h"
#include "net/auth/token_gate.h"
#include "net/outbox.h"
#include "net/receive_buffer.h"
#include "net/session.h"
#include "net/session_context.h"
#include "net/token_bucket.h"
#include "net/transport/transport.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace marchland::net {

/// One connection: a stream of foreign bytes in, a stream of messages out. What they mean is its
/// session's business.
///
///     waiting_for_hello ── Hello ──► attended
///            │                         │
///            └── error ──► closing ◄───┴── error, Leave
///                             │
///        all was sent and the client closed, or lingered too long
///                             ▼
///                           closed    (an end of stream or a broken connection leads here at once)
///
/// Closing: what is unsent goes out, then our half is shut, and what the client still sends is read
/// and thrown away. Were the socket closed with bytes unread, the kernel would reset it, and the
/// client might never see the Error.
///
/// Held back: over the mark of unread answers no message is taken, and nothing is read, until all
/// answers are with the transport. So TCP slows down who asks faster than it reads, and
/// slow_timeout_ms ends who does not read at all.
/// The server's own stalls are nobody's offence: its time points are of SessionContext::time, and
/// who is to be idle must be so for as many ticks of the zone, too, as that time has.
/// Held up: while its session waits for a tick, likewise. That may be the server's fault, which is
/// late: so what the client sent meanwhile counts as sent over all that time.
///
/// Threads  One I/O thread. An entity's shard meets its port, never the connection.
/// Life     Its I/O thread holds it until on_closed, before which its transport is closed; a send
///          holds it until the kernel needs the bytes no more. Whoever calls a method holds it for
///          that long; its transport does not, for on_readable(), which holds it itself.
class Connection final : public Transport::User, public std::enable_shared_from_this<Connection> {
public:
    using TimePoint = TokenBucket::TimePoint;

    Connection(SessionContext& context, std::unique_ptr<Transport> transport,
               AddressTable::Slot slot, TimePoint now);
    ~Connection();

    void start();
    /// Instead of start(): sends why and closes.
    void refuse(ErrorCode code, std::string text);
    void close_with(ErrorCode code, std::string text);
    /// Closes at once and sends nothing: others need its place.
    void give_up() { drop(); }

    /// What is known of it, for operators.
    struct Report {
        std::uint64_t id = 0;  ///< never given again while the process runs
        std::string address;   ///< with its port
        std::string subject;
        std::string_view role;  ///< newcomer, player, service; closing
        std::optional<engine::EntityId> entity;
        std::chrono::milliseconds age{};
        std::size_t unsent_bytes = 0;         ///< that the kernel has not taken yet
        std::chrono::milliseconds blocked{};  ///< for so long nothing of that went
        std::uint32_t io_thread = 0;
    };
    [[nodiscard]] Report report() const;
    /// Of its buffers; a frame's is its port's.
    [[nodiscard]] std::size_t memory_bytes() const {
        return receive_.memory_bytes() + outbox_.memory_bytes() + transport_->memory_bytes();
    }
    /// Sends it to a player, and to nobody else.
    void notify(const Notice& notice);

    /// Was it started, and has not been let in? Also while it is sent why not: so it has its place
    /// among those, and no player's, until it is closed.
    [[nodiscard]] bool is_in_handshake() const { return is_in_handshake_; }
    /// Others are to wait for their Hello rather than this one: it was sent why it is closed, or it
    /// could have sent its own, and there is nothing of its that was not read.
    [[nodiscard]] bool gives_way() const;
    /// Does it wait until the server has time for its TLS handshake?
    [[nodiscard]] bool is_waiting_for_turn() const { return transport_->is_waiting_for_turn(); }
    [[nodiscard]] const AddressTable::Slot& address_slot() const { return slot_; }

    /// What `work` on this connection throws ends it, and nothing else; its player may resume.
    template <typename Work>
    void guard(Work&& work) {
        try {
            work();
        } catch (const std::exception& failure) {
            cut(failure);
        }
    }

    /// A port of its session's has a frame waiting.
    void on_frame(PlayerPort& port);
    /// A port of its session's took what it had for a tick, and a message had no room there.
    void on_room();
    /// Another session may take the place of its own.
    void on_successor();
    /// The zone removed an entity of its session's that was not asked to leave.
    void on_removed(PlayerPort& port);
    /// Its session's queue, if it has one, has notices of players.
    void on_notices();
    /// Once in a while: has anything taken too long?
    void check_deadlines(TimePoint now);

    // For its session.

    [[nodiscard]] SessionContext& context() { return context_; }
    [[nodiscard]] const Permit& permit() const { return permit_; }
    /// Whose its session is, for whoever keeps it while its connection is lost.
    [[nodiscard]] SessionOwner owner() const {
        return {permit_.subject, slot_.address(), permit_.claims, came_at_};
    }
    /// When its Hello was read, by the one clock of all I/O threads.
    [[nodiscard]] TimePoint came_at() const { return came_at_; }
    /// Time in which its I/O thread stood still is left out.
    [[nodiscard]] TimePoint now() const;
    /// When the message that is being handled came.
    [[nodiscard]] TimePoint received_at() const { return received_at_; }
    /// Without asking whether there is room: what comes once.
    void push(std::span<const std::byte> message) { outbox_.push(message); }
    [[nodiscard]] bool has_room(std::size_t bytes) const { return outbox_.has_room(bytes); }
    /// Closes instead if the client has not read what was sent before.
    void answer(std::span<const std::byte> message);
    /// Its session has one frame at a time here; the bytes stay until on_frame_sent().
    void put_frame(std::span<const std::byte> frame);
    /// From here on these limits hold; none is tighter than before.
    struct Limits {
        std::size_t message_bytes_max;
        std::uint32_t messages_per_second_max;
        std::uint32_t bytes_per_second_max;
        /// What may wait to be read by the client, frames not counted.
        std::size_t answer_bytes_max;
        /// Over this it is held back; what one message is answered with fits in beyond it.
        std::size_t answer_bytes_mark;
    };
    void widen(const Limits& limits);
    /// One line about this client; some are left out when clients give cause for many.
    void log(std::string_view text);
    /// The client is going in order; closes without an Error.
    void begin_closing();

    /// Where it stands in its I/O thread's list; the I/O thread's business.
    std::size_t place = 0;

private:
    enum class State { waiting_for_hello, attended, closing, closed };
    /// Of what comes in. It awaits more while this is open; held up, while its session awaits a
    /// successor and the buffer has room: so it is seen that the client is gone.
    enum class Intake {
        open,
        held_back,  ///< until the client's transport has all answers
        released,   ///< it has; on_sent() goes on
        held_up,    ///< by its session, since held_up_since_
    };

    // In.
    void read();
    void on_readable() override;
    void take_read(const boost::system::error_code& error, std::size_t bytes,
                   std::size_t wire_bytes);
    void on_end_of_stream();
    void receive(std::size_t bytes, std::size_t wire_bytes, TimePoint now);
    void make_up_for_stalls();
    void make_up_for_hold(TimePoint now);
    [[nodiscard]] TimePoint::duration handshake_time(TimePoint now) const;
    void take_messages(TimePoint now);
    [[nodiscard]] bool is_held_up(TimePoint now);
    void release(TimePoint now);
    void read_on();
    void handle_message(std::span<const std::byte> message, TimePoint now);
    void greet(ClientMessage&& first);
    void receive_session(Session::Admitted admitted);
    [[nodiscard]] bool shows_token(const std::string& token, Permit::Role role);

    // Out.
    void flush();
    void on_sent(const boost::system::error_code& error) override;
    void end_send();
    void on_flushed();
    void on_said();

    // The end.
    [[nodiscard]] bool is_idle(TimePoint now) const;
    /// Nothing: its session is lost, and may come back.
    void end_session(std::optional<PlayerLeftReason> why);
    void end_handshake();
    void drop();
    void reset();
    void cut(const std::exception& failure);

    SessionContext& context_;
    const std::uint64_t id_;
    const std::shared_ptr<Transport> transport_;
    Permit permit_;  ///< from Hello on
    AddressTable::Slot slot_;
    State state_ = State::waiting_for_hello;
    bool is_in_handshake_ = false;      ///< as its I/O thread and its address count it
    std::unique_ptr<Session> session_;  ///< from Hello on; it holds a frame that is being sent
    bool session_is_in_ = false;        ///< neither left nor lost
    Intake intake_ = Intake::open;
    bool is_reading_ = false;  ///< awaits that there is something

    ReceiveBuffer receive_;
    TokenBucket message_limit_;
    TokenBucket byte_limit_;

    Outbox outbox_;
    std::size_t answer_bytes_mark_ = std::numeric_limits<std::size_t>::max();
    bool peer_has_ended_ = false;      ///< end of stream, while closing
    std::size_t discarded_bytes_ = 0;  ///< while closing

    const TimePoint opened_at_;
    TimePoint came_at_{};                     ///< see came_at()
    TimePoint received_at_;                   ///< the last whole message, or when it was released
    engine::Tick received_tick_;              ///< and the zone's tick then
    TimePoint::duration stalled_;             ///< stalls that its limits know of
    std::optional<TimePoint> blocked_since_;  ///< when a sweep first saw the send that is under way
    TimePoint held_up_since_;
    TimePoint closing_since_;
};

}  // namespace marchland::net
