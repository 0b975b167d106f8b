#include "net/player_notices.h"

#include "engine/assert.h"

#include <algorithm>
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
        box->unsent_.emplace(entity, NoticeQueue::Unsent{NoticeQueue::News::presence, false, {}});
        post(box);
    }
}

void PlayerNotices::remove(engine::EntityId entity, PlayerLeftReason reason) {
    const std::lock_guard lock(mutex_);
    const auto player = players_.find(entity);
    if (player == players_.end()) {
        return;
    }
    for (const auto& box : boxes_) {
        const auto unsent = box->unsent_.find(entity);
        const bool is_known =
            unsent == box->unsent_.end() || unsent->second.news != NoticeQueue::News::came;
        const bool is_told = is_known || unsent->second.has_said;
        if (!is_known && is_told) {
            unsent->second.gone = player->second;
        } else if (unsent != box->unsent_.end()) {
            box->unsent_.erase(unsent);
        }
        if (is_told) {
            box->gone_.push_back({entity, reason, box->messages_in_});
            post(box);
        }
    }
    players_.erase(player);
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

void PlayerNotices::subscribe(NoticeQueue& box, std::vector<std::uint16_t> kinds) {
    std::ranges::sort(kinds);
    const std::lock_guard lock(mutex_);
    box.kinds_ = std::move(kinds);
}

void PlayerNotices::say(engine::EntityId entity, engine::Tick tick, engine::Position at,
                        std::span<const Said> messages) {
    const std::lock_guard lock(mutex_);
    for (const auto& box : boxes_) {
        const std::uint64_t before = box->messages_in_;
        for (const Said& said : messages) {
            if (std::ranges::binary_search(box->kinds_, said.kind)) {
                queue(*box, {entity, tick, at, said});
            }
        }
        if (box->messages_in_ != before) {
            if (const auto unsent = box->unsent_.find(entity); unsent != box->unsent_.end()) {
                unsent->second.has_said = true;
            }
            post(box);
        }
    }
}

namespace {

/// With what it costs beside its payload.
std::size_t bytes_of(const Said& said) {
    constexpr std::size_t kOverhead = 64;
    return kOverhead + (said.payload ? said.payload->size() : 0);
}

}  // namespace

void PlayerNotices::queue(NoticeQueue& box, NoticeQueue::Message message) const {
    box.message_bytes_ += bytes_of(message.said);
    box.messages_.push_back(std::move(message));
    ++box.messages_in_;
    while (box.messages_.size() > messages_max_ || box.message_bytes_ > message_bytes_max_) {
        const engine::EntityId entity = box.messages_.front().entity;
        box.message_bytes_ -= bytes_of(box.messages_.front().said);
        box.messages_.pop_front();
        ++box.messages_out_;
        ++box.lost_;
        // Who is told of for what it said alone is not when none of that is left.
        const auto unsent = box.unsent_.find(entity);
        if (unsent != box.unsent_.end() && unsent->second.gone &&
            std::ranges::find(box.messages_, entity, &NoticeQueue::Message::entity) ==
                box.messages_.end()) {
            box.unsent_.erase(unsent);
            std::erase_if(box.gone_, [&](const auto& gone) { return gone.entity == entity; });
        }
    }
}

std::vector<engine::EntityId> PlayerNotices::players() {
    const std::lock_guard lock(mutex_);
    std::vector<engine::EntityId> all;
    all.reserve(players_.size());
    for (const auto& [entity, player] : players_) {
        all.push_back(entity);
    }
    return all;
}

std::optional<PlayerNotices::Notice> PlayerNotices::take(NoticeQueue& box) {
    const std::lock_guard lock(mutex_);
    if (!box.unsent_.empty()) {
        return take_news(box);
    }
    if (box.lost_ > 0) {
        return MessagesLost{std::exchange(box.lost_, 0)};
    }
    if (!box.gone_.empty() && box.gone_.front().after <= box.messages_out_) {
        const NoticeQueue::Gone gone = box.gone_.front();
        box.gone_.pop_front();
        return PlayerLeft{gone.entity, gone.reason};
    }
    if (!box.messages_.empty()) {
        const NoticeQueue::Message message = std::move(box.messages_.front());
        box.messages_.pop_front();
        box.message_bytes_ -= bytes_of(message.said);
        ++box.messages_out_;
        return PlayerMessage{
            message.entity, message.said.kind, message.tick, message.at,
            message.said.payload ? *message.said.payload : std::vector<std::byte>{}};
    }
    box.is_posted_ = false;
    return std::nullopt;
}

PlayerNotices::Notice PlayerNotices::take_news(NoticeQueue& box) {
    const auto first = box.unsent_.begin();
    const auto [entity, unsent] = *first;
    const Player& player = unsent.gone ? *unsent.gone : players_.at(entity);
    if (unsent.news == NoticeQueue::News::came && player.away_ms && !unsent.gone) {
        first->second.news = NoticeQueue::News::presence;
    } else {
        box.unsent_.erase(first);
    }
    if (unsent.news == NoticeQueue::News::came) {
        return PlayerJoined{entity,          player.kind,
                            player.position, player.blob ? *player.blob : std::vector<std::byte>{},
                            player.subject,  player.claims};
    }
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
