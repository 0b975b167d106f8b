#include "tools/bench/aoi_contender.h"

#include "engine/assert.h"
#include "tools/bench/space_contender.h"

#include <utility>
#include <vector>

namespace marchland::bench {
namespace {

EventKind kind_of(const engine::AoiEvent& event) {
    switch (event.kind) {
        case engine::EventKind::enter:
            return EventKind::enter;
        case engine::EventKind::leave:
            return EventKind::leave;
        case engine::EventKind::state:
            MARCHLAND_ASSERT(false);  // no workload sets any
        case engine::EventKind::move:
            break;
    }
    return EventKind::move;
}

bool is_of(const engine::AoiEvent& event, const engine::AoiEvent& list) {
    return event.watcher == list.watcher && event.kind == list.kind;
}

engine::AoiEntity described(const engine::Entity& entity) {
    return {.id = entity.id,
            .position = entity.position,
            .view = entity.view,
            .facing = entity.facing,
            .notify = entity.notify,
            .layers = entity.layers,
            .layers_seen = entity.layers_seen};
}

}  // namespace

AoiContender::AoiContender(const Workload& workload, std::span<const engine::Position> at) {
    engine::AoiOptions options;
    options.index = index_options(workload);
    auto [aoi, made] = engine::Aoi::make(options);
    MARCHLAND_ASSERT(made);
    aoi_ = std::move(aoi);
    const std::vector<Senses> senses = senses_of(workload);
    std::vector<engine::AoiEntity> entities;
    for (std::uint32_t number = 0; number < at.size(); ++number) {
        entities.push_back(described(entity_at(number, at[number], senses[number])));
    }
    const engine::AoiStatus loaded = aoi_->load(entities);
    MARCHLAND_ASSERT(loaded);
    const engine::AoiStatus ticked = aoi_->tick();
    MARCHLAND_ASSERT(ticked);
}

EventTotals AoiContender::run_tick(std::span<const engine::Position> to) {
    EventTotals totals;
    for (std::uint32_t entity = 0; entity < to.size(); ++entity) {
        move(entity, to[entity]);
    }
    tick(totals);
    return totals;
}

EventTotals AoiContender::run_moves(std::span<const Move> moves) {
    EventTotals totals;
    for (const Move& one : moves) {
        move(one.entity, one.to);
        tick(totals);
    }
    return totals;
}

void AoiContender::move(std::uint32_t entity, engine::Position to) {
    const engine::AoiStatus moved = aoi_->move(static_cast<engine::EntityId>(entity), to);
    MARCHLAND_ASSERT(moved);
}

void AoiContender::tick(EventTotals& totals) {
    const engine::AoiStatus ticked = aoi_->tick();
    MARCHLAND_ASSERT(ticked);
    const std::span<const engine::AoiEvent> events = aoi_->events();
    for (std::size_t first = 0; first < events.size();) {
        const engine::AoiEvent& list = events[first];  // of one watcher and one kind
        std::uint64_t sum = 0;
        std::size_t last = first;
        for (; last < events.size() && is_of(events[last], list); ++last) {
            sum += engine::to_number(events[last].target);
        }
        totals.add(static_cast<std::uint32_t>(engine::to_number(list.watcher)), kind_of(list),
                   last - first, sum);
        first = last;
    }
}

}  // namespace marchland::bench
