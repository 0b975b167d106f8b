#include "engine/index/slot_positions.h"

#include <algorithm>
#include <limits>

namespace marchland::engine {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();

Rect on_int32_plane(const Rect& bounds) {
    return {std::max(bounds.min_x, kMin), std::max(bounds.min_y, kMin),
            std::min(bounds.max_x, kMax), std::min(bounds.max_y, kMax)};
}

bool is_same_place(Position a, Position b) {
    return a.x == b.x && a.y == b.y;
}

}  // namespace

SlotPositions::SlotPositions(const Rect& bounds) : bounds_(on_int32_plane(bounds)) {
    MARCHLAND_ASSERT(bounds_.min_x <= bounds_.max_x && bounds_.min_y <= bounds_.max_y);
}

void SlotPositions::insert(Slot slot, Position at) {
    MARCHLAND_ASSERT(!contains(slot));
    MARCHLAND_ASSERT(bounds_.contains(at));
    const std::size_t number = to_number(slot);
    if (number >= entries_.size()) {
        entries_.resize(number + 1);
    }
    entries_[number] = {at, true};
    ++size_;
}

void SlotPositions::erase(Slot slot, Position at) {
    MARCHLAND_ASSERT(contains(slot));
    Entry& entry = entries_[to_number(slot)];
    MARCHLAND_ASSERT(is_same_place(entry.at, at));
    entry.is_here = false;
    --size_;
}

void SlotPositions::move(Slot slot, Position from, Position to) {
    MARCHLAND_ASSERT(contains(slot));
    MARCHLAND_ASSERT(bounds_.contains(to));
    Entry& entry = entries_[to_number(slot)];
    MARCHLAND_ASSERT(is_same_place(entry.at, from));
    entry.at = to;
}

}  // namespace marchland::engine
