#include "net/resume_store.h"

#include <openssl/rand.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace marchland::net {

namespace {

/// Whoever played less has not played twice as long as anybody.
constexpr std::chrono::seconds kPlayedMin{5};

/// Nothing when it has another length: then nobody was given it.
std::optional<ResumeToken> to_token(std::span<const std::byte> bytes) {
    ResumeToken token;
    if (bytes.size() != token.size()) {
        return std::nullopt;
    }
    std::ranges::copy(bytes, token.begin());
    return token;
}

}  // namespace

ResumeToken ResumeStore::make_token() {
    ResumeToken token;
    if (RAND_bytes(reinterpret_cast<unsigned char*>(token.data()),
                   static_cast<int>(token.size())) != 1) {
        throw std::runtime_error("no random bytes for a resume token");
    }
    return token;
}

void ResumeStore::issue(const ResumeToken& token, Seat seat, SessionOwner owner,
                        std::span<const std::byte> shown) {
    Entry entry{std::move(seat), std::move(owner), {}, {}, to_token(shown)};
    const std::lock_guard lock(mutex_);
    if (entry.shown) {
        shown_.insert_or_assign(*entry.shown, token);
    }
    if (std::holds_alternative<PlayerSeat>(entry.seat) && !entry.owner.subject.empty()) {
        players_.insert_or_assign(entry.owner.subject, token);
    }
    entries_.insert_or_assign(token, std::move(entry));
}

void ResumeStore::confirm(const ResumeToken& token) {
    const std::lock_guard lock(mutex_);
    const auto entry = entries_.find(token);
    if (entry != entries_.end() && entry->second.shown) {
        shown_.erase(*entry->second.shown);
        entry->second.shown.reset();
    }
}

ResumeStore::Rest ResumeStore::rest(const ResumeToken& token, TimePoint now) {
    std::optional<Seat> displaced;
    const Rest result = rest(token, now, displaced);
    if (displaced) {
        std::visit([](const auto& seat) { seat.give_up(); }, *displaced);
    }
    return result;
}

ResumeStore::Rest ResumeStore::rest(const ResumeToken& token, TimePoint now,
                                    std::optional<Seat>& displaced) {
    const std::lock_guard lock(mutex_);
    const auto entry = entries_.find(token);
    if (entry == entries_.end()) {
        return Rest::taken;
    }
    Entry& comer = entry->second;
    const std::size_t kind = comer.seat.index();
    if (const auto* const player = std::get_if<PlayerSeat>(&comer.seat)) {
        comer.played = now - player->joined_at;
    }
    if (shares_[kind].size() >= terms_[kind].resting_max) {
        displaced = make_room(comer);
        if (!displaced) {
            erase(entry);
            return Rest::no_room;
        }
    }
    comer.rests_until = time_.advance(now) + terms_[kind].grace;
    resting_.emplace(*comer.rests_until, token);
    shares_[kind].add(comer, token);
    return Rest::rests;
}

/// The seat of whoever goes for one more.
std::optional<ResumeStore::Seat> ResumeStore::make_room(const Entry& comer) {
    const Shares& shares = shares_[comer.seat.index()];
    if (shares.size() == 0) {
        return std::nullopt;
    }
    std::optional<ResumeToken> goes;
    const auto largest = shares.largest();
    if (largest && largest->count > shares.of(comer.owner) + 1) {
        goes = largest->oldest;
    } else if (comer.played > 2 * shares.shortest().first + kPlayedMin) {
        goes = shares.shortest().second;
    } else {
        return std::nullopt;
    }
    const auto entry = entries_.find(*goes);
    Seat seat = entry->second.seat;
    erase(entry);
    return seat;
}

bool ResumeStore::forget(const ResumeToken& token) {
    const std::lock_guard lock(mutex_);
    const auto entry = entries_.find(token);
    if (entry == entries_.end()) {
        return false;
    }
    erase(entry);
    return true;
}

std::optional<ResumeStore::Seat> ResumeStore::take(std::span<const std::byte> token,
                                                   const std::string& subject, TimePoint now,
                                                   std::size_t kind) {
    const auto wanted = to_token(token);
    if (!wanted) {
        return std::nullopt;
    }
    const std::lock_guard lock(mutex_);
    const auto found = find(*wanted);
    if (found == entries_.end() || found->second.seat.index() != kind ||
        found->second.owner.subject != subject ||
        (found->second.rests_until && *found->second.rests_until <= time_.advance(now))) {
        return std::nullopt;
    }
    return take(found, PlayerPort::Takeover::resumed);
}

std::optional<PlayerSeat> ResumeStore::take_of(const std::string& subject, TimePoint now) {
    const std::lock_guard lock(mutex_);
    const auto newest = players_.find(subject);
    if (newest == players_.end()) {
        return std::nullopt;
    }
    const auto found = entries_.find(newest->second);
    if (found->second.rests_until && *found->second.rests_until <= time_.advance(now)) {
        return std::nullopt;
    }
    return std::get<PlayerSeat>(take(found, PlayerPort::Takeover::replaced));
}

ResumeStore::Seat ResumeStore::take(Entries::iterator entry, PlayerPort::Takeover how) {
    Seat seat = entry->second.seat;
    erase(entry);
    std::visit([how](const auto& taken) { taken.supersede(how); }, seat);
    return seat;
}

void ResumeStore::set_behind(std::uint32_t io_thread, bool is_behind, TimePoint now) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t bit = std::uint64_t{1} << io_thread;
    lanes_behind_ = is_behind ? lanes_behind_ | bit : lanes_behind_ & ~bit;
    time_.set_behind(lanes_behind_ != 0, now);
}

/// A service gives up all its entities, and the others' seats do not wait for that.
void ResumeStore::expire(TimePoint now) {
    for (const Seat& expired : take_expired(now)) {
        std::visit([](const auto& seat) { seat.give_up(); }, expired);
    }
}

std::vector<ResumeStore::Seat> ResumeStore::take_expired(TimePoint now) {
    std::vector<Seat> expired;
    const std::lock_guard lock(mutex_);
    const TimePoint served = time_.advance(now);
    while (!resting_.empty() && resting_.begin()->first <= served) {
        const auto entry = entries_.find(resting_.begin()->second);
        expired.push_back(entry->second.seat);
        erase(entry);
    }
    return expired;
}

/// By its own token, or by the one that was shown for it.
ResumeStore::Entries::iterator ResumeStore::find(const ResumeToken& token) {
    const auto successor = shown_.find(token);
    return entries_.find(successor == shown_.end() ? token : successor->second);
}

void ResumeStore::erase(Entries::iterator entry) {
    const auto& [token, it] = *entry;
    if (it.rests_until) {
        resting_.erase({*it.rests_until, token});
        shares_[it.seat.index()].remove(it, token);
    }
    if (it.shown) {
        shown_.erase(*it.shown);
    }
    const auto newest = players_.find(it.owner.subject);
    if (newest != players_.end() && newest->second == token) {
        players_.erase(newest);
    }
    entries_.erase(entry);
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

void ResumeStore::Shares::add(const Entry& entry, const ResumeToken& token) {
    by_played_.emplace(entry.played, token);
    for_each_group(entry.owner, [&](const Group& group) {
        std::set<Resting>& members = groups_[group];
        by_size_.erase({members.size(), group});
        members.emplace(*entry.rests_until, token);
        by_size_.emplace(members.size(), group);
    });
}

void ResumeStore::Shares::remove(const Entry& entry, const ResumeToken& token) {
    by_played_.erase({entry.played, token});
    for_each_group(entry.owner, [&](const Group& group) {
        const auto members = groups_.find(group);
        by_size_.erase({members->second.size(), group});
        members->second.erase({*entry.rests_until, token});
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
