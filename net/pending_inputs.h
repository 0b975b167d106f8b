#pragma once

#include "engine/entity.h"
#include "engine/frame/game_messages.h"
#include "shards/entity_port.h"
#include "net/messages.h"
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

/// No bytes, no Blob.
inline engine::Blob blob_of(const std::vector<std::byte>& bytes) {
    return bytes.empty() ? nullptr : std::make_shared<const std::vector<std::byte>>(bytes);
}

/// What services send to one client until a frame takes it: in order. The oldest give way.
class SaidToClient {
public:
    static constexpr std::size_t kMessagesMax = 256;
    static constexpr std::size_t kBytesMax = std::size_t{64} * 1024;
    /// Of one frame; more go with the next ones.
    static constexpr std::size_t kFrameBytesMax = std::size_t{16} * 1024;

    void add(engine::GameMessage message);
    /// Some messages are lost: the client is sent that.
    void note_lost() { is_lost_ = true; }
    [[nodiscard]] bool is_empty() const { return messages_.empty() && !is_lost_; }
    [[nodiscard]] std::size_t size() const { return messages_.size(); }
    /// What the next frame sends: what fits into `room` and kFrameBytesMax, and one in any case.
    [[nodiscard]] std::span<const engine::GameMessage> next(std::int64_t room) const;
    [[nodiscard]] bool is_lost() const { return is_lost_; }
    /// So many, and is_lost(), were sent: their bytes.
    std::size_t erase(std::size_t count);

private:
    std::vector<engine::GameMessage> messages_;
    std::size_t bytes_ = 0;
    bool is_lost_ = false;
};

/// What a service rules over a player's entity; what is absent stays.
struct MoveRules {
    std::optional<std::uint16_t> speed_percent = {};  ///< SpeedLimit::set_percent
    Authority authority = Authority::unchanged;
    /// The commands' place answers the client's Move of this seq.
    std::optional<std::uint32_t> answers = {};
    /// How many frames a second the entity's client gets; 0: as many as if nobody had ruled.
    std::optional<std::uint16_t> frames_hz = {};
};

/// What was asked for one entity since its shard looked last, by its client and by services: the
/// newest of each kind, and no more, however much they send.
///
/// Threads  put_*: any. take, refuse_move and close: the owning shard's.
/// Bounds   Messages: kClientMessagesMax of the client.
///          To who sees the entity: kMessagesPerTickMax.
/// Cost     take, when nothing was asked: one relaxed load.
class PendingInputs {
public:
    /// What a client's Move asks for, made whole or not at all.
    struct ClientMove : Move {
        bool is_outside = false;  ///< of the world: it is to be refused
        std::chrono::steady_clock::time_point arrived{};
    };
    struct Taken {
        MoveRules rules;                 ///< from this tick on
        std::optional<ClientMove> move;  ///< nothing where a service put the entity elsewhere
        std::uint32_t correction = 0;    ///< the newest number
        bool is_corrected = false;       ///< by a service, since the last call; not by an answer
        bool has_made_room = false;      ///< for a message of the client's that was refused
        std::vector<engine::GameMessage> messages = {};  ///< of the client, in order
        std::uint32_t message_number = 0;                ///< the newest one's, if there are any
    };

    /// Without a facing, that of the move before it stands, if that waits still. A move from before
    /// the newest correction was seen is passed over.
    void put_move(ClientMove move);
    /// What a service asks for, all of it in one tick: place, facing, layers, view, notification
    /// range and state, where they are there. Its place is a correction: it stands instead of the
    /// client's moves, and of their facing; but a place that answers a Move stands beside them, and
    /// its port judges it.
    void put_commands(shards::Inputs commands, MoveRules rules = {});
    /// The same of a place alone: what services ask for thousands of times in each tick.
    void put_place(engine::Position place);
    void put_view(const engine::View& view);
    void put_state(std::vector<engine::StateWrite> state);
    /// The newest view that was asked for, ever.
    [[nodiscard]] std::optional<engine::View> newest_view();
    /// A service's, to whoever sees the entity. False, and it is gone, when as many wait as one
    /// tick may have.
    [[nodiscard]] bool put_to_viewers(engine::GameMessage message);
    void put_keyframe();
    /// Of the client's messages between two ticks; with more the client waits.
    static constexpr std::size_t kClientMessagesMax = 64;
    enum class Put : std::uint8_t {
        taken,
        again,  ///< it was taken before, or another connection has the session: nothing happened
        gap,    ///< there is none of a number before it: nothing happened
        /// Nothing happened: the next take() reports that there is room, and the mailbox's `rooms`
        /// have its port.
        no_room,
    };
    /// The client's, to services.
    [[nodiscard]] Put put_message(std::uint32_t number, engine::GameMessage message);
    /// From here on none is taken; the newest one's number. The client goes on with
    /// begin_messages(), elsewhere.
    [[nodiscard]] std::uint32_t end_messages();
    void begin_messages(std::uint32_t number);
    /// False, and nothing happened, when the entity is out of the zone.
    [[nodiscard]] bool put_successor(std::shared_ptr<shards::EntityPort> port);
    /// The owning shard's thread: the entity is out of the zone. Who was to take over, if anybody.
    std::shared_ptr<shards::EntityPort> close();
    void put_leave();
    /// Whoever takes the place of its port comes too late for more than to be sent why. Not for
    /// another zone: who takes its place is sent there.
    [[nodiscard]] bool is_to_leave();
    /// It leaves, for another zone; of several the first counts.
    void put_transfer(Transfer transfer);
    /// What was put, once the entity is out of the zone.
    [[nodiscard]] std::optional<Transfer> transfer();

    /// Moves what was asked into `into`, but for the client's move: whoever takes it decides about
    /// that.
    Taken take(shards::Inputs& into);
    /// The owning shard's thread: the move that was just taken is not made, nor any that was sent
    /// since. The correction's number.
    std::uint32_t refuse_move();
    /// The owning shard's thread: the client is to be sent where its entity is; what it asked for
    /// before that still counts. The correction's number.
    std::uint32_t correct();

private:
    void note_asked() { has_any_.store(true, std::memory_order_relaxed); }

    /// Guards what is below, for a copy's time. A message for each move would be a queue that a
    /// client fills; here the newest overwrites the one before.
    std::mutex mutex_;
    bool is_to_leave_ = false;  ///< from put_leave() on
    shards::Inputs asked_;      ///< but for the client's move; a place in it is a service's
    MoveRules rules_;
    bool is_put_ = false;  ///< its place in asked_ is a correction
    std::optional<ClientMove> client_move_;
    bool client_waits_ = false;  ///< one of its messages was refused
    std::vector<engine::GameMessage> messages_;
    std::uint32_t message_number_ = 0;  ///< of the newest that was taken
    bool takes_messages_ = true;
    std::optional<engine::View> newest_view_;
    std::optional<Transfer> transfer_;
    std::uint32_t correction_ = 0;  ///< number of the newest; goes round
    /// Of the oldest that a move must have seen: one that was sent before is passed over.
    std::uint32_t to_be_seen_ = 0;
    bool is_closed_ = false;
    std::atomic<bool> has_any_{false};  ///< a hint: one that is not seen yet is taken next tick
};

}  // namespace marchland::net
