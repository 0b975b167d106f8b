#pragma once

#include "engine/ids.h"
#include "tools/bots/player_index.h"

#include <optional>
#include <unordered_map>
#include <vector>

namespace marchland::bots {

/// Which entity is which of our players? Whatever is not in here belongs to somebody else, and
/// nothing is known of where it is.
class Roster {
public:
    explicit Roster(std::size_t players_max) : entity_of_(players_max) {
        player_of_.reserve(players_max);
    }

    /// False when some player has this entity already: the server gave one id twice.
    bool add(PlayerIndex player, engine::EntityId entity) {
        if (!player_of_.emplace(entity, player).second) {
            return false;
        }
        entity_of_.at(to_number(player)) = entity;
        return true;
    }

    [[nodiscard]] std::size_t players_max() const { return entity_of_.size(); }

    /// Nothing for a player that has not joined yet.
    [[nodiscard]] std::optional<engine::EntityId> entity_of(PlayerIndex player) const {
        return entity_of_[to_number(player)];
    }

    /// Nothing for an entity that is not ours.
    [[nodiscard]] std::optional<PlayerIndex> player_of(engine::EntityId entity) const {
        const auto found = player_of_.find(entity);
        return found == player_of_.end() ? std::nullopt : std::optional(found->second);
    }

private:
    std::vector<std::optional<engine::EntityId>> entity_of_;
    std::unordered_map<engine::EntityId, PlayerIndex> player_of_;
};

}  // namespace marchland::bots
