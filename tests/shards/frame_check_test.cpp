#include "shards/recording/frame_check.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <vector>

namespace marchland::shards {
namespace {

engine::StatePtr state_of(std::uint8_t number, std::int64_t value) {
    const engine::StateWrite write{number, value};
    return engine::with(nullptr, {&write, 1}, 1);
}

/// Of a frame in which watcher 1 sees entity 2 enter.
std::uint64_t check_with(const std::function<void(engine::Entity&)>& change) {
    engine::EntityStore entities;
    engine::Entity watcher;
    watcher.id = engine::EntityId{1};
    engine::Entity other;
    other.id = engine::EntityId{2};
    other.state = state_of(3, 7);
    change(other);
    engine::Frame frame;
    frame.tick = 1;
    frame.watcher = entities.insert(watcher);
    const std::array<engine::Slot, 1> entered{entities.insert(other)};
    frame.enters = entered;
    const std::array<engine::StateMask, 1> states{other.state == nullptr ? engine::StateMask{0}
                                                                         : other.state->set};
    frame.entered_states = states;
    return frame_check(frame, entities);
}

TEST(FrameCheck, TellsApartAllThatAnEnterTells) {
    const std::vector<std::function<void(engine::Entity&)>> changes{
        [](engine::Entity&) {},
        [](engine::Entity& other) { other.id = engine::EntityId{3}; },
        [](engine::Entity& other) { other.shown.x = 1; },
        [](engine::Entity& other) { other.shown.z = 1; },
        [](engine::Entity& other) { other.velocity.y = 1; },
        [](engine::Entity& other) { other.kind = 1; },
        [](engine::Entity& other) { other.state = nullptr; },
        [](engine::Entity& other) { other.state = state_of(4, 7); },
        [](engine::Entity& other) { other.state = state_of(3, 8); }};
    std::set<std::uint64_t> checks;
    for (const auto& change : changes) {
        checks.insert(check_with(change));
    }
    EXPECT_EQ(checks.size(), changes.size());
}

TEST(FrameCheck, OfAFrameWithoutContentIsNothing) {
    engine::EntityStore entities;
    engine::Frame frame;
    frame.watcher = entities.insert({});
    EXPECT_EQ(frame_check(frame, entities), 0U);
}

}  // namespace
}  // namespace marchland::shards
