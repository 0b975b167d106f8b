// What a shard tells its watchers (step 5), and how that comes to their clients (step 6).

#include "shards/recording/frame_check.h"
#include "shards/shard.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace marchland::shards {

// 5 interest

void Shard::build_frames() {
    std::uint64_t skipped = 0;
    for (const engine::Slot slot : own_.slots()) {
        OwnRecord& record = own_.at(slot);
        if (!record.takes_frames) {
            continue;
        }
        const bool has_turn =
            turn_ticks_ == 1 ||
            (interest_.now() + to_number(interest_.entities().at(slot).id)) % turn_ticks_ == 0 ||
            record.refused_ticks + 1 >= turn_ticks_;  // this shard did not run the tick of its turn
        if (record.is_settled && has_turn && record.port->can_take_frame()) {
            record.refused_ticks = 0;
            watchers_.push_back(slot);
            continue;
        }
        recorder_.leave_unframed(interest_.entities().at(slot).id);
        if (record.is_settled) {
            ++record.refused_ticks;
            skipped += has_turn && !record.port->is_away() ? 1U : 0U;
        }
    }
    if (zone_.executor == nullptr) {
        interest_.build_frames(watchers_, !flags_.border_stale, sinks_.front());
    } else if (interest_.build_frames(watchers_, !flags_.border_stale, *zone_.executor, sinks_,
                                      zone_.options.executor_pairs_min)) {
        metrics_.shared_ticks_total.fetch_add(1, std::memory_order_relaxed);
    }
    watchers_.clear();
    metrics_.frames_skipped_total.fetch_add(skipped, std::memory_order_relaxed);
}

/// By any worker; `built` is that worker's own, and so is the port.
void Shard::take_frame(const engine::Frame& frame, Built& built) {
    const OwnRecord& record = own_.at(frame.watcher);
    if (record.port->put_frame(frame, interest_.entities(), flags_)) {
        built.io_threads.at(record.port->io_thread()).push_back(record.port);
        ++built.frames;
    }
    metrics_.progress.fetch_add(1, std::memory_order_relaxed);
    count_moves(frame, built.moves);
    if (recorder_.is_recording()) {
        built.check += frame_check(frame, interest_.entities());
    }
    built.capped += frame.is_capped ? 1U : 0U;
    built.slowed += frame.is_slowed ? 1U : 0U;
    built.over_budget += frame.is_over_budget ? 1U : 0U;
    built.filling += frame.is_filling ? 1U : 0U;
    built.bytes += frame.cost;
}

/// Who was told everything up to the tick before, nothing held back, is told of this tick's moves alone.
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
        all.frames += std::exchange(built.frames, 0);
        all.moves += std::exchange(built.moves, {});
        all.check += std::exchange(built.check, 0);
        all.capped += std::exchange(built.capped, 0);
        all.slowed += std::exchange(built.slowed, 0);
        all.over_budget += std::exchange(built.over_budget, 0);
        all.filling += std::exchange(built.filling, 0);
        all.bytes += std::exchange(built.bytes, 0);
    }
    for (std::uint32_t io_thread = 0; io_thread < all.io_threads.size(); ++io_thread) {
        if (!all.io_threads[io_thread].empty()) {
            zone_.outlet.post(io_thread, all.io_threads[io_thread]);
            all.io_threads[io_thread].clear();
        }
    }
    recorder_.end_tick(flags_.border_stale, std::exchange(all.check, 0));
    show_moves(std::exchange(all.moves, {}));
    metrics_.frames_total.fetch_add(std::exchange(all.frames, 0), std::memory_order_relaxed);
    metrics_.frames_capped_total.fetch_add(std::exchange(all.capped, 0), std::memory_order_relaxed);
    metrics_.frames_slowed_total.fetch_add(std::exchange(all.slowed, 0), std::memory_order_relaxed);
    metrics_.frames_over_budget_total.fetch_add(std::exchange(all.over_budget, 0),
                                                std::memory_order_relaxed);
    metrics_.frames_filling_total.fetch_add(std::exchange(all.filling, 0),
                                            std::memory_order_relaxed);
    metrics_.frame_bytes_last.store(all.bytes, std::memory_order_relaxed);
    metrics_.frame_bytes_total.fetch_add(std::exchange(all.bytes, 0), std::memory_order_relaxed);
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
