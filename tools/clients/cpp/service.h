#pragma once

#include "net/messages.h"
#include "tools/clients/cpp/address.h"
#include "tools/clients/cpp/seen_world.h"
#include "tools/clients/cpp/session.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace marchland::client {

/// A service's session: game logic beside the zone. docs/services.md is a tour.
///
/// Own entities are named by their ref, from spawn() on; the zone gives their ids later, and they
/// are the same over a resume: what was spawned stays, moves are sent again, and of players it is
/// sent what has changed: who left while the connection was lost has a PlayerLeft of reason
/// `while_away`, who was away and came back a PlayerBack.
///
/// Threads  One at a time; it has none of its own, and does nothing but in calls.
/// Order    What is asked for goes out with the next serve(): subscriptions, moves, changes,
///          messages and transfers, removals, spawns, answers to PlayerAsks; each of them in the
///          order in which it was asked for.
class Service : public Session {
public:
    using Ref = std::uint32_t;
    /// What the server says, one after the other, after the service took note of it: what becomes
    /// of players, their messages, refusals; and frames, with the ref of the watcher and what it
    /// sees by then: else 0 and null.
    using OnMessage =
        std::function<void(const net::ServerMessage&, Ref watcher, const SeenWorld* world)>;

    static std::variant<Service, Problem> join(std::span<const Address> servers,
                                               const std::string& name, OnMessage on_message = {},
                                               SessionOptions options = {});

    [[nodiscard]] const net::ServiceWelcome& welcome() const;
    /// Who is in the zone, with what each came in with.
    [[nodiscard]] const std::map<engine::EntityId, net::PlayerJoined>& players() const;

    /// `one.ref` is not looked at.
    Ref spawn(net::SpawnOne one);
    /// Nothing: the zone has not answered yet, or the entity is gone.
    [[nodiscard]] std::optional<engine::EntityId> entity_of(Ref ref) const;
    /// What it sees; null unless it is there and watches.
    [[nodiscard]] const SeenWorld* world_of(Ref ref) const;
    /// The newest of a tick counts.
    void move(Ref ref, engine::Position position);
    void despawn(Ref ref);

    /// Of own entities, by their id, and of players'.
    void change(net::ChangeOne one);
    void remove_player(engine::EntityId player);
    /// Of players' messages those of these kinds come, from here on.
    void subscribe(std::vector<std::uint16_t> kinds);
    /// Where players are comes in each tick, from here on: of all, or of those who are in a circle.
    void subscribe_positions(std::optional<net::Circle> within = {});
    void unsubscribe_positions();
    /// What players ask for whose entities services move comes, from here on: a PlayerMove is
    /// answered by change(), with its seq as `move_ack` and a position.
    void subscribe_moves(bool is_wanted = true);
    /// Of the newest tick that came whole; `has_more` is false, and `players` may be more than one
    /// message has.
    [[nodiscard]] const net::Positions& positions() const;
    /// False, and nothing is sent: the payload has more than kMessageBytesMax bytes, or `to` more
    /// than kServiceItemsMax players.
    bool say(net::MessageTo message);
    /// The answer to a PlayerAsks. False, and nothing is sent: the refusal has more than
    /// kRefusalBytesMax bytes.
    bool admit(net::AdmitPlayer answer);
    /// A player's client goes on in another zone. False, and nothing is sent: the address has more
    /// than kAddressBytesMax bytes, or it is to carry more than kMessageBytesMax.
    bool send_to_zone(net::TransferPlayer transfer);

    /// Changes, messages, transfers and removals that did not fit into the 1 MiB that waits while
    /// the connection is lost, the oldest. Answers to PlayerAsks do not wait: the questions end
    /// with their connection.
    [[nodiscard]] std::uint64_t dropped() const;

private:
    class Impl;
    explicit Service(std::unique_ptr<Impl> impl);

    [[nodiscard]] Impl& impl() const;
};

}  // namespace marchland::client
