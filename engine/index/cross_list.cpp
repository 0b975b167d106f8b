#include "engine/index/cross_list.h"

#include "engine/assert.h"

#include <limits>
#include <optional>
#include <utility>

namespace marchland::engine {
namespace {

std::int32_t coordinate_of(Position at, std::size_t axis) {
    return axis == 0 ? at.x : axis == 1 ? at.y : at.z;
}

/// All of the map above and below an area.
Box column_over(const Rect& area) {
    return {area, std::numeric_limits<std::int32_t>::min(),
            std::numeric_limits<std::int32_t>::max()};
}

}  // namespace

CrossList::CrossList(const IndexOptions& options)
    : PositionedIndex(options.bounds),
      axis_count_(options.dimensions == Dimensions::three ? 3 : 2) {}

void CrossList::put(Slot slot, Position at) {
    for (std::size_t axis = 0; axis < axis_count_; ++axis) {
        orders_[axis].insert(slot, coordinate_of(at, axis), 0);
    }
}

void CrossList::take(Slot slot, Position at) {
    for (std::size_t axis = 0; axis < axis_count_; ++axis) {
        orders_[axis].erase(slot, coordinate_of(at, axis));
    }
}

void CrossList::shift(Slot slot, Position from, Position to) {
    for (std::size_t axis = 0; axis < axis_count_; ++axis) {
        orders_[axis].move(slot, coordinate_of(from, axis), coordinate_of(to, axis), 0);
    }
}

void CrossList::query(const Rect& area, std::vector<Slot>& out) const {
    query_box(column_over(area), out);
}

void CrossList::query_box(const Box& box, std::vector<Slot>& out) const {
    const Box asked = axis_count_ == 2 ? column_over(box.plane) : box;
    const std::array<std::pair<std::int64_t, std::int64_t>, 3> ranges{
        {{asked.plane.min_x, asked.plane.max_x},
         {asked.plane.min_y, asked.plane.max_y},
         {asked.min_z, asked.max_z}}};
    std::size_t shortest = 0;
    std::optional<AxisOrder::Span> span;
    for (std::size_t axis = 0; axis < axis_count_; ++axis) {
        const auto [min, max] = ranges[axis];
        if (min > max) {
            return;
        }
        // Who stands on the edge of int32, beyond which the box may be, is looked at like any
        // other.
        const auto along = orders_[axis].span(clamped_to_int32(min), clamped_to_int32(max));
        if (!span || along.size < span->size) {
            shortest = axis;
            span = along;
        }
    }
    orders_[shortest].for_each_in(*span, [&](Slot slot, std::int32_t) {
        if (asked.contains(position_of(slot))) {
            out.push_back(slot);
        }
    });
}

void CrossList::query_around(Slot slot, HalfExtents half, std::vector<Slot>& out) const {
    MARCHLAND_ASSERT(half.x >= 0 && half.y >= 0 && half.z >= 0);
    const Position at = position_of(slot);
    query_box(
        {rect_around(at, half.x, half.y), std::int64_t{at.z} - half.z, std::int64_t{at.z} + half.z},
        out);
}

std::string CrossList::print(Axis axis, const std::function<std::string(Slot)>& name_of) const {
    const auto number = static_cast<std::size_t>(axis);
    MARCHLAND_ASSERT(number < axis_count_);
    std::string text;
    orders_[number].for_each([&](Slot slot, std::int32_t, std::int32_t) {
        const Position at = position_of(slot);
        text += text.empty() ? "" : " -> ";
        text += name_of(slot) + '(' + std::to_string(at.x) + ',' + std::to_string(at.y);
        text += axis_count_ == 3 ? ',' + std::to_string(at.z) + ')' : ")";
    });
    return text;
}

}  // namespace marchland::engine
