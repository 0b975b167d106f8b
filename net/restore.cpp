#include "net/restore.h"

#include "engine/assert.h"
#include "net/admission.h"
#include "net/input_port.h"
#include "net/packed_moves.h"
#include "net/quantum.h"

#include <spdlog/fmt/fmt.h>

#include <map>
#include <memory>
#include <utility>

namespace marchland::net {

namespace {

/// No zone runs for so many ticks or microseconds, or has so many services.
constexpr std::uint64_t kTickEnd = std::uint64_t{1} << 61U;
/// So many more than any start or backup reserves are left.
constexpr std::uint64_t kSpareIds = std::uint64_t{1} << 40U;

/// Nobody reads its frames until somebody takes its place, and then the first one is whole.
std::shared_ptr<PlayerPort> parked_port(engine::EntityId tag, const SpeedLimit& speed,
                                        const shards::PortState& restored,
                                        SessionContext& io_thread) {
    const shards::ZoneOptions& zone = io_thread.zone.options();
    auto options = PlayerPort::options_for(io_thread.io_thread, zone, io_thread.options);
    options.tag = tag;
    options.restored = restored;
    auto port = std::make_shared<PlayerPort>(options, speed, io_thread.mailbox, io_thread.counters);
    port->park();
    port->inputs().put_keyframe();
    port->note_messages_lost();  // those that waited, or were in frames that nobody read
    return port;
}

void put_back(const shards::KeptEntity& kept, const Directory::Listing& listing,
              std::optional<PlayerNotices::Player> player, SessionContext& io_thread) {
    const shards::ZoneOptions& zone = io_thread.zone.options();
    engine::Entity entity = kept.entity;
    entity.position =
        on_grid(entity.position, zone.quantum_mm, zone.world);  // it may be another now
    const auto join = [&] {
        return io_thread.zone.join({std::move(entity), listing.port, kept.takes_frames});
    };
    const bool is_there =
        io_thread.directory.enter(kept.entity.id, listing, std::move(player), join);
    MARCHLAND_ASSERT(is_there);
}

}  // namespace

std::optional<std::string> flaw_of(const shards::KeptZone& kept, const shards::ZoneOptions& zone) {
    if (kept.entities.size() > zone.entities_max) {
        return fmt::format("{} entities; limits.entities_max is {}", kept.entities.size(),
                           zone.entities_max);
    }
    if (kept.tick >= kTickEnd || kept.server_time_us >= kTickEnd || kept.written_at_us < 0 ||
        kept.next_id >= kEntityIdEnd - kSpareIds || kept.next_owner == 0 ||
        kept.next_owner >= kTickEnd) {
        return "the zone's tick, time, or next id or owner is none that a zone comes to";
    }
    for (const shards::KeptSession& session : kept.sessions) {
        const std::uint64_t number = session.key.number;
        if (session.key.kind == shards::SessionKey::Kind::service &&
            (number == 0 || number >= kept.next_owner)) {
            return fmt::format("service {}: its number is none that the zone has given by then",
                               number);
        }
    }
    for (const shards::KeptEntity& one : kept.entities) {
        const engine::Entity& entity = one.entity;
        auto error = check_position(entity.position, zone);
        if (!error && (to_number(entity.id) == 0 || to_number(entity.id) >= kept.next_id ||
                       entity.birth > kept.tick || one.owner.number >= kept.next_owner)) {
            error = ErrorMessage{ErrorCode::out_of_range,
                                 "its id, birth or owner is none that the zone has given by then"};
        }
        if (!error) {
            error = check_view(entity.view, zone);
        }
        if (!error && (!is_sound(entity.notify) ||
                       entity.notify.leave_radius_mm > zone.notify_leave_radius_mm_max)) {
            error = ErrorMessage{
                ErrorCode::out_of_range,
                fmt::format("a notification range of {} mm; the limit is {}",
                            entity.notify.leave_radius_mm, zone.notify_leave_radius_mm_max)};
        }
        const auto authority = static_cast<Authority>(one.port.authority);
        if (!error && (authority < Authority::zone || authority > Authority::service)) {
            error = ErrorMessage{ErrorCode::malformed, "an unknown authority"};
        }
        if (error) {
            return fmt::format("entity {}: {}", to_number(entity.id), error->text);
        }
    }
    return std::nullopt;
}

void restore(const Restored& restored, SessionContext& io_thread) {
    using Kind = shards::SessionKey::Kind;
    const shards::ZoneOptions& zone = io_thread.zone.options();
    const auto now = std::chrono::steady_clock::now();
    std::map<std::uint64_t, std::shared_ptr<ServiceEntities>> services;
    std::map<shards::SessionKey, const shards::KeptSession*> sessions;
    for (const shards::KeptSession& session : restored.zone.sessions) {
        sessions.emplace(session.key, &session);
        if (session.key.kind == Kind::service) {
            services.emplace(session.key.number,
                             std::make_shared<ServiceEntities>(OwnerId{session.key.number}));
        }
    }
    const bool is_exclusive =
        io_thread.options.auth.second_login != AuthOptions::SecondLogin::allow;
    const SpeedLimit no_limit(0, zone.tick_rate_hz, zone.dimensions, {});
    for (const shards::KeptEntity& kept : restored.zone.entities) {
        const engine::Entity& entity = kept.entity;
        if (kept.owner.number == 0) {
            const auto& session = *sessions.at({Kind::player, to_number(entity.id)});
            const SpeedLimit speed(io_thread.options.speed_max_mm_per_s, zone.tick_rate_hz,
                                   zone.dimensions, entity.position);
            auto port = parked_port({}, speed, kept.port, io_thread);
            // Of several that were let in as one subject the first has the claim.
            const bool has_claim = is_exclusive && io_thread.directory.claim(session.subject);
            put_back(kept, {port, kPlayers, has_claim ? session.subject : std::string()},
                     PlayerNotices::Player{
                         {entity.id, entity.kind, entity.position, engine::writes_of(entity.state),
                          session.subject, session.claims},
                         static_cast<std::uint32_t>(restored.grace.count())},
                     io_thread);
            ResumablePlayer resumable{
                entity.id, std::move(port), entity.position, entity.view, {session.generation, 0}};
            io_thread.store.restore(std::move(resumable),
                                    {session.subject, std::nullopt, session.claims}, restored.grace,
                                    now);
            continue;
        }
        std::shared_ptr<InputPort> port = std::make_shared<ServicePort>();
        if (kept.takes_frames) {
            port = parked_port(entity.id, no_limit, kept.port, io_thread);
        }
        put_back(kept, {port, OwnerId{kept.owner.number}}, std::nullopt, io_thread);
        services.at(kept.owner.number)
            ->enter(ServiceEntities::Holder{})
            ->add(entity.id, {kept.owner.ref, std::move(port), kept.takes_frames, std::nullopt});
    }
    for (const auto& [owner, entities] : services) {
        const auto& session = *sessions.at({Kind::service, owner});
        io_thread.store.restore(ResumableService{entities, {session.generation, 0}},
                                {session.subject, std::nullopt}, restored.grace, now);
    }
    io_thread.directory.begin_owners(restored.zone.next_owner);
    const auto today = std::chrono::system_clock::now();
    for (const shards::KeptBan& kept : restored.zone.bans) {
        Ban ban{kept.subject, kept.address, {}, kept.reason};
        if (kept.until_s != 0) {
            ban.until = OperatorRules::TimePoint(std::chrono::seconds(kept.until_s));
        }
        static_cast<void>(io_thread.rules.ban(std::move(ban), today));  // as many as there were
    }
}

}  // namespace marchland::net
