#include "tools/bots/stream_checker.h"

#include "net/packed_moves.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace marchland::bots {

void StreamChecker::apply(const net::FrameMessage& frame, std::uint32_t newest_seq_sent) {
    begin(frame, newest_seq_sent);
    if (frame.is_keyframe) {
        known_.clear();
    }
    for (const engine::Leave& each : frame.leaves) {
        leave(each.id);
    }
    for (const net::Entered& each : frame.enters) {
        enter(each);
    }
    for (const net::Moved& each : frame.moves) {
        move(each, frame.moves_by_rank);
    }
    check_none_moved_on_enter(frame);
}

void StreamChecker::begin(const net::FrameMessage& frame, std::uint32_t newest_seq_sent) {
    if (frame.tick <= tick_) {
        log_->report(Violation::tick_order, player_, [&] {
            return fmt::format("watcher {}: a frame of tick {} after one of tick {}",
                               to_number(self_), frame.tick, tick_);
        });
    }
    if (frame.move_ack > newest_seq_sent || frame.move_ack < move_ack_) {
        log_->report(Violation::wrong_ack, player_, [&] {
            return fmt::format(
                "tick {}, watcher {}: move {} acknowledged; sent up to {}, acknowledged before: {}",
                frame.tick, to_number(self_), frame.move_ack, newest_seq_sent, move_ack_);
        });
    }
    for (KnownEntity& entity : known_) {
        if (entity.velocity != engine::Step{} && frame.tick > tick_) {
            entity.position =
                engine::after_steps(entity.position, entity.velocity, frame.tick - tick_);
        }
    }
    tick_ = frame.tick;
    is_stale_ = frame.border_stale;
    move_ack_ = frame.move_ack;
    list_ = List::none;
    cursor_ = 0;
}

void StreamChecker::leave(engine::EntityId id) {
    check_order(id, List::leaves);
    const std::size_t place = place_of(id);
    if (!is_known(place, id)) {
        report(Violation::unknown_leave, id, "leaves, and is not known");
        return;
    }
    known_.erase(known_.begin() + static_cast<std::ptrdiff_t>(place));
}

/// Of whom a late shard owns the newest trajectory may not be known: it goes on, wherever that
/// leads.
bool StreamChecker::may_be_shown_at(engine::Position position) const {
    if (is_stale_) {
        return true;
    }
    const World& world = zone_.world;
    const auto is_between = [error_mm = std::int64_t{zone_.prediction_error_mm}](
                                std::int32_t min, std::int32_t value, std::int32_t max) {
        return value >= min - error_mm && value <= max + error_mm;
    };
    return is_between(world.min.x, position.x, world.max.x) &&
           is_between(world.min.y, position.y, world.max.y) &&
           is_between(world.min.z, position.z, world.max.z);
}

void StreamChecker::enter(const net::Entered& entered) {
    const auto& [id, kind, position, state, velocity] = entered;
    check_order(id, List::enters);
    if (id == self_) {
        report(Violation::own_id, id, "enters its own view");
        return;
    }
    if (!may_be_shown_at(position)) {
        report(Violation::outside_world, id, "enters outside the world");
    }
    // The first frame of a watcher is all enters in ascending id: each is appended.
    const bool is_last = known_.empty() || known_.back().id < id;
    const std::size_t place = is_last ? known_.size() : place_of(id);
    if (is_known(place, id)) {
        report(Violation::double_enter, id, "enters, and is known already");
        known_[place].position = position;
        known_[place].velocity = velocity;
        return;
    }
    known_.insert(known_.begin() + static_cast<std::ptrdiff_t>(place), {id, position, 0, velocity});
}

void StreamChecker::move(const net::Moved& move, bool by_rank) {
    check_order(move.entity, List::moves);
    if (by_rank) {
        cursor_ = std::min<std::uint64_t>(to_number(move.entity), known_.size());
    }
    while (!by_rank && cursor_ < known_.size() && known_[cursor_].id < move.entity) {
        ++cursor_;
    }
    if (cursor_ == known_.size() || !(by_rank || known_[cursor_].id == move.entity)) {
        const bool is_self = !by_rank && move.entity == self_;
        report(is_self ? Violation::own_id : Violation::unknown_move, move.entity,
               by_rank ? "is the rank of one who moves, and nobody has it"
                       : "moves, and is not known");
        return;
    }
    KnownEntity& entity = known_[cursor_];
    const engine::EntityId id = entity.id;
    const std::optional<engine::Position> position =
        net::position_after(move, entity.position, zone_.quantum_mm);
    const std::optional<engine::Step> velocity = net::velocity_after(move, zone_.quantum_mm);
    if (!position || !velocity || !may_be_shown_at(*position)) {
        report(Violation::outside_world, id, "moves out of the world");
    }
    entity.position = position.value_or(entity.position);
    entity.velocity = velocity.value_or(engine::Step{});
    entity.moved_tick = static_cast<std::uint32_t>(tick_);
}

void StreamChecker::check_none_moved_on_enter(const net::FrameMessage& frame) {
    for (const net::Entered& entered : frame.enters) {
        const std::size_t place = place_of(entered.entity);
        if (is_known(place, entered.entity) && moved_in_last_frame(known_[place])) {
            report(Violation::moved_on_enter, entered.entity, "enters and moves in one frame");
        }
    }
}

std::size_t StreamChecker::place_of(engine::EntityId id) const {
    const auto at = std::lower_bound(
        known_.begin(), known_.end(), id,
        [](const KnownEntity& known, engine::EntityId wanted) { return known.id < wanted; });
    return static_cast<std::size_t>(at - known_.begin());
}

void StreamChecker::check_order(engine::EntityId id, List list) {
    if (list_ == list && id <= last_in_list_) {
        report(Violation::list_order, id, "is listed twice, or not in ascending order");
        cursor_ = 0;
    }
    list_ = list;
    last_in_list_ = id;
}

void StreamChecker::report(Violation kind, engine::EntityId id, const char* what) {
    log_->report(kind, player_, [&] {
        return fmt::format("tick {}, watcher {}: entity {} {}", tick_, to_number(self_),
                           to_number(id), what);
    });
}

}  // namespace marchland::bots
