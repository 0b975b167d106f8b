#include "net/directory.h"

#include "engine/assert.h"

namespace marchland::net {

void CellPort::leave_directory() {
    if (directory_ != nullptr) {
        directory_->remove(entity_);
    }
}

void Directory::attach(CellPort& port, engine::EntityId entity) {
    port.directory_ = this;
    port.entity_ = entity;
}

void Directory::add(Bucket& bucket, engine::EntityId entity, Listing listing,
                    std::optional<NoticeBoard::Player> player) {
    if (listing.owner != kPlayers) {
        service_entities_.fetch_add(1, std::memory_order_relaxed);
    }
    const bool is_new = bucket.listings.emplace(entity, std::move(listing)).second;
    MARCHLAND_ASSERT(is_new);
    if (player) {
        board_.add(entity, *std::move(player));
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
        board_.remove(entity);
    } else {
        service_entities_.fetch_sub(1, std::memory_order_relaxed);
    }
    bucket.listings.erase(found);
}

}  // namespace marchland::net
