#include "tests/properties/history.h"

#include "net/packed_moves.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <ostream>
#include <utility>

namespace marchland::tests {

namespace {

template <typename... Fs>
struct Overloaded : Fs... {
    using Fs::operator()...;
};
template <typename... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

std::ostream& print_act(std::ostream& out, engine::Position at) {
    return out << '(' << at.x << ',' << at.y << ',' << at.z << ')';
}

std::ostream& print_act(std::ostream& out, const engine::View& view) {
    if (view.shape == engine::Shape::none) {
        return out << "no view";
    }
    return out << "view of shape " << static_cast<int>(view.shape) << ": " << view.radius_mm << '/'
               << view.leave_radius_mm << ", half y " << view.half_y_mm << '/'
               << view.leave_half_y_mm << ", half z " << view.half_z_mm << '/'
               << view.leave_half_z_mm << ", half opening " << view.half_opening << '/'
               << view.leave_half_opening;
}

std::ostream& print_act(std::ostream& out, const engine::NotifyRange& range) {
    return out << "notification range " << range.radius_mm << '/' << range.leave_radius_mm;
}

std::ostream& print_act(std::ostream& out, const engine::Layers& layers) {
    return out << "layers " << layers.layers << " sees " << layers.layers_seen;
}

/// Reads acts in order and keeps the life that each actor is in.
class LifeReader {
public:
    explicit LifeReader(engine::Tick ticks) : ticks_(ticks) {}

    void read(const Act& act) {
        if (const auto* join = std::get_if<JoinZone>(&act.deed)) {
            begin(act, *join);
        } else if (Life* life = life_of(act.actor)) {
            add(*life, act);
        }
    }

    std::vector<Life> lives() && {
        std::ranges::stable_sort(lives_, {}, [](const Life& life) {
            return std::pair{life.joined, life.actor};
        });
        return std::move(lives_);
    }

private:
    void begin(const Act& act, const JoinZone& join) {
        const auto place = place_of_.find(act.actor);
        if (place != place_of_.end()) {
            const Life& last = lives_[place->second];
            if (last.left == engine::kNever || act.tick <= last.left) {
                return;
            }
        }
        place_of_[act.actor] = lives_.size();
        lives_.push_back({act.actor, act.tick, engine::kNever, join, {}, {}, {}});
        lives_.back().is_stalled.assign(ticks_ + 1, false);
    }

    Life* life_of(std::size_t actor) {
        const auto place = place_of_.find(actor);
        if (place == place_of_.end() || lives_[place->second].left != engine::kNever) {
            return nullptr;
        }
        return &lives_[place->second];
    }

    static void add(Life& life, const Act& act) {
        const auto inputs = [&]() -> shards::Inputs& { return life.asked[act.tick]; };
        std::visit(
            Overloaded{
                [&](const JoinZone&) {},
                [&](const LeaveZone&) {
                    inputs().leave = true;
                    life.left = act.tick;
                },
                [&](const MoveTo& move) { inputs().move = move.to; },
                [&](const SetView& set) { inputs().view = set.view; },
                [&](const TurnTo& turn) { inputs().facing = turn.facing; },
                [&](const SetNotify& set) { inputs().notify = set.notify; },
                [&](const SetLayers& set) { inputs().layers = set.layers; },
                [&](const SetState& set) {
                    engine::merge(inputs().state, {{set.slot, value_in(set.slot, set.value)}});
                },
                [&](const SendMessage&) {
                    inputs().messages.push_back(message_of(life, act.tick));
                },
                [&](const AskKeyframe&) { inputs().keyframe = true; },
                [&](const HandOverPort&) { life.port_changes.insert(act.tick); },
                [&](const SetStalled& set) {
                    std::fill(life.is_stalled.begin() + static_cast<std::ptrdiff_t>(act.tick),
                              life.is_stalled.end(), set.is_stalled);
                }},
            act.deed);
    }

    static engine::GameMessage message_of(const Life& life, engine::Tick tick) {
        const auto number = static_cast<std::uint32_t>(life.asked.at(tick).messages.size());
        return {static_cast<std::uint16_t>(number), payload_of({life.id(), tick, number})};
    }

    const engine::Tick ticks_;
    std::vector<Life> lives_;
    std::map<std::size_t, std::size_t> place_of_;  ///< actor -> its newest life
};

}  // namespace

std::ostream& operator<<(std::ostream& out, const Act& act) {
    out << "tick " << act.tick << ", actor " << act.actor << " (id " << to_number(id_of(act.actor))
        << ") ";
    std::visit(Overloaded{[&](const JoinZone& join) {
                              print_act(out << "joins at ", join.at);
                              print_act(out << ", ", join.view);
                              print_act(out << ", facing " << join.facing << ", ", join.notify);
                              print_act(out << ", ", join.layers);
                              out << (join.takes_frames ? "" : ", takes no frames");
                              out << ", frames a second: " << join.frames_hz;
                          },
                          [&](const LeaveZone&) { out << "leaves"; },
                          [&](const MoveTo& move) { print_act(out << "moves to ", move.to); },
                          [&](const SetView& set) { print_act(out << "sets ", set.view); },
                          [&](const TurnTo& turn) { out << "turns to " << turn.facing; },
                          [&](const SetNotify& set) { print_act(out << "sets ", set.notify); },
                          [&](const SetLayers& set) { print_act(out << "sets ", set.layers); },
                          [&](const SetState& set) {
                              out << "sets slot " << int{set.slot} << " to " << set.value;
                          },
                          [&](const SendMessage&) { out << "sends a message to who sees it"; },
                          [&](const AskKeyframe&) { out << "asks for a keyframe"; },
                          [&](const HandOverPort&) { out << "changes its port"; },
                          [&](const SetStalled& set) {
                              out << (set.is_stalled ? "cannot take frames" : "takes frames again");
                          }},
               act.deed);
    return out;
}

std::ostream& operator<<(std::ostream& out, const History& history) {
    out << history.ticks << " ticks\n";
    for (const Act& act : history.acts) {
        out << "  " << act << '\n';
    }
    return out;
}

engine::EntityId id_of(std::size_t actor) {
    return static_cast<engine::EntityId>(actor == 1 ? net::kEntityIdEnd - 1 : actor * 37 % 101);
}

engine::Blob payload_of(const Utterance& utterance) {
    const std::array<std::uint64_t, 3> words{to_number(utterance.source), utterance.tick,
                                             utterance.number};
    std::vector<std::byte> bytes(sizeof words);
    std::memcpy(bytes.data(), words.data(), sizeof words);
    return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
}

std::optional<Utterance> utterance_of(std::span<const std::byte> payload) {
    std::array<std::uint64_t, 3> words{};
    if (payload.size() != sizeof words) {
        return std::nullopt;
    }
    std::memcpy(words.data(), payload.data(), sizeof words);
    return Utterance{static_cast<engine::EntityId>(words[0]), words[1],
                     static_cast<std::uint32_t>(words[2])};
}

std::vector<Life> lives_of(const History& history) {
    LifeReader reader(history.ticks);
    for (const Act& act : history.acts) {
        reader.read(act);
    }
    return std::move(reader).lives();
}

engine::Entity entity_of(const Life& life) {
    engine::Entity entity;
    entity.id = life.id();
    entity.position = life.join.at;
    entity.view = life.join.view;
    entity.facing = life.join.facing;
    entity.notify = life.join.notify;
    entity.layers = life.join.layers.layers;
    entity.layers_seen = life.join.layers.layers_seen;
    entity.kind = static_cast<std::uint16_t>(life.actor * 3);
    entity.state = engine::with(nullptr, first_state_of(life), engine::kNever);
    return entity;
}

std::vector<engine::StateWrite> first_state_of(const Life& life) {
    std::vector<engine::StateWrite> state;
    for (std::uint8_t number = 0; number < 4; ++number) {
        if (life.actor % 3 == 0) {
            state.push_back({number, value_in(number, static_cast<std::int64_t>(life.actor + 1))});
        }
    }
    return state;
}

}  // namespace marchland::tests
