#pragma once

#include "engine/entity.h"
#include "net/mailbox.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace marchland::net {

class Connection;
class PlayerNotices;

/// What one service is yet to be told of the players' coming and going.
///
/// Order    Ascending ids: that is the order in which players came.
/// Bounds   One notice for each player who is there and was not told of, or was told of and is gone. Who
///          came and went in the meantime is not told of.
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
    std::map<engine::EntityId, bool> unsent_;  ///< true: is here; false: has gone
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
    };
    struct Notice {
        engine::EntityId entity{};
        std::optional<Player> player;  ///< nothing: it has gone
    };

    void add(engine::EntityId entity, Player player);
    /// Does nothing if it is not there.
    void remove(engine::EntityId entity);

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
    static void post(const std::shared_ptr<NoticeQueue>& box);

    std::mutex mutex_;
    // Guarded by mutex_.
    std::map<engine::EntityId, Player> players_;
    std::vector<std::shared_ptr<NoticeQueue>> boxes_;
};

}  // namespace marchland::net
