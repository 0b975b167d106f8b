#include "net/address_table.h"

#include "engine/assert.h"

#include <utility>

namespace marchland::net {

namespace {

using boost::asio::ip::address;
using boost::asio::ip::address_v6;

/// An IPv4 address that a socket for both kinds shows as "::ffff:1.2.3.4" is the IPv4 address.
address plain(const address& it) {
    return it.is_v6() && it.to_v6().is_v4_mapped()
               ? address(make_address_v4(boost::asio::ip::v4_mapped, it.to_v6()))
               : it;
}

/// The first 64 bits of an IPv6 address; an IPv4 address, where no IPv6 address of a host is
/// (::/32).
std::uint64_t key_of(const address& it) {
    if (it.is_v4()) {
        return it.to_v4().to_uint();
    }
    const address_v6::bytes_type bytes = it.to_v6().to_bytes();
    std::uint64_t key = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        key = key << 8U | bytes[i];
    }
    return key;
}

}  // namespace

bool is_loopback(const std::string& text) {
    boost::system::error_code no_address;
    return boost::asio::ip::make_address(text, no_address).is_loopback();
}

bool share_an_address(const std::string& a, const std::string& b) {
    const auto holds = [](const address& wide, const address& other) {
        return wide == other || (wide.is_unspecified() && (wide.is_v6() || other.is_v4()));
    };
    boost::system::error_code no_address;
    const address first = plain(boost::asio::ip::make_address(a, no_address));
    const address second = plain(boost::asio::ip::make_address(b, no_address));
    return holds(first, second) || holds(second, first);
}

AddressTable::Slot::Slot(Slot&& other) noexcept
    : table_(std::exchange(other.table_, nullptr)),
      key_(other.key_),
      place_(other.place_),
      is_in_handshake_(other.is_in_handshake_) {}

AddressTable::Slot::~Slot() {
    if (table_ != nullptr) {
        table_->leave(*this);
    }
}

void AddressTable::Slot::end_handshake() {
    if (table_ != nullptr && std::exchange(is_in_handshake_, false)) {
        table_->end_handshake(*this);
        place_ = 0;
    }
}

AddressTable::Admission AddressTable::admit(const address& from, TimePoint now) {
    const address it = plain(from);
    if (limits_.is_loopback_exempt && it.is_loopback()) {
        return {Verdict::welcome, Slot(*this, std::nullopt)};
    }
    const std::uint32_t factor = now < restart_until_ ? limits_.restart_factor : 1;
    const std::lock_guard lock(mutex_);
    const Key key = key_of(it);
    Entry& entry = entry_of(key, now);
    if (factor == 1 && std::exchange(entry.has_restart_limits, false)) {
        entry.arrivals = TokenBucket(limits_.connections_per_second_max, now);
    }
    // Every arrival counts, also one that is refused: who knocks on goes on being refused.
    const bool is_slow_enough = entry.arrivals.take(1, now);
    if (!is_slow_enough || entry.connections >= limits_.connections_max ||
        entry.handshakes >= limits_.handshakes_max * factor) {
        return {entry.refusals_logged.take(1, now) ? Verdict::tell_refuse : Verdict::refuse, {}};
    }
    if (entry.connections++ == 0) {
        idle_.erase(entry.idle_at);
    }
    ++entry.handshakes;
    return {Verdict::welcome, Slot(*this, key)};
}

AddressTable::Entry& AddressTable::entry_of(Key key, TimePoint now) {
    if (const auto known = entries_.find(key); known != entries_.end()) {
        Entry& entry = known->second;
        if (entry.connections == 0) {
            idle_.splice(idle_.end(), idle_, entry.idle_at);
        }
        return entry;
    }
    if (entries_.size() >= entries_max_ && !idle_.empty()) {
        entries_.erase(idle_.front());
        idle_.pop_front();
    }
    const bool is_restart = now < restart_until_;
    const std::uint32_t factor = is_restart ? limits_.restart_factor : 1;
    const TokenBucket arrivals(limits_.connections_per_second_max * factor, now);
    Entry& entry = entries_.try_emplace(key, Entry{arrivals, {1, now}, is_restart}).first->second;
    entry.idle_at = idle_.insert(idle_.end(), key);
    return entry;
}

void AddressTable::leave(const Slot& slot) {
    const std::lock_guard lock(mutex_);
    if (slot.is_in_handshake_) {
        take_place(slot);
    }
    if (!slot.key_) {
        return;
    }
    Entry& entry = entries_.at(*slot.key_);
    MARCHLAND_ASSERT(entry.connections > 0);
    entry.handshakes -= slot.is_in_handshake_ ? 1 : 0;
    if (--entry.connections == 0) {
        entry.idle_at = idle_.insert(idle_.end(), *slot.key_);
    }
}

void AddressTable::end_handshake(const Slot& slot) {
    const std::lock_guard lock(mutex_);
    take_place(slot);
    if (slot.key_) {
        --entries_.at(*slot.key_).handshakes;
    }
}

AddressTable::Offer AddressTable::find_place(Slot& slot, std::uint32_t io_thread) {
    const std::lock_guard lock(mutex_);
    MARCHLAND_ASSERT(slot.table_ == this && slot.place_ == 0);
    if (places_taken_ < handshakes_max_) {
        give_place(slot, io_thread);
        return {true, std::nullopt};
    }
    if (by_places_.empty()) {
        return {false, std::nullopt};
    }
    // With the newcomer: it may be its own address that has most.
    const std::size_t own = slot.key_ ? entries_.at(*slot.key_).places.size() + 1 : 1;
    const auto& [most, key] = *by_places_.rbegin();
    const bool is_own = slot.key_ && own > 1 && own >= most;
    if (!is_own && most < 2) {
        return {false, std::nullopt};
    }
    const auto& [place, on_lane] = *entries_.at(is_own ? *slot.key_ : key).places.begin();
    return {false, Crowder{on_lane, place, is_own}};
}

void AddressTable::give_place(Slot& slot, std::uint32_t io_thread) {
    slot.place_ = ++last_place_;
    ++places_taken_;
    if (slot.key_) {
        auto& places = entries_.at(*slot.key_).places;
        by_places_.erase({places.size(), *slot.key_});
        places.emplace(slot.place_, io_thread);
        by_places_.emplace(places.size(), *slot.key_);
    }
}

void AddressTable::take_place(const Slot& slot) {
    if (slot.place_ == 0) {
        return;
    }
    --places_taken_;
    if (slot.key_) {
        auto& places = entries_.at(*slot.key_).places;
        by_places_.erase({places.size(), *slot.key_});
        places.erase(slot.place_);
        if (!places.empty()) {
            by_places_.emplace(places.size(), *slot.key_);
        }
    }
}

void AddressTable::forget_idle(TimePoint now) {
    const std::lock_guard lock(mutex_);
    while (!idle_.empty()) {
        const auto longest = entries_.find(idle_.front());
        Entry& entry = longest->second;
        if (!entry.arrivals.is_full(now) || !entry.refusals_logged.is_full(now)) {
            break;  // those behind it came later
        }
        entries_.erase(longest);
        idle_.pop_front();
    }
}

std::size_t AddressTable::size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
}

}  // namespace marchland::net
