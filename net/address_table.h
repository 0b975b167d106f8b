#pragma once

#include "net/token_bucket.h"

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace marchland::net {

/// What one address may take of the door. An IPv6 address counts as its /64: that is what one
/// household has.
struct AddressLimits {
    std::uint32_t connections_max = 100;            ///< at once: players behind one router share it
    std::uint32_t connections_per_second_max = 20;  ///< a token bucket
    std::uint32_t handshakes_max = 20;  ///< at once: connections that have not said Hello
    /// Whoever is on this machine: tools, and proxies, which are to limit for themselves.
    bool is_loopback_exempt = true;

    friend bool operator==(const AddressLimits&, const AddressLimits&) = default;
};

/// Who holds how many connections, by address.
///
/// Bounds   kEntriesMax addresses. An address without connections is kept for its token bucket; when
///          the table is full, the one that went longest without any is forgotten. Those with connections are
///          never more than the door's connections_max.
/// Threads  Any. The mutex guards the table, which is touched at a connection's beginning, at the end of its
///          handshake and at its end; these happen on all I/O threads.
/// Cost     O(1).
class AddressTable {
    using Key = std::uint64_t;

public:
    using TimePoint = TokenBucket::TimePoint;
    static constexpr std::size_t kEntriesMax = 65'536;

    /// One connection's place in the table; given back when it goes.
    class Slot {
    public:
        Slot() = default;
        Slot(Slot&& other) noexcept;
        Slot& operator=(Slot&&) = delete;
        ~Slot();

        /// The address as it is counted; nothing for one that is exempt, or was refused.
        [[nodiscard]] std::optional<Key> address() const {
            return table_ == nullptr ? std::nullopt : std::optional(key_);
        }
        /// The connection is through its handshake. May be called again.
        void end_handshake();

    private:
        friend class AddressTable;
        Slot(AddressTable& table, Key key) : table_(&table), key_(key), is_in_handshake_(true) {}

        AddressTable* table_ = nullptr;  ///< null: exempt, or refused
        Key key_ = 0;
        bool is_in_handshake_ = false;
    };

    enum class Verdict : std::uint8_t {
        welcome,
        refuse,       ///< close it
        tell_refuse,  ///< tell it why, and close it: at most once a second for each address
    };

    struct Admission {
        Verdict verdict;
        Slot slot;
    };

    AddressTable(const AddressLimits& limits, std::size_t entries_max = kEntriesMax)
        : limits_(limits), entries_max_(entries_max) {}

    Admission admit(const boost::asio::ip::address& address, TimePoint now);
    [[nodiscard]] std::size_t size() const;

private:
    struct Entry {
        Entry(const AddressLimits& limits, TimePoint now)
            : arrivals(limits.connections_per_second_max, now), tellings(1, now) {}

        std::uint32_t connections = 0;
        std::uint32_t handshakes = 0;
        TokenBucket arrivals;
        TokenBucket tellings;
        std::list<Key>::iterator idle_at;  ///< while there are no connections
    };

    Entry& entry_of(Key key, TimePoint now);
    void leave(Key key, bool was_in_handshake);
    void end_handshake(Key key);

    const AddressLimits limits_;
    const std::size_t entries_max_;
    mutable std::mutex mutex_;
    std::unordered_map<Key, Entry> entries_;  ///< nothing depends on its order
    std::list<Key> idle_;                     ///< without connections, the longest first
};

}  // namespace marchland::net
