#include "tests/properties/oracle.h"

#include "tests/properties/contract.h"

#include <algorithm>
#include <map>
#include <optional>
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
    Tick moved = engine::kNever;    ///< the last tick that ended with it elsewhere than it began
    Tick changed = engine::kNever;  ///< the last tick that ended with another blob than it began
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
        const std::vector<std::byte> blob_before = body.state.blob;
        body.life = &life;
        body.state = state_at(life, now);
        if (life.joined != now && body.state.blob != blob_before) {
            body.changed = now;
        }
        if (body.state.at != body.at_last_tick) {
            body.moved = now;
        }
    }

    SentFrame frame_of(const Body& watcher, Client& client, Tick now) const {
        SentFrame frame;
        frame.tick = now;
        const std::map<EntityId, Tick> known_before = client.known;
        close_episodes(watcher, client, frame);
        for (const auto& [id, body] : bodies_) {
            if (client.known.contains(id)) {
                add_move(body, client, frame);
                if (body.changed > client.framed) {
                    frame.states.push_back({id, body.state.blob});
                }
            } else if (&body != &watcher && is_in_layer(watcher.state, body.state) &&
                       is_in_range(watcher.state, body.state, false, dimensions_)) {
                frame.enters.push_back(enter_of(body));
                client.known[id] = body.life->joined;
            }
        }
        add_events(watcher, client, known_before, frame);
        if (asked_for_keyframe(*watcher.life, client.framed, now)) {
            make_keyframe(client, frame);
        }
        return frame;
    }

    /// In every tick since its last frame, whether it could take one or not.
    static bool asked_for_keyframe(const Life& life, Tick framed, Tick now) {
        return std::any_of(life.asked.upper_bound(framed), life.asked.upper_bound(now),
                           [](const auto& asked) { return asked.second.keyframe; });
    }

    void make_keyframe(const Client& client, SentFrame& frame) const {
        frame.is_keyframe = true;
        frame.leaves.clear();
        frame.moves.clear();
        frame.states.clear();
        frame.enters.clear();
        for (const auto& [id, joined] : client.known) {
            frame.enters.push_back(enter_of(bodies_.at(id)));
        }
    }

    /// Every event of every life is asked whether it concerns this client, and was not told before.
    void add_events(const Body& watcher, const Client& client,
                    const std::map<EntityId, Tick>& known_before, SentFrame& frame) const {
        const auto is_in = [](const std::map<EntityId, Tick>& known, const Life& life) {
            const auto at = known.find(life.id());
            return at != known.end() && at->second == life.joined;
        };
        std::vector<std::tuple<Tick, EntityId, Tick, SentEvent>> sent;
        for (const Life& source : lives_) {
            const bool is_gone = source.left != engine::kNever && source.left <= frame.tick;
            const bool was_known = is_in(known_before, source);
            const bool stays = was_known && (is_gone || is_in(client.known, source));
            const bool enters = !was_known && is_in(client.known, source);
            for (auto asked = source.asked.upper_bound(client.framed);
                 asked != source.asked.upper_bound(frame.tick); ++asked) {
                for (const engine::EntityEvent& event : asked->second.events) {
                    const bool names = std::ranges::count(event.to, watcher.life->id()) != 0 &&
                                       asked->first >= watcher.life->joined;
                    const bool is_seen = stays || (enters && asked->first == frame.tick);
                    if (event.to.empty() ? is_seen : names) {
                        sent.emplace_back(asked->first, source.id(), source.joined,
                                          SentEvent{source.id(), asked->first, *event.payload});
                    }
                }
            }
        }
        std::ranges::stable_sort(sent, {}, [](const auto& event) {
            return std::tuple(std::get<0>(event), std::get<1>(event), std::get<2>(event));
        });
        for (const auto& event : sent) {
            frame.events.push_back(std::get<SentEvent>(event));
        }
    }

    void close_episodes(const Body& watcher, Client& client, SentFrame& frame) const {
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
    static void add_move(const Body& body, const Client& client, SentFrame& frame) {
        if (body.moved > client.framed) {
            frame.moves.push_back({body.life->id(), body.state.at, std::nullopt});
            if (client.framed + 1 == frame.tick) {
                frame.moves.back().previous = body.at_last_tick;
            }
        }
    }

    static SentEnter enter_of(const Body& body) {
        return {body.life->id(), entity_of(*body.life).kind, body.state.at, body.state.blob};
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
