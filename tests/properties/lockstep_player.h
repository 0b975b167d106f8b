#pragma once

#include "shards/layout/balancer.h"
#include "shards/lockstep.h"
#include "shards/state/fold.h"
#include "shards/zone.h"
#include "tests/properties/history.h"
#include "tests/properties/scripted_port.h"
#include "tests/properties/stage.h"
#include "tests/properties/stream.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace marchland::tests {

/// A zone that goes on where another one ended, and whom it has from there.
struct Restart {
    shards::ZoneStart start;
    std::vector<shards::KeptEntity> entities = {};
};

/// Plays a history on a stage, tick by tick, under the driver without a clock.
///
/// Life  The history and the changes outlive their player.
class LockstepPlayer {
public:
    LockstepPlayer(const Stage& stage, const History& history, const Relayouts& changes = kNone);
    /// Plays what the history has after the start's tick. Whoever joins in the first tick and is in
    /// the restart's list is what that says. The start's keeper knows each one's session.
    LockstepPlayer(const Stage& stage, const History& history, const Relayouts& changes,
                   Restart restart);

    /// From now on a balancer with these options moves the layout's edges.
    void balance(const shards::BalancerOptions& options) {
        balancer_.emplace(options, zone_.options().tick_rate_hz);
    }

    /// Plays the next tick. The `late` shards finish it when all others are done with it.
    engine::Tick step(std::span<const shards::ShardId> late = {});
    [[nodiscard]] engine::Tick tick() const { return tick_; }
    [[nodiscard]] bool is_finished() const { return tick_ >= history_.ticks; }

    [[nodiscard]] shards::Zone& zone() { return zone_; }
    [[nodiscard]] const std::vector<Life>& lives() const { return lives_; }
    [[nodiscard]] Recording recording() const;

private:
    static const Relayouts kNone;

    [[nodiscard]] engine::Entity joining(const Life& life) const;

    const History& history_;
    const Relayouts& changes_;
    const std::vector<Life> lives_;
    const Restart restart_;
    SilentOutlet outlet_;
    shards::Zone zone_;
    shards::Lockstep lockstep_;
    std::optional<shards::Balancer> balancer_;
    engine::Tick tick_;
    std::vector<std::shared_ptr<ScriptedPort>> ports_;  ///< by life
};

/// The whole history at once.
Recording play_in_lockstep(const Stage& stage, const History& history,
                           const Relayouts& changes = {});

}  // namespace marchland::tests
