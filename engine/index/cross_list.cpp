#include "engine/index/cross_list.h"

#include "engine/assert.h"
#include "engine/index/outward_walk.h"

#include <algorithm>
#include <limits>

namespace marchland::engine {
namespace {

std::int32_t coordinate_of(Position at, std::size_t axis) {
    return axis == 0 ? at.x : axis == 1 ? at.y : at.z;
}

std::int64_t min_of(const Box& box, std::size_t axis) {
    return axis == 0 ? box.plane.min_x : axis == 1 ? box.plane.min_y : box.min_z;
}

std::int64_t max_of(const Box& box, std::size_t axis) {
    return axis == 0 ? box.plane.max_x : axis == 1 ? box.plane.max_y : box.max_z;
}

/// All of the map above and below an area.
Box column_over(const Rect& area) {
    return {area, std::numeric_limits<std::int32_t>::min(),
            std::numeric_limits<std::int32_t>::max()};
}

Box box_around(Position center, HalfExtents half) {
    return {{std::int64_t{center.x} - half.x, std::int64_t{center.y} - half.y,
             std::int64_t{center.x} + half.x, std::int64_t{center.y} + half.y},
            std::int64_t{center.z} - half.z,
            std::int64_t{center.z} + half.z};
}

/// Steps all walks in turn until one is over; appends what it passed and is in the box.
void append_shortest(std::span<OutwardWalk> walks, const Box& box, const SlotPositions& positions,
                     std::vector<Slot>& out) {
    for (std::size_t turn = 0;; turn = (turn + 1) % walks.size()) {
        if (walks[turn].step()) {
            continue;
        }
        walks[turn].for_each_passed([&](Slot slot) {
            if (box.contains(positions.at(slot))) {
                out.push_back(slot);
            }
        });
        return;
    }
}

}  // namespace

CrossList::CrossList(const Rect& bounds, Dimensions dimensions)
    : positions_(bounds), axis_count_(dimensions == Dimensions::three ? 3 : 2) {}

void CrossList::insert(Slot slot, Position at) {
    positions_.insert(slot, at);
    for (std::size_t axis = 0; axis < axis_count_; ++axis) {
        lists_[axis].insert(slot, coordinate_of(at, axis));
    }
}

void CrossList::erase(Slot slot, Position at) {
    positions_.erase(slot, at);
    for (std::size_t axis = 0; axis < axis_count_; ++axis) {
        lists_[axis].erase(slot);
    }
}

void CrossList::move(Slot slot, Position from, Position to) {
    positions_.move(slot, from, to);
    for (std::size_t axis = 0; axis < axis_count_; ++axis) {
        lists_[axis].move(slot, coordinate_of(to, axis));
    }
}

/// Sorts, then merges: one by one would cost a search each.
void CrossList::load(std::span<const Placed> entities) {
    for (const Placed& entity : entities) {
        positions_.insert(entity.slot, entity.at);
    }
    std::vector<AxisList::Entry> entries(entities.size());
    for (std::size_t axis = 0; axis < axis_count_; ++axis) {
        std::transform(entities.begin(), entities.end(), entries.begin(),
                       [axis](const Placed& entity) {
                           return AxisList::Entry{coordinate_of(entity.at, axis), entity.slot};
                       });
        std::sort(entries.begin(), entries.end());
        lists_[axis].merge(entries);
    }
}

void CrossList::query(const Rect& area, std::vector<Slot>& out) const {
    std::array<OutwardWalk, 2> walks{OutwardWalk::from_min(lists_[0], area.min_x, area.max_x),
                                     OutwardWalk::from_min(lists_[1], area.min_y, area.max_y)};
    append_shortest(walks, column_over(area), positions_, out);
}

void CrossList::query_box(const Box& box, std::vector<Slot>& out) const {
    if (axis_count_ == 2) {
        query(box.plane, out);
        return;
    }
    std::array<OutwardWalk, 3> walks{
        OutwardWalk::from_min(lists_[0], box.plane.min_x, box.plane.max_x),
        OutwardWalk::from_min(lists_[1], box.plane.min_y, box.plane.max_y),
        OutwardWalk::from_min(lists_[2], box.min_z, box.max_z)};
    append_shortest(walks, box, positions_, out);
}

void CrossList::query_around(Slot slot, HalfExtents half, std::vector<Slot>& out) const {
    MARCHLAND_ASSERT(half.x >= 0 && half.y >= 0 && half.z >= 0);
    const Box around = box_around(positions_.at(slot), half);
    const Box box = axis_count_ == 3 ? around : column_over(around.plane);
    const auto walk_along = [&](std::size_t axis) {
        return OutwardWalk::around(lists_[axis], min_of(box, axis), max_of(box, axis),
                                   lists_[axis].place_of(slot));
    };
    // In a flat zone the last of the three is not walked.
    std::array<OutwardWalk, 3> walks{walk_along(0), walk_along(1), walk_along(axis_count_ - 1)};
    append_shortest(std::span(walks).first(axis_count_), box, positions_, out);
}

void CrossList::append_in_order(Axis axis, std::vector<Slot>& out) const {
    const AxisList& list = list_of(axis);
    for (AxisList::Place at = list.next(AxisList::kEnd); at != AxisList::kEnd; at = list.next(at)) {
        out.push_back(AxisList::slot_at(at));
    }
}

std::string CrossList::print(Axis axis, const std::function<std::string(Slot)>& name_of) const {
    std::vector<Slot> slots;
    append_in_order(axis, slots);
    std::string text;
    for (const Slot slot : slots) {
        const Position at = positions_.at(slot);
        text += text.empty() ? "" : " -> ";
        text += name_of(slot) + '(' + std::to_string(at.x) + ',' + std::to_string(at.y);
        text += axis_count_ == 3 ? ',' + std::to_string(at.z) + ')' : ")";
    }
    return text;
}

const AxisList& CrossList::list_of(Axis axis) const {
    const auto number = static_cast<std::size_t>(axis);
    MARCHLAND_ASSERT(number < axis_count_);
    return lists_[number];
}

}  // namespace marchland::engine
