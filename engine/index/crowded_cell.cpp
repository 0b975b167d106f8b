#include "engine/index/crowded_cell.h"

#include <utility>

namespace marchland::engine {

void CrowdedCell::add(Slot slot, Position at) {
    by_x_.insert(slot, at.x, at.y);
    by_y_.insert(slot, at.y, at.x);
}

void CrowdedCell::load(std::span<const Placed> entities) {
    std::vector<AxisOrder::Entry> entries;
    entries.reserve(entities.size());
    for (const Placed& entity : entities) {
        entries.push_back({entity.slot, entity.at.x, entity.at.y});
    }
    by_x_.load(entries);
    for (AxisOrder::Entry& entry : entries) {
        std::swap(entry.at, entry.other);
    }
    by_y_.load(entries);
}

void CrowdedCell::remove(Slot slot, Position at) {
    by_x_.erase(slot, at.x);
    by_y_.erase(slot, at.y);
}

void CrowdedCell::move(Slot slot, Position from, Position to) {
    by_x_.move(slot, from.x, to.x, to.y);
    by_y_.move(slot, from.y, to.y, to.x);
}

void CrowdedCell::clear() {
    by_x_.clear();
    by_y_.clear();
}

void CrowdedCell::append_all(std::vector<Slot>& out) const {
    for_each([&out](Slot slot, Position) { out.push_back(slot); });
}

void CrowdedCell::append_inside(const MapArea& area, std::vector<Slot>& out) const {
    const AxisOrder::Span in_x = by_x_.span(area.min_x, area.max_x);
    const AxisOrder::Span in_y = by_y_.span(area.min_y, area.max_y);
    if (in_x.size <= in_y.size) {
        by_x_.append_inside(in_x, area.min_y, area.max_y, out);
    } else {
        by_y_.append_inside(in_y, area.min_x, area.max_x, out);
    }
}

}  // namespace marchland::engine
