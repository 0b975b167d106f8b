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

/// The first 64 bits of an IPv6 address; an IPv4 address, where no IPv6 address of a host is (::/32).
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

AddressTable::Slot::Slot(Slot&& other) noexcept
    : table_(std::exchange(other.table_, nullptr)),
      key_(other.key_),
      is_in_handshake_(other.is_in_handshake_) {}

AddressTable::Slot::~Slot() {
    if (table_ != nullptr) {
        table_->leave(key_, is_in_handshake_);
    }
}

void AddressTable::Slot::end_handshake() {
    if (table_ != nullptr && std::exchange(is_in_handshake_, false)) {
        table_->end_handshake(key_);
    }
}

AddressTable::Admission AddressTable::admit(const address& from, TimePoint now) {
    const address it = plain(from);
    if (limits_.is_loopback_exempt && it.is_loopback()) {
        return {Verdict::welcome, {}};
    }
    const std::lock_guard lock(mutex_);
    const Key key = key_of(it);
    Entry& entry = entry_of(key, now);
    // Every arrival counts, also one that is refused: who knocks on goes on being refused.
    const bool is_slow_enough = entry.arrivals.take(1, now);
    if (!is_slow_enough || entry.connections >= limits_.connections_max ||
        entry.handshakes >= limits_.handshakes_max) {
        return {entry.tellings.take(1, now) ? Verdict::tell_refuse : Verdict::refuse, {}};
    }
    if (entry.connections++ == 0) {
        idle_.erase(entry.idle_at);
    }
    ++entry.handshakes;
    return {Verdict::welcome, Slot(*this, key)};
}

AddressTable::Entry& AddressTable::entry_of(Key key, TimePoint now) {
    if (const auto known = entries_.find(key); known != entries_.end()) {
        return known->second;
    }
    if (entries_.size() >= entries_max_ && !idle_.empty()) {
        entries_.erase(idle_.front());
        idle_.pop_front();
    }
    Entry& entry = entries_.try_emplace(key, limits_, now).first->second;
    entry.idle_at = idle_.insert(idle_.end(), key);
    return entry;
}

void AddressTable::leave(Key key, bool was_in_handshake) {
    const std::lock_guard lock(mutex_);
    Entry& entry = entries_.at(key);
    MARCHLAND_ASSERT(entry.connections > 0);
    entry.handshakes -= was_in_handshake ? 1 : 0;
    if (--entry.connections == 0) {
        entry.idle_at = idle_.insert(idle_.end(), key);
    }
}

void AddressTable::end_handshake(Key key) {
    const std::lock_guard lock(mutex_);
    --entries_.at(key).handshakes;
}

std::size_t AddressTable::size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
}

}  // namespace marchland::net
