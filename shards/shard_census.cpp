// What a shard tells operators of itself, when it is asked: census.h.

#include "engine/outlook.h"
#include "engine/visibility.h"
#include "shards/shard.h"

#include <algorithm>

namespace marchland::shards {

/// Every so manieth slot, in the order in which they stand: so the next time they are, but for few, the same.
void Shard::answer(Census& census, engine::Tick now) {
    const auto question = census.question_to(id_);
    if (!question) {
        return;
    }
    ShardCount answer{id_, now};
    const std::size_t end = question->stride == CensusQuestion::kNobody ? 0 : own_.size();
    for (std::size_t i = 0; i < end; i += question->stride) {
        const engine::Entity& entity = space_.entities().at(own_.slots()[i]);
        answer.counted.push_back({entity.id, entity.position});
    }
    if (question->wants_news) {
        answer.crossings = crossings_.take();
        answer.ticks_us = ticks_us_.take();
    }
    if (question->entity) {
        const auto slot = space_.entities().find(*question->entity);
        if (slot && own_.owns(*slot)) {
            answer.entity = report_of(*slot);
        }
    }
    census.put_down(std::move(answer));
}

EntityReport Shard::report_of(engine::Slot slot) {
    const engine::Entity& watcher = space_.entities().at(slot);
    const OwnRecord& record = own_.at(slot);
    EntityReport report{watcher, record.takes_frames, record.refused_ticks};
    record.ghosts.for_each([&](ShardId holder) { report.ghosts.push_back(holder); });
    const engine::Outlook outlook(watcher, space_.dimensions());
    if (outlook.is_blind()) {
        return report;
    }
    std::vector<engine::Slot> near;
    space_.index().query(outlook.enter_bounds(), near);
    space_.beacons().visit_near(watcher.position,
                                [&](engine::Slot beacon) { near.push_back(beacon); });
    for (const engine::Slot other : near) {
        const engine::Entity& entity = space_.entities().at(other);
        if (other != slot && engine::shares_layer(watcher, entity) &&
            (outlook.begins_at(entity.position) ||
             (engine::is_beacon(entity.notify) &&
              engine::is_within(watcher.position, entity.position, entity.notify.radius_mm,
                                space_.dimensions())))) {
            report.in_view.push_back(entity.id);
        }
    }
    std::ranges::sort(report.in_view);
    const auto again = std::ranges::unique(report.in_view);
    report.in_view.erase(again.begin(), again.end());
    report.in_view_count = report.in_view.size();
    report.in_view.resize(std::min(report.in_view.size(), EntityReport::kInViewMax));
    return report;
}

}  // namespace marchland::shards
