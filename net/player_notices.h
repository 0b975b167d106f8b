#pragma once

#include "engine/entity.h"
#include "net/mailbox.h"
#include "net/service_messages.h"

#include <cstddef>
#include <cstdint>
#include <deque>
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

/// What services are told of a player.
struct NoticedPlayer {
    std::uint16_t kind = 0;
    engine::Position position;  ///< where it came in
    engine::Blob blob;          ///< that it came in with
    std::string subject;
    std::string claims;  ///< of the token that it showed last
    /// Its connection is lost, and it is waited for that long.
    std::optional<std::uint32_t> away_ms = {};
    /// How many connections it has had before this one.
    std::uint32_t line = 0;
};

/// What one service is yet to be told of the players' coming and going.
///
/// Order    First who came, in ascending ids: that is the order in which players came; with them who is away or back.
///          Then players' messages in the order in which shards took them, each player's as it sent them, and
///          between them who has gone: after its messages.
/// Bounds   One notice for each player of whom there is news: of all that happened to it since it was told of last
///          the newest. Who came and went in the meantime and said nothing is not told of. Of messages waiting_messages_max and
///          waiting_message_bytes_max; the oldest give way, and the service is told how many.
/// Threads  connection: the I/O thread of its service. The rest is the notices's.
class NoticeQueue {
public:
    /// nullptr once the service is gone.
    [[nodiscard]] Connection* connection() const { return connection_; }

private:
    friend class PlayerNotices;
    NoticeQueue(Mailbox& mailbox, Connection& connection)
        : mailbox_(mailbox), connection_(&connection) {}

    Mailbox& mailbox_;
    Connection* connection_;
    /// What is to be told of a player: each stands for those before it, but for `came`, which stays until told.
    enum class News : std::uint8_t {
        came,
        presence,  ///< its connection was lost, or it has a new one
    };
    struct Unsent {
        News news = News::came;
        bool has_said = false;  ///< some message that is queued, or was
        /// Who has come, said something and gone, and is told of all the same.
        std::optional<NoticedPlayer> gone;
    };
    std::map<engine::EntityId, Unsent> unsent_;
    /// Who has gone is told of after the messages that were said before.
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
        Said said;
    };
    std::deque<Message> messages_;
    std::vector<std::uint16_t> kinds_;  ///< that it has subscribed to, ascending
    std::size_t message_bytes_ = 0;
    std::uint64_t messages_in_ = 0;   ///< that ever were queued
    std::uint64_t messages_out_ = 0;  ///< of these, read or lost
    std::uint64_t lost_ = 0;          ///< and not told so
    bool is_posted_ = false;          ///< its service is to look, and has not seen it empty since
};

/// Which players are in the zone, for services.
///
/// Threads  Any, but where noted. The mutex guards the players and all boxes: they are touched when a
///          player comes or goes, by sessions and by shards, and when a service reads.
/// Cost     A coming or going is O(services log players), and wakes an I/O thread only where its service had read the box to its end.
class PlayerNotices {
public:
    using Player = NoticedPlayer;
    using Notice =
        std::variant<PlayerJoined, PlayerAway, PlayerBack, PlayerLeft, PlayerMessage, MessagesLost>;
    explicit PlayerNotices(std::size_t messages_max = 20'000,
                           std::size_t message_bytes_max = std::size_t{8} * 1024 * 1024)
        : messages_max_(messages_max), message_bytes_max_(message_bytes_max) {}

    void add(engine::EntityId entity, Player player);
    /// Its connection, the one of that number, is lost. Does nothing if it has another by now, or is gone.
    void lose(engine::EntityId entity, std::uint32_t line, std::uint32_t grace_ms);
    /// It has another connection, whose number comes back.
    std::uint32_t come_back(engine::EntityId entity, std::string claims);
    /// Does nothing if it is not there.
    void remove(engine::EntityId entity, PlayerLeftReason reason);
    /// The player's messages of a tick, to the services that have subscribed to their kinds.
    void say(engine::EntityId entity, engine::Tick tick, engine::Position at,
             std::span<const Said> messages);
    [[nodiscard]] std::vector<engine::EntityId> players();

    /// The service's I/O thread. All players who are there are in the box; the mail says so. nullptr when
    /// there are `boxes_max` already.
    [[nodiscard]] std::shared_ptr<NoticeQueue> open_box(Mailbox& mailbox, Connection& connection,
                                                        std::size_t boxes_max);
    /// The service's I/O thread, once.
    void close_box(NoticeQueue& box);
    /// The service's I/O thread: of which kinds messages are queued, from here on.
    void subscribe(NoticeQueue& box, std::vector<std::uint16_t> kinds);
    /// The next notice, which is then told; nothing when there is none: then the next one that comes is
    /// mail. Until it said that, no further mail comes.
    [[nodiscard]] std::optional<Notice> take(NoticeQueue& box);

private:
    void note_presence(engine::EntityId entity);
    void queue(NoticeQueue& box, NoticeQueue::Message message) const;
    [[nodiscard]] Notice take_news(NoticeQueue& box);
    static void post(const std::shared_ptr<NoticeQueue>& box);

    const std::size_t messages_max_;
    const std::size_t message_bytes_max_;
    std::mutex mutex_;
    // Guarded by mutex_.
    std::map<engine::EntityId, Player> players_;
    std::vector<std::shared_ptr<NoticeQueue>> boxes_;
};

}  // namespace marchland::net
