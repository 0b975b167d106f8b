#pragma once

#include "engine/entity.h"
#include "engine/frame/events.h"
#include "shards/entity_port.h"
#include "net/service_messages.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace marchland::net {

/// What services say to one client until a frame takes it: in order. The oldest give way.
class SaidToClient {
public:
    static constexpr std::size_t kMessagesMax = 256;
    static constexpr std::size_t kBytesMax = std::size_t{64} * 1024;
    /// Of one frame; more go with the next ones.
    static constexpr std::size_t kFrameBytesMax = std::size_t{16} * 1024;

    void add(Said message);
    void add_all(SaidToClient later);
    /// Some that were sent cannot be told.
    void note_lost() { is_lost_ = true; }
    [[nodiscard]] bool is_empty() const { return messages_.empty() && !is_lost_; }
    /// What the next frame tells.
    [[nodiscard]] std::span<const Said> next() const;
    [[nodiscard]] bool is_lost() const { return is_lost_; }
    /// next() and is_lost() are told.
    void erase_next();

private:
    void drop(std::size_t count);

    std::vector<Said> messages_;
    std::size_t bytes_ = 0;
    bool is_lost_ = false;
};

/// What was asked for one entity since its shard looked last, by its client and by services: the newest
/// of each kind, and no more, however much they send.
///
/// Threads  put_*: any. take, refuse_move and close: the owning shard's.
/// Bounds   Messages: kClientMessagesMax of the client, and to it what SaidToClient holds.
///          Events: kEventsPerTickMax, of which a part is the client's and the rest is services', so that
///          neither fills the other's.
/// Cost     take, when nothing was asked: one relaxed load.
class PendingInputs {
public:
    /// In the `to` of the client's events of a tick, all together: a crowd of players would otherwise have
    /// every shard keep, and sort, hundreds for each of them.
    static constexpr std::size_t kClientNamingsMax = 2 * engine::kEventTargetsMax;

    /// What a client's Move asks for, made whole or not at all.
    struct ClientMove {
        std::uint32_t seq = 0;
        engine::Position position;
        std::optional<engine::Angle> facing;  ///< nothing: as it is
        bool is_outside = false;              ///< of the world: it is to be refused
        std::chrono::steady_clock::time_point arrived{};
    };
    struct Taken {
        std::optional<ClientMove> move;  ///< nothing where a service put the entity elsewhere
        std::uint32_t correction = 0;    ///< the newest number
        bool is_corrected = false;       ///< by a service, since the last call
        bool has_made_room = false;  ///< for an event or a message of the client's that was refused
        std::vector<Said> messages = {};  ///< of the client, in order
        SaidToClient to_client = {};
    };

    /// `client_events_max`: how many of a tick's events are kept for the entity's client.
    explicit PendingInputs(std::size_t client_events_max = 0)
        : client_events_max_(client_events_max) {}

    /// Without a facing, that of the move before it stands, if that waits still. A move from before the
    /// newest correction was seen is passed over.
    void put_move(ClientMove move, std::uint32_t correction_seen);
    /// The number of the newest correction.
    [[nodiscard]] std::uint32_t correction();
    /// What a service asks for, all of it in one tick: place, facing, layers, view, notification range and
    /// state, where they are there. Its place is a correction: it stands instead of the client's moves,
    /// and of their facing.
    void put_commands(shards::Inputs commands);
    void put_view(const engine::View& view);
    void put_state(engine::Blob state);
    /// The newest view that was asked for, ever.
    [[nodiscard]] std::optional<engine::View> newest_view();
    /// The client's, which is moved from. False, and nothing happened, when as many wait as one tick may
    /// have, or name as many entities as one tick's may: the next take() says that there is room.
    [[nodiscard]] bool put_event(engine::EntityEvent& event);
    /// A service's. False, and it is gone, when as many wait as one tick may have.
    [[nodiscard]] bool put_service_event(engine::EntityEvent event);
    void put_keyframe();
    /// Of the client's messages between two ticks; with more the client waits.
    static constexpr std::size_t kClientMessagesMax = 64;
    enum class Put : std::uint8_t {
        taken,
        again,    ///< it was taken before, or another connection has the session: nothing happened
        gap,      ///< there is none of a number before it: nothing happened
        no_room,  ///< nothing happened: the next take() says that there is room
    };
    /// The client's, to services.
    [[nodiscard]] Put put_message(std::uint32_t number, Said message);
    /// From here on none is taken; the newest one's number. The client goes on with begin_messages(), elsewhere.
    [[nodiscard]] std::uint32_t end_messages();
    void begin_messages(std::uint32_t number);
    /// A service's, to the client.
    void put_to_client(Said message);
    /// False, and nothing happened, when the entity is out of the zone.
    [[nodiscard]] bool put_successor(std::shared_ptr<shards::EntityPort> port);
    /// The owning shard's thread: the entity is out of the zone. Who was to take over, if anybody.
    std::shared_ptr<shards::EntityPort> close();
    void put_leave();

    /// Moves what was asked into `into`, but for the client's move: whoever takes it decides about that.
    Taken take(shards::Inputs& into);
    /// The owning shard's thread: the move that was just taken is not made, nor any that was sent
    /// since. The correction's number.
    std::uint32_t refuse_move();

private:
    void note_asked() { has_any_.store(true, std::memory_order_relaxed); }

    /// Guards what is below, for a copy's time. A message for each move would be a queue that a
    /// client fills; here the newest overwrites the one before.
    std::mutex mutex_;
    const std::size_t client_events_max_;
    shards::Inputs asked_;  ///< but for the client's move; a place in it is a service's
    std::optional<ClientMove> client_move_;
    std::size_t client_events_ = 0;   ///< of asked_.events
    std::size_t client_namings_ = 0;  ///< in their `to`, all together
    bool client_waits_ = false;       ///< one of its events was refused
    std::vector<Said> messages_;
    std::uint32_t message_number_ = 0;  ///< of the newest that was taken
    bool takes_messages_ = true;
    SaidToClient to_client_;
    std::optional<engine::View> newest_view_;
    std::uint32_t correction_ = 0;  ///< number of the newest; goes round
    bool is_closed_ = false;
    std::atomic<bool> has_any_{false};  ///< a hint: one that is not seen yet is taken next tick
};

}  // namespace marchland::net
