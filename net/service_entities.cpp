#include "net/service_entities.h"

#include "engine/assert.h"

#include <algorithm>

namespace marchland::net {

ServiceEntities::Holder ServiceEntities::move_in() {
    const std::lock_guard lock(mutex_);
    for (auto& [entity, holding] : holdings_) {
        holding.sent.reset();
    }
    return Holder{++holder_};
}

std::optional<ServiceEntities::Access> ServiceEntities::enter(Holder holder) {
    std::unique_lock lock(mutex_);
    if (Holder{holder_} != holder) {
        return std::nullopt;
    }
    return Access(*this, std::move(lock));
}

void ServiceEntities::leave_all() {
    const std::lock_guard lock(mutex_);
    ++holder_;
    for (const auto& [entity, holding] : holdings_) {
        holding.port->dismiss();
    }
    holdings_.clear();
    watchers_ = 0;
}

ServiceEntities::Holding* ServiceEntities::Access::find(engine::EntityId entity) {
    const auto found = entities_->holdings_.find(entity);
    return found == entities_->holdings_.end() ? nullptr : &found->second;
}

void ServiceEntities::Access::add(engine::EntityId entity, Holding holding) {
    const auto [added, is_new] = entities_->holdings_.emplace(entity, std::move(holding));
    MARCHLAND_ASSERT(is_new);
    entities_->watchers_ += added->second.watches ? 1U : 0U;
}

void ServiceEntities::Access::erase(engine::EntityId entity) {
    if (const Holding* const holding = find(entity)) {
        entities_->watchers_ -= holding->watches ? 1U : 0U;
        entities_->holdings_.erase(entity);
    }
}

bool ServiceEntities::Access::take_deliveries(engine::Tick tick, std::size_t count) {
    if (std::exchange(entities_->deliveries_tick_, tick) != tick) {
        entities_->deliveries_ = 0;
    }
    const bool has_room = entities_->deliveries_ + count <= kServiceDeliveriesMax;
    entities_->deliveries_ += has_room ? count : 0;
    return has_room;
}

std::vector<SpawnedOne> ServiceEntities::Access::list() const {
    std::vector<SpawnedOne> all;
    for (const auto& [entity, holding] : entities_->holdings_) {
        all.push_back({entity, holding.ref});
    }
    std::ranges::sort(all, {}, &SpawnedOne::entity);
    return all;
}

}  // namespace marchland::net
