#include "net/player_port.h"

#include "engine/assert.h"
#include "net/frame_writer.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace marchland::net {

namespace {

constexpr std::size_t kFrameBytesAtFirst = 512;
/// A frame's memory above this is given back once it is sent: entering a crowd costs it for once,
/// not for as long as the client stays.
constexpr std::size_t kFrameBytesKept = std::size_t{16} * 1024;

}  // namespace

PlayerPort::PlayerPort(const Options& options, const SpeedLimit& speed, Mailbox& mailbox,
                       IoThreadCounters& counters)
    : InputPort(options.tag == engine::EntityId{} ? kClientEventsMax : 0),
      options_(options),
      mailbox_(mailbox),
      counters_(counters),
      builder_(kFrameBytesAtFirst),
      speed_(speed),
      ticks_since_keyframe_(options.heartbeat_ticks) {
    if (options_.resumes_after) {
        correction_ = inputs_.refuse_move();  // the client is to hear first where its entity is
        has_correction_ = true;
    }
    IoThreadCounters::add(counters_.ports);
}

PlayerPort::~PlayerPort() {
    IoThreadCounters::subtract(counters_.ports);
}

void PlayerPort::take_inputs(shards::Inputs& into) {
    const engine::Tick tick = into.tick;
    if (!std::exchange(is_in_tick_, false)) {
        speed_.begin_tick();
        ticks_since_keyframe_ = std::min(ticks_since_keyframe_ + 1, options_.heartbeat_ticks);
    }
    PendingInputs::Taken taken = inputs_.take(into);
    if (taken.has_made_room) {
        mailbox_.post_room(shared_from_this());
    }
    is_keyframe_asked_ = is_keyframe_asked_ || into.keyframe;
    into.keyframe = into.successor == nullptr && takes_keyframe();  // else it is the successor's
    if (taken.is_corrected) {
        speed_.place(*into.move);
        correction_ = taken.correction;
        has_correction_ = true;
    } else if (taken.move && !taken.move->is_outside && speed_.allows(taken.move->position)) {
        make(*taken.move, into);
    } else if (taken.move) {
        correction_ = inputs_.refuse_move();
        has_correction_ = true;
    }
    tell_services(tick, speed_.at(), std::move(taken.messages));
    to_client_.add_all(std::move(taken.to_client));
    if (into.successor != nullptr) {
        // Only hand_over_to() names one.
        static_cast<PlayerPort&>(*into.successor).inherit(*this);
    }
}

/// In this tick? One that comes too soon waits.
bool PlayerPort::takes_keyframe() {
    if (!is_keyframe_asked_ || ticks_since_keyframe_ < options_.heartbeat_ticks) {
        return false;
    }
    is_keyframe_asked_ = false;
    waits_for_keyframe_ = false;
    ticks_since_keyframe_ = 0;
    return true;
}

void PlayerPort::make(const PendingInputs::ClientMove& move, shards::Inputs& into) {
    into.move = move.position;
    into.move_arrived = move.arrived;
    if (move.facing) {
        into.facing =
            move.facing;  // asked for after what a service said of it, or that took it away
    }
    move_ack_ = move.seq;
    has_new_ack_ = true;
}

/// On the thread of the shard, which asks the new port next, in the same tick: what a tick gives it has given.
void PlayerPort::inherit(const PlayerPort& before) {
    is_in_tick_ = true;
    speed_ = before.speed_;
    note_reason(before.why_.load(std::memory_order_relaxed));
    to_client_ = before.to_client_;
    if (before.told_tick_ > *options_.resumes_after) {
        to_client_.note_lost();  // a frame with some may have been lost with the connection
    }
    written_tick_ = before.written_tick_;  // the connection may be lost before its first frame
    ticks_since_keyframe_ = before.ticks_since_keyframe_;
    waits_for_keyframe_ = before.is_keyframe_asked_ || written_tick_ != *options_.resumes_after;
    is_keyframe_asked_ = waits_for_keyframe_;
}

void PlayerPort::ask_move(const Move& move, bool is_outside) {
    const std::uint32_t seen =
        options_.echoes_corrections ? move.correction_seen : inputs_.correction();
    inputs_.put_move(
        {move.seq, move.position, move.facing, is_outside, std::chrono::steady_clock::now()}, seen);
}

bool PlayerPort::can_take_frame() const {
    return !waits_for_keyframe_ && slot_.load(std::memory_order_acquire) == Slot::free;
}

bool PlayerPort::is_away() const {
    return slot_.load(std::memory_order_relaxed) == Slot::closed;
}

bool PlayerPort::put_frame(const engine::Frame& frame, const engine::EntityStore& entities,
                           const shards::FrameFlags& flags) {
    if (frame.is_keyframe && !knows_keyframes()) {
        // Not one that it asked for: what it missed is forgotten, or more left its view than a frame may tell.
        inputs_.put_leave();
        return false;
    }
    if (!is_worth_sending(frame, flags)) {
        return false;
    }
    const bool tells_own_position =
        options_.tag == engine::EntityId{} && (has_correction_ || frame.is_keyframe);
    const auto correction = tells_own_position ? std::optional(correction_) : std::nullopt;
    write_frame(
        builder_,
        {move_ack_, flags.border_stale, flags.time_scale_percent, flags.server_time_us,
         options_.quantum_mm, correction, options_.tag, to_client_.next(), to_client_.is_lost()},
        frame, entities);
    written_tick_ = frame.tick;
    Slot expected = Slot::free;
    if (!slot_.compare_exchange_strong(expected, Slot::in_flight, std::memory_order_acq_rel)) {
        return false;  // the client left meanwhile
    }
    if (tells_own_position && has_correction_) {
        IoThreadCounters::add(counters_.corrections_total);
    }
    if (!to_client_.is_empty()) {
        to_client_.erase_next();
        told_tick_ = frame.tick;
    }
    has_new_ack_ = false;
    has_correction_ = false;
    sent_tick_ = frame.tick;
    has_said_capped_ = frame.is_capped;
    has_said_filling_ = frame.is_filling;
    return true;
}

bool PlayerPort::is_worth_sending(const engine::Frame& frame,
                                  const shards::FrameFlags& flags) const {
    const bool is_heartbeat = !sent_tick_ || frame.tick - *sent_tick_ >= options_.heartbeat_ticks;
    return !frame.is_empty() || has_new_ack_ || has_correction_ || !to_client_.is_empty() ||
           flags.border_stale || is_heartbeat || frame.is_capped != has_said_capped_ ||
           frame.is_filling != has_said_filling_;
}

void PlayerPort::on_removed() {
    if (const auto successor = inputs_.close()) {
        static_cast<PlayerPort&>(*successor).note_reason(why_.load(std::memory_order_relaxed));
        successor->on_removed();
    }
    leave_directory();
    mailbox_.post_removed(shared_from_this());
}

void PlayerPort::dismiss() {
    note_reason(PlayerLeftReason::removed);
    inputs_.put_leave();
}

void PlayerPort::ask_leave() {
    note_reason(PlayerLeftReason::lost);
    inputs_.put_leave();
}

void PlayerPort::note_reason(PlayerLeftReason why) {
    PlayerLeftReason nobody = PlayerLeftReason::none;
    why_.compare_exchange_strong(nobody, why, std::memory_order_relaxed);
}

PlayerLeftReason PlayerPort::left_reason() const {
    const PlayerLeftReason why = why_.load(std::memory_order_relaxed);
    if (why != PlayerLeftReason::none) {
        return why;
    }
    return is_away() ? PlayerLeftReason::lost : PlayerLeftReason::too_slow;
}

void PlayerPort::park() {
    connection_ = nullptr;
    slot_.store(Slot::closed, std::memory_order_release);
}

bool PlayerPort::hand_over_to(std::shared_ptr<PlayerPort> successor) {
    MARCHLAND_ASSERT(successor->options_.resumes_after.has_value());
    return inputs_.put_successor(std::move(successor));
}

void PlayerPort::leave(PlayerLeftReason why) {
    note_reason(why);
    connection_ = nullptr;
    slot_.store(Slot::closed, std::memory_order_release);
    inputs_.put_leave();
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
