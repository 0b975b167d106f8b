#include "net/service_estate.h"

#include "engine/assert.h"

#include <algorithm>

namespace marchland::net {

ServiceEstate::Tenant ServiceEstate::move_in() {
    const std::lock_guard lock(mutex_);
    for (auto& [entity, holding] : holdings_) {
        holding.told.reset();
    }
    return Tenant{++tenant_};
}

std::optional<ServiceEstate::Access> ServiceEstate::enter(Tenant tenant) {
    std::unique_lock lock(mutex_);
    if (Tenant{tenant_} != tenant) {
        return std::nullopt;
    }
    return Access(*this, std::move(lock));
}

void ServiceEstate::leave_all() {
    const std::lock_guard lock(mutex_);
    ++tenant_;
    for (const auto& [entity, holding] : holdings_) {
        holding.port->dismiss();
    }
    holdings_.clear();
    watchers_ = 0;
}

ServiceEstate::Holding* ServiceEstate::Access::find(engine::EntityId entity) {
    const auto found = estate_->holdings_.find(entity);
    return found == estate_->holdings_.end() ? nullptr : &found->second;
}

void ServiceEstate::Access::add(engine::EntityId entity, Holding holding) {
    estate_->watchers_ += holding.watches ? 1U : 0U;
    const bool is_new = estate_->holdings_.emplace(entity, std::move(holding)).second;
    MARCHLAND_ASSERT(is_new);
}

void ServiceEstate::Access::erase(engine::EntityId entity) {
    if (const Holding* const holding = find(entity)) {
        estate_->watchers_ -= holding->watches ? 1U : 0U;
        estate_->holdings_.erase(entity);
    }
}

bool ServiceEstate::Access::take_namings(engine::Tick tick, std::size_t count) {
    if (estate_->naming_tick_ != tick) {
        estate_->naming_tick_ = tick;
        estate_->namings_ = 0;
    }
    if (estate_->namings_ + count > kServiceNamingsMax) {
        return false;
    }
    estate_->namings_ += count;
    return true;
}

std::vector<SpawnedOne> ServiceEstate::Access::list() const {
    std::vector<SpawnedOne> all;
    for (const auto& [entity, holding] : estate_->holdings_) {
        all.push_back({entity, holding.ref});
    }
    std::ranges::sort(all, {}, &SpawnedOne::entity);
    return all;
}

std::vector<engine::EntityId> ServiceEstate::Access::list_watchers() const {
    std::vector<engine::EntityId> watchers;
    for (const auto& [entity, holding] : estate_->holdings_) {
        if (holding.watches) {
            watchers.push_back(entity);
        }
    }
    std::ranges::sort(watchers);
    return watchers;
}

}  // namespace marchland::net
