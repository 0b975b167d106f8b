#include "tests/properties/lockstep_player.h"

#include "engine/assert.h"

#include <utility>

namespace marchland::tests {

const Relayouts LockstepPlayer::kNone;

LockstepPlayer::LockstepPlayer(const Stage& stage, const History& history, const Relayouts& changes)
    : history_(history),
      changes_(changes),
      lives_(lives_of(history)),
      zone_(stage.options, stage.layout, outlet_),
      lockstep_(zone_) {
    for (const Life& life : lives_) {
        ports_.push_back(std::make_shared<ScriptedPort>(life, tick_));
    }
}

engine::Tick LockstepPlayer::step(std::span<const shards::ShardId> late) {
    ++tick_;
    for (const Relayout& change : changes_) {
        if (change.tick == tick_) {
            const engine::Tick from = lockstep_.change_layout(change.layout);
            MARCHLAND_ASSERT(from == tick_);
        }
    }
    if (auto next = balancer_ ? balancer_->propose(zone_) : std::nullopt) {
        lockstep_.change_layout(*std::move(next));
    }
    for (std::size_t i = 0; i < lives_.size(); ++i) {
        const Life& life = lives_[i];
        if (life.joined == tick_) {
            const bool has_joined =
                zone_.join({entity_of(life), ports_[i], life.join.takes_frames});
            MARCHLAND_ASSERT(has_joined);
        }
    }
    const engine::Tick stepped = lockstep_.step_with_late(late);
    MARCHLAND_ASSERT(stepped == tick_);
    return tick_;
}

Recording LockstepPlayer::recording() const {
    Recording recording;
    for (const auto& port : ports_) {
        recording.push_back(port->stream());
    }
    return recording;
}

Recording play_in_lockstep(const Stage& stage, const History& history, const Relayouts& changes) {
    LockstepPlayer player(stage, history, changes);
    while (!player.is_finished()) {
        player.step();
    }
    return player.recording();
}

}  // namespace marchland::tests
