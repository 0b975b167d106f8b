#pragma once

#include "shards/zone.h"
#include "net/address_table.h"
#include "net/auth/token_gate.h"
#include "net/lane_counters.h"
#include "net/log_limit.h"
#include "net/mailbox.h"
#include "net/messages.h"
#include "net/outbox.h"
#include "net/player_port.h"
#include "net/receive_buffer.h"
#include "net/resume_desk.h"
#include "net/server_options.h"
#include "net/token_bucket.h"
#include "net/transport/transport.h"

#include <flatbuffers/flatbuffer_builder.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace marchland::net {

/// What the sessions of one I/O thread share; all of it outlives them.
struct SessionContext {
    const ServerOptions& options;
    shards::Zone& zone;
    const std::uint32_t lane;
    Mailbox& mailbox;
    LaneCounters& counters;
    const TokenGate& gate;
    ResumeDesk& desk;
    LogLimit log_limit;
    flatbuffers::FlatBufferBuilder control_builder;  ///< for one message at a time
    /// The session's connection is closed; let go of it.
    std::function<void(Session&)> on_closed;
    std::size_t handshakes = 0;  ///< sessions that wait for a Hello
};

/// One connection: a stream of foreign bytes in, a stream of messages out.
///
///     waiting_for_hello ── Hello ──► playing
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
/// Threads  One I/O thread. The entity's shard meets its PlayerPort, never the session.
/// Life     Its lane holds it until on_closed; its pending operations hold it until they end.
///          Whoever calls a method holds it for that long.
class Session final : public TransportUser, public std::enable_shared_from_this<Session> {
public:
    using TimePoint = TokenBucket::TimePoint;

    Session(SessionContext& context, std::unique_ptr<Transport> transport, AddressTable::Slot slot,
            TimePoint now);
    ~Session() override;

    void start();
    /// Instead of start(): tells why and closes.
    void refuse(ErrorCode code, std::string text);
    void close_with(ErrorCode code, std::string text);
    /// Closes at once and says nothing: others need its place.
    void give_up() { drop(); }

    /// Was it started, and has not said Hello?
    [[nodiscard]] bool is_in_handshake() const { return is_in_handshake_; }

    /// Its port has a frame waiting.
    void send_frame();
    /// The zone removed the entity without having been asked to.
    void on_removed();
    /// Once in a while: has anything taken too long?
    void check_deadlines(TimePoint now);

    /// Where it stands in its lane's list; the lane's business.
    std::size_t place = 0;

private:
    enum class State { waiting_for_hello, playing, closing, closed };

    // In.
    void read();
    void on_read(const boost::system::error_code& error, std::size_t bytes,
                 std::size_t wire_bytes) override;
    void on_end_of_stream();
    void receive(std::size_t bytes, std::size_t wire_bytes, TimePoint now);
    void discard(std::size_t wire_bytes);
    [[nodiscard]] bool is_permitted(ClientMessage& message);
    void handle_message(std::span<const std::byte> message, TimePoint now);
    void handle(const Hello& hello);
    void resume(const Hello& hello);
    void play(std::shared_ptr<PlayerPort> port, Welcome welcome);
    void handle(const Move& move);
    void handle(const SetView& set_view);
    void handle(const Ping& ping);
    void handle(const KeyframeRequest&);
    void handle(const SetState& set_state);
    void handle(const SendEvent& event);
    [[nodiscard]] bool take_allowance(const Allowance& allowance, TokenBucket& bucket,
                                      std::size_t bytes);
    void handle(const LeaveZone&);
    [[nodiscard]] engine::Tick zone_tick() const;

    // Out.
    void flush();
    void wait_until_writable();
    void on_writable(const boost::system::error_code& error) override;
    void on_flushed();

    // The end.
    void end_handshake();
    void begin_closing();
    void leave_zone();
    void rest_in_zone();
    void drop();
    void reset();
    void log_closing(const ErrorMessage& error);

    SessionContext& context_;
    const std::unique_ptr<Transport> transport_;
    Permit permit_;  ///< from Hello on
    AddressTable::Slot slot_;
    State state_ = State::waiting_for_hello;
    bool is_in_handshake_ = false;      ///< as its lane and its address count it
    std::shared_ptr<PlayerPort> port_;  ///< from Hello on; it holds a frame that is being sent
    bool is_in_zone_ = false;           ///< the entity of port_ is this session's
    std::optional<ResumeToken> token_;

    ReceiveBuffer receive_;
    TokenBucket message_limit_;
    TokenBucket byte_limit_;
    TokenBucket event_limit_;
    TokenBucket state_limit_;

    Outbox outbox_;
    bool is_waiting_to_write_ = false;
    bool frame_is_leaving_ = false;    ///< the transport took the last of a frame; not yet drained
    bool peer_has_ended_ = false;      ///< end of stream, while closing
    std::size_t discarded_bytes_ = 0;  ///< while closing

    const TimePoint opened_at_;
    TimePoint heard_at_;                      ///< the last whole message
    std::optional<TimePoint> blocked_since_;  ///< since when something waits unsent
    TimePoint closing_since_;
};

}  // namespace marchland::net
