#include "net/directory.h"

#include "engine/assert.h"

namespace marchland::net {

void InputPort::leave_directory() {
    if (directory_ != nullptr) {
        directory_->remove(entity_);
    }
}

bool InputPort::tell_services(engine::Tick tick, engine::Position at,
                              std::span<const engine::GameMessage> messages) {
    return directory_ == nullptr || directory_->notices().say(entity_, tick, at, messages);
}

void InputPort::tell_services_move(PlayerMove move) {
    if (directory_ != nullptr) {
        move.entity = entity_;
        directory_->notices().ask_move(move);
    }
}

void Directory::attach(InputPort& port, engine::EntityId entity) {
    port.directory_ = this;
    port.entity_ = entity;
}

void Directory::list(Bucket& bucket, engine::EntityId entity, Listing listing) {
    const bool is_new = bucket.listings.emplace(entity, std::move(listing)).second;
    MARCHLAND_ASSERT(is_new);
}

bool Directory::claim(const std::string& subject, engine::EntityId entity) {
    const std::lock_guard lock(claims_mutex_);
    const auto [claim, is_new] = claims_.emplace(subject, entity);
    if (!is_new) {
        return false;
    }
    try {
        claimed_by_.emplace(entity, subject);
    } catch (...) {  // without it no claim is ever released
        claims_.erase(claim);
        throw;
    }
    return true;
}

bool Directory::is_claimed(const std::string& subject) const {
    const std::lock_guard lock(claims_mutex_);
    return claims_.contains(subject);
}

void Directory::release(engine::EntityId entity) {
    const std::lock_guard lock(claims_mutex_);
    const auto found = claimed_by_.find(entity);
    if (found != claimed_by_.end()) {
        claims_.erase(found->second);
        claimed_by_.erase(found);
    }
}

void Directory::remove(engine::EntityId entity) {
    Bucket& bucket = bucket_of(entity);
    const std::lock_guard lock(bucket.mutex);
    const auto found = bucket.listings.find(entity);
    if (found == bucket.listings.end()) {
        return;
    }
    if (found->second.owner == kPlayers) {
        // Before another login of the subject may come in.
        notices_.remove(entity, found->second.port->left_reason());
        release(entity);
    } else {
        service_entities_.fetch_sub(1, std::memory_order_relaxed);
    }
    bucket.listings.erase(found);
}

}  // namespace marchland::net
