#include "tools/clients/cpp/service.h"

#include "net/quantum.h"
#include "tools/clients/cpp/session_core.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

namespace marchland::client {

class Service::Impl final : public SessionCore {
public:
    Impl(std::string name, OnMessage on_message, const SessionOptions& options)
        : SessionCore(options),
          admits_(options.admits),
          name_(std::move(name)),
          on_message_(std::move(on_message)),
          on_claims_(options.on_claims) {}

    struct Owned {
        net::SpawnOne spawn;  ///< its position: the newest that was asked for
        std::optional<engine::EntityId> entity;
        std::optional<SeenWorld> world;
        bool is_asked_for = false;
        bool has_moved = false;
        bool is_to_go = false;
    };

    std::optional<net::ServiceWelcome> welcome;
    std::map<engine::EntityId, net::PlayerJoined> players;
    std::map<Ref, Owned> owned;
    Ref newest_ref = 0;
    std::vector<net::AdmitPlayer> admitted;
    std::uint64_t dropped = 0;
    net::Subscribe subscribed;
    bool is_to_subscribe = false;
    net::Positions positions;  ///< the newest whole ones

    /// An EntityId: a player that is to be removed.
    using Asked =
        std::variant<net::ChangeOne, net::MessageTo, net::TransferPlayer, engine::EntityId>;
    /// Goes out with the next serve(); without a connection the oldest give way.
    void ask(Asked one);

private:
    net::ClientMessage hello(const std::vector<std::byte>& resume_token) override {
        net::ServiceHello hello;
        hello.name = name_;
        hello.admits = admits_;
        hello.resume_token = resume_token;
        return hello;
    }
    const net::AnyWelcome* take_welcome(const net::ServerMessage& message) override;
    MaybeProblem take(net::ServerMessage& message) override;
    void send_waiting() override;
    /// Also what waits for an id.
    [[nodiscard]] bool has_waiting() const override {
        return std::ranges::any_of(
            owned, [](const auto& one) { return one.second.has_moved || one.second.is_to_go; });
    }
    static std::size_t bytes_of(const Asked& asked);
    void send_spawns();
    void send_moves();
    void send_said(std::deque<Asked>& asked);
    template <typename Message, typename Item>
    void send_in_lots(std::vector<Item>& items, std::vector<Item> Message::*list);
    void spawned(Ref ref, engine::EntityId entity);
    void note(const net::CommandRefused& refused);
    MaybeProblem note(const net::Positions& part);
    MaybeProblem take_frame(const net::ServerMessage& message, net::FrameMessage& frame);

    std::deque<Asked> asked_;
    std::size_t asked_bytes_ = 0;
    std::vector<engine::EntityId> removed_;
    const bool admits_;
    std::string name_;
    OnMessage on_message_;
    std::function<void(engine::EntityId, const std::string&)> on_claims_;
    /// Of `players`: those known from before this connection, and not sent over it yet.
    std::set<engine::EntityId> unlisted_;
    std::set<engine::EntityId> away_;  ///< of `players`, as was sent last
    /// Of `away_`: those who were sent over this connection, and not that they are away still.
    std::set<engine::EntityId> maybe_back_;
    std::map<engine::EntityId, Ref> refs_;
    std::map<engine::EntityId, engine::Position> sent_quanta_;  ///< on this connection
    net::Positions coming_;                                     ///< has_more: a part of these
};

const net::AnyWelcome* Service::Impl::take_welcome(const net::ServerMessage& message) {
    const auto* const found = std::get_if<net::ServiceWelcome>(&message);
    if (found == nullptr) {
        return nullptr;
    }
    // A restart of the zone may change both, which worlds decode by.
    if (welcome && (welcome->quantum_mm != found->quantum_mm || welcome->slots != found->slots)) {
        for (auto& [ref, one] : owned) {
            one.world.reset();
        }
    }
    welcome = *found;
    for (const auto& [entity, player] : players) {
        unlisted_.insert(unlisted_.end(), entity);
    }
    maybe_back_.clear();
    admitted.clear();  // nobody waits for these answers any more
    refs_.clear();
    sent_quanta_.clear();
    is_to_subscribe = !subscribed.kinds.empty() || subscribed.positions || subscribed.moves;
    coming_ = {};
    std::map<Ref, engine::EntityId> there;
    for (const net::SpawnedOne& one : welcome->entities) {
        there.emplace(one.ref, one.entity);
        if (!owned.contains(one.ref)) {
            removed_.push_back(one.entity);  // the server has not read that it goes
        }
    }
    for (auto one = owned.begin(); one != owned.end();) {
        const auto entity = there.find(one->first);
        if (entity != there.end()) {
            spawned(one->first, entity->second);
            one->second.has_moved = true;
        } else if (one->second.entity) {
            one = owned.erase(one);
            continue;
        } else {
            one->second.is_asked_for = false;
        }
        ++one;
    }
    return &*welcome;
}

void Service::Impl::spawned(Ref ref, engine::EntityId entity) {
    const auto found = owned.find(ref);
    if (found == owned.end()) {
        return;
    }
    found->second.entity = entity;
    auto& world = found->second.world;
    const bool is_kept = welcome->resumed && world && world->self() == entity;
    if (found->second.spawn.watches && !is_kept) {  // else a keyframe comes
        world.emplace(welcome->quantum_mm, entity);
    }
    refs_[entity] = ref;
}

SessionCore::MaybeProblem Service::Impl::take(net::ServerMessage& message) {
    if (auto* frame = std::get_if<net::FrameMessage>(&message)) {
        return take_frame(message, *frame);
    }
    if (const auto* made = std::get_if<net::Spawned>(&message)) {
        for (const net::SpawnedOne& one : made->entities) {
            spawned(one.ref, one.entity);
        }
    } else if (const auto* joined = std::get_if<net::PlayerJoined>(&message)) {
        const auto before = std::exchange(players[joined->entity], *joined);
        if (unlisted_.erase(joined->entity) > 0) {
            if (away_.contains(joined->entity)) {
                maybe_back_.insert(joined->entity);
            } else if (on_claims_ && joined->claims != before.claims) {
                on_claims_(joined->entity, joined->claims);
            }
            return std::nullopt;
        }
    } else if (std::holds_alternative<net::PlayersListed>(message)) {
        for (const engine::EntityId entity : std::exchange(unlisted_, {})) {
            net::ServerMessage left = net::PlayerLeft{entity, net::PlayerLeftReason::while_away};
            (void)take(left);
        }
        for (const engine::EntityId entity : std::exchange(maybe_back_, {})) {
            net::ServerMessage back = net::PlayerBack{entity, players.at(entity).claims};
            (void)take(back);
        }
        return std::nullopt;
    } else if (const auto* away = std::get_if<net::PlayerAway>(&message)) {
        if (maybe_back_.erase(away->entity) > 0) {
            return std::nullopt;  // as it was
        }
        away_.insert(away->entity);
    } else if (const auto* back = std::get_if<net::PlayerBack>(&message)) {
        players[back->entity].claims = back->claims;
        away_.erase(back->entity);
        maybe_back_.erase(back->entity);
    } else if (const auto* left = std::get_if<net::PlayerLeft>(&message)) {
        players.erase(left->entity);
        unlisted_.erase(left->entity);
        away_.erase(left->entity);
        maybe_back_.erase(left->entity);
    } else if (const auto* refused = std::get_if<net::CommandRefused>(&message)) {
        note(*refused);
    } else if (const auto* part = std::get_if<net::Positions>(&message)) {
        if (auto problem = note(*part)) {
            return problem;
        }
    } else if (std::holds_alternative<net::Welcome>(message) ||
               std::holds_alternative<net::ServiceWelcome>(message)) {
        return unexpected("a second Welcome");
    }
    if (on_message_) {
        on_message_(message, 0, nullptr);
    }
    return std::nullopt;
}

SessionCore::MaybeProblem Service::Impl::take_frame(const net::ServerMessage& message,
                                                    net::FrameMessage& frame) {
    const auto ref = refs_.find(frame.watcher);
    const auto found = ref == refs_.end() ? owned.end() : owned.find(ref->second);
    if (found == owned.end() || !found->second.world || found->second.is_to_go) {
        return std::nullopt;  // it went meanwhile, or was to go before it was there
    }
    if (const auto problem = found->second.world->apply(frame)) {
        return unexpected(problem->c_str());
    }
    if (on_message_) {
        on_message_(message, ref->second, &*found->second.world);
    }
    return std::nullopt;
}

void Service::Impl::note(const net::CommandRefused& refused) {
    constexpr std::uint8_t kSpawn = 14;
    if (refused.command == kSpawn) {
        owned.erase(refused.ref);
    }
}

SessionCore::MaybeProblem Service::Impl::note(const net::Positions& part) {
    constexpr std::size_t kPlayersMax = std::size_t{1} << 20U;  // no zone takes so many connections
    if (coming_.has_more && coming_.tick == part.tick) {
        coming_.players.insert(coming_.players.end(), part.players.begin(), part.players.end());
        coming_.has_more = part.has_more;
    } else {
        coming_ = part;
    }
    if (coming_.players.size() > kPlayersMax) {
        return unexpected("more than 1,048,576 players in one tick");
    }
    if (!coming_.has_more) {
        positions = std::exchange(coming_, {});
    }
    return std::nullopt;
}

/// The newest item of a message of ours may be refused; a message with too many of them, or bytes,
/// breaks the session.
template <typename Message, typename Item>
void Service::Impl::send_in_lots(std::vector<Item>& items, std::vector<Item> Message::*list) {
    for (std::size_t at = 0; at < items.size();) {
        // What is too large goes in halves; one item that is, the server refuses.
        bool is_posted = false;
        for (std::size_t count = std::min(items.size() - at, net::kServiceItemsMax); !is_posted;
             count = (count + 1) / 2) {
            const auto first = items.begin() + static_cast<std::ptrdiff_t>(at);
            Message message;
            (message.*list).assign(first, first + static_cast<std::ptrdiff_t>(count));
            is_posted = count == 1 ? post(message) : post(message, welcome->message_bytes_max);
            at += is_posted ? count : 0;
        }
    }
    items.clear();
}

/// About what it takes in memory.
std::size_t Service::Impl::bytes_of(const Asked& asked) {
    std::size_t bytes = sizeof asked;
    if (const auto* const change = std::get_if<net::ChangeOne>(&asked)) {
        for (const engine::StateWrite& write : change->state) {
            const auto* const blob = std::get_if<engine::Blob>(&write.value);
            bytes += sizeof write + (blob == nullptr ? 0 : engine::bytes_of(*blob).size());
        }
    } else if (const auto* const message = std::get_if<net::MessageTo>(&asked)) {
        bytes += message->payload.size() + message->to.size() * sizeof(engine::EntityId);
    } else if (const auto* const transfer = std::get_if<net::TransferPlayer>(&asked)) {
        bytes += transfer->address.size() + transfer->token.size() + transfer->carried.size();
    }
    return bytes;
}

void Service::Impl::ask(Asked one) {
    constexpr std::size_t kBytesMax = std::size_t{1} << 20U;
    asked_bytes_ += bytes_of(one);
    asked_.push_back(std::move(one));
    while (!is_connected() && asked_bytes_ > kBytesMax) {
        asked_bytes_ -= bytes_of(asked_.front());
        asked_.pop_front();
        ++dropped;
    }
}

void Service::Impl::send_waiting() {
    if (!is_connected()) {
        return;
    }
    if (std::exchange(is_to_subscribe, false)) {
        post(subscribed);
    }
    // Nothing depends on a spawn, which has no id yet. It may need the place of who goes, whose
    // last words go to those who see it.
    send_moves();
    std::vector<net::ChangeOne> changes;
    asked_bytes_ = 0;
    std::deque<Asked> asked = std::exchange(asked_, {});
    for (Asked& one : asked) {
        if (auto* const change = std::get_if<net::ChangeOne>(&one)) {
            changes.push_back(std::move(*change));
        } else if (const auto* const player = std::get_if<engine::EntityId>(&one)) {
            removed_.push_back(*player);
        }
    }
    send_in_lots(changes, &net::Change::entities);
    send_said(asked);
    for (auto one = owned.begin(); one != owned.end();) {
        const bool goes = one->second.is_to_go && (one->second.entity || !one->second.is_asked_for);
        if (goes && one->second.entity) {
            removed_.push_back(*one->second.entity);
            refs_.erase(*one->second.entity);
        }
        one = goes ? owned.erase(one) : std::next(one);
    }
    send_in_lots(removed_, &net::Despawn::entities);
    send_spawns();
    for (const net::AdmitPlayer& admit : std::exchange(admitted, {})) {
        post(admit);  // last: who is let in may need the place of who is removed
    }
}

/// Messages and transfers.
void Service::Impl::send_said(std::deque<Asked>& asked) {
    std::vector<net::MessageTo> said;
    for (Asked& one : asked) {
        if (auto* const message = std::get_if<net::MessageTo>(&one)) {
            said.push_back(std::move(*message));
        } else if (const auto* const transfer = std::get_if<net::TransferPlayer>(&one)) {
            send_in_lots(said, &net::SendMessages::messages);
            post(*transfer);
        }
    }
    send_in_lots(said, &net::SendMessages::messages);
}

void Service::Impl::send_spawns() {
    std::vector<net::SpawnOne> wanted;
    for (auto& [ref, one] : owned) {
        if (!std::exchange(one.is_asked_for, true)) {
            wanted.push_back(one.spawn);
            one.has_moved = false;
        }
    }
    send_in_lots(wanted, &net::Spawn::entities);
}

void Service::Impl::send_moves() {
    std::vector<net::Moved> moves;
    const auto quantum = static_cast<std::int32_t>(welcome->quantum_mm);
    const engine::Rect world{welcome->world_min.x, welcome->world_min.y, welcome->world_max.x,
                             welcome->world_max.y};
    for (auto& [ref, one] : owned) {
        if (!one.has_moved || !one.entity) {
            continue;
        }
        one.has_moved = false;
        const engine::Position to = world.contains(one.spawn.position)
                                        ? net::on_grid(one.spawn.position, quantum, world)
                                        : one.spawn.position;  // which the server refuses
        const engine::Position quanta{to.x / quantum, to.y / quantum, to.z / quantum};
        const auto [last, is_first] = sent_quanta_.try_emplace(*one.entity);
        net::Moved moved{*one.entity, !is_first, quanta.x, quanta.y, quanta.z};
        if (!is_first) {
            moved.x -= last->second.x;
            moved.y -= last->second.y;
            moved.z -= last->second.z;
        }
        last->second = quanta;
        moves.push_back(moved);
    }
    std::ranges::sort(moves, {}, &net::Moved::entity);
    send_in_lots(moves, &net::MoveMany::moves);
}

std::variant<Service, Problem> Service::join(std::span<const Address> servers,
                                             const std::string& name, OnMessage on_message,
                                             SessionOptions options) {
    options.resumption = {};  // what was spawned in another process has no refs here
    Service service(std::make_unique<Impl>(name, std::move(on_message), options));
    if (auto problem = service.impl().join(servers)) {
        return *std::move(problem);
    }
    return service;
}

Service::Service(std::unique_ptr<Impl> impl) : Session(std::move(impl)) {}

Service::Impl& Service::impl() const {
    return static_cast<Impl&>(*core_);
}

const net::ServiceWelcome& Service::welcome() const {
    return *impl().welcome;
}
const std::map<engine::EntityId, net::PlayerJoined>& Service::players() const {
    return impl().players;
}

Service::Ref Service::spawn(net::SpawnOne one) {
    one.ref = ++impl().newest_ref;
    impl().owned[one.ref].spawn = std::move(one);
    return impl().newest_ref;
}

std::optional<engine::EntityId> Service::entity_of(Ref ref) const {
    const auto found = impl().owned.find(ref);
    return found == impl().owned.end() ? std::nullopt : found->second.entity;
}

const SeenWorld* Service::world_of(Ref ref) const {
    const auto found = impl().owned.find(ref);
    return found == impl().owned.end() || !found->second.world ? nullptr : &*found->second.world;
}

void Service::move(Ref ref, engine::Position position) {
    if (const auto found = impl().owned.find(ref); found != impl().owned.end()) {
        found->second.spawn.position = position;
        found->second.has_moved = true;
    }
}

void Service::despawn(Ref ref) {
    if (const auto found = impl().owned.find(ref); found != impl().owned.end()) {
        found->second.is_to_go = true;
    }
}

void Service::change(net::ChangeOne one) {
    impl().ask(std::move(one));
}
void Service::remove_player(engine::EntityId player) {
    impl().ask(player);
}
void Service::subscribe(std::vector<std::uint16_t> kinds) {
    impl().subscribed.kinds = std::move(kinds);
    impl().is_to_subscribe = true;
}
void Service::subscribe_positions(std::optional<net::Circle> within) {
    impl().subscribed.positions = true;
    impl().subscribed.within = within;
    impl().is_to_subscribe = true;
}
void Service::unsubscribe_positions() {
    impl().subscribed.positions = false;
    impl().subscribed.within.reset();
    impl().is_to_subscribe = true;
}
void Service::subscribe_moves(bool is_wanted) {
    impl().subscribed.moves = is_wanted;
    impl().is_to_subscribe = true;
}
const net::Positions& Service::positions() const {
    return impl().positions;
}
bool Service::say(net::MessageTo message) {
    const bool fits = message.payload.size() <= engine::kMessageBytesMax &&
                      message.to.size() <= net::kServiceItemsMax;
    if (fits) {
        impl().ask(std::move(message));
    }
    return fits;
}
bool Service::admit(net::AdmitPlayer answer) {
    const bool fits = !answer.refusal || answer.refusal->size() <= net::kRefusalBytesMax;
    if (fits) {
        impl().admitted.push_back(std::move(answer));
    }
    return fits;
}
bool Service::send_to_zone(net::TransferPlayer transfer) {
    const bool fits = transfer.address.size() <= net::kAddressBytesMax &&
                      transfer.carried.size() <= engine::kMessageBytesMax;
    if (fits) {
        impl().ask(std::move(transfer));
    }
    return fits;
}
std::uint64_t Service::dropped() const {
    return impl().dropped;
}

}  // namespace marchland::client
