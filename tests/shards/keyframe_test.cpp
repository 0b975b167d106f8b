// A client that asks for a keyframe is sent the whole set, and one whose port has a successor goes
// on where it was.

#include "tests/shards/zone_by_hand.h"

#include <gtest/gtest.h>

namespace marchland::tests {
namespace {

using engine::LeaveReason;

using Ids = std::vector<std::uint64_t>;

TEST(Keyframe, HoldsTheWholeSetAndNothingElse) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    const auto mover = zone.add(2, {50, 50, 0});
    const auto leaver = zone.add(3, {52, 50, 0});
    zone.add(4, {47, 50, 0});
    zone.step();
    mover->next.move = {51, 50, 0};
    leaver->next.leave = true;
    watcher->next.keyframe = true;
    zone.step();
    const SentFrame& sent = watcher->last_frame();
    EXPECT_TRUE(sent.is_keyframe);
    EXPECT_EQ(entered_ids(sent), (Ids{2, 4}));
    EXPECT_EQ(sent.enters.at(0).position, (engine::Position{51, 50, 0}));
    EXPECT_TRUE(sent.leaves.empty());
    EXPECT_TRUE(sent.moves.empty());
    zone.step_to(*mover, {52, 50, 0});
    EXPECT_FALSE(watcher->last_frame().is_keyframe);
    EXPECT_EQ(moved_ids(watcher->last_frame()), Ids{2});
}

TEST(Keyframe, ThatIsEmptyIsSentToo) {
    ZoneByHand zone(1, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    zone.step();
    watcher->next.keyframe = true;
    zone.step();
    EXPECT_TRUE(watcher->last_frame().is_keyframe);
    EXPECT_TRUE(watcher->last_frame().enters.empty());
}

TEST(Keyframe, WaitsForAClientThatCannotTakeAFrameAcrossABorder) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    zone.add(2, {58, 50, 0});
    zone.step();
    watcher->is_open = false;
    watcher->next.keyframe = true;
    zone.step_to(*watcher, {60, 50, 0});
    zone.step();
    watcher->is_open = true;
    zone.step();
    EXPECT_TRUE(watcher->last_frame().is_keyframe);
    EXPECT_EQ(entered_ids(watcher->last_frame()), Ids{2});
}

TEST(Keyframe, DoesNotChangeWhoIsSeen) {
    shards::ZoneOptions options = small_world();
    ZoneByHand zone(options, small_layout(1, 1));
    const auto watcher = zone.add(1, {50, 50, 0});
    engine::Entity other = entity_at(2, {57, 50, 0});
    watcher->next.view = engine::View::circle(8, 10);
    const auto walker = zone.add(other);
    zone.step();
    zone.step_to(*walker, {59, 50, 0});  // between the two ranges: it stays as it was
    watcher->next.keyframe = true;
    zone.step();
    EXPECT_EQ(entered_ids(watcher->last_frame()), Ids{2});
}

TEST(Keyframe, OfAnEntityThatTakesNoFramesIsNobodysBusiness) {
    ZoneByHand zone(1, 1);
    const auto marker = zone.add(entity_at(1, {45, 50, 0}), false);
    marker->next.keyframe = true;
    zone.step();
    EXPECT_TRUE(marker->frames.empty());
}

TEST(Successor, TakesTheFramesFromTheTickInWhichItIsNamed) {
    ZoneByHand zone(2, 1);
    const auto first = zone.add(1, {45, 50, 0});
    const auto other = zone.add(2, {50, 50, 0});
    zone.step();
    const auto second = std::make_shared<RecordingPort>();
    first->next.successor = second;
    first->next.move = {46, 50, 0};
    second->next.move = {47, 50, 0};  // later than what its predecessor was asked
    zone.step();
    EXPECT_EQ(first->frames.size(), 1U);
    EXPECT_EQ(first->removed_count, 0U);
    ASSERT_EQ(second->frames.size(), 1U);
    EXPECT_TRUE(second->last_frame().is_empty()) << second->last_frame();
    ASSERT_EQ(other->last_frame().moves.size(), 1U);
    EXPECT_EQ(other->last_frame().moves.at(0).position, (engine::Position{47, 50, 0}));
    const std::size_t asked = first->asked_count;
    second->next.leave = true;
    zone.step();
    EXPECT_EQ(first->asked_count, asked);
    EXPECT_EQ(first->removed_count, 0U);
    EXPECT_EQ(second->removed_count, 1U);
}

TEST(Successor, IsSentAKeyframeInTheSameTickIfItAsksForOne) {
    ZoneByHand zone(2, 1);
    const auto first = zone.add(1, {45, 50, 0});
    zone.add(2, {50, 50, 0});
    zone.step();
    const auto second = std::make_shared<RecordingPort>();
    second->next.keyframe = true;
    first->next.successor = second;
    zone.step();
    EXPECT_TRUE(second->last_frame().is_keyframe);
    EXPECT_EQ(entered_ids(second->last_frame()), Ids{2});
}

TEST(Successor, MayHaveHandedOverAlready) {
    ZoneByHand zone(2, 1);
    const auto first = zone.add(1, {45, 50, 0});
    zone.step();
    const auto second = std::make_shared<RecordingPort>();
    const auto third = std::make_shared<RecordingPort>();
    first->next.successor = second;
    second->next.successor = third;
    zone.step();
    EXPECT_TRUE(second->frames.empty());
    EXPECT_EQ(third->frames.size(), 1U);
}

TEST(Successor, GapGoesOnFromPortToPort) {
    shards::ZoneOptions options = small_world();
    options.frame_gap_ticks_max = 5;
    ZoneByHand zone(options, small_layout(2, 1));
    const auto first = zone.add(1, {45, 50, 0});
    zone.step();
    first->is_open = false;
    for (int i = 0; i < 4; ++i) {
        zone.step();
    }
    const auto second = std::make_shared<RecordingPort>();
    second->is_open = false;
    first->next.successor = second;
    zone.step();
    EXPECT_EQ(second->removed_count, 0U);
    zone.step();
    EXPECT_EQ(second->removed_count, 1U);
    EXPECT_EQ(first->removed_count, 0U);
}

}  // namespace
}  // namespace marchland::tests
