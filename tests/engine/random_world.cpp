#include "tests/engine/random_world.h"

#include "tests/engine/workers_backwards.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace marchland::engine::testing {
namespace {

/// Ids from both ends of their range, 0 among them.
EntityId id_of(std::size_t who) {
    const auto number = static_cast<std::uint64_t>(who / 2);
    return EntityId{who % 2 == 0 ? number : std::numeric_limits<std::uint64_t>::max() - number};
}

Slot slot_of(const InterestSystem& interest, EntityId id) {
    return interest.entities().find(id).value();
}

LayerMask layers_from(std::uint32_t bits) {
    return bits % 4 == 0 ? kDefaultLayer : bits % 4;
}

/// One slot for each audience, and one of bytes.
StateSlots slots_of(const Ground& ground) {
    StateSlots slots(5);
    slots[0].name = "all";
    slots[1].name = "own";
    slots[1].audience = StateAudience::own;
    slots[2].name = "near";
    slots[2].audience = StateAudience::near;
    slots[2].radius_mm = ground.cell_mm;
    slots[3].name = "layer";
    slots[3].audience = StateAudience::layer;
    slots[3].layers = 2;
    slots[4].name = "bytes";
    slots[4].type = StateType::bytes;
    return slots;
}

/// Where a frame says that messages are lost, it may tell some of them all the same.
void drop_forgotten(SentFrame& frame, Tick before) {
    if (frame.messages_lost) {
        std::erase_if(frame.messages,
                      [before](const SentMessage& message) { return message.tick < before; });
    }
}

}  // namespace

RandomWorld::RandomWorld(const Ground& ground, const CrowdLimits& limits)
    : ground_(ground),
      owner_(index_kinds().front().make(ground), ground.dimensions, {}, slots_of(ground)),
      oracle_(ground.dimensions, limits, slots_of(ground)) {
    for (const IndexKind& kind : index_kinds()) {
        stages_.push_back({std::make_unique<InterestSystem>(kind.make(ground), ground.dimensions,
                                                            limits, slots_of(ground)),
                           {}});
        stages_.back().interest->begin_tick(1);
    }
    owner_.begin_tick(1);
    oracle_.begin_tick(1);
}

void RandomWorld::play(const Step& step) {
    const EntityId id = id_of(step.who);
    if (step.kind == Step::Kind::join) {
        return join(id, step);
    }
    if (step.kind == Step::Kind::forget) {
        return forget(step.bits % 4);
    }
    if (step.kind == Step::Kind::tick) {
        return end_tick(step.bits);
    }
    if (!oracle_.is_alive(id)) {
        return;
    }
    const Position at = oracle_.position_of(id);
    const auto nudged = [](std::int32_t value, std::uint32_t bits) {
        return static_cast<std::int32_t>(std::clamp<std::int64_t>(
            std::int64_t{value} + bits % 5 - 2, std::numeric_limits<std::int32_t>::min(),
            std::numeric_limits<std::int32_t>::max()));
    };
    switch (step.kind) {
        case Step::Kind::leave:
            return leave(id, step.bits % 2 == 0);
        case Step::Kind::move:
            return move(id, step.at);
        case Step::Kind::nudge:
            return move(id, on_map({nudged(at.x, step.bits), nudged(at.y, step.bits / 5), at.z}));
        case Step::Kind::go_back:
            return move(id, oracle_.began_at(id));
        case Step::Kind::view:
            return set_view(id, step.view);
        case Step::Kind::turn:
            return set_facing(id, step.facing);
        case Step::Kind::notify:
            return set_notify(id, step.notify);
        case Step::Kind::layers:
            return set_layers(id, step.bits);
        case Step::Kind::state:
            return set_state(id, step.bits);
        case Step::Kind::say:
            return say(id);
        case Step::Kind::whole:
            return ask_keyframe(id);
        case Step::Kind::watch:
            return toggle_watch(id);
        case Step::Kind::part:
            return toggle_away(id);
        default:
            return rehouse(id);
    }
}

void RandomWorld::join(EntityId id, const Step& step) {
    if (oracle_.is_alive(id)) {
        return;
    }
    Entity entity;
    entity.id = id;
    entity.birth = oracle_.now();
    entity.position = step.at;
    entity.shown = step.at;
    entity.view = step.view;
    entity.facing = step.facing;
    entity.notify = step.notify;
    entity.importance = static_cast<std::uint8_t>(step.bits >> 8U);
    oracle_.insert(entity);
    owner_.insert(entity);
    for (Stage& stage : stages_) {
        enter_stage(stage, id);
    }
    if (step.bits % 8 != 7) {
        toggle_watch(id);
    }
}

void RandomWorld::leave(EntityId id, bool may_be_recorded) {
    // As shards do: nobody was sent one that leaves in the tick of its birth, and its id may be
    // born again in that very tick, which makes the same life of two.
    const bool is_recorded = may_be_recorded && oracle_.birth_of(id) != oracle_.now();
    for (Stage& stage : stages_) {
        if (is_recorded) {
            stage.interest->record_departure({id, oracle_.birth_of(id)});
        }
        absorb_messages_of(*stage.interest, id);
        if (is_on_stage(id)) {
            stage.interest->erase(slot_of(*stage.interest, id));
        }
        stage.carried.erase(id);
    }
    owner_.erase(slot_of(owner_, id));
    if (is_recorded) {
        oracle_.record_departure(id);
    }
    oracle_.erase(id);
}

void RandomWorld::move(EntityId id, Position to) {
    owner_.move(slot_of(owner_, id), to);
    for (Stage& stage : stages_) {
        if (is_on_stage(id)) {
            stage.interest->move(slot_of(*stage.interest, id), to);
        }
    }
    oracle_.move(id, to);
}

void RandomWorld::set_view(EntityId id, View view) {
    owner_.set_view(slot_of(owner_, id), view);
    for (Stage& stage : stages_) {
        if (is_on_stage(id)) {
            stage.interest->set_view(slot_of(*stage.interest, id), view);
        }
    }
    oracle_.set_view(id, view);
}

void RandomWorld::set_facing(EntityId id, Angle facing) {
    owner_.set_facing(slot_of(owner_, id), facing);
    for (Stage& stage : stages_) {
        if (is_on_stage(id)) {
            stage.interest->set_facing(slot_of(*stage.interest, id), facing);
        }
    }
    oracle_.set_facing(id, facing);
}

void RandomWorld::set_notify(EntityId id, NotifyRange notify) {
    owner_.set_notify(slot_of(owner_, id), notify);
    for (Stage& stage : stages_) {
        if (is_on_stage(id)) {
            stage.interest->set_notify(slot_of(*stage.interest, id), notify);
        }
    }
    oracle_.set_notify(id, notify);
}

void RandomWorld::set_layers(EntityId id, std::uint32_t bits) {
    const LayerMask layers = layers_from(bits);
    const LayerMask layers_seen = layers_from(bits / 4);
    owner_.set_layers(slot_of(owner_, id), layers, layers_seen);
    for (Stage& stage : stages_) {
        if (is_on_stage(id)) {
            stage.interest->set_layers(slot_of(*stage.interest, id), layers, layers_seen);
        }
    }
    oracle_.set_layers(id, layers, layers_seen);
}

void RandomWorld::set_state(EntityId id, std::uint32_t bits) {
    const auto number = static_cast<std::uint8_t>(bits / 3 % 5);
    StateWrite state{number, std::int64_t{bits % 3}};
    if (number == 4) {
        state.value = bits % 3 == 0 ? nullptr
                                    : std::make_shared<const std::vector<std::byte>>(
                                          bits % 3, static_cast<std::byte>(bits / 15 % 2));
    }
    owner_.set_state(slot_of(owner_, id), {&state, 1});
    for (Stage& stage : stages_) {
        if (is_on_stage(id)) {
            stage.interest->set_state(slot_of(*stage.interest, id), {&state, 1});
        }
    }
    oracle_.set_state(id, state);
}

void RandomWorld::say(EntityId id) {
    ++said_count_;
    std::vector<std::byte> bytes;
    for (unsigned shift = 0; shift < 32; shift += 8) {
        bytes.push_back(static_cast<std::byte>(said_count_ >> shift));
    }
    const Blob payload = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    const std::uint32_t number = oracle_.say(id, payload);
    const std::array<KeptMessage, 1> said{{{oracle_.now(), number, 7, payload}}};
    owner_.send_messages(slot_of(owner_, id), said);
    for (Stage& stage : stages_) {
        if (is_on_stage(id)) {
            stage.interest->send_messages(slot_of(*stage.interest, id), said);
        }
    }
}

void RandomWorld::ask_keyframe(EntityId id) {
    if (!oracle_.is_watched(id)) {
        return;
    }
    for (Stage& stage : stages_) {
        if (is_on_stage(id)) {
            stage.interest->ask_keyframe(slot_of(*stage.interest, id));
        } else {
            stage.carried.at(id).keyframe_due = true;
        }
    }
    oracle_.ask_keyframe(id);
}

void RandomWorld::toggle_watch(EntityId id) {
    const bool stops = oracle_.is_watched(id);
    for (Stage& stage : stages_) {
        if (!is_on_stage(id)) {
            stage.carried.erase(id);
            if (!stops) {
                stage.carried[id] = {};
            }
        } else if (stops) {
            stage.interest->unwatch(slot_of(*stage.interest, id));
        } else {
            stage.interest->watch(slot_of(*stage.interest, id), {});
        }
    }
    if (stops) {
        oracle_.unwatch(id);
    } else {
        oracle_.watch(id);
    }
}

void RandomWorld::toggle_away(EntityId id) {
    const bool comes_back = oracle_.is_away(id);
    for (Stage& stage : stages_) {
        comes_back ? enter_stage(stage, id) : exit_stage(stage, id);
    }
    oracle_.set_away(id, !comes_back);
    if (comes_back) {
        oracle_.house_anew(id);
    }
}

void RandomWorld::rehouse(EntityId id) {
    for (Stage& stage : stages_) {
        if (is_on_stage(id)) {
            exit_stage(stage, id);
            enter_stage(stage, id);
        }
    }
    oracle_.house_anew(id);
}

/// As far as an InterestSystem may be asked to: whoever is on stage has been sent it.
void RandomWorld::forget(std::uint32_t ticks) {
    const Tick before =
        std::min(oracle_.now() - std::min<Tick>(oracle_.now(), ticks), oracle_.needed_from());
    for (Stage& stage : stages_) {
        stage.interest->forget_before(before);
    }
    oracle_.forget_before(before);
}

void RandomWorld::end_tick(std::uint32_t bits) {
    // In most ticks nobody is left out.
    const std::uint32_t left_out = bits % 32 < 24 ? 0 : bits / 32;
    std::vector<EntityId> watchers;
    for (const EntityId id : oracle_.watched_here()) {
        const bool is_left_out = (left_out >> (to_number(id) % 16U)) % 2U == 1U;
        if (!is_left_out) {
            watchers.push_back(id);
        }
    }
    // Where changes are missing, what was said before what is forgotten may be sent again after
    // that, or not.
    const bool complete =
        bits % 4 != 0 || std::any_of(watchers.begin(), watchers.end(), [&](EntityId id) {
            return oracle_.may_lack_what_is_forgotten(id);
        });
    const bool is_sent_to_all = complete && watchers.size() == oracle_.watched_here().size();
    const std::uint32_t way = bits / 4 % 3;
    if (way == 0 && is_sent_to_all) {
        check_sent(watchers, complete, Way::send_all);
    } else if (way == 1) {
        for (const EntityId id : watchers) {
            check_sent({id}, complete, Way::build_frames);
        }
    } else {
        check_sent(watchers, complete, Way::build_frames);
    }
    check_records();
    const std::uint32_t ring_slowdown = bits % 16 < 12 ? 1 : bits % 16 < 14 ? 2 : 4;
    const std::uint32_t frame_bytes_max = bits % 16 == 15 ? 90 : 0;
    const Tick next = oracle_.now() + 1 + (bits % 8 == 7 ? 2 : 0);
    for (Stage& stage : stages_) {
        stage.interest->begin_tick(next);
        stage.interest->slow_rings(ring_slowdown);
        stage.interest->lower_budgets(frame_bytes_max);
    }
    owner_.begin_tick(next);
    oracle_.begin_tick(next);
    oracle_.slow_rings(ring_slowdown);
    oracle_.lower_budgets(frame_bytes_max);
}

void RandomWorld::check_sent(const std::vector<EntityId>& watchers, bool complete, Way way) {
    std::vector<SentFrame> expected;  // in ascending watcher
    for (const EntityId watcher : watchers) {
        SentFrame frame = oracle_.build_frame(watcher, complete);
        drop_forgotten(frame, oracle_.forgotten_before());
        tally_.enters += frame.enters.size();
        tally_.moves += frame.moves.size();
        tally_.held_moves += frame.held_moves.size();
        tally_.slowed += frame.is_slowed ? 1U : 0U;
        tally_.over_budget += frame.is_over_budget ? 1U : 0U;
        tally_.filling += frame.is_filling ? 1U : 0U;
        tally_.enters_by_shape[oracle_.view_of(watcher).shape] += frame.enters.size();
        for (const EntityId id : frame.enters) {
            tally_.enters_by_notice += oracle_.is_in_view(watcher, id) ? 0U : 1U;
        }
        for (const Leave& leave : frame.leaves) {
            ++tally_.leaves[leave.reason];
        }
        tally_.states += frame.states.size();
        tally_.messages += frame.messages.size();
        tally_.keyframes += frame.is_keyframe ? 1U : 0U;
        tally_.lost += frame.messages_lost ? 1U : 0U;
        if (way == Way::build_frames || !frame.is_empty()) {
            expected.push_back(frame);
        }
    }
    for (Stage& stage : stages_) {
        std::vector<SentFrame> frames;
        const auto keep = [&](const Frame& frame) {
            frames.push_back(sent(frame, stage.interest->entities()));
            drop_forgotten(frames.back(), oracle_.forgotten_before());
        };
        if (way == Way::send_all) {
            stage.interest->send_all(keep);
        } else {
            std::vector<Slot> slots;
            for (const EntityId watcher : watchers) {
                slots.push_back(slot_of(*stage.interest, watcher));
            }
            WorkersBackwards executor(3);
            const std::vector<FrameSink> sinks(executor.workers(), keep);
            stage.interest->build_frames(slots, complete, &executor, sinks);
        }
        std::sort(frames.begin(), frames.end(),
                  [](const SentFrame& a, const SentFrame& b) { return a.watcher < b.watcher; });
        RC_ASSERT(frames == expected);
    }
}

/// What a record says of its moves is what the oracle saw.
void RandomWorld::check_records() {
    for (const Stage& stage : stages_) {
        stage.interest->renew_trajectories();
        stage.interest->index().walk([&](Slot slot, Position) {
            const Entity& entity = stage.interest->entities().at(slot);
            RC_ASSERT(entity.position == oracle_.position_of(entity.id));
            RC_ASSERT(entity.moved_tick == oracle_.moved_tick(entity.id));
            RC_ASSERT(entity.shown == entity.position);
            if (entity.moved_tick == oracle_.now() && entity.renewed_by != Entity::kNotSent) {
                RC_ASSERT(after_steps(oracle_.began_at(entity.id), entity.renewed_by, 1) ==
                          entity.position);
            }
        });
    }
}

void RandomWorld::absorb_messages_of(InterestSystem& interest, EntityId id) const {
    const Tick birth = owner_.entities().at(slot_of(owner_, id)).birth;
    if (const auto messages = owner_.messages_of({id, birth})) {
        interest.absorb(*messages);
    }
}

void RandomWorld::enter_stage(Stage& stage, EntityId id) {
    const Slot slot = stage.interest->insert(owner_.entities().at(slot_of(owner_, id)));
    stage.interest->lead(slot);
    absorb_messages_of(*stage.interest, id);
    if (const auto carried = stage.carried.extract(id)) {
        stage.interest->watch(slot, carried.mapped());
    }
}

void RandomWorld::exit_stage(Stage& stage, EntityId id) {
    const Slot slot = slot_of(*stage.interest, id);
    if (stage.interest->is_watched(slot)) {
        stage.carried[id] = stage.interest->unwatch(slot);
    }
    stage.interest->erase(slot);
}

bool RandomWorld::is_on_stage(EntityId id) const {
    return oracle_.is_alive(id) && !oracle_.is_away(id);
}

Position RandomWorld::on_map(Position at) const {
    const auto clamped = [](std::int32_t value, std::int64_t min, std::int64_t max) {
        return static_cast<std::int32_t>(std::clamp<std::int64_t>(value, min, max));
    };
    return {clamped(at.x, ground_.bounds.min_x, ground_.bounds.max_x),
            clamped(at.y, ground_.bounds.min_y, ground_.bounds.max_y), at.z};
}

}  // namespace marchland::engine::testing
