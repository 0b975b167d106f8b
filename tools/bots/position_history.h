#pragma once

#include "engine/geometry.h"
#include "engine/ids.h"
#include "tools/bots/player_index.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace marchland::bots {

/// Where was each of our players at the end of each of the last ticks? Nobody guesses: a player is
/// at the place of the move that the server acknowledged in its frame of that tick. Between two
/// frames with the same acknowledgement it stood still; between two with different ones, only the
/// server knows, and so it is not certain.
///
/// Shapes   A ring of `ticks_max` rows of `players_max` places.
/// Bounds   News of a tick that is no longer held is ignored.
/// Cost     record O(ticks since the player's last frame), at most ticks_max.
class PositionHistory {
public:
    struct Row {
        engine::Tick tick = engine::kNever;
        std::vector<engine::Position> positions;  ///< by player; means something where certain
        std::vector<std::uint8_t> is_certain;     ///< by player
    };

    PositionHistory(std::size_t players_max, std::size_t ticks_max);

    /// Makes room for the ticks up to `tick`, which is at least newest(): the oldest are forgotten.
    void open_up_to(engine::Tick tick);

    /// `player` has had its frame of `tick`. `position` is empty when nobody knows any more where
    /// the acknowledged move led.
    void record(PlayerIndex player, engine::Tick tick, std::uint32_t move_ack,
                std::optional<engine::Position> position);

    /// Whatever comes next says nothing of where `player` was until then.
    void interrupt(PlayerIndex player) { last_frames_[to_number(player)] = {}; }

    /// Null for a tick that is not held.
    [[nodiscard]] const Row* row(engine::Tick tick) const;
    [[nodiscard]] engine::Tick newest() const { return newest_; }
    [[nodiscard]] std::size_t ticks_max() const { return rows_.size(); }

private:
    struct LastFrame {
        engine::Tick tick = engine::kNever;
        std::uint32_t move_ack = 0;
    };

    void set(PlayerIndex player, engine::Tick tick, engine::Position position);

    std::vector<Row> rows_;  ///< tick t at t modulo ticks_max
    std::vector<LastFrame> last_frames_;
    engine::Tick newest_ = engine::kNever;
};

}  // namespace marchland::bots
