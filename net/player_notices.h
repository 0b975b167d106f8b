#pragma once

#include "engine/entity.h"
#include "net/mailbox.h"
#include "net/service_messages.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace marchland::net {

class Connection;
class PlayerNotices;

/// What one service is yet to be told of the players' coming and going.
///
/// Order    Ascending ids: that is the order in which players came.
/// Bounds   One notice for each player of whom there is news: of all that happened to it since it was told of last
///          the newest. Who came and went in the meantime is not told of.
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
        gone,
    };
    struct Unsent {
        News news = News::came;
        PlayerLeftReason reason{};  ///< of who has gone
    };
    std::map<engine::EntityId, Unsent> unsent_;
    bool is_posted_ = false;  ///< its service is to look, and has not seen it empty since
};

/// Which players are in the zone, for services.
///
/// Threads  Any, but where noted. The mutex guards the players and all boxes: they are touched when a
///          player comes or goes, by sessions and by shards, and when a service reads.
/// Cost     A coming or going is O(services log players), and wakes an I/O thread only where its service had read the box to its end.
class PlayerNotices {
public:
    struct Player {
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
    using Notice = std::variant<PlayerJoined, PlayerAway, PlayerBack, PlayerLeft>;

    void add(engine::EntityId entity, Player player);
    /// Its connection, the one of that number, is lost. Does nothing if it has another by now, or is gone.
    void lose(engine::EntityId entity, std::uint32_t line, std::uint32_t grace_ms);
    /// It has another connection, whose number comes back.
    std::uint32_t come_back(engine::EntityId entity, std::string claims);
    /// Does nothing if it is not there.
    void remove(engine::EntityId entity, PlayerLeftReason reason);

    /// The service's I/O thread. All players who are there are in the box; the mail says so. nullptr when
    /// there are `boxes_max` already.
    [[nodiscard]] std::shared_ptr<NoticeQueue> open_box(Mailbox& mailbox, Connection& connection,
                                                        std::size_t boxes_max);
    /// The service's I/O thread, once.
    void close_box(NoticeQueue& box);
    /// The next notice, which is then told; nothing when there is none: then the next one that comes is
    /// mail. Until it said that, no further mail comes.
    [[nodiscard]] std::optional<Notice> take(NoticeQueue& box);

private:
    void note_presence(engine::EntityId entity);
    static void post(const std::shared_ptr<NoticeQueue>& box);

    std::mutex mutex_;
    // Guarded by mutex_.
    std::map<engine::EntityId, Player> players_;
    std::vector<std::shared_ptr<NoticeQueue>> boxes_;
};

}  // namespace marchland::net
