#include "tools/bots/referee.h"

#include "engine/assert.h"
#include "net/quantum.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace marchland::bots {
namespace {

// Latency is measured in one frame of so many: enough for a quantile, and cheap.
constexpr std::uint64_t kFramesPerLatency = 4;

// A frame of more ticks than this comes after a gap: the server skipped some.
constexpr engine::Tick kGapTicks = 4;

}  // namespace

Referee::Referee(const ZoneFacts& zone, std::size_t players_max, std::size_t pairs_per_tick_max,
                 ViolationLog& log, engine::Tick lag_ticks, std::size_t looked_into)
    : zone_(zone),
      lag_ticks_(lag_ticks != 0 ? lag_ticks : zone.tick_rate_hz),
      looked_into_(std::min(looked_into, players_max)),
      log_(log),
      roster_(players_max),
      truth_({zone_, lag_ticks_, pairs_per_tick_max, looked_into_}, roster_, log),
      witnesses_(players_max),
      is_slow_(players_max) {}

engine::Position Referee::placed(engine::Position wanted) const {
    const auto& [min, max, dimensions] = zone_.world;
    return net::on_grid(wanted, zone_.quantum_mm, {min.x, min.y, max.x, max.y});
}

bool Referee::on_welcome(PlayerIndex player, const net::Welcome& welcome, Instant now) {
    if (!zone_.world.contains(welcome.spawn)) {
        on_violation(player, Violation::outside_world, "the Welcome's spawn is not in the world");
        return false;
    }
    if (!roster_.add(player, welcome.entity)) {
        on_violation(player, Violation::unexpected,
                     fmt::format("entity {} is given a second time", to_number(welcome.entity)));
        return false;
    }
    truth_.on_joined(player, welcome.view);
    witnesses_[to_number(player)] = std::make_unique<Witness>(
        Witness{{welcome.entity, zone_, log_, player},
                {welcome.spawn, now, SentMoves::kUsualCapacity + lag_ticks_}});
    return true;
}

bool Referee::on_resumed(PlayerIndex player, const net::Welcome& welcome) {
    if (!welcome.resumed || roster_.entity_of(player) != welcome.entity) {
        on_violation(player, Violation::unexpected, "a resumed session has another entity");
        return false;
    }
    witnesses_[to_number(player)]->stream.resume();
    witnesses_[to_number(player)]->correction_seen = 0;
    return true;
}

void Referee::on_frame(PlayerIndex player, const net::FrameMessage& frame, Instant now) {
    MARCHLAND_ASSERT(witnesses_[to_number(player)] != nullptr);
    Witness& witness = *witnesses_[to_number(player)];
    SentMoves& moves = witness.moves;
    if (frame.border_stale) {
        truth_.note_late(frame.tick);
    }
    if (looks_into(player)) {
        apply(player, frame, now);
    } else {
        ++traffic_.frames;
        traffic_.stale_frames += frame.border_stale ? 1U : 0U;
    }
    if (const SentMoves::Sent* const acked = moves.acknowledge(frame.move_ack, frame.tick)) {
        note_who_is_gone(*acked, frame.tick);
        traffic_.moves_made += acked->seq != 0 && acked->acked_tick == frame.tick ? 1U : 0U;
    }
    // A keyframe's, with the number that holds already, moves nobody: it may well go on.
    if (frame.correction && frame.correction->number != witness.correction_seen) {
        witness.correction_seen = frame.correction->number;
        moves.correct(frame.move_ack, frame.correction->position, now);
        truth_.interrupt(player);
    }
    const SentMoves::Sent* const acked = moves.find(frame.move_ack);
    truth_.record_position(player, frame.tick, frame.move_ack,
                           acked != nullptr ? std::optional(acked->position) : std::nullopt,
                           acked != nullptr ? acked->velocity : engine::Step{});
}

void Referee::apply(PlayerIndex player, const net::FrameMessage& frame, Instant now) {
    Witness& witness = *witnesses_[to_number(player)];
    StreamChecker& stream = witness.stream;
    // What a keyframe is the difference to, only the server knows.
    const bool is_slow = is_slow_[to_number(player)] != 0;
    const engine::Tick before = stream.tick();
    const bool is_after_gap = before != engine::kNever && frame.tick > before + kGapTicks;
    const bool is_sampled = !frame.is_keyframe && truth_.wants(player, frame.tick, is_after_gap);
    if (is_sampled) {
        truth_.keep_before(stream.known());
    }
    stream.apply(frame, witness.moves.newest_seq());
    if (is_sampled) {
        truth_.keep_after(
            player, frame.tick, stream.known(), frame.leaves,
            {frame.is_capped, frame.is_slowed, frame.is_over_budget, frame.is_filling});
    }
    count(frame, is_slow, is_after_gap, is_sampled);
    if (!is_slow && !frame.moves.empty() && random_.one_in(kFramesPerLatency)) {
        measure_latency(player, zone_.prediction_error_mm > 0 ? before : engine::kNever, now);
    }
}

void Referee::count(const net::FrameMessage& frame, bool is_slow, bool is_after_gap,
                    bool is_sampled) {
    ++traffic_.frames;
    traffic_.stale_frames += frame.border_stale ? 1U : 0U;
    traffic_.leaves += frame.leaves.size();
    traffic_.enters += frame.enters.size();
    traffic_.moves += frame.moves.size();
    if (is_slow) {
        ++traffic_.slow_frames;
        traffic_.gaps += is_after_gap ? 1U : 0U;
        traffic_.gaps_looked_at += is_after_gap && is_sampled ? 1U : 0U;
    }
}

void Referee::measure_groups(std::vector<std::uint8_t> group_of, std::size_t groups) {
    MARCHLAND_ASSERT(group_of.size() == witnesses_.size());
    group_of_ = std::move(group_of);
    latency_by_group_.resize(groups);
}

void Referee::measure_anew() {
    latency_.clear();
    for (LatencyHistogram& latency : latency_by_group_) {
        latency.clear();
    }
}

void Referee::on_left(PlayerIndex player, Instant now) {
    left_.push_back({player, now});
}

/// The server takes a Leave before it ends that stream. So in a tick that takes a move which was
/// sent after that end was seen, the Leave had come.
void Referee::note_who_is_gone(const SentMoves::Sent& acked, engine::Tick tick) {
    const bool says_when = acked.seq != 0 && !acked.is_correction;
    while (says_when && !left_.empty() && left_.front().at < acked.at) {
        truth_.on_gone(left_.front().player, tick);
        left_.pop_front();
    }
}

void Referee::on_violation(PlayerIndex player, Violation kind, const std::string& what) {
    log_.report(kind, player,
                [&] { return fmt::format("player {}: {}", to_number(player), what); });
}

std::uint32_t Referee::next_seq(PlayerIndex player) const {
    return witnesses_[to_number(player)]->moves.newest_seq() + 1;
}

void Referee::on_move_sent(PlayerIndex player, engine::Position position, Instant now,
                           engine::Step velocity) {
    witnesses_[to_number(player)]->moves.record(position, now, velocity);
    ++traffic_.moves_sent;
}

/// `before`: a move that was made by then is not what moved an entity since: it may have gone on to
/// the same place by itself.
void Referee::measure_latency(PlayerIndex player, engine::Tick before, Instant now) {
    const StreamChecker& stream = witnesses_[to_number(player)]->stream;
    // Any one of the entities, and not the first or last that moved: ids go by the order of
    // joining, and so does the moment within a tick at which a player sends.
    if (stream.known().empty()) {
        return;
    }
    const KnownEntity& received = stream.known()[random_.next() % stream.known().size()];
    const std::optional<PlayerIndex> sender = roster_.player_of(received.id);
    if (!sender || !stream.moved_in_last_frame(received)) {
        return;
    }
    const SentMoves& moves = witnesses_[to_number(*sender)]->moves;
    if (const SentMoves::Sent* const sent = moves.newest_at(received.position, before)) {
        const auto age = std::chrono::duration_cast<std::chrono::microseconds>(now - sent->at);
        const auto age_us = static_cast<std::uint64_t>(age.count());
        latency_.add_us(age_us);
        if (!group_of_.empty()) {
            latency_by_group_[group_of_[to_number(player)]].add_us(age_us);
        }
        recent_latency_.add_us(age_us);
    }
}

}  // namespace marchland::bots
