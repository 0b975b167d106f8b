#pragma once

#include "engine/entity.h"
#include "engine/frame/game_messages.h"
#include "engine/ids.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace marchland::shards {

/// Whose clients a message is for. Where they are and what they see is that of the end of its tick.
struct Audience {
    struct Circle {
        engine::Position centre;
        /// Inclusive; in the plane or in space, as the zone's dimensions say.
        std::int32_t radius_mm = 0;
    };
    /// These alone, wherever they are; nothing: all of whom what follows is true.
    std::optional<std::vector<engine::EntityId>> to;
    std::optional<Circle> within;
    std::optional<engine::LayerMask> layers;  ///< who sees one of these

    [[nodiscard]] bool holds(const engine::Entity& entity, engine::Dimensions dimensions) const;
};

/// From the game to clients, whomever they see.
struct ZoneMessage {
    engine::GameMessage message;
    Audience audience;

    [[nodiscard]] std::size_t bytes() const;
};

/// Messages for clients anywhere in the zone, by tick. Each shard gives them to the ports of its
/// own entities between steps 4 and 5 of their tick, so that it depends on no layout who gets them.
/// They are kept for shards that are behind, and for entities that come from one.
///
/// Bounds   kBytesMax, and kTicksMax back from the newest; the oldest give way.
/// Threads  Any. The mutex guards the list, while pointers move.
/// Cost     newest_tick: one load.
class ZoneMessages {
public:
    using Ptr = std::shared_ptr<const ZoneMessage>;
    struct Kept {
        engine::Tick tick = engine::kNever;
        Ptr message;
    };
    static constexpr std::size_t kBytesMax = std::size_t{32} << 20U;
    static constexpr engine::Tick kTicksMax = 256;

    explicit ZoneMessages(std::size_t bytes_max = kBytesMax) : bytes_max_(bytes_max) {}

    /// `tick`: no shard has begun it, and it never descends.
    void add(engine::Tick tick, ZoneMessage message);
    [[nodiscard]] engine::Tick newest_tick() const {
        return newest_tick_.load(std::memory_order_relaxed);
    }
    /// Appends those after tick `after` and up to `through`, in order. Returns the newest tick of
    /// which some were dropped.
    engine::Tick collect(engine::Tick after, engine::Tick through, std::vector<Kept>& into) const;

private:
    const std::size_t bytes_max_;
    std::atomic<engine::Tick> newest_tick_{engine::kNever};

    mutable std::mutex mutex_;
    std::deque<Kept> kept_;
    std::size_t bytes_ = 0;
    engine::Tick lost_tick_ = engine::kNever;
};

}  // namespace marchland::shards
