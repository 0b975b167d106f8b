#include "tests/shards/zone_by_hand.h"

#include <algorithm>
#include <variant>

namespace marchland::tests {

shards::ZoneOptions small_world() {
    shards::ZoneOptions options;
    options.world = {0, 0, 99, 99};
    options.leave_radius_mm_max = kLeaveRadiusMm;
    options.border_hysteresis_mm = kHysteresisMm;
    options.cell_mm = 10;
    options.slots = slots_of_all_audiences(5);
    return options;
}

shards::Layout small_layout(std::uint32_t columns, std::uint32_t rows) {
    return std::get<shards::Layout>(shards::Layout::grid(small_world().world, columns, rows));
}

engine::Entity entity_at(std::uint64_t id, engine::Position at) {
    engine::Entity entity;
    entity.id = static_cast<engine::EntityId>(id);
    entity.position = at;
    entity.view = engine::View::circle(kLeaveRadiusMm - 2, kLeaveRadiusMm);
    return entity;
}

std::shared_ptr<RecordingPort> ZoneByHand::add(std::uint64_t id, engine::Position at) {
    return add(entity_at(id, at));
}

std::shared_ptr<RecordingPort> ZoneByHand::add(const engine::Entity& entity, bool takes_frames) {
    auto port = std::make_shared<RecordingPort>();
    return zone_.join({entity, port, takes_frames}) ? port : nullptr;
}

engine::Tick ZoneByHand::step_to(RecordingPort& port, engine::Position to) {
    port.next.move = to;
    return step();
}

std::vector<shards::ShardId> ZoneByHand::owners_of(std::uint64_t id) {
    std::vector<shards::ShardId> owners;
    for (const shards::ShardId shard : zone_.running_shards()) {
        const std::vector<engine::EntityId> owned = zone_.shard(shard).owned_ids();
        if (std::ranges::count(owned, static_cast<engine::EntityId>(id)) > 0) {
            owners.push_back(shard);
        }
    }
    return owners;
}

std::vector<engine::Leave> leaves(std::vector<std::pair<std::uint64_t, engine::LeaveReason>> all) {
    std::vector<engine::Leave> list;
    for (const auto& [id, reason] : all) {
        list.push_back({static_cast<engine::EntityId>(id), reason});
    }
    return list;
}

std::vector<std::uint64_t> entered_ids(const SentFrame& frame) {
    std::vector<std::uint64_t> ids;
    for (const SentEnter& enter : frame.enters) {
        ids.push_back(to_number(enter.id));
    }
    return ids;
}

std::vector<std::uint64_t> moved_ids(const SentFrame& frame) {
    std::vector<std::uint64_t> ids;
    for (const SentMove& move : frame.moves) {
        ids.push_back(to_number(move.id));
    }
    return ids;
}

}  // namespace marchland::tests
