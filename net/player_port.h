#pragma once

#include "shards/zone_options.h"
#include "net/frame_times.h"
#include "net/input_port.h"
#include "net/io_thread_counters.h"
#include "net/mailbox.h"
#include "net/messages.h"
#include "net/server_options.h"
#include "net/speed_limit.h"

#include <flatbuffers/flatbuffer_builder.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace marchland::net {

class Connection;

/// Where a client's session, on its I/O thread, meets the client's entity, on its shard's thread
/// (put_frame: or one of the executor's); or a service's session one of the entities that it looks
/// through.
///
///   I/O thread  ── newest inputs ──►  shard      one cell, overwritten
///   I/O thread  ◄───── has room ─────  shard      when there was none for a message
///   I/O thread  ◄──── one frame ─────  shard      one slot, which one of the two owns:
///
///        free ── put_frame ──► in_flight ── frame_sent ──► free
///          └────────── leave ──────┴── leave ──► closed           (for good)
///
/// The shard writes a frame into `builder_` only while the slot is free, the I/O thread reads it
/// only while it is in flight. A client that does not read keeps its slot in flight: its shard
/// skips it, and no frame queues.
///
/// Life     Made by its session; let go by both sides, in either order. After leave() the session
///          may be gone while the entity waits for its last tick.
class PlayerPort final : public InputPort, public std::enable_shared_from_this<PlayerPort> {
public:
    /// `io_thread`: the number of the I/O thread whose mailbox and counters the port is given. When
    /// no frame was sent for `heartbeat_ticks`, one is due, even an empty one; the first frame is
    /// always due. Keyframes that are asked for, or that a client needs to go on, come once in as
    /// many ticks, not counting those that a late shard skips: one costs as much as everybody's
    /// coming into view.
    struct Options {
        std::uint32_t io_thread = 0;
        engine::Tick heartbeat_ticks = 1;
        std::int32_t quantum_mm = 1;
        engine::EntityId tag = {};  ///< in every frame, to a service: the watcher's id
        /// Frames a second that its client gets, unless the game or the client sets another rate;
        /// 0: as many as ticks.
        std::uint32_t frames_hz = 0;
        /// ZoneOptions::crowd's and client_bytes_per_second_max, for each tick: what services'
        /// messages go by. 0: none.
        std::uint32_t frame_bytes_max = 0;
        std::uint32_t bytes_per_tick_max = 0;
        /// For how long the entity goes on with the velocity of its client's last move, at most; 0:
        /// not at all. And where: it stops at the world's edge.
        std::uint32_t predicted_ticks_max = 0;
        engine::Rect world = {};
        /// So many ticks a second its client expects: frames say when their tick was due only where
        /// it is otherwise. 0: all do.
        std::uint32_t expected_hz = 0;
        bool reads_ranks = false;  ///< Hello::reads_ranks
        /// Who decides where the entity is, unless a service sets it otherwise: the client, or
        /// services.
        Authority authority = Authority::client;
        /// Of an entity that was there before a restart.
        shards::PortState restored = {};
        /// The tick of the last frame that its client applied on the connection before, kNever if
        /// none; nothing: a new entity's port.
        std::optional<engine::Tick> resumes_after = {};
    };
    /// What the zone and the server set, for a port of that I/O thread.
    static Options options_for(std::uint32_t io_thread, const shards::ZoneOptions& zone,
                               const ServerOptions& server);
    PlayerPort(const Options& options, const SpeedLimit& speed, Mailbox& mailbox,
               IoThreadCounters& counters);
    ~PlayerPort() override;

    // The owning shard's thread.
    void take_inputs(shards::Inputs& into) override;
    [[nodiscard]] bool can_take_frame() const override;
    [[nodiscard]] bool is_away() const override;
    void put_message(const engine::GameMessage& message) override;
    void note_messages_lost() override;
    [[nodiscard]] bool is_player() const override { return options_.tag == engine::EntityId{}; }
    [[nodiscard]] std::uint32_t frames_hz() const override;
    bool put_frame(const engine::Frame& frame, const engine::EntityStore& entities,
                   const shards::FrameFlags& flags) override;
    [[nodiscard]] std::uint32_t io_thread() const override { return options_.io_thread; }
    void on_removed() override;

    /// Any thread: in every frame, to a service.
    [[nodiscard]] engine::EntityId tag() const { return options_.tag; }

    // The I/O thread.
    /// Before the entity joins the zone.
    void attach(Connection& connection) { connection_ = &connection; }
    /// `is_outside`: of the world. It is refused, as one that is too far.
    void ask_move(const Move& move, bool is_outside = false);
    /// No more frames a second than that; 0: as many as it may have.
    void ask_frames_hz(std::uint32_t hz) { asked_hz_.store(hz, std::memory_order_relaxed); }
    /// The connection is lost: no frame is taken until a successor takes over.
    void park();
    /// Any thread, once: another port takes this one's place, with a keyframe unless its client has
    /// applied exactly what was sent and waits for none.
    /// False when the entity is out of the zone.
    [[nodiscard]] bool hand_over_to(std::shared_ptr<PlayerPort> successor);
    /// Any thread: as leave() does, for one that is parked.
    void ask_leave(PlayerLeftReason why = PlayerLeftReason::lost);
    /// Why another connection has the entity.
    enum class Takeover : std::uint8_t {
        none,      ///< it has not
        resumed,   ///< it showed the session's resume token
        replaced,  ///< it is another login of the same subject
    };
    /// Any thread: announces that hand_over_to() will be called.
    void supersede(Takeover how) { takeover_.store(how, std::memory_order_relaxed); }
    [[nodiscard]] Takeover takeover() const { return takeover_.load(std::memory_order_relaxed); }
    [[nodiscard]] bool is_superseded() const { return takeover() != Takeover::none; }
    /// Any thread: on_removed() then finds is_dismissed(), in a successor, too.
    void dismiss() override { ask_leave(PlayerLeftReason::removed); }
    [[nodiscard]] bool send_away(Transfer transfer) override;
    [[nodiscard]] bool is_dismissed() const {
        return why_.load(std::memory_order_relaxed) == PlayerLeftReason::removed;
    }
    /// Of who is asked to leave the first reason; if nobody asked, it took no frame: lost, or
    /// too_slow.
    [[nodiscard]] PlayerLeftReason left_reason() const override;
    /// Asks the shard to remove the entity; no frame is taken from here on.
    void leave(PlayerLeftReason why);
    /// nullptr before attach() and after leave().
    [[nodiscard]] Connection* connection() const { return connection_; }
    /// The frame in flight. Its bytes stay until frame_sent(), also after leave().
    [[nodiscard]] std::span<const std::byte> frame() const;
    void frame_sent();
    /// Asks the memory for what the calls above read: another core wrote to it.
    [[gnu::always_inline]] void prefetch() const {
        __builtin_prefetch(this);
        __builtin_prefetch(&slot_);
        __builtin_prefetch(&connection_);
    }

private:
    enum class Slot : std::uint8_t { free, in_flight, closed };

    void make(const PendingInputs::ClientMove& move, shards::Inputs& into);
    void refuse();
    void pass_on(const PendingInputs::ClientMove& move, engine::Tick tick);
    void answer(std::uint32_t seq, engine::Position to);
    [[nodiscard]] bool is_moved_by_services() const;
    void apply(const MoveRules& rules);
    void go_on(engine::Tick tick, shards::Inputs& into);
    [[nodiscard]] bool takes_keyframe();
    void inherit(PlayerPort& before);
    void note_reason(PlayerLeftReason why);
    [[nodiscard]] std::int64_t room_for_messages(const engine::Frame& frame,
                                                 const shards::FrameFlags& flags);
    void charge(std::int64_t bytes);
    [[nodiscard]] bool is_worth_sending(const engine::Frame& frame,
                                        const shards::FrameFlags& flags) const;

    // Constant after construction.
    const Options options_;
    Mailbox& mailbox_;
    IoThreadCounters& counters_;

    // Shared, beside the cell.
    std::atomic<Slot> slot_{Slot::free};
    std::atomic<Takeover> takeover_{Takeover::none};
    std::atomic<PlayerLeftReason> why_{PlayerLeftReason::none};
    std::atomic<std::uint32_t> set_hz_{0};    ///< by the game: state_.frames_hz
    std::atomic<std::uint32_t> asked_hz_{0};  ///< by the client
    /// What frames hold is counted: it is the largest part of a large zone's memory. A buffer grows
    /// seldom.
    class FrameMemory final : public flatbuffers::Allocator {
    public:
        explicit FrameMemory(IoThreadCounters::Counter& held) : held_(held) {}
        std::uint8_t* allocate(std::size_t bytes) override {
            held_.fetch_add(bytes, std::memory_order_relaxed);
            return new std::uint8_t[bytes];
        }
        void deallocate(std::uint8_t* memory, std::size_t bytes) override {
            held_.fetch_sub(bytes, std::memory_order_relaxed);
            delete[] memory;
        }

    private:
        IoThreadCounters::Counter& held_;
    };

    FrameMemory frame_memory_;
    flatbuffers::FlatBufferBuilder builder_;  ///< whoever owns the slot

    // The shard's.
    SpeedLimit speed_;
    shards::PortState state_;
    shards::PortState recorded_;  ///< state_, as it was recorded last
    /// Moves of the client that services were sent, oldest first: the newest kAskedMax.
    struct Asked {
        std::uint32_t seq = 0;
        engine::Position position;
    };
    static constexpr std::size_t kAskedMax = 64;
    std::vector<Asked> asked_;
    engine::Step velocity_;  ///< with which the entity goes on
    std::uint32_t predicted_ticks_left_ = 0;
    engine::Tick tick_ = engine::kNever;  ///< the last in which it was asked for inputs
    engine::Tick ticks_since_keyframe_;   ///< that was asked for; no more than heartbeat_ticks
    bool is_keyframe_asked_ = false;      ///< and not due yet
    bool waits_for_keyframe_ = false;     ///< no delta can follow what its client holds
    std::uint32_t move_ack_ = 0;
    std::uint32_t correction_ = 0;  ///< number of the newest
    bool has_correction_ = false;   ///< the next frame holds the own position
    bool has_new_ack_ = false;      ///< a move was handed over since the last frame
    std::optional<engine::Tick> sent_tick_;
    engine::Tick written_tick_ =
        engine::kNever;              ///< of the last frame that was written, sent or lost
    bool has_said_capped_ = false;   ///< in the last frame that was sent
    bool has_said_filling_ = false;  ///< likewise
    SaidToClient to_client_;
    engine::Tick messages_tick_ = engine::kNever;  ///< of the last frame with messages
    FrameTimes times_;                             ///< that were sent
    /// Of its client's bytes, what is left to services' messages, as of tick `credited_`.
    std::int64_t credit_bytes_ = 0;
    engine::Tick credited_ = engine::kNever;

    // The I/O thread's.
    Connection* connection_ = nullptr;
};

}  // namespace marchland::net
