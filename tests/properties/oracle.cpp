#include "tests/properties/oracle.h"

#include "tests/properties/contract.h"

#include <map>
#include <optional>
#include <utility>

namespace marchland::tests {

namespace {

using engine::EntityId;
using engine::LeaveReason;
using engine::Tick;

struct Body {
    const Life* life = nullptr;
    State state;
    engine::Position at_last_tick;
    Tick moved = engine::kNever;  ///< the last tick that ended with it elsewhere than it began
};

/// What one client knows: whom, in which life (by its tick of joining), as of which frame.
struct Client {
    std::map<EntityId, Tick> known;
    Tick framed = engine::kNever;
};

class Oracle {
public:
    Oracle(engine::Dimensions dimensions, const std::vector<Life>& lives)
        : dimensions_(dimensions), lives_(lives), clients_(lives.size()) {
        for (const Life& life : lives_) {
            recording_.push_back({life.id(), life.joined, {}, {}, false});
        }
    }

    void play(Tick now) {
        for (const Life& life : lives_) {
            update(life, now);
        }
        for (std::size_t i = 0; i < lives_.size(); ++i) {
            if (lives_[i].takes_frame_in(now)) {
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
        body.at_last_tick = life.joined == now ? life.join.at : body.state.at;
        body.life = &life;
        body.state = state_at(life, now);
        if (body.state.at != body.at_last_tick) {
            body.moved = now;
        }
    }

    ToldFrame frame_of(const Body& watcher, Client& client, Tick now) const {
        ToldFrame frame;
        frame.tick = now;
        close_episodes(watcher, client, frame);
        for (const auto& [id, body] : bodies_) {
            if (client.known.contains(id)) {
                add_move(body, client, frame);
            } else if (&body != &watcher && is_in_layer(watcher.state, body.state) &&
                       is_in_range(watcher.state, body.state, false, dimensions_)) {
                frame.enters.push_back(enter_of(body));
                client.known[id] = body.life->joined;
            }
        }
        return frame;
    }

    void close_episodes(const Body& watcher, Client& client, ToldFrame& frame) const {
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

    /// Told to whoever took no frame since the move; as a difference to whoever took the last one.
    static void add_move(const Body& body, const Client& client, ToldFrame& frame) {
        if (body.moved > client.framed) {
            frame.moves.push_back({body.life->id(), body.state.at, std::nullopt});
            if (client.framed + 1 == frame.tick) {
                frame.moves.back().previous = body.at_last_tick;
            }
        }
    }

    static ToldEnter enter_of(const Body& body) {
        const engine::Entity entity = entity_of(*body.life);
        ToldEnter enter{entity.id, entity.kind, body.state.at, {}};
        if (entity.blob != nullptr) {
            enter.blob = *entity.blob;
        }
        return enter;
    }

    const engine::Dimensions dimensions_;
    const std::vector<Life>& lives_;
    std::map<EntityId, Body> bodies_;
    std::vector<Client> clients_;  ///< by life
    Recording recording_;
};

}  // namespace

Recording play_by_the_contract(const Stage& stage, const History& history) {
    const std::vector<Life> lives = lives_of(history);
    Oracle oracle(stage.options.dimensions, lives);
    for (Tick tick = 1; tick <= history.ticks; ++tick) {
        oracle.play(tick);
    }
    return std::move(oracle).recording();
}

}  // namespace marchland::tests
