#pragma once

#include "engine/crowd_limits.h"
#include "engine/entity.h"
#include "engine/frame.h"
#include "engine/scene.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace marchland::engine {

/// What a frame costs, in bytes: a model. The engine writes no frames, and the choice must not depend
/// on how somebody packs them. It is about what net/ writes: a whole position of 16 bytes is one
/// within 67 km of the origin, a difference of 8 one of up to 8 m on each axis.
struct FrameCost {
    static constexpr std::size_t kFrame = 64;
    static constexpr std::size_t kLeave = 16;
    static constexpr std::size_t kEnter = 48;  ///< and its blob
    static constexpr std::size_t kState = 16;  ///< and the blob
    static constexpr std::size_t kEvent = 24;  ///< and its payload
    static constexpr std::size_t kDifference = 8;
    static constexpr std::size_t kWhole = 16;
};

/// A move that may be told now.
struct DueMove {
    std::size_t place = 0;  ///< whatever the caller goes by; ascending with the id
    std::size_t cost = 0;
    bool is_stale = false;  ///< has waited for stale_ticks_max
    /// The square of age times importance, and that of the distance and a metre: its share is the
    /// first by the second.
    std::uint64_t weight = 0;
    std::uint64_t square = 1;
};

/// The higher share first; of equal ones the lower place. A share is a fraction, and compared as one.
bool goes_before(const DueMove& a, const DueMove& b);

DueMove due_move(std::size_t place, const Entity& entity, Position watcher, std::uint32_t age_ticks,
                 bool is_difference, const CrowdLimits& limits, Dimensions dimensions);

/// What leaves, enters, states and events leave of the budget.
std::size_t room_for_moves(const Frame& told, const EntityStore& entities,
                           const CrowdLimits& limits);

/// Moves those that are told to the front, and returns how many they are: all that are stale, and of
/// the others as many as still fit, those that go before others first.
///
/// Cost  O(due), and the sorting of as many as could fit.
std::size_t choose(std::span<DueMove> due, std::size_t room);

}  // namespace marchland::engine
