// What a shard sends its neighbours about its entities (step 3), and what it makes of their batches
// (step 4).

#include "engine/assert.h"
#include "shards/shard.h"

#include <algorithm>
#include <utility>

namespace marchland::shards {

// 3 publish

void Shard::mark_changed(engine::Slot slot, Change what) {
    const std::size_t number = to_number(slot);
    if (number >= changes_.size()) {
        changes_.resize(interest_.entities().slot_count(), 0);
    }
    if (changes_[number] == 0) {
        changed_.push_back(slot);
    }
    changes_[number] |= kAnything | what;
}

void Shard::publish(engine::Tick now) {
    for (const engine::Slot slot : interest_.renew_trajectories()) {
        mark_changed(slot);
    }
    publish_departures();
    send_newcomers();
    for (const engine::Slot slot : changed_) {
        // One that left after it changed is already sent, as departed.
        if (own_.contains(slot)) {
            publish_entity(slot, now);
        }
        changes_[to_number(slot)] = 0;
    }
    changed_.clear();
    const bool is_whole = !has_skipped_first_tick(now) && knows_what_was_before();
    is_layout_new_ = false;
    outgoing_.publish(is_whole);
}

/// To every shard, not only to those with a ghost: a watcher that knew the entity may have jumped
/// anywhere in this very tick, and be sent `gone` there.
void Shard::publish_departures() {
    if (departed_.empty()) {
        return;
    }
    for (const ShardId receiver : epoch_->layout.shards()) {
        if (receiver != id_) {
            outgoing_.to(receiver).departed = departed_;
        }
    }
    for (const engine::Life& life : departed_) {
        const auto messages = interest_.messages_of(life);
        for (const ShardId receiver : epoch_->layout.shards()) {
            if (messages && receiver != id_) {
                outgoing_.to(receiver).messages.push_back(*messages);
            }
        }
    }
    departed_.clear();
}

void Shard::send_newcomers() {
    const auto append = [](auto& sent, const auto& bygone) {
        sent.insert(sent.end(), bygone.begin(), bygone.end());
    };
    for (const ShardId newcomer : newcomers_) {
        BorderBatch& batch = outgoing_.to(newcomer);
        batch.catch_up = catch_up_;
        append(batch.messages, catch_up_messages_);
    }
    catch_up_ = {};
    catch_up_messages_ = {};
    newcomers_.clear();
}

void Shard::publish_entity(engine::Slot slot, engine::Tick now) {
    const engine::Entity& entity = interest_.entities().at(slot);
    const engine::Position at = entity.position;
    const ShardId owner = epoch_->reach.keeps(id_, at) ? id_ : epoch_->layout.owner_of(at);
    OwnRecord& record = own_.at(slot);
    const ShardSet old_ghosts = record.ghosts;
    ShardSet new_ghosts = epoch_->reach.ghosts_for(owner, at, entity.notify.leave_radius_mm);
    record.ghosts = new_ghosts;
    record.is_settled = true;

    if (owner == id_) {
        send_ghost_holders(slot, old_ghosts, new_ghosts, now);
        return;
    }
    // The handoff itself notifies the new owner, and we need no message to keep a ghost.
    ShardSet sent_before = old_ghosts;
    sent_before.remove(owner);
    const bool stays_as_ghost = new_ghosts.contains(id_);
    new_ghosts.remove(id_);
    send_ghost_holders(slot, sent_before, new_ghosts, now);
    hand_over(slot, owner, stays_as_ghost);
}

void Shard::send_ghost_holders(engine::Slot slot, const ShardSet& old_ghosts,
                               const ShardSet& new_ghosts, engine::Tick now) {
    const engine::Entity& entity = interest_.entities().at(slot);
    const std::uint8_t changes = changes_[to_number(slot)];
    old_ghosts.without(new_ghosts).for_each([&](ShardId receiver) {
        outgoing_.to(receiver).ghosts_went.push_back(entity.id);
    });
    new_ghosts.for_each([&](ShardId receiver) {
        if (!old_ghosts.contains(receiver)) {
            outgoing_.to(receiver).ghosts_came.push_back(entity);
            publish_messages(slot, receiver);
            return;
        }
        const bool is_renewed = entity.moved_tick == now;
        if ((changes & kPlace) != 0 || is_renewed) {
            outgoing_.to(receiver).ghosts_moved.push_back(
                {entity.id, entity.position,
                 is_renewed
                     ? std::optional(engine::InterestSystem::Renewal{entity.shown, entity.velocity})
                     : std::nullopt});
        }
        if ((changes & kVisibility) != 0) {
            outgoing_.to(receiver).ghosts_changed.push_back(
                {entity.id, entity.layers, entity.notify});
        }
        if ((changes & kState) != 0) {
            outgoing_.to(receiver).ghosts_state.push_back({entity.id, entity.state});
        }
        if ((changes & kMessages) != 0) {
            publish_messages(slot, receiver);
        }
    });
}

void Shard::publish_messages(engine::Slot slot, ShardId receiver) {
    const engine::Entity& entity = interest_.entities().at(slot);
    if (auto messages = interest_.messages_of({entity.id, entity.birth})) {
        outgoing_.to(receiver).messages.push_back(std::move(*messages));
    }
}

void Shard::hand_over(engine::Slot slot, ShardId new_owner, bool stays_as_ghost) {
    publish_messages(slot, new_owner);
    OwnRecord record = own_.remove(slot);
    std::optional<engine::KnownSet> known;
    if (record.takes_frames) {
        known = interest_.unwatch(slot);
    }
    crossings_.add({interest_.now(), interest_.entities().at(slot).position, new_owner});
    interest_.stop_leading(slot);
    engine::Entity entity = stays_as_ghost ? interest_.entities().at(slot) : interest_.erase(slot);
    outgoing_.to(new_owner).handoffs.push_back(
        {std::move(entity), std::move(record), std::move(known)});
    metrics_.handoffs_total.fetch_add(1, std::memory_order_relaxed);
}

// 4 absorb

void Shard::absorb(engine::Tick now) {
    known_through_ = std::max(known_through_, zone_.transport.collect(id_, now, arrived_));
    for (BorderBatch& batch : arrived_) {
        absorb_batch(batch, now);
        zone_.transport.recycle(std::move(batch));
    }
    arrived_.clear();
}

void Shard::absorb_batch(BorderBatch& batch, engine::Tick now) {
    interest_.note_forgotten_before(batch.catch_up.forgotten_before);
    for (const engine::RecordedDeparture& recorded : batch.catch_up.departed) {
        absorb_departure(recorded);
    }
    for (const engine::Life& life : batch.departed) {
        absorb_departure({life, interest_.now()});
    }
    for (const engine::EntityId id : batch.ghosts_went) {
        if (const auto slot = find_ghost(id, batch.tick, now)) {
            interest_.erase(*slot);
        }
    }
    for (engine::Entity& ghost : batch.ghosts_came) {
        absorb_ghost(std::move(ghost));
    }
    for (const GhostMove& moved : batch.ghosts_moved) {
        if (const auto slot = find_ghost(moved.id, batch.tick, now)) {
            interest_.follow(*slot, moved.position, moved.renewal, batch.tick);
        }
    }
    for (const GhostChange& changed : batch.ghosts_changed) {
        if (const auto slot = find_ghost(changed.id, batch.tick, now)) {
            interest_.set_layers(*slot, changed.layers, interest_.entities().at(*slot).layers_seen);
            interest_.set_notify(*slot, changed.notify);
        }
    }
    for (GhostState& changed : batch.ghosts_state) {
        if (const auto slot = find_ghost(changed.id, batch.tick, now)) {
            interest_.absorb_state(*slot, std::move(changed.state));
        }
    }
    if (!batch.handoffs.empty() && now - batch.tick > metrics_.handoff_ticks_max.load()) {
        metrics_.handoff_ticks_max.store(now - batch.tick);
    }
    for (Handoff& handoff : batch.handoffs) {
        absorb_handoff(std::move(handoff), batch.epoch == epoch_->number);
    }
    for (const engine::EntityMessages& messages : batch.messages) {  // after whom it is of
        interest_.absorb(messages);
    }
}

void Shard::absorb_departure(const engine::RecordedDeparture& recorded) {
    const engine::Life& life = recorded.life;
    interest_.recall_departure(recorded);
    const auto slot = interest_.entities().find(life.id);
    // The id may live again already: then this departure is of its life before.
    if (slot && interest_.entities().at(*slot).birth == life.birth) {
        MARCHLAND_ASSERT(!own_.contains(*slot));
        interest_.erase(*slot);
    }
}

/// Nothing if what was sent in that tick is of a life before: the id joined here again before this
/// shard read it. Of a new life only its coming is sent in its first tick.
std::optional<engine::Slot> Shard::find_ghost(engine::EntityId id, engine::Tick sent,
                                              engine::Tick now) const {
    const auto slot = interest_.entities().find(id);
    if (slot ? interest_.entities().at(*slot).birth >= sent : sent < now) {
        return std::nullopt;
    }
    MARCHLAND_ASSERT(slot && !own_.contains(*slot));
    return slot;
}

void Shard::absorb_ghost(engine::Entity ghost) {
    if (const auto slot = interest_.entities().find(ghost.id)) {
        if (interest_.entities().at(*slot).birth > ghost.birth) {
            return;  // it joined here again before this was read
        }
        // A ghost of the id's life before, whose departure is in a batch still to come.
        MARCHLAND_ASSERT(!own_.contains(*slot));
        interest_.erase(*slot);
    }
    interest_.insert(std::move(ghost));
}

void Shard::absorb_handoff(Handoff handoff, bool is_settled) {
    const engine::EntityId id = handoff.entity.id;
    const auto ghost = interest_.entities().find(id);
    if (ghost) {
        MARCHLAND_ASSERT(!own_.contains(*ghost));
        interest_.erase(*ghost);
    }
    const engine::Slot slot = interest_.insert(std::move(handoff.entity));
    messages_through_ = std::min(messages_through_, handoff.record.messages_through);
    MARCHLAND_ASSERT(handoff.record.port != nullptr);
    own_.add(slot, std::move(handoff.record));
    interest_.lead(slot);
    if (!is_settled) {
        own_.at(slot).is_settled = false;
        mark_changed(slot);
    }
    if (handoff.known) {
        interest_.watch(slot, std::move(*handoff.known));
    }
}

}  // namespace marchland::shards
