#pragma once

#include "net/messages.h"
#include "tools/clients/cpp/way_in.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace marchland::client {

/// Why a session is over, or could not begin.
struct Problem {
    enum class Of : std::uint8_t {
        network,  ///< the connection is lost, or there was none
        server,   ///< said so, with a code
        stream,   ///< what came is no stream of this protocol
    };
    Of of = Of::network;
    net::ErrorCode code{};  ///< the server's; 0: it said none
    std::string text;
};

/// With what a player's session is resumed, also by another object or process. Who has it has the
/// session. Without a resume token there is none: the zone resumes none, or the player is on its
/// way to another one.
struct Resumption {
    std::vector<std::byte> resume_token;  ///< of the newest Welcome
    /// Where the game sent the player, with the scheme in any case, and with which token, if any;
    /// empty: where it joined, with its own.
    std::string address, token;
};

/// How a session, a player's or a service's, keeps itself.
struct SessionOptions {
    using Milliseconds = std::chrono::milliseconds;

    WayIn way = {};
    /// Whether way.server_name is the name of all zones. Else it is that of the first, and who is
    /// sent to another one goes by the host of the Transfer.
    bool keeps_server_name = false;
    /// Asked before each connection; empty: the token of the first message as it is.
    std::function<std::string()> token = {};
    /// Of a service: it is asked before a player comes in, and answers PlayerAsks with admit().
    bool admits = false;
    /// Whether a lost connection is resumed, where the server allows it.
    bool resume = true;
    /// Of a player: join() resumes that session, and joins anew where the zone refuses its resume
    /// token.
    Resumption resumption = {};
    /// The wait after the first attempt to resume; then twice as long each time, up to retry_max, a
    /// half more or less by chance. A connection that was resumed and lost again within 5 s was one
    /// more attempt. The last attempt is when the grace is over.
    Milliseconds retry{500};
    Milliseconds retry_max{4'000};
    /// A zone that keeps its state loses everybody in one moment when it restarts: they wait a
    /// random part of this once, before the first attempt where the server said that it stops, else
    /// after it.
    Milliseconds restart_spread{3'000};
    /// A Ping goes out when nothing was sent, or nothing received, for so long: well below the
    /// server's idle_timeout_ms and silence_max.
    Milliseconds ping_after{5'000};
    /// A server that says nothing for so long is lost: it sends a frame every second.
    Milliseconds silence_max{10'000};
    std::function<void(const Problem&)> on_lost = {};
    std::function<void()> on_resumed = {};
    /// To a service: a player that it knows, and that is not away, has other claims after a resume.
    std::function<void(engine::EntityId, const std::string& claims)> on_claims = {};
    /// To a player: a text of the operators, and when the server stops.
    std::function<void(const net::Notice&)> on_notice = {};
    /// The game sent the player to another zone, after attempts for as long as a resume takes, and
    /// it is there: all that is known is that one's. Before its first frame.
    std::function<void()> on_transferred = {};
};

class SessionCore;

/// What a Client and a Service have in common.
class Session {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// For poll(2) of the caller's own; -1 while the connection is lost.
    [[nodiscard]] int fd() const;

    /// Takes what the server says, waiting for it for so long at most; each frame is in its world
    /// when a callback is called with it. Resumes what is lost, and follows to where the game sends
    /// a player (welcome() and world() are that zone's then): an attempt may take some seconds. A
    /// Problem when the session is over. Not from a callback.
    [[nodiscard]] std::optional<Problem> serve(Milliseconds wait_max);

    /// Serves until what was asked for before would survive a crash of the server: what is in its
    /// state on disk. False: not in time, the connection was lost meanwhile, or the zone keeps no
    /// state. For a service: before a game says "traded". Not from a callback.
    [[nodiscard]] bool wait_until_safe(Milliseconds wait_max);

    /// Drops the connection as a broken line does: serve() resumes it. Not from a callback.
    void cut();
    /// Leaves, and waits for the end of the stream, for some seconds at most. In a callback: when
    /// it has returned, before serve() does. Nothing is resumed or followed from then on, and
    /// serve() says "left".
    void leave();

protected:
    explicit Session(std::unique_ptr<SessionCore> core);
    Session(Session&&) noexcept;
    Session& operator=(Session&&) noexcept;
    ~Session();

    std::unique_ptr<SessionCore> core_;
};

}  // namespace marchland::client
