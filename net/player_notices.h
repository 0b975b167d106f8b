#pragma once

#include "engine/entity.h"
#include "shards/zone_query.h"
#include "net/mailbox.h"
#include "net/service_messages.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace marchland::net {

class Connection;
class PlayerNotices;

/// What services are sent of a player.
struct NoticedPlayer {
    PlayerJoined joined;  ///< as it came in, but for the claims: of the token that it showed last
    /// Its connection is lost, and it is waited for that long.
    std::optional<std::uint32_t> away_ms = {};
    /// How many connections it has had before this one.
    std::uint32_t line = 0;
};

/// A player that is to come in, while a service is asked about it.
///
/// Life     Its session's, and whoever asks or answers.
/// Threads  connection: the I/O thread of its session. answer, asked: guarded by PlayerNotices. The
///          rest is constant.
struct AskedFor {
    struct Answer {
        shards::Inputs given;  ///< what is absent: as it asked to
        std::optional<std::string> refusal;
    };
    PlayerAsks asks;
    Mailbox& mailbox;
    Connection* connection;  ///< null once it is gone
    std::optional<Answer> answer = {};
    NoticeQueue* asked = nullptr;  ///< of the service that has the question; null: none is there
};

/// Where all players are at the end of one tick, in ascending id. Constant, and shared by all who
/// read it.
struct PlayersOfTick {
    engine::Tick tick = engine::kNever;
    bool border_stale = false;
    std::vector<shards::Counted> players;
};

/// What one service is yet to be sent of the players' coming and going.
///
/// Order    First who asks to come in. Then who has gone, whose messages were sent or lost, and how
///          many were lost. Then who came, in ascending ids: that is the order in which players
///          came; with them who is away or back; after those who were there at first, that they are
///          all. Then players' messages in the order in which shards took them, each player's as it
///          sent them. Then, in rounds, what they ask for whose entities services move, each once
///          and in ascending ids, and where players are in one tick.
/// Bounds   One notice for each player of whom something is new: of all that happened to it since
///          its last notice the newest. Who came and went in the meantime and sent nothing is left
///          out. Of messages waiting_messages_max and waiting_message_bytes_max; the oldest give
///          way, and the service is sent how many. Of ticks with players' positions two: the one
///          that is being sent, and the newest.
/// Threads  connection: the I/O thread of its service. The rest is the notices's.
class NoticeQueue {
public:
    /// `admits`: its service is asked who may come in.
    NoticeQueue(Mailbox& mailbox, Connection& connection, bool admits)
        : mailbox_(mailbox), connection_(&connection), admits_(admits) {}

    /// nullptr once the service is gone.
    [[nodiscard]] Connection* connection() const { return connection_; }

private:
    friend class PlayerNotices;

    Mailbox& mailbox_;
    Connection* connection_;
    const bool admits_;
    /// What is to be sent of a player: each replaces those before it, but for `came`, which stays
    /// until sent.
    enum class Change : std::uint8_t {
        came,
        presence,  ///< its connection was lost, or it has a new one
    };
    struct Unsent {
        Change change = Change::came;
        std::size_t messages = 0;  ///< of one that `came`: that it has in the queue
        /// A player that came, sent something and went: it is sent all the same, while any of that
        /// is left.
        std::optional<NoticedPlayer> gone;
    };
    std::deque<std::shared_ptr<AskedFor>> unasked_;
    std::map<engine::EntityId, Unsent> unsent_;
    /// The newest of those who were there at first, until all of them are sent.
    std::optional<engine::EntityId> newest_listed_;
    /// That a player has gone is sent after the messages that it sent before.
    struct Gone {
        engine::EntityId entity{};
        PlayerLeftReason reason{};
        std::uint64_t after = 0;  ///< so many messages
    };
    std::deque<Gone> gone_;
    struct Message {
        engine::EntityId entity{};
        engine::Tick tick{};
        engine::Position at;
        engine::GameMessage said;
    };
    std::deque<Message> messages_;
    std::vector<std::uint16_t> kinds_;  ///< that it has subscribed to, ascending
    std::size_t waiting_bytes_ = 0;     ///< of messages_, of gone_ and of players who are `gone`
    std::uint64_t messages_in_ = 0;     ///< that ever were queued
    std::uint64_t messages_out_ = 0;    ///< of these, read or lost
    std::uint64_t lost_ = 0;            ///< whose number is not sent yet
    bool wants_moves_ = false;
    std::map<engine::EntityId, PlayerMove> moves_;  ///< the newest of each
    engine::EntityId newest_moved_{};               ///< whose move was sent last in this round
    bool wants_positions_ = false;
    std::optional<Circle> within_;  ///< of those who are there
    engine::Dimensions dimensions_ = engine::Dimensions::two;
    std::shared_ptr<const PlayersOfTick> sending_;
    std::size_t sent_ = 0;  ///< so many of those were looked at
    std::shared_ptr<const PlayersOfTick> newest_;
    std::uint64_t ticks_lost_ = 0;  ///< between the two, whose number is not sent yet
    bool is_posted_ = false;        ///< its service is to look, and has not seen it empty since
};

/// Which players are in the zone, for services.
///
/// Threads  Any, but where noted. The mutex guards the players and all queues: they are touched
///          when a player comes or goes, sends services a message or is moved by one, and when a
///          service reads.
/// Bounds   Of each player what it came in with: at most kStateBytesMax and kBlobBytesMax, and its
///          token's subject and claims.
/// Cost     A coming or going is O(services log players), and wakes an I/O thread only where its
///          service had read its whole queue.
class PlayerNotices {
public:
    using Player = NoticedPlayer;
    using Notice = std::variant<PlayerAsks, PlayerJoined, PlayerAway, PlayerBack, PlayerLeft,
                                PlayersListed, PlayerMessage, MessagesLost, PlayerMove, Positions>;
    /// Both of messages that wait for one service.
    PlayerNotices(std::size_t messages_max, std::size_t message_bytes_max)
        : messages_max_(messages_max), message_bytes_max_(message_bytes_max) {}

    /// `player.joined` needs no entity.
    void add(engine::EntityId entity, Player player);
    /// Its connection, the one of that number, is lost. Does nothing if it has another by now, or
    /// is gone.
    void lose(engine::EntityId entity, std::uint32_t line, std::uint32_t grace_ms);
    /// It has another connection, whose number comes back.
    std::uint32_t come_back(engine::EntityId entity, std::string claims);
    /// Does nothing if it is not there.
    void remove(engine::EntityId entity, PlayerLeftReason reason);
    /// The player's messages of a tick, to the services that have subscribed to their kinds. False,
    /// and nothing happened, after end().
    bool say(engine::EntityId entity, engine::Tick tick, engine::Position at,
             std::span<const engine::GameMessage> messages);
    /// The server stops, and its services with it: what a late shard still takes is none that
    /// services were sent, and whoever had no Pong for it sends it again after the next start.
    void end();
    /// What a player asks for whose entity services move: the newest stands.
    void ask_move(const PlayerMove& move);
    [[nodiscard]] std::size_t player_count();

    /// Asks the service that admits and came first, or the next one that comes.
    void ask(const std::shared_ptr<AskedFor>& player);
    /// The I/O thread of its session: what was answered; nothing: nobody did yet.
    [[nodiscard]] std::optional<AskedFor::Answer> answer_to(const AskedFor& player);
    /// Nobody waits for the answer any more. Does nothing if it came.
    void withdraw(const AskedFor& player);
    /// False: the service was not asked that, or nobody waits for it any more.
    [[nodiscard]] bool answer(const NoticeQueue& queue, std::uint64_t request,
                              AskedFor::Answer answer);

    /// The service's I/O thread. All players who are there are in the queue; the mail announces
    /// them. False when there are `queues_max` already. After what it throws the queue is to be
    /// closed.
    [[nodiscard]] bool open_queue(const std::shared_ptr<NoticeQueue>& queue,
                                  std::size_t queues_max);
    /// The service's I/O thread, once. Nothing comes of one that was not opened.
    void close_queue(NoticeQueue& queue);
    /// The service's I/O thread: what is queued from here on; positions from `next_tick` on, which
    /// no shard has begun, or from the one after it.
    void subscribe(NoticeQueue& queue, Subscribe subscribe, engine::Dimensions dimensions,
                   engine::Tick next_tick);
    /// A shard at the end of its tick.
    [[nodiscard]] bool wants_positions(engine::Tick tick) const {
        return tick >= positions_from_.load(std::memory_order_relaxed);
    }
    /// In ascending ticks.
    void place(const std::shared_ptr<const PlayersOfTick>& players);
    /// The next notice, which then counts as sent; nothing when there is none: then the next one
    /// that comes is mail. Until it returned nothing, no further mail comes.
    [[nodiscard]] std::optional<Notice> take(NoticeQueue& queue);

private:
    void pass_on(const std::shared_ptr<AskedFor>& player);
    void pass_on_unasked();
    void note_presence(engine::EntityId entity);
    void look_who_wants_positions(engine::Tick next_tick);
    [[nodiscard]] std::optional<Positions> take_positions(NoticeQueue& queue) const;
    static void enqueue(NoticeQueue& queue, NoticeQueue::Message message);
    void lose_oldest(NoticeQueue& queue) const;
    [[nodiscard]] Notice take_change(NoticeQueue& queue);
    static void post(const std::shared_ptr<NoticeQueue>& queue);

    const std::size_t messages_max_;
    const std::size_t message_bytes_max_;
    std::mutex mutex_;
    // Guarded by mutex_.
    std::map<engine::EntityId, Player> players_;
    std::map<std::uint64_t, std::shared_ptr<AskedFor>> asked_;  ///< by request; not answered
    std::uint64_t newest_request_ = 0;
    bool is_over_ = false;
    std::vector<std::shared_ptr<NoticeQueue>> queues_;
    static constexpr engine::Tick kNobodyWants = std::numeric_limits<engine::Tick>::max();
    /// Written under mutex_, read by shards: from which tick on somebody wants to know where
    /// players are.
    std::atomic<engine::Tick> positions_from_{kNobodyWants};
};

/// Puts together what shards report, each for itself, of where the players are.
///
///   each shard, in each tick ── post ──► the tick's list ──► on_tick, when all shards of the
///                                                            layout have posted, or a later tick
///                                                            begins
///
/// Nobody waits for a late shard: a tick that is sent without it has border_stale, and what it
/// posts then is dropped.
///
/// Threads  Any. The mutex guards the tick that is being put together; each shard takes it once a
///          tick, on_tick is called under it, so ticks ascend.
/// Bounds   One tick. 24 bytes for each player.
class PlayerPositions {
public:
    using OnTick = std::function<void(const std::shared_ptr<const PlayersOfTick>&)>;

    explicit PlayerPositions(OnTick on_tick) : on_tick_(std::move(on_tick)) {}

    void post(shards::OwnPlayers&& own);

private:
    void send();

    const OnTick on_tick_;
    std::mutex mutex_;
    // Guarded by mutex_.
    PlayersOfTick gathered_;
    bool is_sent_ = true;
    std::size_t posted_ = 0;  ///< by shards of the layout
};

}  // namespace marchland::net
