#include "net/player_notices.h"

#include "engine/assert.h"

#include <utility>

namespace marchland::net {

void PlayerNotices::add(engine::EntityId entity, Player player) {
    const std::lock_guard lock(mutex_);
    const bool is_new = players_.emplace(entity, std::move(player)).second;
    MARCHLAND_ASSERT(is_new);
    for (const auto& box : boxes_) {
        box->unsent_.emplace(entity, true);
        post(box);
    }
}

void PlayerNotices::remove(engine::EntityId entity) {
    const std::lock_guard lock(mutex_);
    if (players_.erase(entity) == 0) {
        return;
    }
    for (const auto& box : boxes_) {
        if (box->unsent_.erase(entity) != 0) {
            continue;  // its coming was not told either
        }
        box->unsent_.emplace(entity, false);
        post(box);
    }
}

std::shared_ptr<NoticeQueue> PlayerNotices::open_box(Mailbox& mailbox, Connection& connection,
                                                     std::size_t boxes_max) {
    std::shared_ptr<NoticeQueue> box(new NoticeQueue(mailbox, connection));
    const std::lock_guard lock(mutex_);
    if (boxes_.size() >= boxes_max) {
        return nullptr;
    }
    for (const auto& [entity, player] : players_) {
        box->unsent_.emplace_hint(box->unsent_.end(), entity, true);
    }
    if (!box->unsent_.empty()) {
        post(box);
    }
    boxes_.push_back(box);
    return box;
}

void PlayerNotices::close_box(NoticeQueue& box) {
    box.connection_ = nullptr;
    const std::lock_guard lock(mutex_);
    std::erase_if(boxes_, [&](const auto& other) { return other.get() == &box; });
}

std::optional<PlayerNotices::Notice> PlayerNotices::take(NoticeQueue& box) {
    const std::lock_guard lock(mutex_);
    if (box.unsent_.empty()) {
        box.is_posted_ = false;
        return std::nullopt;
    }
    const auto [entity, is_here] = *box.unsent_.begin();
    box.unsent_.erase(box.unsent_.begin());
    return Notice{entity, is_here ? std::optional(players_.at(entity)) : std::nullopt};
}

/// Also who comes and goes, over and over, before the mail is read, makes one piece of mail.
void PlayerNotices::post(const std::shared_ptr<NoticeQueue>& box) {
    if (!std::exchange(box->is_posted_, true)) {
        box->mailbox_.post_notices(box);
    }
}

}  // namespace marchland::net
