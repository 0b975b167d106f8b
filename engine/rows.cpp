#include "engine/rows.h"

namespace marchland::engine {

void Rows::begin_tick() {
    for (const Slot slot : changed_) {
        Row& row = rows_[to_number(slot)];
        row.x_before = row.x;
        row.y_before = row.y;
        row.layers_if_moved = kNoLayers;
        row.is_unsettled &= kIsBeacon;
        row.is_changed = 0;
        if (has_heights_) {
            Height& height = heights_[to_number(slot)];
            height.z_before = height.z;
        }
    }
    changed_.clear();
}

void Rows::insert(Slot slot, const Entity& entity) {
    if (rows_.size() <= to_number(slot)) {
        rows_.resize(to_number(slot) + 1);
    }
    Row& row = rows_[to_number(slot)];
    row.x = row.x_before = entity.position.x;
    row.y = row.y_before = entity.position.y;
    row.layers = entity.layers;
    row.layers_if_moved = kNoLayers;
    if (has_heights_) {
        heights_.resize(rows_.size());
        heights_[to_number(slot)] = {entity.position.z, entity.position.z};
    }
    set_beacon(slot, is_beacon(entity.notify));
}

void Rows::set_beacon(Slot slot, bool is_beacon) {
    Row& row = rows_[to_number(slot)];
    row.is_unsettled = is_beacon ? row.is_unsettled | kIsBeacon : row.is_unsettled & ~kIsBeacon;
    settle_later(slot);
}

void Rows::set_layers(Slot slot, LayerMask layers) {
    Row& row = rows_[to_number(slot)];
    if (row.layers != layers) {
        row.layers = layers;
        settle_later(slot);
    }
}

void Rows::settle_later(Slot slot, std::uint32_t why) {
    Row& row = rows_[to_number(slot)];
    row.is_unsettled |= why;
    note(row, slot);
}

}  // namespace marchland::engine
