#pragma once

#include "shards/zone_query.h"
#include "net/player_notices.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>

namespace marchland::net {

/// Puts together what shards report, each for itself, of where the players are.
///
///   each shard, in each tick ── post ──► the tick's list ── all shards of the layout have, or a later tick begins ──► on_tick
///
/// Nobody waits for a late shard: a tick that is sent without it has border_stale, and what it posts then is dropped.
///
/// Threads  Any. The mutex guards the tick that is being put together; each shard takes it once a tick, on_tick is called
///          under it, so ticks ascend.
/// Bounds   One tick. 24 bytes for each player.
class PlayerPositions {
public:
    using OnTick = std::function<void(const std::shared_ptr<const PlayersOfTick>&)>;

    explicit PlayerPositions(OnTick on_tick) : on_tick_(std::move(on_tick)) {}

    void post(shards::OwnPlayers&& own);

private:
    void tell();

    const OnTick on_tick_;
    std::mutex mutex_;
    // Guarded by mutex_.
    PlayersOfTick gathered_;
    bool is_sent_ = true;
    std::size_t posted_ = 0;  ///< by shards of the layout
};

}  // namespace marchland::net
