#include "net/player_notices.h"

#include "engine/assert.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace marchland::net {

namespace {

/// With what it costs beside its payload.
std::size_t queued_bytes_of(const engine::GameMessage& said) {
    constexpr std::size_t kOverhead = 64;
    return kOverhead + (said.payload ? said.payload->size() : 0);
}

std::size_t queued_bytes_of(const NoticedPlayer& player) {
    const PlayerJoined& joined = player.joined;
    return sizeof player + joined.subject.size() + joined.claims.size() + joined.carried.size() +
           (joined.state.empty() ? 0 : engine::kStateBytesMax);
}

}  // namespace

void PlayerNotices::add(engine::EntityId entity, Player player) {
    player.joined.entity = entity;
    const std::lock_guard lock(mutex_);
    const bool is_new = players_.emplace(entity, std::move(player)).second;
    MARCHLAND_ASSERT(is_new);
    try {
        for (const auto& queue : queues_) {
            queue->unsent_.emplace(entity, NoticeQueue::Unsent{});
        }
    } catch (...) {  // a service that was not sent its coming must not be sent its going
        for (const auto& queue : queues_) {
            queue->unsent_.erase(entity);
        }
        players_.erase(entity);
        throw;
    }
    std::ranges::for_each(queues_, post);
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
    found->second.joined.claims = std::move(claims);
    note_presence(entity);
    return ++found->second.line;
}

/// Where a notice of it still waits, that one holds its presence, too.
void PlayerNotices::note_presence(engine::EntityId entity) {
    for (const auto& queue : queues_) {
        queue->unsent_.emplace(entity, NoticeQueue::Unsent{NoticeQueue::Change::presence, 0, {}});
        post(queue);
    }
}

void PlayerNotices::remove(engine::EntityId entity, PlayerLeftReason reason) {
    const std::lock_guard lock(mutex_);
    const auto player = players_.find(entity);
    if (player == players_.end()) {
        return;
    }
    for (const auto& queue : queues_) {
        queue->moves_.erase(entity);
        const auto unsent = queue->unsent_.find(entity);
        const bool is_known =
            unsent == queue->unsent_.end() || unsent->second.change != NoticeQueue::Change::came;
        const bool is_sent = is_known || unsent->second.messages > 0;
        if (!is_known && is_sent) {
            unsent->second.gone = player->second;
            queue->waiting_bytes_ += queued_bytes_of(player->second);
        } else if (unsent != queue->unsent_.end()) {
            queue->unsent_.erase(unsent);
        }
        if (is_sent) {
            queue->gone_.push_back({entity, reason, queue->messages_in_});
            queue->waiting_bytes_ += sizeof(NoticeQueue::Gone);
            lose_oldest(*queue);
            post(queue);
        }
    }
    players_.erase(player);
}

bool PlayerNotices::open_queue(const std::shared_ptr<NoticeQueue>& queue, std::size_t queues_max) {
    const std::lock_guard lock(mutex_);
    if (queues_.size() >= queues_max) {
        return false;
    }
    for (const auto& [entity, player] : players_) {
        queue->unsent_.emplace_hint(queue->unsent_.end(), entity, NoticeQueue::Unsent{});
    }
    queue->newest_listed_ = players_.empty() ? engine::EntityId{} : players_.rbegin()->first;
    post(queue);
    queues_.push_back(queue);
    pass_on_unasked();
    return true;
}

void PlayerNotices::close_queue(NoticeQueue& queue) {
    queue.connection_ = nullptr;
    const std::lock_guard lock(mutex_);
    std::erase_if(queues_, [&](const auto& other) { return other.get() == &queue; });
    look_who_wants_positions(kNobodyWants);
    for (const auto& [request, player] : asked_) {
        if (player->asked == &queue) {
            player->asked = nullptr;
        }
    }
    pass_on_unasked();
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
    const auto queue =
        std::ranges::find_if(queues_, [](const auto& each) { return each->admits_; });
    player->asked = queue == queues_.end() ? nullptr : queue->get();
    if (player->asked != nullptr) {
        player->asked->unasked_.push_back(player);
        post(*queue);
    }
}

void PlayerNotices::pass_on_unasked() {
    for (const auto& [request, player] : asked_) {
        if (player->asked == nullptr) {
            pass_on(player);
        }
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

bool PlayerNotices::answer(const NoticeQueue& queue, std::uint64_t request,
                           AskedFor::Answer answer) {
    const std::lock_guard lock(mutex_);
    const auto found = asked_.find(request);
    if (found == asked_.end() || found->second->asked != &queue) {
        return false;
    }
    std::erase(found->second->asked->unasked_, found->second);
    found->second->answer = std::move(answer);
    found->second->mailbox.post(found->second);
    asked_.erase(found);
    return true;
}

void PlayerNotices::subscribe(NoticeQueue& queue, Subscribe subscribe,
                              engine::Dimensions dimensions, engine::Tick next_tick) {
    std::ranges::sort(subscribe.kinds);
    const std::lock_guard lock(mutex_);
    queue.kinds_ = std::move(subscribe.kinds);
    queue.wants_moves_ = subscribe.moves;
    if (!queue.wants_moves_) {
        queue.moves_.clear();
    }
    queue.wants_positions_ = subscribe.positions;
    queue.within_ = subscribe.within;
    queue.dimensions_ = dimensions;
    queue.sending_.reset();
    queue.newest_.reset();
    queue.ticks_lost_ = 0;
    look_who_wants_positions(next_tick);
}

void PlayerNotices::ask_move(const PlayerMove& move) {
    const std::lock_guard lock(mutex_);
    for (const auto& queue : queues_) {
        if (queue->wants_moves_ && players_.contains(move.entity)) {
            PlayerMove& newest = queue->moves_.try_emplace(move.entity, move).first->second;
            const auto facing = move.facing ? move.facing : newest.facing;
            newest = move;
            newest.facing = facing;
            post(queue);
        }
    }
}

void PlayerNotices::look_who_wants_positions(engine::Tick next_tick) {
    const bool somebody =
        std::ranges::any_of(queues_, [](const auto& queue) { return queue->wants_positions_; });
    if (!somebody) {
        positions_from_.store(kNobodyWants, std::memory_order_relaxed);
    } else if (positions_from_.load(std::memory_order_relaxed) == kNobodyWants) {
        positions_from_.store(next_tick, std::memory_order_relaxed);
    }
}

/// Some shards may have begun the first tick before they knew that it is wanted: it is sent whole,
/// or not at all.
void PlayerNotices::place(const std::shared_ptr<const PlayersOfTick>& players) {
    const std::lock_guard lock(mutex_);
    const engine::Tick from = positions_from_.load(std::memory_order_relaxed);
    if (players->tick < from || (players->border_stale && players->tick == from)) {
        return;
    }
    for (const auto& queue : queues_) {
        if (queue->wants_positions_) {
            queue->ticks_lost_ += queue->newest_ != nullptr ? 1U : 0U;
            queue->newest_ = players;
            post(queue);
        }
    }
}

/// The next part of a tick.
std::optional<Positions> PlayerNotices::take_positions(NoticeQueue& queue) const {
    Positions part;
    if (queue.sending_ == nullptr) {
        queue.sending_ = std::exchange(queue.newest_, nullptr);
        queue.sent_ = 0;
        part.ticks_lost = std::exchange(queue.ticks_lost_, 0);
    }
    if (queue.sending_ == nullptr) {
        return std::nullopt;
    }
    part.tick = queue.sending_->tick;
    part.border_stale = queue.sending_->border_stale;
    const std::vector<shards::Counted>& all = queue.sending_->players;
    for (; queue.sent_ < all.size(); ++queue.sent_) {
        const shards::Counted& one = all[queue.sent_];
        if (queue.within_ && !engine::is_within(queue.within_->centre, one.position,
                                                queue.within_->radius_mm, queue.dimensions_)) {
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
    queue.sending_.reset();
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
    for (const auto& queue : queues_) {
        const std::uint64_t before = queue->messages_in_;
        for (const engine::GameMessage& said : messages) {
            if (std::ranges::binary_search(queue->kinds_, said.kind)) {
                enqueue(*queue, {entity, tick, at, said});
            }
        }
        if (queue->messages_in_ != before) {
            lose_oldest(*queue);
            post(queue);
        }
    }
    return true;
}

void PlayerNotices::enqueue(NoticeQueue& queue, NoticeQueue::Message message) {
    queue.messages_.push_back(std::move(message));
    ++queue.messages_in_;
    queue.waiting_bytes_ += queued_bytes_of(queue.messages_.back().said);
    const auto unsent = queue.unsent_.find(queue.messages_.back().entity);
    if (unsent != queue.unsent_.end()) {
        ++unsent->second.messages;
    }
}

void PlayerNotices::lose_oldest(NoticeQueue& queue) const {
    while (!queue.messages_.empty() &&
           (queue.messages_.size() > messages_max_ || queue.waiting_bytes_ > message_bytes_max_)) {
        const engine::EntityId entity = queue.messages_.front().entity;
        queue.waiting_bytes_ -= queued_bytes_of(queue.messages_.front().said);
        queue.messages_.pop_front();
        ++queue.messages_out_;
        ++queue.lost_;
        // Who came and went is sent for its messages alone: not at all when none of them is left.
        const auto unsent = queue.unsent_.find(entity);
        if (unsent == queue.unsent_.end() || unsent->second.messages == 0 ||
            --unsent->second.messages > 0) {
            continue;
        }
        if (unsent->second.gone) {
            queue.waiting_bytes_ -= queued_bytes_of(*unsent->second.gone);
            queue.unsent_.erase(unsent);
            const std::size_t left_out =
                std::erase_if(queue.gone_, [&](const auto& gone) { return gone.entity == entity; });
            queue.waiting_bytes_ -= left_out * sizeof(NoticeQueue::Gone);
        }
    }
}

std::size_t PlayerNotices::player_count() {
    const std::lock_guard lock(mutex_);
    return players_.size();
}

std::optional<PlayerNotices::Notice> PlayerNotices::take(NoticeQueue& queue) {
    const std::lock_guard lock(mutex_);
    if (!queue.unasked_.empty()) {
        const auto player = std::move(queue.unasked_.front());
        queue.unasked_.pop_front();
        return player->asks;
    }
    if (queue.lost_ > 0) {
        return MessagesLost{std::exchange(queue.lost_, 0)};
    }
    // Before who came: else those who have gone would pile up before a service that reads as slowly
    // as players come.
    if (!queue.gone_.empty() && queue.gone_.front().after <= queue.messages_out_) {
        const NoticeQueue::Gone gone = queue.gone_.front();
        queue.gone_.pop_front();
        queue.waiting_bytes_ -= sizeof gone;
        return PlayerLeft{gone.entity, gone.reason};
    }
    if (queue.newest_listed_ &&
        (queue.unsent_.empty() || queue.unsent_.begin()->first > *queue.newest_listed_)) {
        queue.newest_listed_.reset();
        return PlayersListed{};
    }
    if (!queue.unsent_.empty()) {
        return take_change(queue);
    }
    if (!queue.messages_.empty()) {
        const NoticeQueue::Message message = std::move(queue.messages_.front());
        queue.messages_.pop_front();
        queue.waiting_bytes_ -= queued_bytes_of(message.said);
        ++queue.messages_out_;
        return PlayerMessage{
            message.entity, message.said.kind, message.tick, message.at,
            message.said.payload ? *message.said.payload : std::vector<std::byte>{}};
    }
    // In rounds: a service that reads more slowly than moves come is sent everybody's, and ticks.
    auto move = queue.moves_.upper_bound(queue.newest_moved_);
    if (move == queue.moves_.end()) {
        if (auto positions = take_positions(queue)) {
            queue.newest_moved_ = positions->has_more ? queue.newest_moved_ : engine::EntityId{};
            return *std::move(positions);
        }
        move = queue.moves_.begin();
    }
    if (move != queue.moves_.end()) {
        queue.newest_moved_ = move->first;
        return queue.moves_.extract(move).mapped();
    }
    queue.is_posted_ = false;
    return std::nullopt;
}

PlayerNotices::Notice PlayerNotices::take_change(NoticeQueue& queue) {
    const auto first = queue.unsent_.begin();
    const auto [entity, unsent] = *first;
    const Player& player = unsent.gone ? *unsent.gone : players_.at(entity);
    if (unsent.change == NoticeQueue::Change::came && player.away_ms && !unsent.gone) {
        first->second.change = NoticeQueue::Change::presence;
    } else {
        queue.waiting_bytes_ -= unsent.gone ? queued_bytes_of(*unsent.gone) : 0;
        queue.unsent_.erase(first);
    }
    if (unsent.change == NoticeQueue::Change::came) {
        return player.joined;
    }
    return player.away_ms ? Notice(PlayerAway{entity, *player.away_ms})
                          : Notice(PlayerBack{entity, player.joined.claims});
}

/// Also who comes and goes, over and over, before the mail is read, makes one piece of mail.
void PlayerNotices::post(const std::shared_ptr<NoticeQueue>& queue) {
    if (!queue->is_posted_) {
        queue->mailbox_.post(queue);
        queue->is_posted_ = true;  // only if that did not throw: else nobody would post it again
    }
}

void PlayerPositions::post(shards::OwnPlayers&& own) {
    const std::lock_guard lock(mutex_);
    if (own.tick > gathered_.tick) {
        if (!is_sent_) {
            gathered_.border_stale = true;
            send();
        }
        gathered_ = {own.tick, false, {}};
        is_sent_ = false;
        posted_ = 0;
    }
    if (own.tick < gathered_.tick || is_sent_) {
        return;
    }
    gathered_.border_stale = gathered_.border_stale || own.border_stale;
    std::ranges::move(own.players, std::back_inserter(gathered_.players));
    posted_ += own.is_in_layout ? 1U : 0U;
    if (posted_ == own.shard_count) {
        send();
    }
}

/// Where a shard is late, one that crosses its border may be here twice.
void PlayerPositions::send() {
    auto& players = gathered_.players;
    std::ranges::sort(players, {}, &shards::Counted::id);
    players.erase(std::unique(players.begin(), players.end(),
                              [](const auto& a, const auto& b) { return a.id == b.id; }),
                  players.end());
    is_sent_ = true;
    on_tick_(std::make_shared<const PlayersOfTick>(std::move(gathered_)));
    gathered_ = {gathered_.tick, false, {}};
}

}  // namespace marchland::net
