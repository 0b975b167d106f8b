#include "tools/bench/space_contender.h"

#include "engine/assert.h"

#include <utility>

namespace marchland::bench {
namespace {

std::uint64_t sum_of(std::span<const engine::Slot> slots) {
    std::uint64_t sum = 0;
    for (const engine::Slot slot : slots) {
        sum += engine::to_number(slot);
    }
    return sum;
}

std::uint64_t sum_of(std::span<const engine::Leave> leaves) {
    std::uint64_t sum = 0;
    for (const engine::Leave& leave : leaves) {
        sum += engine::to_number(leave.id);
    }
    return sum;
}

void add(EventTotals& totals, const engine::Frame& frame) {
    const std::uint32_t watcher = engine::to_number(frame.watcher);
    totals.add(watcher, EventKind::enter, frame.enters.size(), sum_of(frame.enters));
    totals.add(watcher, EventKind::leave, frame.leaves.size(), sum_of(frame.leaves));
    totals.add(watcher, EventKind::move, frame.moves.size(), sum_of(frame.moves));
}

engine::View view_of(const Senses& senses) {
    switch (senses.view) {
        case View::rectangle:
            return engine::View::rectangle(senses.radius_mm, senses.half_y_mm,
                                           senses.leave_radius_mm, senses.leave_half_y_mm);
        case View::sector:
            return engine::View::sector(senses.radius_mm, senses.leave_radius_mm,
                                        senses.half_opening, senses.leave_half_opening);
        case View::circle:
            break;
    }
    return engine::View::circle(senses.radius_mm, senses.leave_radius_mm);
}

}  // namespace

engine::IndexOptions index_options(const Workload& workload) {
    engine::IndexOptions options;
    options.bounds = {0, 0, workload.side_mm, workload.side_mm};
    options.dimensions =
        workload.height_mm == 0 ? engine::Dimensions::two : engine::Dimensions::three;
    options.cell_mm = kRadiusMm;
    return options;
}

engine::Entity entity_at(std::uint32_t number, engine::Position at, const Senses& senses) {
    engine::Entity entity;
    entity.id = static_cast<engine::EntityId>(number);
    entity.birth = 1;
    entity.position = at;
    entity.previous = at;
    entity.view = view_of(senses);
    entity.facing = senses.facing;
    entity.notify = {senses.beacon_mm, senses.leave_beacon_mm};
    entity.layers = senses.layers;
    entity.layers_seen = senses.layers_seen;
    return entity;
}

SpaceContender::SpaceContender(std::string_view index_name, const Workload& workload,
                               std::span<const engine::Position> at)
    : name_(index_name),
      space_(engine::make_index(index_name, index_options(workload)),
             index_options(workload).dimensions),
      sink_([this](const engine::Frame& frame) { add(totals_, frame); }) {
    const std::vector<Senses> senses = senses_of(workload);
    std::vector<engine::Entity> entities;
    for (std::uint32_t number = 0; number < at.size(); ++number) {
        entities.push_back(entity_at(number, at[number], senses[number]));
    }
    space_.begin_tick(++now_);
    space_.load(entities);
    for (const engine::Entity& entity : entities) {
        const engine::Slot slot = space_.entities().find(entity.id).value();
        // The checksum takes a slot for its entity's number: a fresh store fills slots in order.
        MARCHLAND_ASSERT(engine::to_number(slot) == engine::to_number(entity.id));
        space_.watch(slot, {});
        everyone_.push_back(slot);
    }
    space_.build_frames(everyone_, true, sink_);
}

EventTotals SpaceContender::run_tick(std::span<const engine::Position> to) {
    totals_ = {};
    space_.begin_tick(++now_);
    for (const engine::Slot slot : everyone_) {
        space_.move(slot, to[engine::to_number(slot)]);
    }
    space_.build_frames(everyone_, true, sink_);
    return totals_;
}

EventTotals SpaceContender::run_moves(std::span<const Move> moves) {
    totals_ = {};
    for (const Move& move : moves) {
        space_.begin_tick(++now_);
        space_.move(everyone_[move.entity], move.to);
        space_.tell_all(sink_);
    }
    return totals_;
}

}  // namespace marchland::bench
