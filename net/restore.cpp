#include "net/restore.h"

#include "engine/assert.h"
#include "net/admission.h"
#include "net/player_session.h"
#include "net/service_port.h"

#include <spdlog/fmt/fmt.h>

#include <map>
#include <memory>
#include <utility>

namespace marchland::net {

namespace {

/// Nobody reads its frames until somebody takes its place, and then the first one is whole.
std::shared_ptr<PlayerPort> parked_port(engine::EntityId tag, const SpeedLimit& speed,
                                        SessionContext& lane) {
    const shards::ZoneOptions& zone = lane.zone.options();
    auto port = std::make_shared<PlayerPort>(
        PlayerPort::Options{lane.lane, zone.tick_rate_hz, zone.quantum_mm, tag, true, {}}, speed,
        lane.mailbox, lane.counters);
    port->park();
    port->ask_keyframe();
    return port;
}

void put_back(const shards::KeptEntity& kept, const std::shared_ptr<CellPort>& port, OwnerId owner,
              std::optional<NoticeBoard::Player> player, SessionContext& lane) {
    const auto join = [&] { return lane.zone.join({kept.entity, port, kept.takes_frames}); };
    const bool is_there =
        lane.directory.enter(kept.entity.id, {port, owner}, std::move(player), join);
    MARCHLAND_ASSERT(is_there);
}

}  // namespace

std::optional<std::string> flaw_of(const shards::KeptZone& kept, const shards::ZoneOptions& zone) {
    if (kept.entities.size() > zone.entities_max) {
        return fmt::format("{} entities; limits.entities_max is {}", kept.entities.size(),
                           zone.entities_max);
    }
    for (const shards::KeptEntity& one : kept.entities) {
        const engine::Entity& entity = one.entity;
        auto error = check_position(entity.position, zone);
        if (!error) {
            error = check_view(entity.view, zone);
        }
        if (!error && (!is_sound(entity.notify) ||
                       entity.notify.leave_radius_mm > zone.notify_leave_radius_mm_max)) {
            error = ErrorMessage{ErrorCode::out_of_range,
                                 fmt::format("a notification range of {} mm; the limit is {}",
                                             entity.notify.leave_radius_mm,
                                             zone.notify_leave_radius_mm_max)};
        }
        if (error) {
            return fmt::format("entity {}: {}", to_number(entity.id), error->text);
        }
    }
    return std::nullopt;
}

void restore(const Restored& restored, SessionContext& lane) {
    using Kind = shards::SessionKey::Kind;
    const shards::ZoneOptions& zone = lane.zone.options();
    const auto now = std::chrono::steady_clock::now();
    std::map<std::uint64_t, std::shared_ptr<ServiceEstate>> estates;
    std::map<shards::SessionKey, const shards::KeptSession*> sessions;
    for (const shards::KeptSession& session : restored.zone.sessions) {
        sessions.emplace(session.key, &session);
        if (session.key.kind == Kind::service) {
            estates.emplace(session.key.number,
                            std::make_shared<ServiceEstate>(OwnerId{session.key.number}));
        }
    }
    const bool is_exclusive =
        lane.options.auth.second_login != AuthOptions::SecondLogin::allow;
    const SpeedLimit no_limit(0, zone.tick_rate_hz, zone.dimensions, {});
    for (const shards::KeptEntity& kept : restored.zone.entities) {
        const engine::Entity& entity = kept.entity;
        if (kept.owner.number == 0) {
            const auto& session = *sessions.at({Kind::player, to_number(entity.id)});
            const SpeedLimit speed(lane.options.speed_max_mm_per_s, zone.tick_rate_hz,
                                   zone.dimensions, entity.position);
            auto port = parked_port({}, speed, lane);
            if (is_exclusive) {
                static_cast<void>(lane.directory.claim(session.subject, entity.id));
            }
            put_back(kept, port, kPlayers,
                     NoticeBoard::Player{entity.kind, entity.position, entity.blob}, lane);
            PlayerSeat seat{entity.id, std::move(port), welcome_to(entity, lane.options, zone),
                            {session.generation, 0}};
            lane.desk.restore(std::move(seat), {session.subject, std::nullopt}, restored.grace,
                              now);
            continue;
        }
        std::shared_ptr<CellPort> port = std::make_shared<ServicePort>();
        if (kept.takes_frames) {
            port = parked_port(entity.id, no_limit, lane);
        }
        put_back(kept, port, OwnerId{kept.owner.number}, std::nullopt, lane);
        estates.at(kept.owner.number)
            ->enter(ServiceEstate::Tenant{})
            ->add(entity.id, {kept.owner.ref, std::move(port), kept.takes_frames, std::nullopt});
    }
    for (const auto& [owner, estate] : estates) {
        const auto& session = *sessions.at({Kind::service, owner});
        lane.desk.restore(ServiceSeat{estate, {session.generation, 0}},
                          {session.subject, std::nullopt}, restored.grace, now);
    }
    lane.directory.begin_owners(restored.zone.next_owner);
}

}  // namespace marchland::net
