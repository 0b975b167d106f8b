#pragma once

#include "net/messages.h"
#include "tools/clients/cpp/address.h"
#include "tools/clients/cpp/drawing.h"
#include "tools/clients/cpp/seen_world.h"
#include "tools/clients/cpp/session.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace marchland::client {

/// One player's session: it says Hello, keeps who is seen, answers corrections, pings, and goes on
/// over a new connection when one is lost. docs/clients.md has an example.
///
///     join() ──► serve() and move(), for as long as it lasts ──► leave()
///
/// Threads  One at a time; it has none of its own, and does nothing but in calls.
/// Errors   A Problem: what the server said, what the network said, or what is wrong with the
///          stream.
class Client : public Session {
public:
    /// A frame, the world with it applied, and where the own entity was put by it, if it was.
    using OnFrame = std::function<void(const net::FrameMessage&, const SeenWorld&,
                                       const std::optional<engine::Position>& corrected)>;

    /// Connects to the first of the addresses that takes a connection, and waits for the Welcome:
    /// for some seconds at most.
    static std::variant<Client, Problem> join(std::span<const Address> servers,
                                              const net::Hello& hello, OnFrame on_frame = {},
                                              SessionOptions options = {});

    /// Who let it in.
    [[nodiscard]] const Address& server() const;
    /// The newest one.
    [[nodiscard]] const net::Welcome& welcome() const;
    [[nodiscard]] const SeenWorld& world() const;
    /// Where the own entity is: what was sent last, or what the server put in its place.
    [[nodiscard]] engine::Position position() const;
    /// Where to draw others between two frames, and the server's time by now.
    [[nodiscard]] const Drawing& drawing() const;
    /// For the options of a later join(), also of another process: to be kept after each Welcome
    /// (join, on_resumed, on_transferred), with the address that it joined, and to be kept secret.
    [[nodiscard]] const Resumption& resumption() const;

    /// The own entity faces there from its next move() or step() on.
    void turn(engine::Angle facing);
    /// Says where the own entity is now. A move that the kernel has no room for is left out: the
    /// next one is newer anyway.
    void move(engine::Position position);
    /// The same where the server may go on by itself (Welcome::prediction_error_mm), with fewer
    /// moves: to be called once in every tick, also while the entity stands. A move is sent, with a
    /// velocity, when the server's own expectation is wrong by more than that bound, or ends.
    /// Others see the entity within twice the bound. False: no move was needed.
    bool step(engine::Position position);
    /// Anything else; false when the kernel has no room for it, or the connection is lost. A
    /// SetView or SetFrameRate is said when there is, and again over a resume: a view until the
    /// server has answered a Ping behind it.
    bool send(const net::ClientMessage& message);

    /// To the game's services, where the Welcome's `messages` allow it: in order and each once,
    /// also over a resume (a restart of the server may deliver one twice). False: it has more bytes
    /// than kMessageBytesMax or these allow, or as many as a second allows went just now, or are on
    /// their way.
    bool say(std::uint16_t kind, std::vector<std::byte> payload);

private:
    class Impl;
    explicit Client(std::unique_ptr<Impl> impl);

    [[nodiscard]] Impl& impl() const;
};

}  // namespace marchland::client
