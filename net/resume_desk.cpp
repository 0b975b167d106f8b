#include "net/resume_desk.h"

#include <openssl/rand.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace marchland::net {

namespace {

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

ResumeToken ResumeDesk::make_token() {
    ResumeToken token;
    if (RAND_bytes(reinterpret_cast<unsigned char*>(token.data()),
                   static_cast<int>(token.size())) != 1) {
        throw std::runtime_error("no random bytes for a resume token");
    }
    return token;
}

void ResumeDesk::issue(const ResumeToken& token, Seat seat, std::string subject,
                       std::span<const std::byte> shown) {
    Entry entry{std::move(seat), std::move(subject), {}, to_token(shown)};
    const std::lock_guard lock(mutex_);
    if (entry.shown) {
        shown_.insert_or_assign(*entry.shown, token);
    }
    entries_.insert_or_assign(token, std::move(entry));
}

void ResumeDesk::confirm(const ResumeToken& token) {
    const std::lock_guard lock(mutex_);
    const auto entry = entries_.find(token);
    if (entry != entries_.end() && entry->second.shown) {
        shown_.erase(*entry->second.shown);
        entry->second.shown.reset();
    }
}

ResumeDesk::Rest ResumeDesk::rest(const ResumeToken& token, TimePoint now) {
    const std::lock_guard lock(mutex_);
    const auto entry = entries_.find(token);
    if (entry == entries_.end()) {
        return Rest::taken;
    }
    const std::size_t kind = entry->second.seat.index();
    if (resting_count_[kind] >= terms_[kind].resting_max) {
        erase(entry);
        return Rest::no_room;
    }
    const TimePoint until = now + terms_[kind].grace;
    entry->second.rests = resting_.emplace(until, token);
    ++resting_count_[kind];
    return Rest::rests;
}

bool ResumeDesk::forget(const ResumeToken& token) {
    const std::lock_guard lock(mutex_);
    const auto entry = entries_.find(token);
    if (entry == entries_.end()) {
        return false;
    }
    erase(entry);
    return true;
}

std::optional<ResumeDesk::Seat> ResumeDesk::take(std::span<const std::byte> token,
                                                 const std::string& subject, TimePoint now,
                                                 std::size_t kind) {
    const auto wanted = to_token(token);
    if (!wanted) {
        return std::nullopt;
    }
    const std::lock_guard lock(mutex_);
    const auto found = find(*wanted);
    if (found == entries_.end() || found->second.seat.index() != kind ||
        found->second.subject != subject ||
        (found->second.rests && (*found->second.rests)->first <= now)) {
        return std::nullopt;
    }
    Seat seat = std::move(found->second.seat);
    erase(found);
    std::visit([](const auto& taken) { taken.supersede(); }, seat);
    return seat;
}

/// A service gives up all its entities, and the others' seats do not wait for that.
void ResumeDesk::expire(TimePoint now) {
    for (const Seat& expired : take_expired(now)) {
        std::visit([](const auto& seat) { seat.give_up(); }, expired);
    }
}

std::vector<ResumeDesk::Seat> ResumeDesk::take_expired(TimePoint now) {
    std::vector<Seat> expired;
    const std::lock_guard lock(mutex_);
    while (!resting_.empty() && resting_.begin()->first <= now) {
        const auto entry = entries_.find(resting_.begin()->second);
        expired.push_back(std::move(entry->second.seat));
        erase(entry);
    }
    return expired;
}

/// By its own token, or by the one that was shown for it.
ResumeDesk::Entries::iterator ResumeDesk::find(const ResumeToken& token) {
    const auto successor = shown_.find(token);
    return entries_.find(successor == shown_.end() ? token : successor->second);
}

void ResumeDesk::erase(Entries::iterator entry) {
    if (entry->second.rests) {
        resting_.erase(*entry->second.rests);
        --resting_count_[entry->second.seat.index()];
    }
    if (entry->second.shown) {
        shown_.erase(*entry->second.shown);
    }
    entries_.erase(entry);
}

}  // namespace marchland::net
