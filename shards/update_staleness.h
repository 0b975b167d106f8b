#pragma once

#include "engine/ids.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace marchland::shards {

/// How old is a move when it is sent to a client? A count for each number of ticks between the one that
/// took the move from its client or service and the frame that carries it: 0 where that is the same tick.
///
/// A watcher that skips no frame is sent everything in its tick. One whose client was slow is sent the stop of
/// who has stopped meanwhile with as many ticks' delay; of who goes on walking it is sent the newest.
///
/// Shapes   kTicksMax + 1 counts; the last one holds everything that is older.
struct UpdateStaleness {
    static constexpr std::size_t kTicksMax = 63;

    std::array<std::uint64_t, kTicksMax + 1> moves{};  ///< by ticks

    void add(engine::Tick ticks, std::uint64_t count) {
        moves[std::min<std::size_t>(ticks, kTicksMax)] += count;
    }

    [[nodiscard]] std::uint64_t total() const {
        std::uint64_t sum = 0;
        for (const std::uint64_t count : moves)
            sum += count;
        return sum;
    }

    /// The fewest ticks that `percent` (1 to 100) of the moves do not exceed; 0 when there are none.
    [[nodiscard]] std::size_t ticks_at(std::uint64_t percent) const {
        const std::uint64_t all = total();
        std::uint64_t seen = 0;
        for (std::size_t ticks = 0; ticks < moves.size(); ++ticks) {
            seen += moves[ticks];
            if (seen * 100 >= all * percent) return ticks;
        }
        return kTicksMax;
    }

    UpdateStaleness& operator+=(const UpdateStaleness& other) {
        for (std::size_t i = 0; i < moves.size(); ++i)
            moves[i] += other.moves[i];
        return *this;
    }
    friend UpdateStaleness operator-(UpdateStaleness now, const UpdateStaleness& before) {
        for (std::size_t i = 0; i < now.moves.size(); ++i)
            now.moves[i] -= before.moves[i];
        return now;
    }
};

}  // namespace marchland::shards
