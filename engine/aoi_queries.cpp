#include "engine/aoi.h"
#include "engine/view_bounds.h"

#include <algorithm>

namespace marchland::engine {

AoiStatus Aoi::query(const Circle& area, std::vector<EntityId>& out, LayerMask layers) const {
    out.clear();
    if (area.radius_mm < 0) {
        return {.error = AoiError::bad_area, .detail = "has a radius below 0"};
    }
    found_.clear();
    interest_.index().query(square_around(area.center, area.radius_mm), found_);
    std::erase_if(found_, [&](Slot slot) {
        return !is_within(area.center, interest_.entities().at(slot).position, area.radius_mm,
                          interest_.dimensions());
    });
    keep_found_in_order(layers, out);
    return {};
}

AoiStatus Aoi::query(const Rect& area, std::vector<EntityId>& out, LayerMask layers) const {
    out.clear();
    if (area.min_x > area.max_x || area.min_y > area.max_y) {
        return {.error = AoiError::bad_area, .detail = "has a min above its max"};
    }
    found_.clear();
    interest_.index().query(area, found_);
    keep_found_in_order(layers, out);
    return {};
}

AoiStatus Aoi::query(const Look& look, std::vector<EntityId>& out, LayerMask layers) const {
    out.clear();
    if (const char* const flaw = flaw_of(look.view, interest_.dimensions())) {
        return {.error = AoiError::bad_area, .detail = flaw};
    }
    Entity onlooker;
    onlooker.position = look.from;
    onlooker.view = look.view;
    onlooker.facing = look.facing;
    const ViewBounds view_bounds(onlooker, interest_.dimensions());
    if (view_bounds.is_blind()) {
        return {};
    }
    found_.clear();
    interest_.index().query(view_bounds.enter_bounds(), found_);
    std::erase_if(found_, [&](Slot slot) {
        return !view_bounds.begins_at(interest_.entities().at(slot).position);
    });
    keep_found_in_order(layers, out);
    return {};
}

void Aoi::nearest(Position from, std::size_t count, std::vector<EntityId>& out,
                  LayerMask layers) const {
    nearest_.find(interest_.entities(), interest_.index(), interest_.dimensions(), from, count,
                  layers, out);
}

void Aoi::keep_found_in_order(LayerMask layers, std::vector<EntityId>& out) const {
    for (const Slot slot : found_) {
        const Entity& entity = interest_.entities().at(slot);
        if ((entity.layers & layers) != kNoLayers) {
            out.push_back(entity.id);
        }
    }
    std::sort(out.begin(), out.end());
}

}  // namespace marchland::engine
