#include "shards/recording/frame_check.h"

#include <cstddef>
#include <span>
#include <vector>

namespace marchland::shards {

namespace {

class Mixer {
public:
    void add(std::uint64_t number) {
        value_ = (value_ ^ number) * 0xbf58476d1ce4e5b9U;
        value_ ^= value_ >> 31U;
    }
    void add(engine::Position at) {
        add(static_cast<std::uint32_t>(at.x) |
            (std::uint64_t{static_cast<std::uint32_t>(at.y)} << 32U));
        add(static_cast<std::uint32_t>(at.z));
    }
    void add_trajectory(const engine::Entity& entity, engine::Tick tick) {
        add(engine::shown_at(entity, tick));
        if (const engine::Step v = entity.velocity; v != engine::Step{}) {
            add(engine::Position{v.x, v.y, v.z});
        }
    }
    void add(const engine::StatePtr& state, engine::StateMask slots) {
        packed_.clear();
        if (slots != 0) {
            engine::append_packed(*state, slots, packed_);
        }
        add(packed_);
    }
    void add(std::span<const std::byte> bytes) {
        add(bytes.size());
        for (const std::byte byte : bytes) {
            add(static_cast<std::uint64_t>(byte));
        }
    }
    [[nodiscard]] std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0x9e3779b97f4a7c15U;
    std::vector<std::byte> packed_;
};

}  // namespace

std::uint64_t frame_check(const engine::Frame& frame, const engine::EntityStore& entities) {
    if (frame.is_empty()) {
        return 0;
    }
    Mixer mixer;
    mixer.add(to_number(entities.at(frame.watcher).id));
    mixer.add(frame.is_keyframe ? 1U : 0U);
    mixer.add(frame.leaves.size());
    for (const engine::Leave& leave : frame.leaves) {
        mixer.add(to_number(leave.id));
        mixer.add(static_cast<std::uint64_t>(leave.reason));
    }
    mixer.add(frame.enters.size());
    for (std::size_t place = 0; place < frame.enters.size(); ++place) {
        const engine::Entity& entity = entities.at(frame.enters[place]);
        mixer.add(to_number(entity.id));
        mixer.add_trajectory(entity, frame.tick);
        mixer.add(entity.kind);
        mixer.add(entity.state, frame.entered_states.empty() ? engine::StateMask{0}
                                                             : frame.entered_states[place]);
    }
    mixer.add(frame.moves.size());
    for (const engine::Slot slot : frame.moves) {
        mixer.add(to_number(entities.at(slot).id));
        mixer.add_trajectory(entities.at(slot), frame.tick);
    }
    mixer.add(frame.states.size());
    for (const engine::StateSent& sent : frame.states) {
        const engine::Entity& entity = entities.at(sent.slot);
        mixer.add(to_number(entity.id));
        mixer.add(entity.state, sent.slots);
    }
    mixer.add(frame.messages.size());
    for (const engine::DeliveredMessage& message : frame.messages) {
        mixer.add(to_number(message.source));
        mixer.add(message.tick);
        mixer.add(message.kind);
        mixer.add(message.payload);
    }
    mixer.add(frame.messages_lost ? 1U : 0U);
    return mixer.value();
}

}  // namespace marchland::shards
