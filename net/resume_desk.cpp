#include "net/resume_desk.h"

#include <openssl/rand.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace marchland::net {

ResumeToken ResumeDesk::make_token() {
    ResumeToken token;
    if (RAND_bytes(reinterpret_cast<unsigned char*>(token.data()),
                   static_cast<int>(token.size())) != 1) {
        throw std::runtime_error("no random bytes for a resume token");
    }
    return token;
}

void ResumeDesk::issue(const ResumeToken& token, Seat seat) {
    const std::lock_guard lock(mutex_);
    entries_.insert_or_assign(token, Entry{std::move(seat), {}});
}

void ResumeDesk::note_view(const ResumeToken& token, const engine::View& view) {
    const std::lock_guard lock(mutex_);
    if (const auto entry = entries_.find(token); entry != entries_.end()) {
        entry->second.seat.welcome.view = view;
    }
}

ResumeDesk::Rest ResumeDesk::rest(const ResumeToken& token, TimePoint now) {
    const std::lock_guard lock(mutex_);
    const auto entry = entries_.find(token);
    if (entry == entries_.end()) {
        return Rest::taken;
    }
    if (resting_.size() >= resting_max_) {
        entries_.erase(entry);
        return Rest::no_room;
    }
    entry->second.rests_until = now + grace_;
    resting_.emplace(now + grace_, token);
    return Rest::rests;
}

bool ResumeDesk::forget(const ResumeToken& token) {
    const std::lock_guard lock(mutex_);
    return entries_.erase(token) != 0;
}

std::optional<ResumeDesk::Seat> ResumeDesk::take(std::span<const std::byte> token,
                                                 const std::string& subject, TimePoint now) {
    ResumeToken wanted;
    if (token.size() != wanted.size()) {
        return std::nullopt;
    }
    std::ranges::copy(token, wanted.begin());
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(wanted);
    if (found == entries_.end() || found->second.seat.subject != subject ||
        (found->second.rests_until && *found->second.rests_until <= now)) {
        return std::nullopt;
    }
    std::erase_if(resting_, [&](const auto& rests) { return rests.second == wanted; });
    Seat seat = std::move(found->second.seat);
    entries_.erase(found);
    seat.port->supersede();
    return seat;
}

void ResumeDesk::expire(TimePoint now) {
    const std::lock_guard lock(mutex_);
    while (!resting_.empty() && resting_.begin()->first <= now) {
        const auto entry = entries_.find(resting_.begin()->second);
        resting_.erase(resting_.begin());
        entry->second.seat.port->ask_leave();
        entries_.erase(entry);
    }
}

std::size_t ResumeDesk::resting() {
    const std::lock_guard lock(mutex_);
    return resting_.size();
}

}  // namespace marchland::net
