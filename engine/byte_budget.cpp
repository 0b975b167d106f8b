#include "engine/byte_budget.h"

#include "engine/assert.h"
#include "engine/squared_distance.h"

#include <algorithm>

namespace marchland::engine {
namespace {

__extension__ using Wide = unsigned __int128;

/// Of a metre, so that whoever stands in the very same place has no more than a large share.
constexpr std::uint64_t kMetreSquare = 1'000'000;

}  // namespace

bool goes_before(const DueMove& a, const DueMove& b) {
    const Wide left = Wide{a.weight} * b.square;
    const Wide right = Wide{b.weight} * a.square;
    return left != right ? left > right : a.place < b.place;
}

DueMove due_move(std::size_t place, const Entity& entity, Position watcher, std::uint32_t age_ticks,
                 bool is_difference, const CrowdLimits& limits, Dimensions dimensions) {
    const SquaredDistance square = squared_distance(watcher, entity.position, dimensions);
    MARCHLAND_ASSERT(square.overflow == 0);  // it is within some leave range
    const std::uint64_t share = std::uint64_t{age_ticks} * entity.importance;
    return {place, is_difference ? FrameCost::kDifference : FrameCost::kWhole,
            age_ticks >= limits.stale_ticks_max, share * share, square.rest + kMetreSquare};
}

std::size_t room_for_moves(const Frame& told, const EntityStore& entities,
                           const CrowdLimits& limits) {
    std::size_t cost = FrameCost::kFrame + told.leaves.size() * FrameCost::kLeave;
    const auto blob_bytes = [&](Slot slot) { return bytes_of(entities.at(slot).blob).size(); };
    for (const Slot slot : told.enters) {
        cost += FrameCost::kEnter + blob_bytes(slot);
    }
    for (const Slot slot : told.states) {
        cost += FrameCost::kState + blob_bytes(slot);
    }
    for (const EventTold& event : told.events) {
        cost += FrameCost::kEvent + event.payload.size();
    }
    return limits.frame_bytes_max - std::min<std::size_t>(limits.frame_bytes_max, cost);
}

std::size_t choose(std::span<DueMove> due, std::size_t room) {
    std::size_t cost = 0;
    for (const DueMove& move : due) {
        cost += move.cost;
    }
    if (cost <= room) {
        return due.size();
    }
    const auto waiting =
        std::partition(due.begin(), due.end(), [](const DueMove& move) { return move.is_stale; });
    cost = 0;
    for (auto move = due.begin(); move != waiting; ++move) {
        cost += move->cost;
    }
    const std::size_t left = room - std::min(room, cost);
    const auto fitting =
        waiting +
        std::min(due.end() - waiting, static_cast<std::ptrdiff_t>(left / FrameCost::kDifference));
    std::partial_sort(waiting, fitting, due.end(), goes_before);
    auto told = waiting;
    for (cost = 0; told != fitting && cost + told->cost <= left; ++told) {
        cost += told->cost;
    }
    return static_cast<std::size_t>(told - due.begin());
}

}  // namespace marchland::engine
