// An entity's state reaches whoever knows it when it changes, once, and whoever meets it later with
// the enter.

#include "tests/shards/zone_by_hand.h"

#include <gtest/gtest.h>

#include <memory>

namespace marchland::tests {
namespace {

using Ids = std::vector<std::uint64_t>;

engine::Blob blob_of(std::size_t bytes, std::byte byte = std::byte{0xA5}) {
    return std::make_shared<const std::vector<std::byte>>(bytes, byte);
}

Ids state_ids(const SentFrame& frame) {
    Ids ids;
    for (const SentState& state : frame.states) {
        ids.push_back(to_number(state.id));
    }
    return ids;
}

TEST(State, IsToldToWhoKnowsTheEntityAndToNobodyElse) {
    ZoneByHand zone(2, 1);
    const auto near = zone.add(1, {45, 50, 0});
    const auto across = zone.add(2, {55, 50, 0});
    const auto far = zone.add(3, {80, 50, 0});
    const auto changer = zone.add(4, {49, 50, 0});
    zone.step();
    changer->next.state = blob_of(3);
    zone.step();
    EXPECT_EQ(state_ids(near->last_frame()), Ids{4});
    EXPECT_EQ(near->last_frame().states.at(0).blob.size(), 3U);
    EXPECT_EQ(state_ids(across->last_frame()), Ids{4});
    EXPECT_TRUE(far->last_frame().is_empty());
    EXPECT_TRUE(changer->last_frame().is_empty());
    zone.step();
    EXPECT_TRUE(near->last_frame().is_empty());
}

TEST(State, ComesWithTheEnterAndNotBesideIt) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    const auto walker = zone.add(2, {70, 50, 0});
    zone.step();
    walker->next.state = blob_of(5);
    zone.step_to(*walker, {52, 50, 0});
    EXPECT_EQ(entered_ids(watcher->last_frame()), Ids{2});
    EXPECT_EQ(watcher->last_frame().enters.at(0).blob.size(), 5U);
    EXPECT_TRUE(watcher->last_frame().states.empty());
}

TEST(State, ThatIsTheSameAsBeforeIsNotTold) {
    ZoneByHand zone(1, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    const auto changer = zone.add(2, {46, 50, 0});
    zone.step();
    changer->next.state = blob_of(2);
    zone.step();
    changer->next.state = blob_of(2);
    zone.step();
    EXPECT_TRUE(watcher->last_frame().is_empty());
    changer->next.state = engine::Blob{};
    zone.step();
    EXPECT_TRUE(watcher->last_frame().states.at(0).blob.empty());
}

TEST(State, OfATickWithoutAFrameIsToldInTheNextOne) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    const auto changer = zone.add(2, {46, 50, 0});
    zone.step();
    watcher->is_open = false;
    changer->next.state = blob_of(2);
    zone.step();
    changer->next.state = blob_of(7);
    zone.step_to(*changer, {60, 50, 0});  // another shard's by now
    zone.step_to(*changer, {53, 50, 0});
    watcher->is_open = true;
    zone.step();
    EXPECT_EQ(state_ids(watcher->last_frame()), Ids{2});
    EXPECT_EQ(watcher->last_frame().states.at(0).blob.size(), 7U);
}

TEST(State, ThatChangesInTheTickOfTheHandOverIsToldOnBothSides) {
    ZoneByHand zone(2, 1);
    const auto left = zone.add(1, {48, 50, 0});
    const auto right = zone.add(2, {56, 50, 0});
    const auto changer = zone.add(3, {49, 50, 0});
    zone.step();
    changer->next.state = blob_of(6);
    changer->next.events.push_back({blob_of(1), {}});
    zone.step_to(*changer, {54, 50, 0});
    ASSERT_EQ(zone.owners_of(3), std::vector{shards::ShardId{1}});
    for (const auto& watcher : {left, right}) {
        EXPECT_EQ(state_ids(watcher->last_frame()), Ids{3});
        EXPECT_EQ(watcher->last_frame().events.size(), 1U);
    }
}

TEST(State, OfOneThatIsSeenFromAfarIsToldAsFar) {
    shards::ZoneOptions options = small_world();
    options.notify_leave_radius_mm_max = 60;
    ZoneByHand zone(options, small_layout(2, 1));
    const auto watcher = zone.add(1, {20, 50, 0});
    engine::Entity dragon = entity_at(2, {70, 50, 0});
    dragon.notify = {60, 60};
    const auto notify_source = zone.add(dragon);
    zone.step();
    EXPECT_EQ(entered_ids(watcher->last_frame()), Ids{2});
    notify_source->next.state = blob_of(4);
    zone.step();
    EXPECT_EQ(state_ids(watcher->last_frame()), Ids{2});
}

TEST(State, OfALateShardIsToldWhenItsNewsCome) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    const auto changer = zone.add(2, {52, 50, 0});
    zone.step();
    changer->next.state = blob_of(4);
    zone.step_with_late({shards::ShardId{1}});
    EXPECT_TRUE(watcher->last_frame().states.empty());
    zone.step();
    EXPECT_EQ(state_ids(watcher->last_frame()), Ids{2});
    zone.step();
    EXPECT_TRUE(watcher->last_frame().is_empty()) << watcher->last_frame();
}

}  // namespace
}  // namespace marchland::tests
