#include "shards/recording/frame_check.h"

#include <cstddef>
#include <span>

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
    void add(std::span<const std::byte> bytes) {
        add(bytes.size());
        for (const std::byte byte : bytes) {
            add(static_cast<std::uint64_t>(byte));
        }
    }
    [[nodiscard]] std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0x9e3779b97f4a7c15U;
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
    for (const engine::Slot slot : frame.enters) {
        const engine::Entity& entity = entities.at(slot);
        mixer.add(to_number(entity.id));
        mixer.add(entity.position);
        mixer.add(entity.kind);
        mixer.add(engine::bytes_of(entity.blob));
    }
    mixer.add(frame.moves.size());
    for (const engine::Slot slot : frame.moves) {
        mixer.add(to_number(entities.at(slot).id));
        mixer.add(entities.at(slot).position);
    }
    mixer.add(frame.states.size());
    for (const engine::Slot slot : frame.states) {
        mixer.add(to_number(entities.at(slot).id));
        mixer.add(engine::bytes_of(entities.at(slot).blob));
    }
    mixer.add(frame.events.size());
    for (const engine::EventDelivered& event : frame.events) {
        mixer.add(to_number(event.source));
        mixer.add(event.tick);
        mixer.add(event.payload);
    }
    mixer.add(frame.events_lost ? 1U : 0U);
    return mixer.value();
}

}  // namespace marchland::shards
