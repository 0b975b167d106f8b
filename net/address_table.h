#pragma once

#include "net/token_bucket.h"

#include <boost/asio/ip/address.hpp>

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

namespace marchland::net {

/// Whether only this machine reaches it. False for what is no address.
bool is_loopback(const std::string& address);

/// Are two sockets of one port at these addresses in each other's way? 0.0.0.0 is every IPv4
/// address, :: is every address.
bool share_an_address(const std::string& a, const std::string& b);

/// What one address may take of the server. An IPv6 address counts as its /64: that is what one
/// household has.
struct AddressLimits {
    std::uint32_t connections_max = 100;            ///< at once: players behind one router share it
    std::uint32_t connections_per_second_max = 20;  ///< a token bucket
    std::uint32_t handshakes_max = 20;  ///< at once: connections that were not let in (yet)
    /// In the first minute after a start everybody comes back at once, also all that share an
    /// address: so many times as many connections a second and handshakes are allowed then.
    std::uint32_t restart_factor = 10;
    /// Whoever is on this machine: tools, and proxies, which are to limit for themselves.
    bool is_loopback_exempt = true;

    friend bool operator==(const AddressLimits&, const AddressLimits&) = default;
};

/// Who holds how many connections, by address; and who of those that have not sent Hello has a
/// place.
///
/// Places   Of a handshake: handshakes_max for all. Where none is left whoever comes waits, unless
///          an address has more than its share: then one of that address is to be displaced if it
///          deserves it (see IoThread::displace()). So a crowd of addresses that each stay silent
///          often displaces itself, and nobody else.
///
/// Bounds   kEntriesMax addresses. An address without connections is kept until its token buckets
///          are full again; when the table is full, the one that went longest without any is
///          forgotten. Those with connections are never more than the server's connections_max.
/// Threads  Any. The mutex guards the table, which is touched at a connection's beginning, at the
///          end of its handshake and at its end; these happen on all I/O threads.
/// Cost     O(1); of places O(log n).
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
        [[nodiscard]] std::optional<Key> address() const { return key_; }
        /// Of its place; ascending in the order in which places were given. 0: it has none.
        [[nodiscard]] std::uint64_t place() const { return place_; }
        /// The connection was let in. May be called again.
        void end_handshake();

    private:
        friend class AddressTable;
        Slot(AddressTable& table, std::optional<Key> key)
            : table_(&table), key_(key), is_in_handshake_(true) {}

        AddressTable* table_ = nullptr;  ///< null: refused
        std::optional<Key> key_;
        std::uint64_t place_ = 0;
        bool is_in_handshake_ = false;
    };

    enum class Verdict : std::uint8_t {
        welcome,
        refuse,       ///< close it
        tell_refuse,  ///< send it the reason, and close it: at most once a second for each address
    };

    struct Admission {
        Verdict verdict;
        Slot slot;
    };

    /// `restart_until`: until when AddressLimits::restart_factor counts.
    AddressTable(const AddressLimits& limits, std::size_t handshakes_max, TimePoint restart_until,
                 std::size_t entries_max = kEntriesMax)
        : limits_(limits),
          handshakes_max_(handshakes_max),
          restart_until_(restart_until),
          entries_max_(entries_max) {}

    Admission admit(const boost::asio::ip::address& address, TimePoint now);

    /// Who is to make room: the oldest of the address that has most handshakes, two or more.
    struct Crowder {
        std::uint32_t io_thread;
        std::uint64_t place;
        bool is_own;  ///< of the newcomer's own address, which has most then
    };
    struct Offer {
        bool has_place;
        std::optional<Crowder> crowder;
    };
    /// A place for the handshake of a connection that was admitted and goes to this I/O thread. May
    /// be asked again.
    [[nodiscard]] Offer find_place(Slot& slot, std::uint32_t io_thread);
    /// Forgets those that would be treated alike if they came for the first time. To be called now
    /// and then.
    void forget_idle(TimePoint now);
    [[nodiscard]] std::size_t size() const;

private:
    struct Entry {
        TokenBucket arrivals;
        TokenBucket refusals_logged;
        bool has_restart_limits = false;
        std::uint32_t connections = 0;
        std::uint32_t handshakes = 0;
        std::map<std::uint64_t, std::uint32_t> places =
            {};                                 ///< and on which I/O thread, the oldest first
        std::list<Key>::iterator idle_at = {};  ///< while there are no connections
    };

    Entry& entry_of(Key key, TimePoint now);
    void leave(const Slot& slot);
    void end_handshake(const Slot& slot);
    void give_place(Slot& slot, std::uint32_t io_thread);
    void take_place(const Slot& slot);

    const AddressLimits limits_;
    const std::size_t handshakes_max_;
    const TimePoint restart_until_;
    const std::size_t entries_max_;
    mutable std::mutex mutex_;
    // Guarded by mutex_.
    std::size_t places_taken_ = 0;
    std::uint64_t last_place_ = 0;
    std::set<std::pair<std::size_t, Key>> by_places_;  ///< addresses that have any
    std::unordered_map<Key, Entry> entries_;           ///< nothing depends on its order
    std::list<Key> idle_;                              ///< without connections, the longest first
};

}  // namespace marchland::net
