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
    if (auto error = check_player_state(hello.state, zone)) {
        return *std::move(error);
    }
    entity.state = engine::with(nullptr, hello.state, engine::kNever);
    return entity;
}

}  // namespace marchland::net
