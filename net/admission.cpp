#include "net/admission.h"

#include "net/quantum.h"

#include <spdlog/fmt/fmt.h>

namespace marchland::net {

std::optional<ErrorMessage> check_position(engine::Position position,
                                           const shards::ZoneOptions& zone) {
    if (zone.world.contains(position)) {
        return std::nullopt;
    }
    return ErrorMessage{
        ErrorCode::out_of_range,
        fmt::format("position ({}, {}) is outside the world", position.x, position.y)};
}

std::optional<ErrorMessage> check_view(const engine::View& view, const shards::ZoneOptions& zone) {
    if (const char* const flaw = engine::flaw_of(view, zone.dimensions)) {
        return ErrorMessage{ErrorCode::out_of_range, fmt::format("the view {}", flaw)};
    }
    if (const std::int32_t reach_mm = engine::leave_reach_mm(view);
        reach_mm > zone.leave_radius_mm_max) {
        return ErrorMessage{ErrorCode::out_of_range,
                            fmt::format("a leave range of {} mm; the limit is {}", reach_mm,
                                        zone.leave_radius_mm_max)};
    }
    return std::nullopt;
}

std::optional<ErrorMessage> check_player_state(std::span<const engine::StateWrite> state,
                                               const shards::ZoneOptions& zone) {
    for (const engine::StateWrite& write : state) {
        if (const char* const flaw = engine::flaw_of(write, zone.slots)) {
            return ErrorMessage{ErrorCode::out_of_range,
                                fmt::format("slot {} {}", write.number, flaw)};
        }
        const engine::StateSlot& slot = zone.slots[write.number];
        if (slot.writer != engine::StateWriter::player) {
            return ErrorMessage{ErrorCode::not_allowed,
                                fmt::format("players may not set '{}'", slot.name)};
        }
    }
    return std::nullopt;
}

void describe(const shards::ZoneOptions& zone, AnyWelcome& welcome) {
    welcome.tick_rate_hz = static_cast<std::uint16_t>(zone.tick_rate_hz);
    welcome.dimensions = zone.dimensions;
    welcome.world_min = {static_cast<std::int32_t>(zone.world.min_x),
                         static_cast<std::int32_t>(zone.world.min_y), INT32_MIN};
    welcome.world_max = {static_cast<std::int32_t>(zone.world.max_x),
                         static_cast<std::int32_t>(zone.world.max_y), INT32_MAX};
    welcome.quantum_mm = static_cast<std::uint32_t>(zone.quantum_mm);
    welcome.slots = zone.slots;
}

std::variant<engine::Entity, ErrorMessage> entity_for(const Hello& hello,
                                                      const ServerOptions& server,
                                                      const shards::ZoneOptions& zone) {
    engine::Entity entity;
    entity.position = hello.spawn.value_or(server.default_spawn);
    entity.view = hello.view.value_or(server.default_view);
    entity.facing = hello.facing;
    entity.kind = hello.kind;
    if (server.edge == ServerOptions::Edge::clamp) {
        entity.position = nearest_inside(entity.position, zone.world);
    }
    if (auto error = check_position(entity.position, zone)) {
        return *std::move(error);
    }
    entity.position = on_grid(entity.position, zone.quantum_mm, zone.world);
    if (auto error = check_view(entity.view, zone)) {
        return *std::move(error);
    }
    if (!hello.state.empty() && server.player_states_per_second_max == 0) {
        return ErrorMessage{ErrorCode::not_allowed, "players may not set slots here"};
    }
    if (auto error = check_player_state(hello.state, zone)) {
        return *std::move(error);
    }
    entity.state = engine::with(nullptr, hello.state, engine::kNever);
    return entity;
}

// ---- of services

namespace {

std::optional<RefusalReason> flaw_of(const engine::View& view, bool may_see,
                                     const shards::ZoneOptions& zone) {
    const bool is_bad = (!may_see && view != engine::View{}) || check_view(view, zone).has_value();
    return is_bad ? std::optional(RefusalReason::bad_view) : std::nullopt;
}

std::optional<RefusalReason> flaw_of(const engine::NotifyRange& notify,
                                     const shards::ZoneOptions& zone) {
    const bool is_bad =
        !is_sound(notify) || notify.leave_radius_mm > zone.notify_leave_radius_mm_max;
    return is_bad ? std::optional(RefusalReason::bad_notify) : std::nullopt;
}

/// Its own entity's slots a service may set all, but for the one that the zone writes.
std::optional<RefusalReason> flaw_of(std::span<const engine::StateWrite> state, bool is_own,
                                     const shards::ZoneOptions& zone) {
    for (const engine::StateWrite& write : state) {
        if (engine::flaw_of(write, zone.slots) != nullptr) {
            return RefusalReason::bad_state;
        }
        const engine::StateWriter writer = zone.slots[write.number].writer;
        if (writer == engine::StateWriter::facing ||
            (writer == engine::StateWriter::player && !is_own)) {
            return RefusalReason::not_writer;
        }
    }
    return std::nullopt;
}

}  // namespace

std::variant<engine::Position, RefusalReason> place_for(engine::Position position,
                                                        const shards::ZoneOptions& zone) {
    if (!zone.world.contains(position)) {
        return RefusalReason::out_of_world;
    }
    return on_grid(position, zone.quantum_mm, zone.world);
}

std::variant<engine::Entity, RefusalReason> entity_for(const SpawnOne& spawn,
                                                       const shards::ZoneOptions& zone) {
    const auto place = place_for(spawn.position, zone);
    if (const auto* const reason = std::get_if<RefusalReason>(&place)) {
        return *reason;
    }
    if (const auto reason = flaw_of(spawn.view, spawn.watches, zone)) {
        return *reason;
    }
    if (const auto reason = flaw_of(spawn.notify, zone)) {
        return *reason;
    }
    if (const auto reason = flaw_of(spawn.state, true, zone)) {
        return *reason;
    }
    engine::Entity entity;
    entity.position = std::get<engine::Position>(place);
    entity.kind = spawn.kind;
    entity.facing = spawn.facing;
    entity.layers = spawn.layers.layers;
    entity.layers_seen = spawn.layers.layers_seen;
    entity.view = spawn.view;
    entity.notify = spawn.notify;
    entity.state = engine::with(nullptr, spawn.state, engine::kNever);
    entity.importance = spawn.importance;
    return entity;
}

std::variant<shards::Inputs, RefusalReason> inputs_for(const ChangeOne& change, bool is_own,
                                                       bool may_see,
                                                       const shards::ZoneOptions& zone) {
    shards::Inputs commands;
    if (change.position) {
        const auto place = place_for(*change.position, zone);
        if (const auto* const reason = std::get_if<RefusalReason>(&place)) {
            return *reason;
        }
        commands.move = std::get<engine::Position>(place);
    }
    if (change.view) {
        if (const auto reason = flaw_of(*change.view, may_see, zone)) {
            return *reason;
        }
        commands.view = change.view;
    }
    if (change.notify) {
        if (const auto reason = flaw_of(*change.notify, zone)) {
            return *reason;
        }
        commands.notify = change.notify;
    }
    if (const auto reason = flaw_of(change.state, is_own, zone)) {
        return *reason;
    }
    commands.layers = change.layers;
    commands.state = change.state;
    commands.facing = change.facing;
    return commands;
}

}  // namespace marchland::net
