#pragma once

#include "tools/bots/clock.h"
#include "tools/bots/pacer.h"
#include "tools/bots/player_index.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace marchland::bots {

class Swarm;

/// Every other player of a run reads badly, while the others read as ever:
///
///   player 1, 5, 9 ...    a thousand bytes a second, always
///   player 3, 7, 11 ...   stops reading for `stall`, then reads for half as long, and so on; each
///                         begins at another moment
///
/// They go on moving all the time. Before begin() they read as the others do.
class SlowReaders {
public:
    /// What the kernel may hold for a slow reader that it has not read: little, or the server would
    /// not notice for long. With half of this the kernel itself begins to drop what comes.
    static constexpr int kReceiveBytes = 8192;

    static bool is_slow(PlayerIndex player) { return to_number(player) % 2 == 1; }
    static std::size_t count(std::size_t players) { return players / 2; }

    SlowReaders(std::size_t players, Clock::duration stall) : players_(players), stall_(stall) {}

    void begin(Instant now, Swarm& swarm);
    void advance(Instant now, Swarm& swarm);

    [[nodiscard]] std::uint64_t stalls() const { return stalls_; }

private:
    struct Return {
        Instant at;
        PlayerIndex player;
    };

    const std::size_t players_;
    const Clock::duration stall_;
    std::optional<Pacer> sips_;         ///< of those that read a little at a time
    std::optional<Pacer> stall_turns_;  ///< of those that stop
    std::deque<Return> returns_;        ///< who reads again when, in this order
    std::uint64_t stalls_ = 0;
};

}  // namespace marchland::bots
