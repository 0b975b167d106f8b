#pragma once

#include "shards/entity_port.h"
#include "net/intents_cell.h"
#include "net/lane_counters.h"
#include "net/mailbox.h"

#include <flatbuffers/flatbuffer_builder.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace marchland::net {

class Session;

/// Where a client's session, on its I/O thread, meets the client's entity, on its shard's thread.
///
///   I/O thread  ── newest intents ──►  shard      one cell, overwritten
///   I/O thread  ◄──── one frame ─────  shard      one slot, which one of the two owns:
///
///        free ── put_frame ──► in_flight ── frame_sent ──► free
///          └────────── leave ──────┴── leave ──► closed           (for good)
///
/// The shard writes a frame into `builder_` only while the slot is free, the I/O thread reads it
/// only while it is in flight. A client that does not read keeps its slot in flight: its shard skips
/// it, and nothing queues.
///
/// Life     Made by its session; let go by both sides, in either order. After leave() the session
///          may be gone while the entity waits for its last tick.
class PlayerPort final : public shards::EntityPort,
                         public std::enable_shared_from_this<PlayerPort> {
public:
    /// `lane`: the I/O thread, whose `mailbox` and `counters` these are. When no frame was sent for
    /// `heartbeat_ticks`, one is due, even an empty one; the first frame is always due.
    PlayerPort(std::uint32_t lane, engine::Tick heartbeat_ticks, Mailbox& mailbox,
               LaneCounters& counters);
    ~PlayerPort() override;

    // The owning shard's thread.
    void take_intents(shards::Intents& into) override;
    [[nodiscard]] bool can_take_frame() const override;
    bool put_frame(const engine::Frame& frame, const engine::EntityStore& entities,
                   const shards::FrameNotes& notes) override;
    [[nodiscard]] std::uint32_t lane() const override { return lane_; }
    void on_removed() override;

    // The I/O thread.
    /// Before the entity joins the zone.
    void attach(Session& session) { session_ = &session; }
    void ask_move(std::uint32_t seq, engine::Position to,
                  std::optional<engine::Angle> facing = {}) {
        intents_.put_move(seq, to, facing);
    }
    void ask_view(const engine::View& view) { intents_.put_view(view); }
    /// Asks the shard to remove the entity; no frame is taken from here on.
    void leave();
    /// nullptr before attach() and after leave().
    [[nodiscard]] Session* session() const { return session_; }
    /// The frame in flight. Its bytes stay until frame_sent(), also after leave().
    [[nodiscard]] std::span<const std::byte> frame() const;
    void frame_sent();

private:
    enum class Slot : std::uint8_t { free, in_flight, closed };

    [[nodiscard]] bool is_worth_sending(const engine::Frame& frame,
                                        const shards::FrameNotes& notes) const;

    // Constant after construction.
    const std::uint32_t lane_;
    const engine::Tick heartbeat_ticks_;
    Mailbox& mailbox_;
    LaneCounters& counters_;

    // Shared.
    IntentsCell intents_;
    std::atomic<Slot> slot_{Slot::free};
    flatbuffers::FlatBufferBuilder builder_;  ///< whoever owns the slot

    // The shard's.
    std::uint32_t move_ack_ = 0;
    bool has_new_ack_ = false;  ///< a move was handed over since the last frame
    std::optional<engine::Tick> sent_tick_;
    bool has_said_capped_ = false;  ///< in the last frame that was sent

    // The I/O thread's.
    Session* session_ = nullptr;
};

}  // namespace marchland::net
