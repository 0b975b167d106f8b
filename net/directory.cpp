#include "net/directory.h"

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

bool Directory::claim(const std::string& subject) {
    const std::lock_guard lock(claims_mutex_);
    return claims_.insert(subject).second;
}

bool Directory::is_claimed(const std::string& subject) const {
    const std::lock_guard lock(claims_mutex_);
    return claims_.contains(subject);
}

void Directory::release(const std::string& subject) {
    const std::lock_guard lock(claims_mutex_);
    claims_.erase(subject);
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
        release(found->second.claimed);
    } else {
        service_entities_.fetch_sub(1, std::memory_order_relaxed);
    }
    bucket.listings.erase(found);
}

}  // namespace marchland::net
