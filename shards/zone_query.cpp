#include "shards/zone_query.h"

#include "engine/view_bounds.h"
#include "shards/shard.h"

#include <algorithm>
#include <utility>

namespace marchland::shards {

void ZoneQuery::ask(const ZoneQuestion& question, const std::function<Roll()>& call) {
    const std::lock_guard lock(mutex_);
    Roll roll = call();
    question_ = question;
    missing_ = std::move(roll.shards);
    answers_.clear();
    from_.store(roll.from, std::memory_order_relaxed);
}

std::optional<std::vector<ShardAnswer>> ZoneQuery::take() {
    const std::lock_guard lock(mutex_);
    return missing_.empty() ? std::optional(forget()) : std::nullopt;
}

std::optional<std::vector<ShardAnswer>> ZoneQuery::wait(std::chrono::milliseconds wait_max) {
    std::unique_lock lock(mutex_);
    const bool is_whole = is_whole_.wait_for(lock, wait_max, [this] { return missing_.empty(); });
    std::vector<ShardAnswer> answers = forget();
    return is_whole ? std::optional(std::move(answers)) : std::nullopt;
}

std::vector<ShardAnswer> ZoneQuery::forget() {
    from_.store(kNobodyAsks, std::memory_order_relaxed);
    missing_.clear();
    return std::exchange(answers_, {});
}

std::optional<ZoneQuestion> ZoneQuery::question_to(ShardId shard) {
    const std::lock_guard lock(mutex_);
    const bool is_missing = std::ranges::find(missing_, shard) != missing_.end();
    return is_missing ? std::optional(question_) : std::nullopt;
}

void ZoneQuery::put_down(ShardAnswer answer) {
    const std::lock_guard lock(mutex_);
    if (std::erase(missing_, answer.shard) == 0) {
        return;
    }
    answers_.push_back(std::move(answer));
    if (missing_.empty()) {
        from_.store(kNobodyAsks, std::memory_order_relaxed);
        is_whole_.notify_one();
    }
}

std::vector<Counted> all_of(const std::vector<ShardAnswer>& answers) {
    std::vector<Counted> all;
    for (const ShardAnswer& answer : answers) {
        all.insert(all.end(), answer.counted.begin(), answer.counted.end());
    }
    std::ranges::sort(all, {}, &Counted::id);
    return all;
}

// What a shard reports of itself, when it is asked.

/// One in so many slots, in the order in which they stand: so the next time they are, but for few,
/// the same.
void Shard::answer(ZoneQuery& zone_query, engine::Tick now) {
    const auto question = zone_query.question_to(id_);
    if (!question) {
        return;
    }
    ShardAnswer answer{id_, now};
    const std::size_t end = question->stride == ZoneQuestion::kNobody ? 0 : own_.size();
    for (std::size_t i = 0; i < end; i += question->stride) {
        const engine::Entity& entity = interest_.entities().at(own_.slots()[i]);
        answer.counted.push_back({entity.id, entity.position});
    }
    if (question->wants_recent) {
        answer.crossings = crossings_.take();
        answer.ticks_us = ticks_us_.take();
    }
    for (const engine::EntityId entity : question->entities) {
        const auto slot = interest_.entities().find(entity);
        if (slot && own_.contains(*slot)) {
            answer.entities.push_back(report_of(*slot));
        }
    }
    zone_query.put_down(std::move(answer));
}

EntityReport Shard::report_of(engine::Slot slot) {
    const engine::Entity& watcher = interest_.entities().at(slot);
    const OwnRecord& record = own_.at(slot);
    EntityReport report{watcher, record.takes_frames, record.unframed_ticks};
    record.ghosts.for_each([&](ShardId holder) { report.ghosts.push_back(holder); });
    if (interest_.is_watched(slot)) {
        report.known = interest_.known_to(slot);
        report.known_count = report.known.size();
        report.known.resize(std::min(report.known.size(), EntityReport::kInViewMax));
    }
    const engine::ViewBounds view_bounds(watcher, interest_.dimensions());
    if (view_bounds.is_blind()) {
        return report;
    }
    std::vector<engine::Slot> near;
    interest_.index().query(view_bounds.enter_bounds(), near);
    interest_.notify_sources().visit_near(
        watcher.position, [&](engine::Slot notify_source) { near.push_back(notify_source); });
    for (const engine::Slot other : near) {
        const engine::Entity& entity = interest_.entities().at(other);
        if (other != slot && engine::shares_layer(watcher, entity) &&
            (view_bounds.begins_at(entity.position) ||
             (engine::is_notify_source(entity.notify) &&
              engine::is_within(watcher.position, entity.position, entity.notify.radius_mm,
                                interest_.dimensions())))) {
            report.in_view.push_back(entity.id);
        }
    }
    std::ranges::sort(report.in_view);
    report.in_view.erase(std::unique(report.in_view.begin(), report.in_view.end()),
                         report.in_view.end());
    report.in_view_count = report.in_view.size();
    report.in_view.resize(std::min(report.in_view.size(), EntityReport::kInViewMax));
    return report;
}

}  // namespace marchland::shards
