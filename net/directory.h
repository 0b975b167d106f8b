#pragma once

#include "engine/assert.h"
#include "net/input_port.h"
#include "net/player_notices.h"
#include "net/server_options.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace marchland::net {

/// Whose an entity is.
enum class OwnerId : std::uint64_t {};
inline constexpr OwnerId kPlayers{};  ///< a player's own; any other number is one service's

/// Who is in the zone by way of the server, and where a service's inputs for it go.
///
///   session ── enter ──► listed ◄── with: services' inputs ──  on_removed ──► gone
///                          │ ▲
///                          └─┘ hand_over: a resumed session's port takes the place
///
/// Invariants
///  1. An order that is given in with() is taken by the zone: it reaches the port while that is the
///     entity's, or before its successor is named.
///  2. A player's coming is on the notices before its going.
///
/// Threads  Any. A mutex for each of many buckets guards its part of the list while an order is put
///          into a cell: inputs come from all I/O threads, removals from all shards.
/// Cost     O(1).
class Directory {
public:
    struct Listing {
        std::shared_ptr<InputPort> port;
        OwnerId owner = kPlayers;
        std::string claimed = {};  ///< subject that is released with the entity; empty: none
    };

    /// Of these the limits of players' messages that wait for one service.
    explicit Directory(const ServiceOptions& options = {})
        : notices_(options.waiting_messages_max, options.waiting_message_bytes_max) {}

    /// Nobody enters while it is closed; whoever is in stays, and may be handed over.
    void set_closed(bool is_closed) { is_closed_.store(is_closed, std::memory_order_relaxed); }
    [[nodiscard]] bool is_closed() const { return is_closed_.load(std::memory_order_relaxed); }

    /// `join` puts the entity into the zone; when it refuses, nothing happened. `player`: what
    /// services are sent; nothing for who is no player. What it throws leaves nothing behind, but
    /// perhaps a player who is listed, in the zone, and is to be asked to leave.
    template <typename Join>
    [[nodiscard]] bool enter(engine::EntityId entity, Listing listing,
                             std::optional<PlayerNotices::Player> player, Join&& join) {
        Bucket& bucket = bucket_of(entity);
        const std::lock_guard lock(bucket.mutex);
        attach(*listing.port, entity);
        if (is_closed()) {
            return false;
        }
        const bool is_services = listing.owner != kPlayers;
        // First: an entity in the zone that is not listed would never be gone from here.
        const bool is_new = bucket.listings.emplace(entity, std::move(listing)).second;
        MARCHLAND_ASSERT(is_new);
        bool is_in = false;
        try {
            is_in = join();
        } catch (...) {
            bucket.listings.erase(entity);
            throw;
        }
        if (!is_in) {
            bucket.listings.erase(entity);
            return false;
        }
        if (is_services) {
            service_entities_.fetch_add(1, std::memory_order_relaxed);
        }
        if (player) {
            notices_.add(entity, *std::move(player));
        }
        return true;
    }

    /// `swap` makes `successor` the entity's port, or returns that it is too late.
    template <typename Swap>
    [[nodiscard]] bool hand_over(engine::EntityId entity, std::shared_ptr<InputPort> successor,
                                 Swap&& swap) {
        Bucket& bucket = bucket_of(entity);
        const std::lock_guard lock(bucket.mutex);
        const auto found = bucket.listings.find(entity);
        if (found == bucket.listings.end()) {
            return false;
        }
        attach(*successor, entity);
        if (!swap()) {
            return false;
        }
        found->second.port = std::move(successor);
        return true;
    }

    /// Calls `use(listing)` while the entity's port stays what it is; false when it is not there.
    template <typename Use>
    bool with(engine::EntityId entity, Use&& use) {
        Bucket& bucket = bucket_of(entity);
        const std::lock_guard lock(bucket.mutex);
        const auto found = bucket.listings.find(entity);
        if (found == bucket.listings.end()) {
            return false;
        }
        use(std::as_const(found->second));
        return true;
    }

    /// One subject is one entity: the next that enters, until that is removed. False, and nothing
    /// happened, while it has one. Before enter(), whose listing says it; release() if that fails.
    [[nodiscard]] bool claim(const std::string& subject);
    void release(const std::string& subject);
    /// Has the subject an entity?
    [[nodiscard]] bool is_claimed(const std::string& subject) const;

    /// The entity is out of the zone. Does nothing if it is not there.
    void remove(engine::EntityId entity);

    /// After a restart: owners before this one are those of entities that may be there.
    void begin_owners(std::uint64_t next) { next_owner_.store(next - 1); }
    /// A new service's.
    [[nodiscard]] OwnerId new_owner() { return OwnerId{next_owner_.fetch_add(1) + 1}; }
    /// Entities that are services'.
    [[nodiscard]] std::size_t service_entities() const {
        return service_entities_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] PlayerNotices& notices() { return notices_; }
    [[nodiscard]] const PlayerNotices& notices() const { return notices_; }

private:
    struct Bucket {
        std::mutex mutex;
        std::unordered_map<engine::EntityId, Listing> listings;  ///< nothing depends on its order
    };
    static constexpr std::size_t kBuckets = 64;

    [[nodiscard]] Bucket& bucket_of(engine::EntityId entity) {
        return buckets_[to_number(entity) % kBuckets];
    }
    void attach(InputPort& port, engine::EntityId entity);

    std::array<Bucket, kBuckets> buckets_;
    /// Those that were claimed. A mutex of their own: players come and go a few times a second.
    mutable std::mutex claims_mutex_;
    std::unordered_set<std::string> claims_;  ///< nothing depends on their order
    PlayerNotices notices_;
    std::atomic<std::uint64_t> next_owner_{0};
    std::atomic<std::size_t> service_entities_{0};
    std::atomic<bool> is_closed_{false};
};

}  // namespace marchland::net
