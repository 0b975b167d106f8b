#include "net/player_notices.h"

#include "engine/assert.h"

#include <utility>

namespace marchland::net {

void PlayerNotices::add(engine::EntityId entity, Player player) {
    const std::lock_guard lock(mutex_);
    const bool is_new = players_.emplace(entity, std::move(player)).second;
    MARCHLAND_ASSERT(is_new);
    for (const auto& box : boxes_) {
        box->unsent_.emplace(entity, NoticeQueue::Unsent{});
        post(box);
    }
}

void PlayerNotices::lose(engine::EntityId entity, std::uint32_t line, std::uint32_t grace_ms) {
    const std::lock_guard lock(mutex_);
    const auto found = players_.find(entity);
    if (found != players_.end() && found->second.line == line) {
        found->second.away_ms = grace_ms;
        note_presence(entity);
    }
}

std::uint32_t PlayerNotices::come_back(engine::EntityId entity, std::string claims) {
    const std::lock_guard lock(mutex_);
    const auto found = players_.find(entity);
    if (found == players_.end()) {
        return 0;
    }
    found->second.away_ms.reset();
    found->second.claims = std::move(claims);
    note_presence(entity);
    return ++found->second.line;
}

/// Who is not told of yet is told of with it.
void PlayerNotices::note_presence(engine::EntityId entity) {
    for (const auto& box : boxes_) {
        box->unsent_.emplace(entity, NoticeQueue::Unsent{NoticeQueue::News::presence, {}});
        post(box);
    }
}

void PlayerNotices::remove(engine::EntityId entity, PlayerLeftReason reason) {
    const std::lock_guard lock(mutex_);
    if (players_.erase(entity) == 0) {
        return;
    }
    for (const auto& box : boxes_) {
        const auto unsent = box->unsent_.find(entity);
        if (unsent != box->unsent_.end() && unsent->second.news == NoticeQueue::News::came) {
            box->unsent_.erase(unsent);  // its coming was not told either
            continue;
        }
        box->unsent_.insert_or_assign(entity, NoticeQueue::Unsent{NoticeQueue::News::gone, reason});
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
        box->unsent_.emplace_hint(box->unsent_.end(), entity, NoticeQueue::Unsent{});
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
    const auto first = box.unsent_.begin();
    const auto [entity, unsent] = *first;
    if (unsent.news == NoticeQueue::News::gone) {
        box.unsent_.erase(first);
        return PlayerLeft{entity, unsent.reason};
    }
    const Player& player = players_.at(entity);
    if (unsent.news == NoticeQueue::News::came) {
        if (player.away_ms) {
            first->second.news = NoticeQueue::News::presence;
        } else {
            box.unsent_.erase(first);
        }
        return PlayerJoined{entity,          player.kind,
                            player.position, player.blob ? *player.blob : std::vector<std::byte>{},
                            player.subject,  player.claims};
    }
    box.unsent_.erase(first);
    return player.away_ms ? Notice(PlayerAway{entity, *player.away_ms})
                          : Notice(PlayerBack{entity, player.claims});
}

/// Also who comes and goes, over and over, before the mail is read, makes one piece of mail.
void PlayerNotices::post(const std::shared_ptr<NoticeQueue>& box) {
    if (!std::exchange(box->is_posted_, true)) {
        box->mailbox_.post_notices(box);
    }
}

}  // namespace marchland::net
