#include "net/player_port.h"

#include "engine/assert.h"
#include "net/frame_writer.h"

namespace marchland::net {

namespace {

constexpr std::size_t kFrameBytesAtFirst = 512;
/// A frame's memory above this is given back once it is sent: entering a crowd costs it for once,
/// not for as long as the client stays.
constexpr std::size_t kFrameBytesKept = std::size_t{16} * 1024;

}  // namespace

PlayerPort::PlayerPort(std::uint32_t lane, engine::Tick heartbeat_ticks, Mailbox& mailbox,
                       LaneCounters& counters)
    : lane_(lane),
      heartbeat_ticks_(heartbeat_ticks),
      mailbox_(mailbox),
      counters_(counters),
      builder_(kFrameBytesAtFirst) {
    LaneCounters::add(counters_.ports);
}

PlayerPort::~PlayerPort() {
    LaneCounters::subtract(counters_.ports);
}

void PlayerPort::take_intents(shards::Intents& into) {
    if (const std::optional<std::uint32_t> seq = intents_.take(into)) {
        move_ack_ = *seq;
        has_new_ack_ = true;
    }
}

bool PlayerPort::can_take_frame() const {
    return slot_.load(std::memory_order_acquire) == Slot::free;
}

bool PlayerPort::put_frame(const engine::Frame& frame, const engine::EntityStore& entities,
                           const shards::FrameNotes& notes) {
    if (!is_worth_sending(frame, notes)) {
        return false;
    }
    write_frame(builder_, {move_ack_, notes.border_stale, notes.time_scale_percent}, frame,
                entities);
    Slot expected = Slot::free;
    if (!slot_.compare_exchange_strong(expected, Slot::in_flight, std::memory_order_acq_rel)) {
        return false;  // the client left meanwhile
    }
    has_new_ack_ = false;
    sent_tick_ = frame.tick;
    has_said_capped_ = frame.is_capped;
    return true;
}

bool PlayerPort::is_worth_sending(const engine::Frame& frame,
                                  const shards::FrameNotes& notes) const {
    const bool is_heartbeat = !sent_tick_ || frame.tick - *sent_tick_ >= heartbeat_ticks_;
    return !frame.is_empty() || has_new_ack_ || notes.border_stale || is_heartbeat ||
           frame.is_capped != has_said_capped_;
}

void PlayerPort::on_removed() {
    mailbox_.post_removed(shared_from_this());
}

void PlayerPort::leave() {
    session_ = nullptr;
    slot_.store(Slot::closed, std::memory_order_release);
    intents_.put_leave();
}

std::span<const std::byte> PlayerPort::frame() const {
    MARCHLAND_ASSERT(slot_.load(std::memory_order_relaxed) == Slot::in_flight);
    return std::as_bytes(std::span(builder_.GetBufferPointer(), builder_.GetSize()));
}

void PlayerPort::frame_sent() {
    if (builder_.GetSize() > kFrameBytesKept) {
        builder_.Reset();
    }
    // Fails when the slot was closed in flight, and then leaves it closed.
    Slot expected = Slot::in_flight;
    slot_.compare_exchange_strong(expected, Slot::free, std::memory_order_release,
                                  std::memory_order_relaxed);
}

}  // namespace marchland::net
