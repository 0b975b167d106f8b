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

PlayerPort::Options PlayerPort::options_for(std::uint32_t io_thread,
                                            const shards::ZoneOptions& zone,
                                            const ServerOptions& server) {
    Options options;
    options.io_thread = io_thread;
    options.heartbeat_ticks = zone.tick_rate_hz;
    options.quantum_mm = zone.quantum_mm;
    options.frames_hz = server.frames_hz;
    options.frame_bytes_max = zone.crowd.frame_bytes_max;
    if (zone.crowd.has_budget()) {
        options.bytes_per_tick_max = shards::crowd_limits(zone).watcher_bytes_per_tick;
    }
    if (zone.prediction_error_mm > 0) {
        options.predicted_ticks_max = static_cast<std::uint32_t>(
            std::uint64_t{server.prediction_ms_max} * zone.tick_rate_hz / 1'000);
    }
    options.world = zone.world;
    options.authority = server.services.authority;
    return options;
}

PlayerPort::PlayerPort(const Options& options, const SpeedLimit& speed, Mailbox& mailbox,
                       IoThreadCounters& counters)
    : options_(options),
      mailbox_(mailbox),
      counters_(counters),
      set_hz_(options.restored.frames_hz),
      frame_memory_(counters.frame_bytes_held),
      builder_(kFrameBytesAtFirst, &frame_memory_),
      speed_(speed),
      state_(options.restored),
      recorded_(options.restored),
      ticks_since_keyframe_(options.heartbeat_ticks),
      times_(options.expected_hz) {
    speed_.set_percent(state_.speed_percent);
    inputs_.begin_messages(state_.message_number);
    if (options_.resumes_after) {
        correction_ = inputs_.refuse_move();  // the client is to be sent first where its entity is
        has_correction_ = true;
    }
    IoThreadCounters::add(counters_.ports);
}

PlayerPort::~PlayerPort() {
    IoThreadCounters::subtract(counters_.ports);
}

void PlayerPort::take_inputs(shards::Inputs& into) {
    const engine::Tick tick = into.tick;
    PendingInputs::Taken taken = inputs_.take(into);
    const bool was_services = is_moved_by_services();
    const std::uint16_t speed_before = state_.speed_percent;
    apply(taken.rules);
    if (tick > tick_) {  // else the port before began it, with what it gives
        speed_.pass(tick - tick_);
        ticks_since_keyframe_ = std::min(ticks_since_keyframe_ + 1, options_.heartbeat_ticks);
    }
    if (taken.has_made_room) {
        mailbox_.post(Mailbox::Room{shared_from_this()});
    }
    is_keyframe_asked_ = is_keyframe_asked_ || into.keyframe;
    into.keyframe = into.successor == nullptr && takes_keyframe();  // else it is the successor's
    const bool is_services = is_moved_by_services();
    if (taken.is_corrected) {
        velocity_ = {};
        speed_.place(*into.move);
        correction_ = taken.correction;
        has_correction_ = true;
    } else if (taken.rules.answers && is_services) {
        answer(*taken.rules.answers, *into.move);
    } else if (taken.rules.answers || (was_services && !is_services)) {
        // The client has its entity back, and is to be sent first where it is.
        if (into.move) {
            speed_.place(*into.move);
        }
        refuse();
        taken.move.reset();
    } else if (velocity_ != engine::Step{} && is_services) {
        // It goes on no more as its client believes.
        velocity_ = {};
        correction_ = inputs_.correct();
        has_correction_ = true;
    } else if (velocity_ != engine::Step{} && state_.speed_percent < speed_before && !taken.move) {
        refuse();  // likewise
    }
    if (taken.move && taken.move->is_outside) {
        refuse();
    } else if (taken.move && is_services) {
        pass_on(*taken.move, tick);
    } else if (taken.move && speed_.allows(taken.move->position)) {
        make(*taken.move, into);
    } else if (taken.move) {
        refuse();
    } else if (velocity_ != engine::Step{}) {
        go_on(tick, into);
    }
    tick_ = tick;
    if (!taken.messages.empty() && tell_services(tick, speed_.at(), taken.messages)) {
        state_.message_number = taken.message_number;
    }
    if (state_ != recorded_) {  // what a restart is to find again
        into.port_state = recorded_ = state_;
    }
    if (into.successor != nullptr) {
        // Only hand_over_to() names one.
        static_cast<PlayerPort&>(*into.successor).inherit(*this);
    }
}

bool PlayerPort::is_moved_by_services() const {
    const auto ruled = static_cast<Authority>(state_.authority);
    return (ruled == Authority::zone ? options_.authority : ruled) == Authority::service;
}

void PlayerPort::apply(const MoveRules& rules) {
    if (rules.authority != Authority::unchanged) {
        state_.authority = static_cast<std::uint8_t>(rules.authority);
    }
    if (rules.speed_percent) {
        state_.speed_percent = *rules.speed_percent;
        speed_.set_percent(*rules.speed_percent);
    }
    if (rules.frames_hz) {
        state_.frames_hz = *rules.frames_hz;
        set_hz_.store(*rules.frames_hz, std::memory_order_relaxed);
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
    if (move.facing) {  // a facing that a service set later has taken this one away
        into.facing = move.facing;
    }
    move_ack_ = move.seq;
    has_new_ack_ = true;
    velocity_ = move.velocity;
    predicted_ticks_left_ = options_.predicted_ticks_max;
}

void PlayerPort::refuse() {
    velocity_ = {};
    correction_ = inputs_.refuse_move();
    has_correction_ = true;
}

/// What the entity does is up to the services that are sent it.
void PlayerPort::pass_on(const PendingInputs::ClientMove& move, engine::Tick tick) {
    velocity_ = {};
    if (asked_.size() == kAskedMax) {
        asked_.erase(asked_.begin());
    }
    asked_.push_back({move.seq, move.position});
    tell_services_move({{}, move.seq, tick, move.position, move.facing, move.velocity});
}

/// Where a service did as the client asked, the client knows already where its entity is.
void PlayerPort::answer(std::uint32_t seq, engine::Position to) {
    velocity_ = {};
    speed_.place(to);
    // The newest, where its client numbers several alike.
    const auto asked = std::find_if(asked_.rbegin(), asked_.rend(),
                                    [seq](const Asked& one) { return one.seq == seq; });
    const bool is_as_asked = asked != asked_.rend() && asked->position == to;
    if (asked != asked_.rend()) {
        move_ack_ = seq;
        has_new_ack_ = true;
        asked_.erase(asked_.begin(), asked.base());
    }
    if (!is_as_asked) {
        correction_ = inputs_.correct();
        has_correction_ = true;
    }
}

/// As if its client had sent the moves that everybody expects of it, one for each tick: also for
/// those that a late shard skipped.
void PlayerPort::go_on(engine::Tick tick, shards::Inputs& into) {
    for (engine::Tick each = tick_; each < tick; ++each) {
        const engine::Position next = engine::after_steps(speed_.at(), velocity_, 1);
        const bool has_room = engine::step_between(speed_.at(), next) == velocity_ &&
                              options_.world.contains(next);  // else it comes to the end of int32
        const bool may_go_on =
            predicted_ticks_left_ > 0 && !is_away() && has_room && speed_.allows(next);
        if (!may_go_on) {
            velocity_ = {};
            return;
        }
        into.move = next;
        --predicted_ticks_left_;
    }
}

/// On the thread of the shard, which asks the new port next, in the same tick: what a tick gives it
/// has given.
void PlayerPort::inherit(PlayerPort& before) {
    tick_ = before.tick_;
    speed_ = before.speed_;
    state_ = before.state_;
    recorded_ = before.recorded_;
    set_hz_.store(state_.frames_hz, std::memory_order_relaxed);
    note_reason(before.why_.load(std::memory_order_relaxed));
    if (auto transfer = before.inputs_.transfer()) {
        inputs_.put_transfer(*std::move(transfer));
    }
    to_client_ = before.to_client_;
    if (before.messages_tick_ > *options_.resumes_after) {
        to_client_.note_lost();  // a frame with some may have been lost with the connection
    }
    credit_bytes_ = before.credit_bytes_;
    credited_ = before.credited_;
    written_tick_ = before.written_tick_;  // the connection may be lost before its first frame
    ticks_since_keyframe_ = before.ticks_since_keyframe_;
    waits_for_keyframe_ = before.is_keyframe_asked_ || written_tick_ != *options_.resumes_after;
    is_keyframe_asked_ = waits_for_keyframe_;
}

void PlayerPort::ask_move(const Move& move, bool is_outside) {
    inputs_.put_move({move, is_outside, std::chrono::steady_clock::now()});
}

bool PlayerPort::can_take_frame() const {
    return !waits_for_keyframe_ && slot_.load(std::memory_order_acquire) == Slot::free;
}

std::uint32_t PlayerPort::frames_hz() const {
    const auto or_every_tick = [](std::uint32_t hz) { return hz == 0 ? kFramesEveryTick : hz; };
    const std::uint32_t set_hz = set_hz_.load(std::memory_order_relaxed);
    return std::min(or_every_tick(set_hz != 0 ? set_hz : options_.frames_hz),
                    or_every_tick(asked_hz_.load(std::memory_order_relaxed)));
}

bool PlayerPort::is_away() const {
    return slot_.load(std::memory_order_relaxed) == Slot::closed;
}

/// Services' watchers are nobody's clients.
void PlayerPort::put_message(const engine::GameMessage& message) {
    if (is_player()) {
        to_client_.add(message);
    }
}

void PlayerPort::note_messages_lost() {
    if (is_player()) {
        to_client_.note_lost();
    }
}

bool PlayerPort::put_frame(const engine::Frame& frame, const engine::EntityStore& entities,
                           const shards::FrameFlags& flags) {
    if (!is_worth_sending(frame, flags)) {
        return false;
    }
    const bool tells_own_position = is_player() && (has_correction_ || frame.is_keyframe);
    const auto correction = tells_own_position ? std::optional(correction_) : std::nullopt;
    const auto messages = to_client_.next(room_for_messages(frame, flags));
    const bool is_time_known =
        options_.expected_hz != 0 && times_.is_expected(frame.tick, flags.server_time_us);
    write_frame(
        builder_,
        {move_ack_, flags.border_stale, flags.time_scale_percent,
         is_time_known ? 0 : flags.server_time_us, options_.quantum_mm, correction, options_.tag,
         messages, to_client_.is_lost(), messages.size() < to_client_.size(), options_.reads_ranks},
        frame, entities);
    written_tick_ = frame.tick;
    Slot expected = Slot::free;
    if (!slot_.compare_exchange_strong(expected, Slot::in_flight, std::memory_order_acq_rel)) {
        return false;  // the client left meanwhile
    }
    if (!is_time_known) {
        times_.put(frame.tick, flags.server_time_us);
    }
    if (tells_own_position && has_correction_) {
        IoThreadCounters::add(counters_.corrections_total);
    }
    charge(frame.cost);
    if (messages.size() < to_client_.size() && !frame.is_over_budget) {
        IoThreadCounters::add(counters_.frames_over_by_messages_total);
    }
    if (!to_client_.is_empty()) {
        charge(static_cast<std::int64_t>(to_client_.erase(messages.size())));
        messages_tick_ = frame.tick;
    }
    if (frame.is_keyframe) {
        is_keyframe_asked_ = false;  // it answers all that was asked until now
    }
    has_new_ack_ = false;
    has_correction_ = false;
    sent_tick_ = frame.tick;
    has_said_capped_ = frame.is_capped;
    has_said_filling_ = frame.is_filling;
    return true;
}

/// What the rest of the frame leaves of its bytes and of the client's, which add up as they do for
/// the rest.
std::int64_t PlayerPort::room_for_messages(const engine::Frame& frame,
                                           const shards::FrameFlags& flags) {
    if (options_.frame_bytes_max == 0) {
        return SaidToClient::kFrameBytesMax;
    }
    std::int64_t room = options_.frame_bytes_max;
    if (options_.bytes_per_tick_max != 0) {
        const engine::Tick ticks = credited_ == engine::kNever ? 1 : frame.tick - credited_;
        const auto counted = static_cast<std::int64_t>(std::min<engine::Tick>(ticks, room));
        credited_ = frame.tick;
        credit_bytes_ = std::min(credit_bytes_ + counted * options_.bytes_per_tick_max, room);
        room = credit_bytes_;
    }
    if (flags.frame_bytes_max != 0) {
        room = std::min<std::int64_t>(room, flags.frame_bytes_max);
    }
    return room - frame.cost;
}

/// One message goes in any case: what a client owes for those is bounded, or it would go on owing
/// long after a crowd.
void PlayerPort::charge(std::int64_t bytes) {
    credit_bytes_ = std::max(credit_bytes_ - bytes, -std::int64_t{options_.frame_bytes_max});
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
        if (auto transfer = inputs_.transfer()) {
            static_cast<PlayerPort&>(*successor).inputs_.put_transfer(*std::move(transfer));
        }
        successor->on_removed();
    }
    leave_directory();
    mailbox_.post(Mailbox::Removed{shared_from_this()});
}

bool PlayerPort::send_away(Transfer transfer) {
    if (is_away()) {
        return false;
    }
    note_reason(PlayerLeftReason::transferred);
    inputs_.put_transfer(std::move(transfer));
    return true;
}

void PlayerPort::ask_leave(PlayerLeftReason why) {
    note_reason(why);
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
    park();
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
