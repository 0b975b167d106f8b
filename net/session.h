#pragma once

#include "net/messages.h"
#include "net/player_port.h"
#include "net/token_bucket.h"

#include <memory>
#include <optional>
#include <variant>

namespace marchland::net {

/// Who is behind a connection, once it has sent Hello: what its messages mean, and what becomes of
/// what it has in the zone when the connection ends.
///
/// Threads  Its connection's I/O thread.
/// Life     Its connection's, from Hello on, also while that is closing: a frame of its may be on
///          its way.
class Session {
public:
    using TimePoint = TokenBucket::TimePoint;

    Session() = default;
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    virtual ~Session() = default;

    /// The entity that it plays; nothing: it is a service.
    [[nodiscard]] virtual std::optional<engine::EntityId> entity() const { return std::nullopt; }
    /// Sends it an operators' notice, if it speaks a version that has the message.
    virtual void notify(const Notice&) {}

    /// Any message but the first. It may close the connection.
    virtual void receive(ClientMessage&& message) = 0;
    /// Does the message that it was given last wait still, for a tick that has room for what it
    /// asks? Then it is given no other, and is asked again once a port of its has room, until it
    /// refuses.
    [[nodiscard]] virtual bool is_held_up(TimePoint) { return false; }
    /// The server was not there for so long: what its client may send in that time, it may send at
    /// once.
    virtual void make_up_for(TimePoint::duration) {}
    using Admitted = std::variant<std::unique_ptr<Session>, ErrorMessage>;
    /// What takes its place as soon as that is decided, while it is held up; or why nothing does.
    [[nodiscard]] virtual std::optional<Admitted> successor(TimePoint) { return std::nullopt; }
    /// It does nothing but wait for that: where its client goes meanwhile, so does it.
    [[nodiscard]] virtual bool awaits_successor() const { return false; }
    /// Once in a while; it may close the connection.
    virtual void check() {}

    /// One of its ports has a frame waiting.
    virtual void on_frame(PlayerPort&) {}
    /// The frame that it gave to its connection is sent. It may give the next one.
    virtual void on_frame_sent() {}
    /// There are notices of players in its queue.
    virtual void on_notices() {}
    /// All that it sent, but for a frame, is with the client's transport. It may send more. Before
    /// each frame that begins to leave this is so once: who sends here does not wait for frames to
    /// end.
    virtual void on_said() {}
    /// The entity of one of its ports is out of the zone, and it did not ask for that.
    virtual void on_removed(PlayerPort&) {}

    /// One of these, once: the end, in order or by its own fault;
    virtual void leave(PlayerLeftReason) {}
    /// or the connection is lost: it may come back with its resume token.
    virtual void lose() {}
};

}  // namespace marchland::net
