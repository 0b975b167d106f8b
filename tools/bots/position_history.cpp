#include "tools/bots/position_history.h"

#include "engine/assert.h"

#include <algorithm>

namespace marchland::bots {

PositionHistory::PositionHistory(std::size_t players_max, std::size_t ticks_max)
    : rows_(ticks_max), last_frames_(players_max) {
    MARCHLAND_ASSERT(ticks_max > 0);
    for (Row& row : rows_) {
        row.positions.resize(players_max);
        row.is_certain.resize(players_max);
    }
}

void PositionHistory::open_up_to(engine::Tick tick) {
    MARCHLAND_ASSERT(tick >= newest_);
    // After a gap wider than the ring every row is cleared once, and no more often.
    engine::Tick next = newest_ + 1;
    if (tick - newest_ > rows_.size()) {
        next = tick - rows_.size() + 1;
    }
    for (; next <= tick; ++next) {
        Row& row = rows_[next % rows_.size()];
        row.tick = next;
        std::fill(row.is_certain.begin(), row.is_certain.end(), std::uint8_t{0});
    }
    newest_ = tick;
}

void PositionHistory::record(PlayerIndex player, engine::Tick tick, std::uint32_t move_ack,
                             std::optional<engine::Position> position) {
    LastFrame& last = last_frames_[to_number(player)];
    if (position) {
        const bool stood_still = last.tick != engine::kNever && last.move_ack == move_ack;
        engine::Tick first = stood_still ? last.tick + 1 : tick;
        // What the ring has forgotten need not be filled.
        first = std::max(first, newest_ - std::min<engine::Tick>(newest_, rows_.size()));
        for (engine::Tick each = first; each <= tick; ++each) {
            set(player, each, *position);
        }
    }
    last = {tick, move_ack};
}

const PositionHistory::Row* PositionHistory::row(engine::Tick tick) const {
    const Row& row = rows_[tick % rows_.size()];
    return tick != engine::kNever && row.tick == tick ? &row : nullptr;
}

void PositionHistory::set(PlayerIndex player, engine::Tick tick, engine::Position position) {
    Row& row = rows_[tick % rows_.size()];
    if (row.tick == tick) {
        row.positions[to_number(player)] = position;
        row.is_certain[to_number(player)] = 1;
    }
}

}  // namespace marchland::bots
