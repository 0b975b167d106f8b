#include "net/resume_store.h"

#include "shards/state/keeper.h"

#include <algorithm>
#include <utility>

namespace marchland::net {

namespace {

/// Tokens that were given may be newer than what was written of them: those of after a start are
/// newer than all of before it. Only where it crashes again before a client has used its new one
/// may that be given once more, to the same session.
constexpr std::uint32_t kGenerationsUnwritten = 65'536;
/// Whoever played less has not played twice as long as anybody.
constexpr std::chrono::seconds kPlayedMin{5};

shards::SessionKey key_of(const ResumeStore::Resumable& resumable) {
    using Kind = shards::SessionKey::Kind;
    if (const auto* const player = std::get_if<ResumablePlayer>(&resumable)) {
        return {Kind::player, to_number(player->entity)};
    }
    return {Kind::service,
            static_cast<std::uint64_t>(std::get<ResumableService>(resumable).entities->owner())};
}

TokensGiven& tokens_of(ResumeStore::Resumable& resumable) {
    return std::visit([](auto& it) -> TokensGiven& { return it.tokens; }, resumable);
}

}  // namespace

shards::KeptSession ResumeStore::kept(const shards::SessionKey& key, const Entry& entry) {
    return {key, entry.owner.subject, entry.owner.claims, entry.oldest_good};
}

SessionPass ResumeStore::issue(Resumable resumable, SessionOwner owner) {
    const shards::SessionKey key = key_of(resumable);
    const bool is_player = std::holds_alternative<ResumablePlayer>(resumable);
    const TokensGiven given = tokens_of(resumable);
    const std::uint32_t newest = given.newest + 1;
    Entry entry{std::move(resumable), std::move(owner), newest,
                given.shown == 0 ? newest : given.shown};
    if (keeper_ != nullptr && !is_player && given.newest == 0) {
        keeper_->open(kept(key, entry));  // a player's was, before it joined
    } else if (keeper_ != nullptr) {
        keeper_->renew(kept(key, entry));
    }
    const std::lock_guard lock(mutex_);
    if (is_player && !entry.owner.subject.empty()) {
        players_.insert_or_assign(entry.owner.subject, key);
    }
    entries_.insert_or_assign(key, std::move(entry));
    return {key, newest};
}

void ResumeStore::restore(Resumable resumable, SessionOwner owner, std::chrono::milliseconds grace,
                          TimePoint now) {
    const shards::SessionKey key = key_of(resumable);
    const std::uint32_t generation = tokens_of(resumable).newest;
    const std::lock_guard lock(mutex_);
    const TimePoint until = time_.advance(now) + grace;
    if (std::holds_alternative<ResumablePlayer>(resumable) && !owner.subject.empty()) {
        players_.insert_or_assign(owner.subject, key);
    }
    resting_.insert({until, key});
    entries_.insert_or_assign(
        key, Entry{std::move(resumable), std::move(owner), generation + kGenerationsUnwritten,
                   generation, until, true});
}

void ResumeStore::keep_all() {
    const std::lock_guard lock(mutex_);
    is_keeping_all_ = true;
}

void ResumeStore::confirm(const SessionPass& pass) {
    const std::lock_guard lock(mutex_);
    const auto entry = find(pass);
    if (entry != entries_.end() && entry->second.oldest_good != pass.generation) {
        entry->second.oldest_good = pass.generation;
        if (keeper_ != nullptr) {
            keeper_->renew(kept(pass.session, entry->second));
        }
    }
}

void ResumeStore::rest(const SessionPass& pass, TimePoint now) {
    Ended ended;
    const std::lock_guard lock(mutex_);
    const auto entry = find(pass);
    if (entry == entries_.end() || is_keeping_all_) {
        return;
    }
    Entry& comer = entry->second;
    const std::size_t kind = comer.resumable.index();
    if (const auto* const player = std::get_if<ResumablePlayer>(&comer.resumable)) {
        comer.played = now - player->joined_at;
    }
    try {
        if (shares_[kind].size() >= terms_[kind].resting_max && !make_room(comer, ended)) {
            ended.entries.insert(end(entry));
            return;
        }
        comer.rests_until = time_.advance(now) + terms_[kind].grace;
        resting_.emplace(*comer.rests_until, pass.session);
        shares_[kind].add(comer, pass.session);
    } catch (...) {  // what does not rest is never over
        ended.entries.insert(end(entry));
        throw;
    }
}

/// The session of whoever goes for one more ends. False: nobody does.
bool ResumeStore::make_room(const Entry& comer, Ended& ended) {
    const Shares& shares = shares_[comer.resumable.index()];
    if (shares.size() == 0) {
        return false;
    }
    std::optional<shards::SessionKey> goes;
    const auto largest = shares.largest();
    if (largest && largest->count > shares.of(comer.owner) + 1) {
        goes = largest->oldest;
    } else if (comer.played > 2 * shares.shortest().first + kPlayedMin) {
        goes = shares.shortest().second;
    } else {
        return false;
    }
    ended.entries.insert(end(entries_.find(*goes)));
    return true;
}

bool ResumeStore::forget(const SessionPass& pass) {
    const std::lock_guard lock(mutex_);
    const auto entry = find(pass);
    if (entry == entries_.end()) {
        return false;
    }
    end(entry);
    return true;
}

std::optional<ResumeStore::Resumable> ResumeStore::take(std::span<const std::byte> token,
                                                        const std::string& subject, TimePoint now,
                                                        std::size_t kind) {
    const auto pass = tokens_.check(token);
    if (!pass) {
        return std::nullopt;
    }
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(pass->session);
    if (found == entries_.end() || found->second.resumable.index() != kind) {
        return std::nullopt;
    }
    Entry& entry = found->second;
    const bool is_good = entry.oldest_good <= pass->generation &&
                         (entry.is_restored || pass->generation <= entry.newest);
    if (!is_good || entry.owner.subject != subject ||
        (entry.rests_until && *entry.rests_until <= time_.advance(now))) {
        return std::nullopt;
    }
    entry.newest = std::max(entry.newest, pass->generation);
    auto resumable = take(found, PlayerPort::Takeover::resumed);
    tokens_of(resumable).shown = pass->generation;
    return resumable;
}

/// Of a player. Where issue() threw there may be a name without its session.
ResumeStore::Entries::iterator ResumeStore::newest_of(const std::string& subject) {
    const auto newest = players_.find(subject);
    return newest == players_.end() ? entries_.end() : entries_.find(newest->second);
}

bool ResumeStore::is_of_later(const std::string& subject, TimePoint came_at) {
    const std::lock_guard lock(mutex_);
    const auto found = newest_of(subject);
    return found != entries_.end() && found->second.owner.came_at > came_at;
}

std::optional<ResumablePlayer> ResumeStore::take_of(const std::string& subject, TimePoint now) {
    const std::lock_guard lock(mutex_);
    const auto found = newest_of(subject);
    if (found == entries_.end() ||
        std::get<ResumablePlayer>(found->second.resumable).port->inputs().is_to_leave() ||
        (found->second.rests_until && *found->second.rests_until <= time_.advance(now))) {
        return std::nullopt;
    }
    return std::get<ResumablePlayer>(take(found, PlayerPort::Takeover::replaced));
}

ResumeStore::Resumable ResumeStore::take(Entries::iterator entry, PlayerPort::Takeover how) {
    Resumable resumable = entry->second.resumable;
    tokens_of(resumable) = {entry->second.newest, 0};
    erase(entry);
    std::visit([how](const auto& taken) { taken.supersede(how); }, resumable);
    return resumable;
}

void ResumeStore::set_behind(std::uint32_t io_thread, bool is_behind, TimePoint now) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t bit = std::uint64_t{1} << io_thread;
    io_threads_behind_ = is_behind ? io_threads_behind_ | bit : io_threads_behind_ & ~bit;
    time_.set_behind(io_threads_behind_ != 0, now);
}

void ResumeStore::expire(TimePoint now) {
    Ended ended;
    const std::lock_guard lock(mutex_);
    if (is_keeping_all_) {
        return;
    }
    const TimePoint served = time_.advance(now);
    while (!resting_.empty() && resting_.begin()->first <= served) {
        ended.entries.insert(end(entries_.find(resting_.begin()->second)));
    }
}

std::size_t ResumeStore::end_resting(std::optional<engine::EntityId> entity,
                                     const std::string& subject) {
    Ended ended;
    const std::lock_guard lock(mutex_);
    for (auto entry = entries_.begin(); entry != entries_.end();) {
        const auto here = entry++;
        const auto* const player = std::get_if<ResumablePlayer>(&here->second.resumable);
        const bool is_meant = player != nullptr &&
                              (entity ? player->entity == *entity
                                      : !subject.empty() && here->second.owner.subject == subject);
        if (is_meant && here->second.rests_until) {
            ended.entries.insert(end(here));
        }
    }
    return ended.entries.size();
}

ResumeStore::Ended::~Ended() {
    for (const auto& [key, entry] : entries) {
        std::visit([](const auto& resumable) { resumable.give_up(); }, entry.resumable);
    }
}

/// Where nobody has taken it since the pass was given.
ResumeStore::Entries::iterator ResumeStore::find(const SessionPass& pass) {
    const auto entry = entries_.find(pass.session);
    const bool is_its = entry != entries_.end() && entry->second.newest == pass.generation;
    return is_its ? entry : entries_.end();
}

/// Nobody comes back to it. A player's session ends with its entity.
ResumeStore::Entries::node_type ResumeStore::end(Entries::iterator entry) {
    if (keeper_ != nullptr && entry->first.kind == shards::SessionKey::Kind::service) {
        keeper_->close(entry->first);
    }
    return erase(entry);
}

ResumeStore::Entries::node_type ResumeStore::erase(Entries::iterator entry) {
    const auto& [key, it] = *entry;
    if (it.rests_until) {
        // First: where there is no memory for it, the session still rests, and the next sweep ends
        // it.
        if (!it.is_restored) {
            shares_[it.resumable.index()].remove(it, key);
        }
        resting_.erase({*it.rests_until, key});
    }
    const auto newest = players_.find(it.owner.subject);
    if (newest != players_.end() && newest->second == key) {
        players_.erase(newest);
    }
    return entries_.extract(entry);
}

template <typename Do>
void ResumeStore::Shares::for_each_group(const SessionOwner& owner, Do&& act) {
    if (owner.address) {
        act(Group(*owner.address));
    }
    if (!owner.subject.empty()) {
        act(Group(owner.subject));
    }
}

void ResumeStore::Shares::add(const Entry& entry, const shards::SessionKey& key) {
    by_played_.emplace(entry.played, key);
    for_each_group(entry.owner, [&](const Group& group) {
        std::set<Resting>& members = groups_[group];
        by_size_.erase({members.size(), group});
        members.emplace(*entry.rests_until, key);
        by_size_.emplace(members.size(), group);
    });
}

void ResumeStore::Shares::remove(const Entry& entry, const shards::SessionKey& key) {
    by_played_.erase({entry.played, key});
    for_each_group(entry.owner, [&](const Group& group) {
        const auto members = groups_.find(group);
        if (members == groups_.end()) {
            return;  // add() had no memory for it
        }
        by_size_.erase({members->second.size(), group});
        members->second.erase({*entry.rests_until, key});
        if (members->second.empty()) {
            groups_.erase(members);
        } else {
            by_size_.emplace(members->second.size(), group);
        }
    });
}

std::size_t ResumeStore::Shares::of(const SessionOwner& owner) const {
    std::size_t share = 0;
    for_each_group(owner, [&](const Group& group) {
        const auto members = groups_.find(group);
        share = std::max(share, members == groups_.end() ? 0 : members->second.size());
    });
    return share;
}

auto ResumeStore::Shares::largest() const -> std::optional<Largest> {
    if (by_size_.empty()) {
        return std::nullopt;
    }
    const auto& [count, group] = *by_size_.rbegin();
    return Largest{count, groups_.at(group).begin()->second};
}

}  // namespace marchland::net
