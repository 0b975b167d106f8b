#include "net/notice_board.h"

#include "engine/assert.h"

#include <utility>

namespace marchland::net {

void NoticeBoard::add(engine::EntityId entity, Player player) {
    const std::lock_guard lock(mutex_);
    const bool is_new = players_.emplace(entity, std::move(player)).second;
    MARCHLAND_ASSERT(is_new);
    for (const auto& box : boxes_) {
        box->untold_.emplace(entity, true);
        post(box);
    }
}

void NoticeBoard::remove(engine::EntityId entity) {
    const std::lock_guard lock(mutex_);
    if (players_.erase(entity) == 0) {
        return;
    }
    for (const auto& box : boxes_) {
        if (box->untold_.erase(entity) != 0) {
            continue;  // its coming was not told either
        }
        box->untold_.emplace(entity, false);
        post(box);
    }
}

std::shared_ptr<NoticeBox> NoticeBoard::open_box(Mailbox& mailbox, Connection& connection,
                                                 std::size_t boxes_max) {
    std::shared_ptr<NoticeBox> box(new NoticeBox(mailbox, connection));
    const std::lock_guard lock(mutex_);
    if (boxes_.size() >= boxes_max) {
        return nullptr;
    }
    for (const auto& [entity, player] : players_) {
        box->untold_.emplace_hint(box->untold_.end(), entity, true);
    }
    if (!box->untold_.empty()) {
        post(box);
    }
    boxes_.push_back(box);
    return box;
}

void NoticeBoard::close_box(NoticeBox& box) {
    box.connection_ = nullptr;
    const std::lock_guard lock(mutex_);
    std::erase_if(boxes_, [&](const auto& other) { return other.get() == &box; });
}

std::optional<NoticeBoard::Notice> NoticeBoard::take(NoticeBox& box) {
    const std::lock_guard lock(mutex_);
    if (box.untold_.empty()) {
        box.is_posted_ = false;
        return std::nullopt;
    }
    const auto [entity, is_here] = *box.untold_.begin();
    box.untold_.erase(box.untold_.begin());
    return Notice{entity, is_here ? std::optional(players_.at(entity)) : std::nullopt};
}

/// Also who comes and goes, over and over, before the mail is read, makes one piece of mail.
void NoticeBoard::post(const std::shared_ptr<NoticeBox>& box) {
    if (!std::exchange(box->is_posted_, true)) {
        box->mailbox_.post_notices(box);
    }
}

}  // namespace marchland::net
