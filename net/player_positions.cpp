#include "net/player_positions.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace marchland::net {

void PlayerPositions::post(shards::OwnPlayers&& own) {
    const std::lock_guard lock(mutex_);
    if (own.tick > gathered_.tick) {
        if (!is_sent_) {
            gathered_.border_stale = true;
            tell();
        }
        gathered_ = {own.tick, false, {}};
        is_sent_ = false;
        posted_ = 0;
    }
    if (own.tick < gathered_.tick || is_sent_) {
        return;
    }
    gathered_.border_stale = gathered_.border_stale || own.border_stale;
    std::ranges::move(own.players, std::back_inserter(gathered_.players));
    posted_ += own.is_in_layout ? 1U : 0U;
    if (posted_ == own.shard_count) {
        tell();
    }
}

/// Where a shard is late, one that crosses its border may be here twice.
void PlayerPositions::tell() {
    auto& players = gathered_.players;
    std::ranges::sort(players, {}, &shards::Counted::id);
    players.erase(std::unique(players.begin(), players.end(),
                              [](const auto& a, const auto& b) { return a.id == b.id; }),
                  players.end());
    is_sent_ = true;
    on_tick_(std::make_shared<const PlayersOfTick>(std::move(gathered_)));
    gathered_ = {gathered_.tick, false, {}};
}

}  // namespace marchland::net
