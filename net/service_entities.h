#pragma once

#include "net/directory.h"
#include "net/input_port.h"
#include "net/service_messages.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace marchland::net {

/// What a service owns in the zone. It outlives the service's connection: while nobody is in it, it
/// rests at the ResumeStore.
///
///     made ── move_in ──► held ── move_in: a service that resumes; whoever was in is out
///                          └───── leave_all: its entities leave the zone
///
/// Threads  Any: the mutex guards all of it. Two connections may be at it at once, when a service
///          comes again before the server saw that its line is dead; then only the later one, its
///          holder, gets in.
/// Bounds   The holder's to keep: it asks for size() and watchers() first.
class ServiceEntities {
public:
    struct Holding {
        std::uint32_t ref = 0;
        std::shared_ptr<InputPort> port;
        bool watches = false;
        /// Where the holder moved it last, for packed differences; nothing before it did.
        std::optional<engine::Position> sent;
    };
    /// Nothing depends on its order.
    using Holdings = std::unordered_map<engine::EntityId, Holding>;
    enum class Holder : std::uint64_t {};

    explicit ServiceEntities(OwnerId owner) : owner_(owner) {}

    [[nodiscard]] OwnerId owner() const { return owner_; }

    /// The holder's hold on all of it, for a message's time.
    class Access {
    public:
        [[nodiscard]] Holding* find(engine::EntityId entity);
        [[nodiscard]] Holdings& all() { return entities_->holdings_; }
        void add(engine::EntityId entity, Holding holding);
        void erase(engine::EntityId entity);
        [[nodiscard]] std::size_t size() const { return entities_->holdings_.size(); }
        [[nodiscard]] std::size_t watchers() const { return entities_->watchers_; }
        /// May its messages go to `count` more players in this tick? Then they do.
        [[nodiscard]] bool take_deliveries(engine::Tick tick, std::size_t count);
        /// In ascending id.
        [[nodiscard]] std::vector<SpawnedOne> list() const;

    private:
        friend class ServiceEntities;
        Access(ServiceEntities& entities, std::unique_lock<std::mutex> lock)
            : entities_(&entities), lock_(std::move(lock)) {}
        ServiceEntities* entities_;
        std::unique_lock<std::mutex> lock_;
    };

    /// Somebody else is in it from here on, who has sent no positions yet.
    [[nodiscard]] Holder move_in();
    /// Nothing when somebody else has moved in.
    [[nodiscard]] std::optional<Access> enter(Holder holder);
    /// All of it leaves the zone; nobody gets in any more.
    void leave_all();

private:
    const OwnerId owner_;
    std::mutex mutex_;
    // Guarded by mutex_.
    std::uint64_t holder_ = 0;
    Holdings holdings_;
    std::size_t watchers_ = 0;
    std::size_t deliveries_ = 0;  ///< that were taken of kServiceDeliveriesMax in deliveries_tick_
    engine::Tick deliveries_tick_ = engine::kNever;
};

}  // namespace marchland::net
