#pragma once

#include "engine/entity.h"
#include "engine/entity_event.h"
#include "shards/entity_port.h"

#include <atomic>
#include <cstdint>
#include <memory>
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
    struct Taken {
        std::optional<std::uint32_t> seq;  ///< of the client's move, where there is one
        std::uint32_t correction = 0;      ///< the newest number
        bool is_corrected = false;         ///< by a service, since the last call
    };

    /// Without a facing, one that was asked for before stands. A move from before the newest
    /// correction was seen is passed over.
    void put_move(std::uint32_t seq, engine::Position position, std::optional<engine::Angle> facing,
                  std::uint32_t correction_seen);
    /// The number of the newest correction.
    [[nodiscard]] std::uint32_t correction();
    /// Instead of what the client asked for.
    void put_correction(engine::Position position);
    void put_view(const engine::View& view);
    void put_state(engine::Blob state);
    /// False, and nothing happened, when as many wait as one tick may have.
    [[nodiscard]] bool put_event(engine::EntityEvent event);
    void put_keyframe();
    /// False, and nothing happened, when the entity is out of the zone.
    [[nodiscard]] bool put_successor(std::shared_ptr<shards::EntityPort> port);
    /// The owning shard's thread: the entity is out of the zone. Who was to take over, if anybody.
    std::shared_ptr<shards::EntityPort> close();
    void put_leave();

    /// Moves what was asked into `into`.
    Taken take(shards::Intents& into);
    /// The owning shard's thread: the move that was just taken is not made. The correction's number.
    std::uint32_t refuse_move();

private:
    /// Guards what is below, for a copy's time. A message for each move would be a queue that a
    /// client fills; here the newest overwrites the one before.
    std::mutex mutex_;
    shards::Intents asked_;
    std::uint32_t seq_ = 0;
    std::uint32_t correction_ = 0;  ///< number of the newest; goes round
    bool is_corrected_ = false;     ///< asked_.move is a service's
    bool is_closed_ = false;
    std::atomic<bool> has_any_{false};  ///< a hint: one that is not seen yet is taken next tick
};

}  // namespace marchland::net
