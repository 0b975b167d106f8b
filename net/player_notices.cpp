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

/// Where a notice of it still waits, that one holds its presence, too.
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
        box->moves_.erase(entity);
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
                                                     std::size_t boxes_max, bool admits) {
    std::shared_ptr<NoticeQueue> box(new NoticeQueue(mailbox, connection));
    box->admits_ = admits;
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
    for (const auto& [request, player] : asked_) {
        if (player->asked == nullptr) {
            pass_on(player);
        }
    }
    return box;
}

void PlayerNotices::close_box(NoticeQueue& box) {
    box.connection_ = nullptr;
    const std::lock_guard lock(mutex_);
    std::erase_if(boxes_, [&](const auto& other) { return other.get() == &box; });
    look_who_wants_positions(kNobodyWants);
    for (const auto& [request, player] : asked_) {
        if (player->asked == &box) {
            pass_on(player);
        }
    }
}

/// Waiting players are as many as their connections.
void PlayerNotices::ask(const std::shared_ptr<AskedFor>& player) {
    const std::lock_guard lock(mutex_);
    player->asks.request = ++newest_request_;
    pass_on(player);
    asked_.emplace(newest_request_,
                   player);  // last: what throws before leaves nobody who is waited for
}

void PlayerNotices::pass_on(const std::shared_ptr<AskedFor>& player) {
    const auto box = std::ranges::find_if(boxes_, [](const auto& each) { return each->admits_; });
    player->asked = box == boxes_.end() ? nullptr : box->get();
    if (player->asked != nullptr) {
        player->asked->unasked_.push_back(player);
        post(*box);
    }
}

std::optional<AskedFor::Answer> PlayerNotices::answer_to(const AskedFor& player) {
    const std::lock_guard lock(mutex_);
    return player.answer;
}

void PlayerNotices::withdraw(const AskedFor& player) {
    const std::lock_guard lock(mutex_);
    if (asked_.erase(player.asks.request) != 0 && player.asked != nullptr) {
        std::erase_if(player.asked->unasked_,
                      [&](const auto& each) { return each.get() == &player; });
    }
}

bool PlayerNotices::answer(const NoticeQueue& box, std::uint64_t request, AskedFor::Answer answer) {
    const std::lock_guard lock(mutex_);
    const auto found = asked_.find(request);
    if (found == asked_.end() || found->second->asked != &box) {
        return false;
    }
    std::erase(found->second->asked->unasked_, found->second);
    found->second->answer = std::move(answer);
    found->second->mailbox.post_answered(found->second);
    asked_.erase(found);
    return true;
}

void PlayerNotices::subscribe(NoticeQueue& box, Subscribe subscribe, engine::Dimensions dimensions,
                              engine::Tick next_tick) {
    std::ranges::sort(subscribe.kinds);
    const std::lock_guard lock(mutex_);
    box.kinds_ = std::move(subscribe.kinds);
    box.wants_moves_ = subscribe.moves;
    if (!box.wants_moves_) {
        box.moves_.clear();
    }
    box.wants_positions_ = subscribe.positions;
    box.within_ = subscribe.within;
    box.dimensions_ = dimensions;
    box.telling_.reset();
    box.newest_.reset();
    box.ticks_lost_ = 0;
    look_who_wants_positions(next_tick);
}

void PlayerNotices::ask_move(const PlayerMove& move) {
    const std::lock_guard lock(mutex_);
    for (const auto& box : boxes_) {
        if (box->wants_moves_ && players_.contains(move.entity)) {
            PlayerMove& newest = box->moves_.try_emplace(move.entity, move).first->second;
            const auto facing = move.facing ? move.facing : newest.facing;
            newest = move;
            newest.facing = facing;
            post(box);
        }
    }
}

void PlayerNotices::look_who_wants_positions(engine::Tick next_tick) {
    const bool somebody =
        std::ranges::any_of(boxes_, [](const auto& box) { return box->wants_positions_; });
    if (!somebody) {
        positions_from_.store(kNobodyWants, std::memory_order_relaxed);
    } else if (positions_from_.load(std::memory_order_relaxed) == kNobodyWants) {
        positions_from_.store(next_tick, std::memory_order_relaxed);
    }
}

/// Some shards may have begun the first tick before they knew that it is wanted: it is sent whole, or not at all.
void PlayerNotices::place(const std::shared_ptr<const PlayersOfTick>& players) {
    const std::lock_guard lock(mutex_);
    const engine::Tick from = positions_from_.load(std::memory_order_relaxed);
    if (players->tick < from || (players->border_stale && players->tick == from)) {
        return;
    }
    for (const auto& box : boxes_) {
        if (box->wants_positions_) {
            box->ticks_lost_ += box->newest_ != nullptr ? 1U : 0U;
            box->newest_ = players;
            post(box);
        }
    }
}

/// The next part of a tick.
std::optional<Positions> PlayerNotices::take_positions(NoticeQueue& box) const {
    Positions part;
    if (box.telling_ == nullptr) {
        box.telling_ = std::exchange(box.newest_, nullptr);
        box.told_ = 0;
        part.ticks_lost = std::exchange(box.ticks_lost_, 0);
    }
    if (box.telling_ == nullptr) {
        return std::nullopt;
    }
    part.tick = box.telling_->tick;
    part.border_stale = box.telling_->border_stale;
    const std::vector<shards::Counted>& all = box.telling_->players;
    for (; box.told_ < all.size(); ++box.told_) {
        const shards::Counted& one = all[box.told_];
        if (box.within_ && !engine::is_within(box.within_->centre, one.position,
                                              box.within_->radius_mm, box.dimensions_)) {
            continue;
        }
        const bool is_far_above =
            !part.players.empty() &&
            to_number(one.id) - to_number(part.players.back().entity) > UINT32_MAX;
        if (part.players.size() == kServiceItemsMax || is_far_above) {
            part.has_more = true;
            return part;
        }
        part.players.push_back({one.id, one.position});
    }
    box.telling_.reset();
    return part;
}

void PlayerNotices::end() {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
}

bool PlayerNotices::say(engine::EntityId entity, engine::Tick tick, engine::Position at,
                        std::span<const engine::GameMessage> messages) {
    const std::lock_guard lock(mutex_);
    if (is_over_) {
        return false;
    }
    for (const auto& box : boxes_) {
        const std::uint64_t before = box->messages_in_;
        for (const engine::GameMessage& said : messages) {
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
    return true;
}

namespace {

/// With what it costs beside its payload.
std::size_t queued_bytes_of(const engine::GameMessage& said) {
    constexpr std::size_t kOverhead = 64;
    return kOverhead + (said.payload ? said.payload->size() : 0);
}

}  // namespace

void PlayerNotices::queue(NoticeQueue& box, NoticeQueue::Message message) const {
    box.message_bytes_ += queued_bytes_of(message.said);
    box.messages_.push_back(std::move(message));
    ++box.messages_in_;
    while (box.messages_.size() > messages_max_ || box.message_bytes_ > message_bytes_max_) {
        const engine::EntityId entity = box.messages_.front().entity;
        box.message_bytes_ -= queued_bytes_of(box.messages_.front().said);
        box.messages_.pop_front();
        ++box.messages_out_;
        ++box.lost_;
        // Who came and went is sent for its messages alone: not at all when none of them is left.
        const auto unsent = box.unsent_.find(entity);
        if (unsent != box.unsent_.end() && unsent->second.gone &&
            std::ranges::find(box.messages_, entity, &NoticeQueue::Message::entity) ==
                box.messages_.end()) {
            box.unsent_.erase(unsent);
            std::erase_if(box.gone_, [&](const auto& gone) { return gone.entity == entity; });
        }
    }
}

std::size_t PlayerNotices::player_count() {
    const std::lock_guard lock(mutex_);
    return players_.size();
}

std::optional<PlayerNotices::Notice> PlayerNotices::take(NoticeQueue& box) {
    const std::lock_guard lock(mutex_);
    if (!box.unasked_.empty()) {
        const auto player = std::move(box.unasked_.front());
        box.unasked_.pop_front();
        return player->asks;
    }
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
        box.message_bytes_ -= queued_bytes_of(message.said);
        ++box.messages_out_;
        return PlayerMessage{
            message.entity, message.said.kind, message.tick, message.at,
            message.said.payload ? *message.said.payload : std::vector<std::byte>{}};
    }
    if (!box.moves_.empty()) {
        return box.moves_.extract(box.moves_.begin()).mapped();
    }
    if (auto positions = take_positions(box)) {
        return *std::move(positions);
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
        return PlayerJoined{entity,
                            player.kind,
                            player.position,
                            engine::writes_of(player.state),
                            player.subject,
                            player.claims,
                            player.carried ? *player.carried : std::vector<std::byte>{}};
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
