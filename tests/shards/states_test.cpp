// An entity's state reaches whoever knows it when it changes, once, and whoever meets it later with
// the enter.

#include "tests/shards/zone_by_hand.h"

#include <gtest/gtest.h>

#include <memory>

namespace marchland::tests {
namespace {

using Ids = std::vector<std::uint64_t>;

// Of the small world's slots.
constexpr std::uint8_t kOwn = 1;
constexpr std::uint8_t kNear = 2;
constexpr std::uint8_t kLayer = 3;

/// Of the small world's first slot, which is for all.
std::vector<engine::StateWrite> value(std::int64_t value) {
    return {{0, value}};
}

engine::Blob one_byte() {
    return std::make_shared<const std::vector<std::byte>>(1);
}

Ids state_ids(const SentFrame& frame) {
    Ids ids;
    for (const SentState& state : frame.states) {
        ids.push_back(to_number(state.id));
    }
    return ids;
}

TEST(State, IsSentToWhoKnowsTheEntityAndToNobodyElse) {
    ZoneByHand zone(2, 1);
    const auto near = zone.add(1, {45, 50, 0});
    const auto across = zone.add(2, {55, 50, 0});
    const auto far = zone.add(3, {80, 50, 0});
    const auto changer = zone.add(4, {49, 50, 0});
    zone.step();
    changer->next.state = value(3);
    zone.step();
    EXPECT_EQ(state_ids(near->last_frame()), Ids{4});
    EXPECT_EQ(near->last_frame().states.at(0).slots, value(3));
    EXPECT_EQ(state_ids(across->last_frame()), Ids{4});
    EXPECT_TRUE(far->last_frame().is_empty());
    EXPECT_EQ(state_ids(changer->last_frame()), Ids{4}) << "it is its own";
    zone.step();
    EXPECT_TRUE(near->last_frame().is_empty());
}

TEST(State, ComesWithTheEnterAndNotBesideIt) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    const auto walker = zone.add(2, {70, 50, 0});
    zone.step();
    walker->next.state = value(5);
    zone.step_to(*walker, {52, 50, 0});
    EXPECT_EQ(entered_ids(watcher->last_frame()), Ids{2});
    EXPECT_EQ(watcher->last_frame().enters.at(0).state, value(5));
    EXPECT_TRUE(watcher->last_frame().states.empty());
}

TEST(State, ThatIsTheSameAsBeforeIsNotSent) {
    ZoneByHand zone(1, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    const auto changer = zone.add(2, {46, 50, 0});
    zone.step();
    changer->next.state = value(2);
    zone.step();
    changer->next.state = value(2);
    zone.step();
    EXPECT_TRUE(watcher->last_frame().is_empty());
    changer->next.state = value(0);
    zone.step();
    EXPECT_EQ(watcher->last_frame().states.at(0).slots, value(0));
}

TEST(State, OfATickWithoutAFrameIsSentInTheNextOne) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    const auto changer = zone.add(2, {46, 50, 0});
    zone.step();
    watcher->is_open = false;
    changer->next.state = value(2);
    zone.step();
    changer->next.state = value(7);
    zone.step_to(*changer, {60, 50, 0});  // another shard's by now
    zone.step_to(*changer, {53, 50, 0});
    watcher->is_open = true;
    zone.step();
    EXPECT_EQ(state_ids(watcher->last_frame()), Ids{2});
    EXPECT_EQ(watcher->last_frame().states.at(0).slots, value(7));
}

TEST(State, ThatChangesInTheTickOfTheHandOverIsSentOnBothSides) {
    ZoneByHand zone(2, 1);
    const auto left = zone.add(1, {48, 50, 0});
    const auto right = zone.add(2, {56, 50, 0});
    const auto changer = zone.add(3, {49, 50, 0});
    zone.step();
    changer->next.state = value(6);
    changer->next.messages.push_back({0, one_byte()});
    zone.step_to(*changer, {54, 50, 0});
    ASSERT_EQ(zone.owners_of(3), std::vector{shards::ShardId{1}});
    for (const auto& watcher : {left, right}) {
        EXPECT_EQ(state_ids(watcher->last_frame()), Ids{3});
        EXPECT_EQ(watcher->last_frame().messages.size(), 1U);
    }
}

TEST(State, OfOneThatIsSeenFromAfarIsSentAsFar) {
    shards::ZoneOptions options = small_world();
    options.notify_leave_radius_mm_max = 60;
    ZoneByHand zone(options, small_layout(2, 1));
    const auto watcher = zone.add(1, {20, 50, 0});
    engine::Entity dragon = entity_at(2, {70, 50, 0});
    dragon.notify = {60, 60};
    const auto notify_source = zone.add(dragon);
    zone.step();
    EXPECT_EQ(entered_ids(watcher->last_frame()), Ids{2});
    notify_source->next.state = value(4);
    zone.step();
    EXPECT_EQ(state_ids(watcher->last_frame()), Ids{2});
}

TEST(State, OfALateShardIsSentWhenItsBatchComes) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    const auto changer = zone.add(2, {52, 50, 0});
    zone.step();
    changer->next.state = value(4);
    zone.step_with_late({shards::ShardId{1}});
    EXPECT_TRUE(watcher->last_frame().states.empty());
    zone.step();
    EXPECT_EQ(state_ids(watcher->last_frame()), Ids{2});
    zone.step();
    EXPECT_TRUE(watcher->last_frame().is_empty()) << watcher->last_frame();
}

TEST(State, OfAnInnerRadiusIsSentWithinItAndChangesWaitOutside) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    const auto changer = zone.add(2, {51, 50, 0});
    const auto set = [&](std::int64_t health) {
        changer->next.state = {{kNear, health}};
        zone.step();
        return watcher->last_frame().states;
    };
    zone.step();
    EXPECT_TRUE(set(3).empty()) << "5 mm is the radius";
    zone.step_to(*changer, {50, 50, 0});
    const std::vector<SentState> expected{{engine::EntityId{2}, {{kNear, std::int64_t{3}}}}};
    EXPECT_EQ(watcher->last_frame().states, expected);
    EXPECT_EQ(set(4).size(), 1U);
    zone.step_to(*changer, {52, 50, 0});
    zone.step_to(*changer, {49, 50, 0});
    EXPECT_TRUE(watcher->last_frame().states.empty()) << "it did not change";
    zone.step_to(*changer, {52, 50, 0});
    EXPECT_TRUE(set(5).empty());
    zone.step_to(*watcher, {47, 50, 0});
    EXPECT_EQ(watcher->last_frame().states.size(), 1U);
}

TEST(State, OfItsOwnIsSentToNobodyElse) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    const auto changer = zone.add(2, {51, 50, 0});
    zone.step();
    changer->next.state = {{kOwn, std::int64_t{7}}};
    zone.step();
    EXPECT_TRUE(watcher->last_frame().is_empty());
    const std::vector<SentState> expected{{engine::EntityId{2}, {{kOwn, std::int64_t{7}}}}};
    EXPECT_EQ(changer->last_frame().states, expected);
    changer->next.keyframe = true;
    zone.step_to(*changer, {45, 51, 0});
    EXPECT_EQ(changer->last_frame().states, expected) << "a keyframe's client has forgotten it";
}

TEST(State, OfALayerIsSentToWhoSeesIt) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    const auto changer = zone.add(2, {51, 50, 0});
    zone.step();
    changer->next.state = {{kLayer, std::int64_t{7}}};
    zone.step();
    EXPECT_TRUE(watcher->last_frame().is_empty());
    watcher->next.layers = {1, 3};
    zone.step();
    EXPECT_EQ(state_ids(watcher->last_frame()), Ids{2});
}

}  // namespace
}  // namespace marchland::tests
