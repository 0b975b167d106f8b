#include "engine/aoi.h"
#include "engine/outlook.h"

#include <algorithm>

namespace marchland::engine {

AoiStatus Aoi::query(const Circle& area, std::vector<EntityId>& out, LayerMask layers) const {
    out.clear();
    if (area.radius_mm < 0) {
        return {.error = AoiError::bad_area, .detail = "has a radius below 0"};
    }
    found_.clear();
    space_.index().query(square_around(area.center, area.radius_mm), found_);
    std::erase_if(found_, [&](Slot slot) {
        return !is_within(area.center, space_.entities().at(slot).position, area.radius_mm,
                          space_.dimensions());
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
    space_.index().query(area, found_);
    keep_found_in_order(layers, out);
    return {};
}

AoiStatus Aoi::query(const Look& look, std::vector<EntityId>& out, LayerMask layers) const {
    out.clear();
    if (const char* const flaw = flaw_of(look.view, space_.dimensions())) {
        return {.error = AoiError::bad_area, .detail = flaw};
    }
    Entity onlooker;
    onlooker.position = look.from;
    onlooker.view = look.view;
    onlooker.facing = look.facing;
    const Outlook outlook(onlooker, space_.dimensions());
    if (outlook.is_blind()) {
        return {};
    }
    found_.clear();
    space_.index().query(outlook.enter_bounds(), found_);
    std::erase_if(
        found_, [&](Slot slot) { return !outlook.begins_at(space_.entities().at(slot).position); });
    keep_found_in_order(layers, out);
    return {};
}

void Aoi::nearest(Position from, std::size_t count, std::vector<EntityId>& out,
                  LayerMask layers) const {
    nearest_.find(space_.entities(), space_.index(), space_.dimensions(), from, count, layers, out);
}

void Aoi::keep_found_in_order(LayerMask layers, std::vector<EntityId>& out) const {
    for (const Slot slot : found_) {
        const Entity& entity = space_.entities().at(slot);
        if ((entity.layers & layers) != kNoLayers) {
            out.push_back(entity.id);
        }
    }
    std::sort(out.begin(), out.end());
}

}  // namespace marchland::engine
