#include "tests/properties/oracle.h"

#include "tests/engine/exact_distance.h"
#include "tests/properties/contract.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace marchland::tests {

namespace {

using engine::EntityId;
using engine::LeaveReason;
using engine::Tick;

struct Body {
    const Life* life = nullptr;
    State state;
    engine::Position at_last_tick;
    // Where clients have it: there at the end of that tick, and on with the velocity in each later
    // one.
    engine::Position shown;
    engine::Step velocity;
    Tick renewed = engine::kNever;
    engine::Position shown_before;  ///< where the trajectory before has it at the end of that tick
    /// By slot: the last tick that ended with another value than it began, or in which it began.
    std::map<std::uint8_t, Tick> changed;
};

/// What one client knows: whom, in which life (by its tick of joining), as of which frame.
struct OracleClient {
    std::map<EntityId, Tick> known;
    /// Slots whose newest value it was not sent, by whose they are.
    std::map<EntityId, std::set<std::uint8_t>> lacks;
    Tick framed = engine::kNever;
};

class Oracle {
public:
    Oracle(const shards::ZoneOptions& options, const std::vector<Life>& lives)
        : dimensions_(options.dimensions),
          slots_(options.slots),
          error_mm_(options.prediction_error_mm),
          rate_hz_(options.tick_rate_hz),
          lives_(lives),
          clients_(lives.size()) {
        for (const Life& life : lives_) {
            recording_.push_back({life.id(), life.joined, {}, {}, false});
        }
    }

    void play(Tick now) {
        for (const Life& life : lives_) {
            update(life, now);
        }
        for (std::size_t i = 0; i < lives_.size(); ++i) {
            if (lives_[i].takes_frame_in(now) && has_turn(lives_[i], clients_[i].framed, now)) {
                const Body& watcher = bodies_.at(lives_[i].id());
                recording_[i].frames.push_back(frame_of(watcher, clients_[i], now));
                clients_[i].framed = now;
            }
            recording_[i].was_removed |= lives_[i].left == now;
        }
    }

    Recording recording() && { return std::move(recording_); }

private:
    void update(const Life& life, Tick now) {
        if (life.left == now) {
            bodies_.erase(life.id());
        }
        if (!life.is_there(now)) {
            return;
        }
        Body& body = bodies_[life.id()];
        body.at_last_tick = body.state.at;
        if (life.joined == now) {
            body = {};
            body.at_last_tick = life.join.at;
            body.shown = life.join.at;
            for (const engine::StateWrite& write : first_state_of(life)) {
                body.changed[write.number] = now;
            }
            if (life.join.facing != 0) {
                body.changed[kFacingSlot] = now;
            }
        }
        const auto slots_before = body.state.slots;
        body.life = &life;
        body.state = state_at(life, now);
        for (std::uint8_t slot = 0; slot < slots_.size(); ++slot) {
            if (value_of(body.state.slots, slot) != value_of(slots_before, slot)) {
                body.changed[slot] = now;
            }
        }
        const engine::Position goes_on = shown_at(body, now);
        if (!engine::testing::is_within_by_the_textbook(goes_on, body.state.at, error_mm_,
                                                        engine::Dimensions::three)) {
            body.shown_before = goes_on;
            body.shown = body.state.at;
            const bool has_way = error_mm_ != 0 && (life.joined != now || life.join.is_restored);
            body.velocity = has_way ? way(body.at_last_tick, body.state.at) : engine::Step{};
            body.renewed = now;
        }
    }

    static engine::Position shown_at(const Body& body, Tick now) {
        const auto along = [&](std::int64_t at, std::int64_t each) {
            const std::int64_t there = at + each * static_cast<std::int64_t>(now - body.renewed);
            return static_cast<std::int32_t>(std::clamp<std::int64_t>(there, INT32_MIN, INT32_MAX));
        };
        return {along(body.shown.x, body.velocity.x), along(body.shown.y, body.velocity.y),
                along(body.shown.z, body.velocity.z)};
    }

    /// None where it is too far for one.
    static engine::Step way(engine::Position from, engine::Position to) {
        const std::int64_t x = std::int64_t{to.x} - from.x;
        const std::int64_t y = std::int64_t{to.y} - from.y;
        const std::int64_t z = std::int64_t{to.z} - from.z;
        if (std::max({std::abs(x), std::abs(y), std::abs(z)}) > 32'767) {
            return {};
        }
        return {static_cast<std::int16_t>(x), static_cast<std::int16_t>(y),
                static_cast<std::int16_t>(z)};
    }

    /// Some tick since its last frame was its turn: ((tick + id) mod p) * hz mod p < hz.
    [[nodiscard]] bool has_turn(const Life& life, Tick framed, Tick now) const {
        const Tick hz = life.join.frames_hz == 0 ? rate_hz_ : life.join.frames_hz;
        for (Tick tick = framed + 1; tick <= now; ++tick) {
            if ((tick + to_number(life.id())) % rate_hz_ * hz % rate_hz_ < hz) {
                return true;
            }
        }
        return framed == engine::kNever;
    }

    SentFrame frame_of(const Body& watcher, OracleClient& client, Tick now) const {
        SentFrame frame;
        frame.tick = now;
        const std::map<EntityId, Tick> known_before = client.known;
        close_episodes(watcher, client, frame);
        for (const auto& [id, body] : bodies_) {
            if (client.known.contains(id)) {
                add_move(body, client, frame);
                add_state(watcher, body, client, frame);
            } else if (&body == &watcher) {
                add_state(watcher, body, client, frame);
            } else if (is_in_layer(watcher.state, body.state) &&
                       is_in_range(watcher.state, body.state, false, dimensions_)) {
                frame.enters.push_back(enter_of(watcher, body, client, now));
                client.known[id] = body.life->joined;
            }
        }
        add_messages(client, known_before, frame);
        if (asked_for_keyframe(*watcher.life, client.framed, now)) {
            make_keyframe(watcher, client, frame);
        }
        return frame;
    }

    /// In every tick since its last frame, whether it could take one or not.
    static bool asked_for_keyframe(const Life& life, Tick framed, Tick now) {
        return std::any_of(life.asked.upper_bound(framed), life.asked.upper_bound(now),
                           [](const auto& asked) { return asked.second.keyframe; });
    }

    void make_keyframe(const Body& watcher, OracleClient& client, SentFrame& frame) const {
        frame.is_keyframe = true;
        frame.leaves.clear();
        frame.moves.clear();
        frame.states.clear();
        frame.enters.clear();
        for (const auto& [id, joined] : client.known) {
            frame.enters.push_back(enter_of(watcher, bodies_.at(id), client, frame.tick));
        }
        if (const SentEnter own = enter_of(watcher, watcher, client, frame.tick);
            !own.state.empty()) {
            frame.states.push_back({own.id, own.state});
        }
    }

    using Slots = std::map<std::uint8_t, std::int64_t>;
    static std::int64_t value_of(const Slots& slots, std::uint8_t slot) {
        const auto found = slots.find(slot);
        return found == slots.end() ? 0 : found->second;
    }

    /// May the watcher be sent that slot of the other, whom it sees or who it is?
    [[nodiscard]] bool may_know(const Body& watcher, const Body& other, std::uint8_t slot) const {
        const engine::StateSlot& declared = slots_[slot];
        const bool is_near = engine::testing::is_within_by_the_textbook(
            watcher.state.at, other.state.at, declared.radius_mm, dimensions_);
        const bool is_layer = (watcher.state.layers.layers_seen & declared.layers) != 0;
        return &watcher == &other || declared.audience == engine::StateAudience::all ||
               (declared.audience == engine::StateAudience::near && is_near) ||
               (declared.audience == engine::StateAudience::layer && is_layer);
    }

    /// Of what the client lacks, what it may know; it lacks that no more.
    [[nodiscard]] std::vector<engine::StateWrite> take_lacking(const Body& watcher,
                                                               const Body& other,
                                                               OracleClient& client) const {
        std::vector<engine::StateWrite> writes;
        std::set<std::uint8_t>& lacks = client.lacks[other.life->id()];
        for (std::uint8_t slot = 0; slot < slots_.size(); ++slot) {
            if (lacks.contains(slot) && may_know(watcher, other, slot)) {
                writes.push_back({slot, value_in(slot, value_of(other.state.slots, slot))});
                lacks.erase(slot);
            }
        }
        return writes;
    }

    void add_state(const Body& watcher, const Body& other, OracleClient& client,
                   SentFrame& frame) const {
        for (const auto& [slot, changed] : other.changed) {
            if (changed > client.framed) {
                client.lacks[other.life->id()].insert(slot);
            }
        }
        auto writes = take_lacking(watcher, other, client);
        if (!writes.empty()) {
            frame.states.push_back({other.life->id(), std::move(writes)});
        }
    }

    /// Every message of every life is asked whether it concerns this client, and was not sent
    /// before.
    void add_messages(const OracleClient& client, const std::map<EntityId, Tick>& known_before,
                      SentFrame& frame) const {
        const auto is_in = [](const std::map<EntityId, Tick>& known, const Life& life) {
            const auto at = known.find(life.id());
            return at != known.end() && at->second == life.joined;
        };
        std::vector<std::tuple<Tick, EntityId, Tick, SentMessage>> sent;
        for (const Life& source : lives_) {
            const bool is_gone = source.left != engine::kNever && source.left <= frame.tick;
            const bool was_known = is_in(known_before, source);
            const bool stays = was_known && (is_gone || is_in(client.known, source));
            const bool enters = !was_known && is_in(client.known, source);
            for (auto asked = source.asked.upper_bound(client.framed);
                 asked != source.asked.upper_bound(frame.tick); ++asked) {
                for (const engine::GameMessage& message : asked->second.messages) {
                    if (stays || (enters && asked->first == frame.tick)) {
                        sent.emplace_back(
                            asked->first, source.id(), source.joined,
                            SentMessage{source.id(), asked->first, message.kind, *message.payload});
                    }
                }
            }
        }
        std::ranges::stable_sort(sent, {}, [](const auto& message) {
            return std::tuple(std::get<0>(message), std::get<1>(message), std::get<2>(message));
        });
        for (const auto& message : sent) {
            frame.messages.push_back(std::get<SentMessage>(message));
        }
    }

    void close_episodes(const Body& watcher, OracleClient& client, SentFrame& frame) const {
        for (auto known = client.known.begin(); known != client.known.end();) {
            if (const auto reason = reason_to_leave(watcher, known->first, known->second)) {
                frame.leaves.push_back({known->first, *reason});
                known = client.known.erase(known);
            } else {
                ++known;
            }
        }
    }

    [[nodiscard]] std::optional<LeaveReason> reason_to_leave(const Body& watcher, EntityId id,
                                                             Tick joined) const {
        const auto body = bodies_.find(id);
        if (body == bodies_.end() || body->second.life->joined != joined) {
            return LeaveReason::gone;
        }
        if (!is_in_range(watcher.state, body->second.state, true, dimensions_)) {
            return LeaveReason::out_of_range;
        }
        if (!is_in_layer(watcher.state, body->second.state)) {
            return LeaveReason::hidden;
        }
        return std::nullopt;
    }

    /// Sent to whoever took no frame since the move; as a difference to whoever took the last one.
    static void add_move(const Body& body, const OracleClient& client, SentFrame& frame) {
        if (body.renewed > client.framed) {
            frame.moves.push_back(
                {body.life->id(), shown_at(body, frame.tick), std::nullopt, body.velocity});
            if (client.framed + 1 == frame.tick &&
                (body.shown_before == body.shown ||
                 way(body.shown_before, body.shown) != engine::Step{})) {
                frame.moves.back().previous = body.shown_before;
            }
        }
    }

    [[nodiscard]] SentEnter enter_of(const Body& watcher, const Body& body, OracleClient& client,
                                     Tick now) const {
        std::set<std::uint8_t>& lacks = client.lacks[body.life->id()];
        lacks.clear();
        for (const auto& [slot, value] : body.state.slots) {
            lacks.insert(slot);
        }
        return {body.life->id(), entity_of(*body.life).kind, shown_at(body, now),
                take_lacking(watcher, body, client), body.velocity};
    }

    const engine::Dimensions dimensions_;
    const engine::StateSlots slots_;
    const std::int32_t error_mm_;
    const Tick rate_hz_;
    const std::vector<Life>& lives_;
    std::map<EntityId, Body> bodies_;
    std::vector<OracleClient> clients_;  ///< by life
    Recording recording_;
};

}  // namespace

Recording play_by_the_contract(const Stage& stage, const History& history) {
    const std::vector<Life> lives = lives_of(history);
    Oracle oracle(stage.options, lives);
    for (Tick tick = 1; tick <= history.ticks; ++tick) {
        oracle.play(tick);
    }
    return std::move(oracle).recording();
}

}  // namespace marchland::tests
