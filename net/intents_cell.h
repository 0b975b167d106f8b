#pragma once

#include "engine/entity.h"
#include "shards/entity_port.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

namespace marchland::net {

/// What one client asked for since its shard looked last: the newest of each kind, and no more,
/// however much it sends.
///
/// Threads  put_*: the I/O thread. take: the owning shard's.
/// Cost     take, when nothing was asked: one relaxed load.
class IntentsCell {
public:
    /// Without a facing, one that was asked for before stands.
    void put_move(std::uint32_t seq, engine::Position position,
                  std::optional<engine::Angle> facing);
    void put_view(const engine::View& view);
    void put_leave();

    /// Moves what was asked into `into`; returns the seq of the move, where there is one.
    std::optional<std::uint32_t> take(shards::Intents& into);

private:
    /// Guards asked_ and seq_, for a copy's time. A message for each move would be a queue that a
    /// client fills; here the newest overwrites the one before.
    std::mutex mutex_;
    shards::Intents asked_;
    std::uint32_t seq_ = 0;
    std::atomic<bool> has_any_{false};  ///< a hint: one that is not seen yet is taken next tick
};

}  // namespace marchland::net
