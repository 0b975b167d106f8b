#pragma once

#include "net/messages.h"
#include "tools/clients/cpp/address.h"
#include "tools/clients/cpp/connection.h"
#include "tools/clients/cpp/seen_world.h"

#include <flatbuffers/flatbuffer_builder.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace marchland::client {

/// One player's session, for programs that do little else: it says Hello, keeps who is seen,
/// answers corrections, and can go on over a new connection. docs/clients.md has an example.
///
///     join() ──► serve() and move(), for as long as it lasts ──► leave()
///                   │ the connection is lost        ▲
///                   └──────────► resume() ──────────┘
///
/// Threads  One at a time; it has none of its own, and does nothing but in calls.
/// Errors   A text: what the server said, what the network said, or what is wrong with the stream.
class Client {
public:
    using Milliseconds = std::chrono::milliseconds;
    using OnFrame = std::function<void(const net::FrameMessage&)>;

    /// Connects to the first of the addresses that takes a connection, and waits for the Welcome: for
    /// some seconds at most. `way`: plain TCP, TLS, WebSocket, or WebSocket over TLS.
    static std::variant<Client, std::string> join(std::span<const Address> servers,
                                                  const net::Hello& hello, OnFrame on_frame = {},
                                                  const WayIn& way = {});

    /// Who let it in.
    [[nodiscard]] const Address& server() const { return server_; }
    /// The newest one.
    [[nodiscard]] const net::Welcome& welcome() const { return *welcome_; }
    [[nodiscard]] const SeenWorld& world() const { return *world_; }
    /// Where the own entity is: what was sent last, or what the server put in its place.
    [[nodiscard]] engine::Position position() const { return position_; }

    /// Says where the own entity is now. A move that the kernel has no room for is left out: the
    /// next one is newer anyway.
    void move(engine::Position position);
    /// Anything else; false when the kernel has no room for it.
    bool send(const net::ClientMessage& message);

    /// To the game's services, where the Welcome's `messages` allow it: in order and each once, also over a resume (a
    /// restart of the server may tell one twice). False: as many as a second allows are on their way already.
    bool say(std::uint16_t kind, std::vector<std::byte> payload);

    /// Takes what the server says, waiting for it for so long at most; each frame is in world() when
    /// on_frame is called. Sends a Ping where nothing was sent for some time. A text when the session is over: call resume(), or give up.
    [[nodiscard]] std::optional<std::string> serve(Milliseconds wait_max);
    /// How long that time is: well below the server's idle_timeout_ms, by default 5 s.
    void ping_after(Milliseconds silence) { ping_after_ = silence; }

    /// Goes on as the same entity. Nothing when it worked; world() stays, and the next frame is the
    /// difference to it, or a keyframe.
    [[nodiscard]] std::optional<std::string> resume();

    /// Leaves, and waits for the end of the stream, for some seconds at most.
    void leave();

private:
    Client(const net::Hello& hello, OnFrame on_frame, const WayIn& way)
        : way_(way), hello_(hello), on_frame_(std::move(on_frame)) {}

    using Problem = std::optional<std::string>;

    Problem connect(const Address& server);
    Problem shake_hands();
    Problem greet(const net::Hello& hello);
    [[nodiscard]] bool wait_for(short events, Milliseconds wait_max) const;
    Milliseconds ping_if_due();
    Problem take(const net::ServerMessage& message);
    Problem take_frame(const net::FrameMessage& frame);
    void take_welcome(const net::Welcome& welcome);
    void take_pong(const net::Pong& pong);
    void send_messages();

    WayIn way_;
    Address server_;
    net::Hello hello_;
    OnFrame on_frame_;
    std::optional<Connection> connection_;
    std::optional<net::Welcome> welcome_;
    std::optional<SeenWorld> world_;
    bool is_welcome_ = false;  ///< on this connection
    engine::Position position_;
    std::uint32_t newest_seq_ = 0;
    std::uint32_t correction_seen_ = 0;
    std::deque<net::SendMessage> unconfirmed_;  ///< messages that the server may not have, in order
    std::size_t sent_messages_ = 0;             ///< of these, on this connection
    std::uint32_t newest_message_ = 0;
    bool is_confirming_ = false;
    Milliseconds ping_after_{5'000};
    std::chrono::steady_clock::time_point spoke_at_;

    ReadBuffer buffer_;
    flatbuffers::FlatBufferBuilder builder_;
    net::ServerMessage decoded_;
};

}  // namespace marchland::client
