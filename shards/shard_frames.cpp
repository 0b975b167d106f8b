// What a shard sends its watchers (step 5), and how that comes to their clients (step 6).

#include "shards/recording/frame_check.h"
#include "shards/shard.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace marchland::shards {

// 5 interest

/// Whatever a late shard owns is on the ground that it keeps, or steps out of it in this tick:
/// hardly further than an owner lets it pace outside its region. But who did not run the layout in
/// force yet may own anything, and so may one that does not know all that is its own.
void Shard::note_missing(const MissingBatches& missing) {
    late_ground_.clear();
    is_late_everywhere_ =
        !missing.is_whole || (!missing.late.is_empty() && missing.through < epoch_->from);
    missing.late.for_each([this](ShardId late) {
        if (is_late_everywhere_ || !epoch_->layout.contains(late)) {
            is_late_everywhere_ = true;
        } else {
            late_ground_.push_back(
                epoch_->reach.kept(late).grown_by(zone_.options.border_hysteresis_mm));
        }
    });
    if (missing.unowned) {
        late_ground_.push_back(missing.unowned->grown_by(zone_.options.border_hysteresis_mm));
    }
}

/// Does the watcher's view reach ground whose batch is missing, or does it know somebody there? One
/// that it knew and that is not here any more may be there, and may have left the zone from there.
bool Shard::is_stale(const engine::Frame& frame) const {
    if (is_late_everywhere_ || late_ground_.empty()) {
        return is_late_everywhere_;
    }
    const engine::EntityStore& entities = interest_.entities();
    const auto is_late_at = [this](engine::Position at, std::int32_t around_mm) {
        return std::ranges::any_of(late_ground_, [&](const engine::Rect& ground) {
            return ground.grown_by(around_mm).contains(at);
        });
    };
    const engine::Entity& watcher = entities.at(frame.watcher);
    if (watcher.view.shape != engine::Shape::none &&
        is_late_at(watcher.position, engine::leave_reach_mm(watcher.view))) {
        return true;
    }
    bool is_notified = false;
    interest_.notify_sources().visit_near(watcher.position, [&](engine::Slot source) {
        is_notified = is_notified || is_late_at(entities.at(source).position, 0);
    });
    return is_notified || std::ranges::any_of(frame.leaves, [&](const engine::Leave& leave) {
               const auto left = entities.find(leave.id);
               return leave.reason != engine::LeaveReason::gone &&
                      (!left || is_late_at(entities.at(*left).position, 0));
           });
}

/// Gives own players the messages of the ticks since messages_through_. Who came from a shard that
/// was behind lacks some that others here were given: then messages_through_ is that far back, and
/// each record says from where on it lacks them.
void Shard::give_messages(engine::Tick now) {
    if (zone_.messages.newest_tick() <= messages_through_) {
        return;
    }
    const engine::Tick lost_tick = zone_.messages.collect(messages_through_, now, messages_);
    const auto give = [](const OwnRecord& record, const ZoneMessages::Kept& kept) {
        if (record.messages_through < kept.tick) {
            record.port->put_message(kept.message->message);
        }
    };
    std::ranges::copy_if(own_.slots(), std::back_inserter(watchers_),
                         [this](engine::Slot slot) { return own_.at(slot).port->is_player(); });
    for (const ZoneMessages::Kept& kept : messages_) {
        const Audience& audience = kept.message->audience;
        if (audience.to) {
            for (const engine::EntityId id : *audience.to) {
                const auto slot = interest_.entities().find(id);
                if (slot && own_.contains(*slot)) {
                    give(own_.at(*slot), kept);
                }
            }
        } else {
            for (const engine::Slot slot : watchers_) {
                if (audience.holds(interest_.entities().at(slot), zone_.options.dimensions)) {
                    give(own_.at(slot), kept);
                }
            }
        }
        metrics_.progress.fetch_add(1, std::memory_order_relaxed);
    }
    watchers_.clear();
    messages_.clear();
    for (const engine::Slot slot : own_.slots()) {
        OwnRecord& record = own_.at(slot);
        if (record.messages_through < lost_tick) {
            record.port->note_messages_lost();
        }
        record.messages_through = std::max(record.messages_through, now);
    }
    messages_through_ = now;
}

/// The first frame comes at once. A turn that it could not use, or whose tick this shard did not
/// run, is made up for.
bool Shard::has_turn(engine::Slot slot, const OwnRecord& record) const {
    const std::uint32_t wanted_hz = record.port->frames_hz();
    const std::uint32_t tick_rate_hz = zone_.options.tick_rate_hz;
    const engine::TurnRate rate{std::min(wanted_hz, tick_rate_hz), tick_rate_hz * turn_ticks_};
    return wanted_hz == EntityPort::kFramesWheneverItCan || rate.turns == rate.ticks ||
           record.framed_tick == engine::kNever ||
           engine::had_turn(interest_.now(), interest_.entities().at(slot).id, rate,
                            interest_.now() - record.framed_tick);
}

void Shard::build_frames() {
    std::uint64_t skipped = 0;
    for (const engine::Slot slot : own_.slots()) {
        OwnRecord& record = own_.at(slot);
        if (!record.takes_frames) {
            continue;
        }
        const bool has_turn = this->has_turn(slot, record);
        if (record.is_settled && has_turn && record.port->can_take_frame()) {
            record.unframed_ticks = 0;
            record.framed_tick = interest_.now();
            watchers_.push_back(slot);
            continue;
        }
        recorder_.leave_unframed(interest_.entities().at(slot).id);
        if (record.is_settled) {
            ++record.unframed_ticks;
            skipped += has_turn && !record.port->is_away() ? 1U : 0U;
        }
    }
    if (interest_.build_frames(watchers_, !flags_.border_stale, zone_.executor, sinks_,
                               zone_.options.executor_pairs_min)) {
        metrics_.shared_ticks_total.fetch_add(1, std::memory_order_relaxed);
    }
    watchers_.clear();
    metrics_.frames_skipped_total.fetch_add(skipped, std::memory_order_relaxed);
}

/// By any worker; `built` is that worker's own, and so is the port.
void Shard::take_frame(const engine::Frame& frame, Built& built) {
    const OwnRecord& record = own_.at(frame.watcher);
    FrameFlags flags = flags_;
    flags.border_stale = is_stale(frame);
    const bool is_put = record.port->put_frame(frame, interest_.entities(), flags);
    if (is_put) {
        built.io_threads.at(record.port->io_thread()).push_back(record.port);
    }
    metrics_.progress.fetch_add(1, std::memory_order_relaxed);
    count_moves(frame, built.moves);
    if (recorder_.is_recording()) {
        built.check += frame_check(frame, interest_.entities());
    }
    const std::array<std::uint64_t, kSums.size()> amounts{is_put,           frame.is_capped,
                                                          frame.is_slowed,  frame.is_over_budget,
                                                          frame.is_filling, frame.cost};
    for (std::size_t number = 0; number < amounts.size(); ++number) {
        built.sums[number] += amounts[number];
    }
}

/// Who was sent everything up to the tick before, nothing held back, is sent this tick's moves
/// alone.
void Shard::count_moves(const engine::Frame& frame, UpdateStaleness& moves) const {
    if (frame.follows_last_tick && frame.were_held.empty()) {
        moves.add(0, frame.moves.size());
        return;
    }
    for (const engine::Slot moved : frame.moves) {
        moves.add(frame.tick - interest_.entities().at(moved).moved_tick, 1);
    }
}

// 6 emit

void Shard::emit() {
    Built& all = built_.front();
    for (std::size_t worker = 1; worker < built_.size(); ++worker) {
        Built& built = built_[worker];
        for (std::size_t io_thread = 0; io_thread < built.io_threads.size(); ++io_thread) {
            std::ranges::move(built.io_threads[io_thread],
                              std::back_inserter(all.io_threads[io_thread]));
            built.io_threads[io_thread].clear();
        }
        all.moves += std::exchange(built.moves, {});
        all.check += std::exchange(built.check, 0);
        for (std::size_t number = 0; number < kSums.size(); ++number) {
            all.sums[number] += std::exchange(built.sums[number], 0);
        }
    }
    for (std::uint32_t io_thread = 0; io_thread < all.io_threads.size(); ++io_thread) {
        if (!all.io_threads[io_thread].empty()) {
            zone_.outlet.post(io_thread, all.io_threads[io_thread]);
            all.io_threads[io_thread].clear();
        }
    }
    post_players();
    recorder_.end_tick(flags_.border_stale, std::exchange(all.check, 0));
    show_moves(std::exchange(all.moves, {}));
    metrics_.frame_bytes_last.store(all.sums.back(), std::memory_order_relaxed);
    for (std::size_t number = 0; number < kSums.size(); ++number) {
        (metrics_.*kSums[number])
            .fetch_add(std::exchange(all.sums[number], 0), std::memory_order_relaxed);
    }
}

void Shard::post_players() {
    const engine::Tick now = interest_.now();
    if (!zone_.outlet.wants_players(now)) {
        return;
    }
    OwnPlayers players{now, epoch_->layout.shards().size(), epoch_->layout.contains(id_),
                       flags_.border_stale};
    for (const engine::Slot slot : own_.slots()) {
        if (own_.at(slot).port->is_player()) {
            const engine::Entity& entity = interest_.entities().at(slot);
            players.players.push_back({entity.id, entity.position});
        }
    }
    zone_.outlet.post_players(std::move(players));
}

void Shard::show_moves(const UpdateStaleness& moves) {
    for (std::size_t ticks = 0; ticks < moves.moves.size(); ++ticks) {
        if (moves.moves[ticks] != 0) {
            metrics_.moves_sent_total[ticks].fetch_add(moves.moves[ticks],
                                                       std::memory_order_relaxed);
        }
    }
}

}  // namespace marchland::shards
