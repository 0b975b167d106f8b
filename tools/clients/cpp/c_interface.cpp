#include "tools/clients/cpp/client.h"
#include "tools/clients/cpp/marchland.h"
#include "tools/clients/cpp/service.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>

using namespace marchland;
using client::Client;
using client::Problem;
using client::Service;

/// One of the two kinds, or neither: it is over.
struct marchland_session {
    std::optional<Client> player;
    std::optional<Service> service;
    bool is_over = false;
    Problem problem;
    struct QueuedEvent {
        marchland_event event{};
        std::vector<std::byte> bytes;
    };
    std::deque<QueuedEvent> events;
    QueuedEvent taken;  ///< the newest that was, whose bytes are in use
    /// Who entered and did not leave, by events: as each watcher, or the player (0), has it.
    std::map<std::uint32_t, std::set<engine::EntityId>> shown;

    void end(Problem why) {
        is_over = true;
        problem = std::move(why);
    }
};

namespace {

/// Where so many were not taken nothing more is read.
constexpr std::size_t kEventsMax = 65'536;

engine::Position to_cpp(marchland_position position) {
    return {position.x, position.y, position.z};
}

marchland_position to_c(engine::Position position) {
    return {position.x, position.y, position.z};
}

std::optional<net::Circle> to_cpp(const marchland_circle* circle) {
    return circle == nullptr
               ? std::nullopt
               : std::optional(net::Circle{to_cpp(circle->centre), circle->radius_mm});
}

engine::View to_cpp(const marchland_view& view) {
    engine::View made;
    made.shape = static_cast<engine::Shape>(view.shape);
    made.radius_mm = view.radius_mm;
    made.leave_radius_mm = view.leave_radius_mm;
    made.half_y_mm = view.half_y_mm;
    made.leave_half_y_mm = view.leave_half_y_mm;
    made.half_z_mm = view.half_z_mm;
    made.leave_half_z_mm = view.leave_half_z_mm;
    made.half_opening = static_cast<engine::Angle>(view.half_opening);
    made.leave_half_opening = static_cast<engine::Angle>(view.leave_half_opening);
    return made;
}

std::vector<std::byte> to_cpp(const std::uint8_t* bytes, std::size_t count) {
    const auto* const from = reinterpret_cast<const std::byte*>(bytes);
    return count == 0 ? std::vector<std::byte>() : std::vector<std::byte>(from, from + count);
}

std::string text_of(const char* text) {
    return text == nullptr ? "" : text;
}

template <typename Value>
std::optional<Value> given_if(std::uint32_t has, Value value) {
    return has != 0 ? std::optional(value) : std::nullopt;
}

/// Of the tell functions: all but whom it is to.
net::MessageTo message_of(std::uint16_t kind, const std::uint8_t* bytes, std::size_t count) {
    net::MessageTo message;
    message.kind = kind;
    message.payload = to_cpp(bytes, count);
    return message;
}

/// Nothing: its type is none of the three.
std::optional<engine::StateValue> to_cpp(const marchland_slot& slot) {
    if (slot.type == 2) {
        const auto bytes = to_cpp(slot.bytes, slot.bytes_count);
        return bytes.empty() ? engine::Blob()
                             : std::make_shared<const std::vector<std::byte>>(bytes);
    }
    return slot.type == 0   ? std::optional<engine::StateValue>(slot.integer)
           : slot.type == 1 ? std::optional<engine::StateValue>(slot.real)
                            : std::nullopt;
}

/// Nothing: these are no slots that a zone can have.
std::optional<std::vector<engine::StateWrite>> to_cpp(const marchland_slot* slots,
                                                      std::size_t count) {
    std::vector<engine::StateWrite> state;
    std::uint32_t next_slot = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const marchland_slot& slot = slots[i];
        const bool has_bytes = slot.bytes_count <= engine::kBlobBytesMax &&
                               (slot.bytes != nullptr || slot.bytes_count == 0);
        if (slot.number < next_slot || slot.number >= engine::kStateSlotsMax ||
            (slot.type == 2 && !has_bytes)) {
            return std::nullopt;
        }
        auto value = to_cpp(slot);
        if (!value) {
            return std::nullopt;
        }
        state.push_back({static_cast<std::uint8_t>(slot.number), *std::move(value)});
        next_slot = slot.number + 1;
    }
    return state;
}

/// Nothing: its slots are none, or a number is too large.
std::optional<net::ChangeOne> to_cpp(const marchland_change& change) {
    auto state = to_cpp(change.slots, change.slots_count);
    const std::uint32_t largest = std::max({change.facing, change.speed_percent, change.frames_hz});
    if (!state || largest > UINT16_MAX || change.authority > MARCHLAND_SERVICE_MOVES) {
        return std::nullopt;
    }
    net::ChangeOne one;
    one.position = given_if(change.has_position, to_cpp(change.position));
    one.facing = given_if(change.has_facing, static_cast<engine::Angle>(change.facing));
    one.layers = given_if(change.has_layers, net::Layers{change.layers, change.layers_seen});
    one.view = given_if(change.has_view, to_cpp(change.view));
    one.notify = given_if(change.has_notify, engine::NotifyRange{change.notify_radius_mm,
                                                                 change.notify_leave_radius_mm});
    one.state = *std::move(state);
    one.authority = static_cast<net::Authority>(change.authority);
    one.speed_percent =
        given_if(change.has_speed, static_cast<std::uint16_t>(change.speed_percent));
    one.frames_hz = given_if(change.has_frames, static_cast<std::uint16_t>(change.frames_hz));
    one.move_ack = given_if(change.has_answer, change.answer);
    return one;
}

marchland_slot to_c(const engine::StateWrite& write) {
    marchland_slot slot{};
    slot.number = write.number;
    slot.type = static_cast<std::uint32_t>(engine::type_of(write.value));
    if (const auto* const integer = std::get_if<std::int64_t>(&write.value)) {
        slot.integer = *integer;
    } else if (const auto* const real = std::get_if<float>(&write.value)) {
        slot.real = *real;
    } else {
        const auto bytes = engine::bytes_of(std::get<engine::Blob>(write.value));
        slot.bytes = reinterpret_cast<const std::uint8_t*>(bytes.data());
        slot.bytes_count = bytes.size();
    }
    return slot;
}

bool is_first(const engine::StateWrite& write) {
    const marchland_slot slot = to_c(write);
    return slot.integer == 0 && slot.real == 0 && slot.bytes_count == 0;
}

marchland_event& add_event(marchland_session& session, marchland_event_type type,
                           std::span<const std::byte> bytes = {}) {
    auto& queued = session.events.emplace_back();
    queued.event.type = type;
    queued.bytes.assign(bytes.begin(), bytes.end());
    return queued.event;
}

marchland_event& add_event(marchland_session& session, marchland_event_type type,
                           engine::EntityId whom, std::span<const std::byte> bytes = {}) {
    marchland_event& event = add_event(session, type, bytes);
    event.entity = to_number(whom);
    return event;
}

void add_leave(marchland_session& session, std::uint32_t watcher, engine::EntityId whom,
               engine::LeaveReason why) {
    session.shown[watcher].erase(whom);
    marchland_event& event = add_event(session, MARCHLAND_LEAVE, whom);
    event.code = static_cast<std::uint32_t>(why);
    event.watcher = watcher;
}

/// All but those who are in `still_seen`.
void add_leaves(marchland_session& session, std::uint32_t watcher,
                const std::map<engine::EntityId, client::Seen>& still_seen) {
    for (const engine::EntityId whom : std::set(session.shown[watcher])) {
        if (!still_seen.contains(whom)) {
            add_leave(session, watcher, whom, engine::LeaveReason{});
        }
    }
}

/// The watcher is gone: all whom it saw leave.
void add_end(marchland_session& session, std::uint32_t watcher) {
    add_leaves(session, watcher, {});
    session.shown.erase(watcher);
}

void add_resumed(marchland_session& session) {
    for (const auto& [watcher, seen] : std::map(session.shown)) {
        if (session.service && !session.service->entity_of(watcher)) {
            add_end(session, watcher);
        }
    }
    add_event(session, MARCHLAND_RESUMED);
}

/// A slot that is not there has its first value.
bool has_same_slots(std::vector<engine::StateWrite> one, std::vector<engine::StateWrite> other) {
    std::erase_if(one, is_first);
    std::erase_if(other, is_first);
    return one == other;
}

/// `world` has the frame already. A keyframe becomes the difference to what came before.
void add_frame(marchland_session& session, const net::FrameMessage& frame,
               const client::SeenWorld& world, std::uint32_t watcher) {
    const std::size_t first = session.events.size();
    std::set<engine::EntityId>& shown = session.shown[watcher];
    if (frame.is_keyframe) {
        add_leaves(session, watcher, world.seen());
    }
    for (const engine::Leave& left : frame.leaves) {
        add_leave(session, watcher, left.id, left.reason);
    }
    for (const net::Entered& entered : frame.enters) {
        const bool is_new = shown.insert(entered.entity).second;
        const auto was = world.seen_before().find(entered.entity);
        const bool is_known = !is_new && was != world.seen_before().end();
        if (!is_new && !(is_known && has_same_slots(was->second.state, entered.state))) {
            add_event(session, MARCHLAND_STATE, entered.entity);
        }
        if (is_known && was->second.position == entered.position &&
            was->second.velocity == entered.velocity) {
            continue;
        }
        marchland_event& event =
            add_event(session, is_new ? MARCHLAND_ENTER : MARCHLAND_MOVE, entered.entity);
        event.kind = entered.kind;
        event.position = to_c(entered.position);
    }
    for (const net::Moved& moved : frame.moves) {
        add_event(session, MARCHLAND_MOVE, moved.entity).position =
            to_c(world.seen().at(moved.entity).position);
    }
    for (const auto& [id, seen] : world.seen()) {
        if (seen.velocity != engine::Step{} && seen.moved_tick != frame.tick) {
            add_event(session, MARCHLAND_MOVE, id).position = to_c(seen.position);
        }
    }
    for (const net::StateChanged& changed : frame.states) {
        if (!frame.is_keyframe || changed.entity != world.self()) {
            add_event(session, MARCHLAND_STATE, changed.entity);
        }
    }
    if (frame.is_keyframe && !has_same_slots(world.own_state_before(), world.own_state())) {
        add_event(session, MARCHLAND_STATE, world.self());
    }
    if (frame.messages_lost) {
        add_event(session, MARCHLAND_MESSAGES_LOST);
    }
    for (const net::MessageDelivered& message : frame.messages) {
        add_event(session, MARCHLAND_MESSAGE, message.source, message.payload).kind = message.kind;
    }
    add_event(session, MARCHLAND_FRAME).code = frame.is_keyframe ? 1 : 0;
    for (std::size_t i = first; i < session.events.size(); ++i) {
        session.events[i].event.tick = frame.tick;
        session.events[i].event.watcher = watcher;
    }
}

std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text));
}

/// What the server says to a service; of frames whose it is, and what that one sees by then.
struct Teller {
    marchland_session& session;
    std::uint32_t watcher;
    const client::SeenWorld* world;

    void operator()(const net::PlayerJoined& joined) const {
        marchland_event& event =
            add_event(session, MARCHLAND_PLAYER_JOINED, joined.entity, bytes_of(joined.subject));
        event.kind = joined.kind;
        event.position = to_c(joined.position);
        event.request = joined.request;
        add_claims(joined.claims, joined.entity, 0);
        if (!joined.carried.empty()) {
            add_event(session, MARCHLAND_PLAYER_CARRIES, joined.entity, joined.carried);
        }
    }
    void operator()(const net::PlayerAsks& asks) const {
        marchland_event& event = add_event(session, MARCHLAND_PLAYER_ASKS, bytes_of(asks.subject));
        event.request = asks.request;
        event.kind = asks.kind;
        event.position = to_c(asks.spawn.value_or(engine::Position{}));
        event.code = asks.wait_ms;
        add_claims(asks.claims, {}, asks.request);
    }
    void operator()(const net::PlayerAway& away) const {
        add_event(session, MARCHLAND_PLAYER_AWAY, away.entity).code = away.grace_ms;
    }
    void operator()(const net::PlayerBack& back) const {
        add_event(session, MARCHLAND_PLAYER_BACK, back.entity);
        add_claims(back.claims, back.entity, 0);
    }
    void operator()(const net::PlayerLeft& left) const {
        add_event(session, MARCHLAND_PLAYER_LEFT, left.entity).code =
            static_cast<std::uint32_t>(left.reason);
    }
    void operator()(const net::PlayerMessage& message) const {
        marchland_event& event =
            add_event(session, MARCHLAND_MESSAGE, message.entity, message.payload);
        event.kind = message.kind;
        event.tick = message.tick;
        event.position = to_c(message.position);
    }
    void operator()(const net::MessagesLost& lost) const {
        add_event(session, MARCHLAND_MESSAGES_LOST).code = static_cast<std::uint32_t>(lost.count);
    }
    void operator()(const net::PlayerMove& move) const {
        marchland_event& event = add_event(session, MARCHLAND_PLAYER_MOVE, move.entity);
        event.tick = move.tick;
        event.position = to_c(move.position);
        event.code = move.seq;
        event.kind = move.facing ? *move.facing : 65'536U;
    }
    void operator()(const net::Positions& part) const {
        if (!part.has_more) {
            const net::Positions& whole = session.service->positions();
            marchland_event& event = add_event(session, MARCHLAND_PLAYERS);
            event.tick = whole.tick;
            event.code = static_cast<std::uint32_t>(whole.ticks_lost);
            event.kind = whole.border_stale ? 1 : 0;
        }
    }
    void operator()(const net::CommandRefused& refused) const {
        marchland_event& event = add_event(session, MARCHLAND_REFUSED, refused.entity);
        event.kind = refused.command;
        event.watcher = refused.ref;
        event.code = static_cast<std::uint32_t>(refused.reason);
    }
    void operator()(const net::Notice& notice) const {
        add_event(session, MARCHLAND_NOTICE, bytes_of(notice.text)).code = notice.stops_in_ms;
    }
    void operator()(const net::FrameMessage& frame) const {
        add_frame(session, frame, *world, watcher);
    }
    template <typename Other>
    void operator()(const Other& /*message*/) const {}

private:
    void add_claims(const std::string& claims, engine::EntityId entity,
                    std::uint64_t request) const {
        if (!claims.empty()) {
            add_event(session, MARCHLAND_PLAYER_CLAIMS, entity, bytes_of(claims)).request = request;
        }
    }
};

client::SessionOptions options_of(marchland_session& session, const char* host,
                                  const marchland_options& options) {
    client::SessionOptions made;
    made.resume = options.no_resume == 0;
    made.admits = options.admits != 0;
    const marchland_resumption& from = options.resumption;
    made.resumption = {to_cpp(from.resume_token, from.resume_token_count), text_of(from.address),
                       text_of(from.token)};
    made.on_lost = [&session](const Problem& /*why*/) { add_event(session, MARCHLAND_LOST); };
    made.on_resumed = [&session] { add_resumed(session); };
    made.on_claims = [&session](engine::EntityId whom, const std::string& claims) {
        add_event(session, MARCHLAND_PLAYER_CLAIMS, whom, bytes_of(claims));
    };
    made.on_notice = [&session](const net::Notice& notice) { Teller{session, 0, nullptr}(notice); };
    made.on_transferred = [&session] {
        add_leaves(session, 0, {});
        add_event(session, MARCHLAND_TRANSFERRED);
    };
    if (options.token_function != nullptr) {
        made.token = [ask = options.token_function, context = options.context] {
            return text_of(ask(context));
        };
    } else if (options.token != nullptr) {
        made.token = [token = std::string(options.token)] { return token; };
    }
    made.way.is_web_socket = options.is_web_socket != 0;
    made.keeps_server_name = options.server_name != nullptr;
    made.way.server_name = options.server_name != nullptr ? options.server_name : host;
    if (options.is_tls != 0) {
        auto tls = client::tls_trusting(options.ca_file == nullptr ? "" : options.ca_file);
        if (auto* problem = std::get_if<std::string>(&tls)) {
            session.end({Problem::Of::network, {}, *problem});
        } else {
            made.way.tls = std::get<0>(std::move(tls));
        }
    }
    return made;
}

/// Calls `join` with the addresses and options; the session is over where that does not work.
template <typename Kind, typename Join>
marchland_session* begin(const char* host, const char* port, const marchland_options& options,
                         std::optional<Kind> marchland_session::*kind, Join&& join) {
    auto* const session = new marchland_session;
    auto made = options_of(*session, host, options);
    auto addresses = client::resolve({host, port});
    if (auto* problem = std::get_if<std::string>(&addresses)) {
        session->end({Problem::Of::network, {}, *problem});
    }
    if (!session->is_over) {
        auto joined = join(*session, std::get<0>(addresses), std::move(made));
        if (auto* problem = std::get_if<Problem>(&joined)) {
            session->end(std::move(*problem));
        } else {
            (session->*kind).emplace(std::get<Kind>(std::move(joined)));
        }
    }
    return session;
}

/// Null: it never began.
client::Session* either(marchland_session& session) {
    return session.player    ? static_cast<client::Session*>(&*session.player)
           : session.service ? &*session.service
                             : nullptr;
}

const client::SeenWorld* world_of(const marchland_session& session, std::uint32_t watcher) {
    return session.player    ? &session.player->world()
           : session.service ? session.service->world_of(watcher)
                             : nullptr;
}

/// Null: it never began.
const net::AnyWelcome* welcome_of(const marchland_session& session) {
    return session.player    ? static_cast<const net::AnyWelcome*>(&session.player->welcome())
           : session.service ? &session.service->welcome()
                             : nullptr;
}

}  // namespace

extern "C" {

marchland_options marchland_defaults() {
    return {};
}

marchland_session* marchland_join_player(const char* host, const char* port,
                                         const marchland_options* options) {
    net::Hello hello;
    hello.kind = static_cast<std::uint16_t>(options->kind);
    hello.facing = static_cast<engine::Angle>(options->facing);
    if (options->has_spawn != 0) {
        hello.spawn = to_cpp(options->spawn);
    }
    if (options->has_view != 0) {
        hello.view = to_cpp(options->view);
    }
    const auto join = [&](marchland_session& session, std::span<const client::Address> addresses,
                          client::SessionOptions made) {
        const auto on_frame = [&session](const net::FrameMessage& frame,
                                         const client::SeenWorld& world,
                                         std::optional<engine::Position> corrected) {
            if (corrected) {
                add_event(session, MARCHLAND_CORRECTION).position = to_c(*corrected);
            }
            add_frame(session, frame, world, 0);
        };
        return Client::join(addresses, hello, on_frame, std::move(made));
    };
    return begin(host, port, *options, &marchland_session::player, join);
}

marchland_session* marchland_join_service(const char* host, const char* port,
                                          const marchland_options* options) {
    const std::string name = text_of(options->name);
    const auto join = [&](marchland_session& session, std::span<const client::Address> addresses,
                          client::SessionOptions made) {
        const auto on_message = [&session](const net::ServerMessage& message, Service::Ref watcher,
                                           const client::SeenWorld* world) {
            std::visit(Teller{session, watcher, world}, message);
        };
        return Service::join(addresses, name, on_message, std::move(made));
    };
    return begin(host, port, *options, &marchland_session::service, join);
}

void marchland_free(marchland_session* session) {
    delete session;
}

int marchland_serve(marchland_session* session, uint32_t wait_ms) {
    if (!session->is_over && session->events.size() < kEventsMax) {
        if (auto problem = either(*session)->serve(std::chrono::milliseconds(wait_ms))) {
            session->end(*std::move(problem));
        }
    }
    return session->is_over ? 1 : 0;
}

int marchland_wait_until_safe(marchland_session* session, uint32_t wait_ms) {
    const std::chrono::milliseconds wait(wait_ms);
    return !session->is_over && either(*session)->wait_until_safe(wait) ? 1 : 0;
}

int marchland_next_event(marchland_session* session, marchland_event* event) {
    if (session->events.empty()) {
        return 0;
    }
    session->taken = std::move(session->events.front());
    session->events.pop_front();
    *event = session->taken.event;
    event->bytes = reinterpret_cast<const std::uint8_t*>(session->taken.bytes.data());
    event->bytes_count = session->taken.bytes.size();
    return 1;
}

const char* marchland_problem(const marchland_session* session) {
    return session->problem.text.c_str();
}

uint32_t marchland_error_code(const marchland_session* session) {
    return static_cast<std::uint32_t>(session->problem.code);
}

uint32_t marchland_tick_rate_hz(const marchland_session* session) {
    const net::AnyWelcome* const welcome = welcome_of(*session);
    return welcome == nullptr ? 0 : welcome->tick_rate_hz;
}

uint32_t marchland_dimensions(const marchland_session* session) {
    const net::AnyWelcome* const welcome = welcome_of(*session);
    return welcome == nullptr ? 0 : static_cast<std::uint32_t>(welcome->dimensions);
}

int marchland_was_resumed(const marchland_session* session) {
    const net::AnyWelcome* const welcome = welcome_of(*session);
    return welcome != nullptr && welcome->resumed ? 1 : 0;
}

int marchland_fd(const marchland_session* session) {
    return session->player ? session->player->fd() : session->service ? session->service->fd() : -1;
}

void marchland_cut(marchland_session* session) {
    if (client::Session* const begun = either(*session)) {
        begun->cut();
    }
}

void marchland_leave(marchland_session* session) {
    if (session->is_over) {
        return;
    }
    either(*session)->leave();
    session->end({Problem::Of::network, {}, "left"});
}

size_t marchland_world(const marchland_session* session, uint32_t watcher, marchland_seen* seen,
                       size_t count_max) {
    const client::SeenWorld* const world = world_of(*session, watcher);
    if (world == nullptr) {
        return 0;
    }
    std::size_t count = 0;
    for (const auto& [id, one] : world->seen()) {
        if (count == count_max) {
            break;
        }
        seen[count++] = {to_number(id), one.moved_tick, to_c(one.position), one.kind};
    }
    return world->seen().size();
}

const char* marchland_slot_name(const marchland_session* session, uint32_t number) {
    const net::AnyWelcome* const welcome = welcome_of(*session);
    return welcome != nullptr && number < welcome->slots.size()
               ? welcome->slots[number].name.c_str()
               : nullptr;
}

size_t marchland_state(const marchland_session* session, uint32_t watcher, uint64_t entity,
                       marchland_slot* slots, size_t count_max) {
    const client::SeenWorld* const world = world_of(*session, watcher);
    if (world == nullptr) {
        return 0;
    }
    const auto seen = world->seen().find(engine::EntityId{entity});
    const bool is_own = engine::EntityId{entity} == world->self();
    if (!is_own && seen == world->seen().end()) {
        return 0;
    }
    std::size_t count = 0;
    for (const engine::StateWrite& write : is_own ? world->own_state() : seen->second.state) {
        if (is_first(write)) {
            continue;
        }
        if (count < count_max) {
            slots[count] = to_c(write);
        }
        ++count;
    }
    return count;
}

int marchland_set_state(marchland_session* session, uint64_t entity, const marchland_slot* slots,
                        size_t count) {
    auto state = to_cpp(slots, count);
    if (!state || session->is_over) {
        return 0;
    }
    if (session->player) {
        return session->player->send(net::SetState{*std::move(state)}) ? 1 : 0;
    }
    net::ChangeOne one;
    one.entity = engine::EntityId{entity};
    one.state = *std::move(state);
    session->service->change(std::move(one));
    return 1;
}

marchland_resumption marchland_get_resumption(const marchland_session* session) {
    static const client::Resumption kNone;
    const auto& [resume_token, address, token] =
        session->player ? session->player->resumption() : kNone;
    return {reinterpret_cast<const std::uint8_t*>(resume_token.data()), resume_token.size(),
            address.c_str(), token.c_str()};
}

uint64_t marchland_entity(const marchland_session* session) {
    return session->player ? to_number(session->player->welcome().entity) : 0;
}

uint64_t marchland_server_time_us(const marchland_session* session) {
    return session->player
               ? static_cast<std::uint64_t>(session->player->drawing().server_time().count())
               : 0;
}

int marchland_drawn(const marchland_session* session, uint64_t entity, double place[3]) {
    const auto drawn = session->player
                           ? session->player->drawing().place_of(engine::EntityId{entity})
                           : std::nullopt;
    if (drawn) {
        place[0] = drawn->x;
        place[1] = drawn->y;
        place[2] = drawn->z;
    }
    return drawn ? 1 : 0;
}

marchland_position marchland_own_position(const marchland_session* session) {
    return session->player ? to_c(session->player->position()) : marchland_position{};
}

void marchland_turn(marchland_session* session, uint16_t facing) {
    if (session->player) {
        session->player->turn(facing);
    }
}

void marchland_move(marchland_session* session, marchland_position position) {
    if (session->player) {
        session->player->move(to_cpp(position));
    }
}

int marchland_step(marchland_session* session, marchland_position position) {
    return session->player && session->player->step(to_cpp(position)) ? 1 : 0;
}

void marchland_set_view(marchland_session* session, const marchland_view* view) {
    if (session->player) {
        (void)session->player->send(net::SetView{to_cpp(*view)});
    }
}

void marchland_set_frame_rate(marchland_session* session, uint16_t frames_hz) {
    if (session->player) {
        (void)session->player->send(net::SetFrameRate{frames_hz});
    }
}

void marchland_request_keyframe(marchland_session* session) {
    if (session->player) {
        (void)session->player->send(net::KeyframeRequest{});
    }
}

int marchland_say(marchland_session* session, uint16_t kind, const uint8_t* bytes,
                  size_t bytes_count) {
    return session->player && session->player->say(kind, to_cpp(bytes, bytes_count)) ? 1 : 0;
}

uint32_t marchland_spawn_entity(marchland_session* session, const marchland_spawn* spawn) {
    auto state = to_cpp(spawn->slots, spawn->slots_count);
    if (!session->service || !state || spawn->importance > UINT8_MAX) {
        return 0;
    }
    net::SpawnOne one;
    one.state = *std::move(state);
    one.kind = static_cast<std::uint16_t>(spawn->kind);
    one.position = to_cpp(spawn->position);
    one.facing = static_cast<engine::Angle>(spawn->facing);
    one.layers = {spawn->layers, spawn->layers_seen};
    one.view = to_cpp(spawn->view);
    one.notify = {spawn->notify_radius_mm, spawn->notify_leave_radius_mm};
    one.importance = static_cast<std::uint8_t>(std::max(spawn->importance, 1U));
    one.watches = spawn->watches != 0;
    return session->service->spawn(std::move(one));
}

uint64_t marchland_entity_of(const marchland_session* session, uint32_t ref) {
    const auto entity = session->service ? session->service->entity_of(ref) : std::nullopt;
    return entity ? to_number(*entity) : 0;
}

void marchland_move_entity(marchland_session* session, uint32_t ref, marchland_position position) {
    if (session->service) {
        session->service->move(ref, to_cpp(position));
    }
}

void marchland_despawn(marchland_session* session, uint32_t ref) {
    if (session->service) {
        session->service->despawn(ref);
        add_end(*session, ref);
    }
}

int marchland_change_entity(marchland_session* session, uint64_t entity,
                            const marchland_change* change) {
    auto one = to_cpp(*change);
    if (!session->service || session->is_over || !one) {
        return 0;
    }
    one->entity = engine::EntityId{entity};
    session->service->change(*std::move(one));
    return 1;
}

void marchland_remove_player(marchland_session* session, uint64_t entity) {
    if (session->service) {
        session->service->remove_player(engine::EntityId{entity});
    }
}

void marchland_subscribe(marchland_session* session, const uint16_t* kinds, size_t count) {
    if (session->service) {
        session->service->subscribe(std::vector<std::uint16_t>(kinds, kinds + count));
    }
}

int marchland_tell(marchland_session* session, uint16_t kind, const uint8_t* bytes,
                   size_t bytes_count, const uint64_t* to, size_t count) {
    if (!session->service || (to != nullptr && count == 0)) {
        return 0;
    }
    net::MessageTo message = message_of(kind, bytes, bytes_count);
    message.to_everybody = to == nullptr;
    for (std::size_t i = 0; to != nullptr && i < count; ++i) {
        message.to.push_back(engine::EntityId{to[i]});
    }
    return session->service->say(std::move(message)) ? 1 : 0;
}

int marchland_tell_viewers(marchland_session* session, uint16_t kind, const uint8_t* bytes,
                           size_t bytes_count, uint64_t entity) {
    net::MessageTo message = message_of(kind, bytes, bytes_count);
    message.to_viewers_of = engine::EntityId{entity};
    return session->service && session->service->say(std::move(message)) ? 1 : 0;
}

int marchland_tell_those(marchland_session* session, uint16_t kind, const uint8_t* bytes,
                         size_t bytes_count, const marchland_circle* within, uint32_t layers) {
    net::MessageTo message = message_of(kind, bytes, bytes_count);
    message.to_everybody = within == nullptr && layers == 0;
    message.within = to_cpp(within);
    message.layers = layers;
    return session->service && session->service->say(std::move(message)) ? 1 : 0;
}

void marchland_subscribe_positions(marchland_session* session, const marchland_circle* within) {
    if (session->service) {
        session->service->subscribe_positions(to_cpp(within));
    }
}

void marchland_unsubscribe_positions(marchland_session* session) {
    if (session->service) {
        session->service->unsubscribe_positions();
    }
}

size_t marchland_players(const marchland_session* session, marchland_placed* placed,
                         size_t count_max) {
    if (!session->service) {
        return 0;
    }
    const auto& players = session->service->positions().players;
    for (std::size_t i = 0; i < std::min(players.size(), count_max); ++i) {
        placed[i] = {to_number(players[i].entity), to_c(players[i].position)};
    }
    return players.size();
}

void marchland_subscribe_moves(marchland_session* session) {
    if (session->service) {
        session->service->subscribe_moves();
    }
}

uint64_t marchland_dropped(const marchland_session* session) {
    return session->service ? session->service->dropped() : 0;
}

int marchland_admit(marchland_session* session, uint64_t request,
                    const marchland_admission* admission) {
    auto given = to_cpp(admission->given);
    if (!session->service || session->is_over || !given) {
        return 0;
    }
    net::AdmitPlayer answer;
    answer.request = request;
    answer.given = *std::move(given);
    if (admission->refusal != nullptr) {
        answer.refusal = admission->refusal;
    }
    return session->service->admit(std::move(answer)) ? 1 : 0;
}

int marchland_send_to_zone(marchland_session* session, uint64_t entity, const char* address,
                           const char* token, const uint8_t* carried, size_t carried_count) {
    return session->service &&
                   session->service->send_to_zone({engine::EntityId{entity}, address,
                                                   text_of(token), to_cpp(carried, carried_count)})
               ? 1
               : 0;
}
}
