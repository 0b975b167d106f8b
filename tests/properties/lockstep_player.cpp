#include "tests/properties/lockstep_player.h"

#include "engine/assert.h"
#include "shards/state/keeper.h"

#include <algorithm>
#include <utility>

namespace marchland::tests {

const Relayouts LockstepPlayer::kNone;

LockstepPlayer::LockstepPlayer(const Stage& stage, const History& history, const Relayouts& changes)
    : LockstepPlayer(stage, history, changes, {}) {}

LockstepPlayer::LockstepPlayer(const Stage& stage, const History& history, const Relayouts& changes,
                               Restart restart)
    : history_(history),
      changes_(changes),
      lives_(lives_of(history)),
      restart_(std::move(restart)),
      zone_(stage.options, stage.layout, outlet_, nullptr, restart_.start),
      lockstep_(zone_),
      tick_(restart_.start.tick) {
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
            if (restart_.start.keeper != nullptr) {
                restart_.start.keeper->open(
                    {{shards::SessionKey::Kind::player, to_number(life.id())}, "", "", 1});
            }
            const bool has_joined = zone_.join({joining(life), ports_[i], life.join.takes_frames});
            MARCHLAND_ASSERT(has_joined);
        }
    }
    const engine::Tick stepped = lockstep_.step_with_late(late);
    MARCHLAND_ASSERT(stepped == tick_);
    return tick_;
}

engine::Entity LockstepPlayer::joining(const Life& life) const {
    const auto kept = std::ranges::find(
        restart_.entities, life.id(), [](const shards::KeptEntity& one) { return one.entity.id; });
    const bool is_back = life.joined == restart_.start.tick + 1 && kept != restart_.entities.end();
    return is_back ? kept->entity : entity_of(life);
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
