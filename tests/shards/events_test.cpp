// Events reach whoever sees their source, or whom they name, once and in order.

#include "tests/shards/zone_by_hand.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

namespace marchland::tests {
namespace {

using engine::EntityId;
using engine::LeaveReason;

using LifeContent = std::vector<std::string>;

engine::Blob text(std::string_view words) {
    const auto* const first = reinterpret_cast<const std::byte*>(words.data());
    return std::make_shared<const std::vector<std::byte>>(first, first + words.size());
}

void say(RecordingPort& port, std::string_view words, std::vector<EntityId> to = {}) {
    port.next.events.push_back({text(words), std::move(to)});
}

/// `source:words` of each.
LifeContent received(const SentFrame& frame) {
    LifeContent all;
    for (const SentEvent& event : frame.events) {
        std::string words = std::to_string(to_number(event.source)) + ":";
        for (const std::byte byte : event.payload) {
            words.push_back(static_cast<char>(byte));
        }
        all.push_back(words);
    }
    return all;
}

TEST(Event, ReachesWhoSeesItsSourceInItsTick) {
    ZoneByHand zone(2, 1);
    const auto near = zone.add(1, {45, 50, 0});
    const auto across = zone.add(2, {55, 50, 0});
    const auto far = zone.add(3, {80, 50, 0});
    const auto speaker = zone.add(4, {49, 50, 0});
    zone.step();
    say(*speaker, "one");
    say(*speaker, "two");
    const engine::Tick tick = zone.step();
    EXPECT_EQ(received(near->last_frame()), (LifeContent{"4:one", "4:two"}));
    EXPECT_EQ(near->last_frame().events.at(0).tick, tick);
    EXPECT_EQ(received(across->last_frame()), (LifeContent{"4:one", "4:two"}));
    EXPECT_TRUE(far->last_frame().is_empty());
    EXPECT_TRUE(speaker->last_frame().is_empty());
    zone.step();
    EXPECT_TRUE(near->last_frame().is_empty());
}

TEST(Event, OfOneThatEntersInItsTickIsToldAndAnEarlierOneIsNot) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    const auto speaker = zone.add(2, {70, 50, 0});
    zone.step();
    say(*speaker, "from afar");
    zone.step();
    say(*speaker, "here");
    zone.step_to(*speaker, {52, 50, 0});
    EXPECT_EQ(received(watcher->last_frame()), LifeContent{"2:here"});
}

TEST(Event, IsToldInTheOrderOfTicksThenOfSources) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(5, {50, 50, 0});
    const auto left = zone.add(9, {45, 50, 0});
    const auto right = zone.add(2, {55, 50, 0});
    zone.step();
    watcher->is_open = false;
    say(*left, "a");
    zone.step();
    say(*right, "b");
    say(*left, "c");
    zone.step();
    watcher->is_open = true;
    zone.step();
    EXPECT_EQ(received(watcher->last_frame()), (LifeContent{"9:a", "2:b", "9:c"}));
}

TEST(Event, OfOneThatLeavesTheZoneIsHeardByWhoSawIt) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    const auto speaker = zone.add(2, {52, 50, 0});
    const auto stranger = zone.add(3, {80, 50, 0});
    zone.step();
    say(*speaker, "farewell");
    speaker->next.leave = true;
    zone.step();
    EXPECT_EQ(watcher->last_frame().leaves, leaves({{2, LeaveReason::gone}}));
    EXPECT_EQ(received(watcher->last_frame()), LifeContent{"2:farewell"});
    EXPECT_TRUE(stranger->last_frame().is_empty());
}

TEST(Event, OfAnIdsEarlierLifeReachesANewShardsWatcher) {
    ZoneByHand zone(2, 1);
    const auto slow = zone.add(1, {55, 50, 0});
    const auto speaker = zone.add(2, {48, 50, 0});
    zone.step();
    slow->is_open = false;
    say(*speaker, "farewell");
    speaker->next.leave = true;
    zone.step();
    const auto second_life = zone.add(2, {20, 50, 0});
    zone.step();
    second_life->next.leave = true;
    zone.step();
    zone.change_layout(small_layout(4, 1));
    slow->is_open = true;
    zone.step();
    EXPECT_EQ(slow->last_frame().leaves, leaves({{2, LeaveReason::gone}}));
    EXPECT_EQ(received(slow->last_frame()), LifeContent{"2:farewell"});
}

TEST(Event, ReachesThoseItNamesWhereverTheyAreAndNobodyElse) {
    ZoneByHand zone(4, 1);
    const auto named = zone.add(1, {90, 50, 0});
    const auto beside = zone.add(2, {12, 50, 0});
    const auto speaker = zone.add(3, {10, 50, 0});
    zone.step();
    say(*speaker, "psst", {EntityId{1}, EntityId{1}, EntityId{77}});
    zone.step();
    EXPECT_EQ(received(named->last_frame()), LifeContent{"3:psst"});
    EXPECT_TRUE(beside->last_frame().is_empty());
    zone.step();
    EXPECT_TRUE(named->last_frame().is_empty());
}

TEST(Event, ThatNamesOneWhoTakesNoFramesWaitsForItAcrossTheMap) {
    ZoneByHand zone(4, 1);
    const auto named = zone.add(1, {90, 50, 0});
    const auto speaker = zone.add(3, {10, 50, 0});
    zone.step();
    named->is_open = false;
    say(*speaker, "psst", {EntityId{1}});
    zone.step();
    zone.step_to(*named, {40, 50, 0});
    zone.change_layout(small_layout(3, 2));
    zone.step();
    zone.step_to(*named, {60, 90, 0});
    named->is_open = true;
    zone.step();
    EXPECT_EQ(received(named->last_frame()), LifeContent{"3:psst"});
    zone.step();
    EXPECT_TRUE(named->last_frame().is_empty());
}

TEST(Event, ThatNamedAnEarlierLifeIsNotForALaterOne) {
    ZoneByHand zone(2, 1);
    const auto first = zone.add(1, {90, 50, 0});
    const auto speaker = zone.add(2, {10, 50, 0});
    zone.step();
    first->is_open = false;
    say(*speaker, "psst", {EntityId{1}});
    zone.step();
    first->next.leave = true;
    zone.step();
    const auto second = zone.add(1, {90, 50, 0});
    zone.step();
    EXPECT_TRUE(second->last_frame().events.empty());
}

TEST(Event, OfALateShardIsToldOnceWhereverTheWatcherIsByThen) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {48, 50, 0});
    const auto speaker = zone.add(2, {54, 50, 0});
    const auto witness = zone.add(3, {55, 50, 0});
    zone.step();
    say(*speaker, "late");
    zone.step_with_late({shards::ShardId{1}});
    EXPECT_TRUE(watcher->last_frame().events.empty());
    EXPECT_EQ(received(witness->last_frame()), LifeContent{"2:late"});
    zone.step_to(*witness, {45, 50, 0});  // to where the event has not been heard of yet
    EXPECT_EQ(received(watcher->last_frame()), LifeContent{"2:late"});
    EXPECT_TRUE(witness->last_frame().events.empty());
    zone.step();
    EXPECT_TRUE(watcher->last_frame().is_empty()) << watcher->last_frame();
}

TEST(Event, HeardWhileAnotherShardIsLateIsNotToldAgain) {
    ZoneByHand zone(4, 1);
    const auto watcher = zone.add(1, {40, 50, 0});
    const auto speaker = zone.add(2, {45, 50, 0});
    zone.add(3, {90, 50, 0});
    zone.step();
    say(*speaker, "once");
    say(*speaker, "by name", {EntityId{1}});
    zone.step_with_late({shards::ShardId{3}});
    EXPECT_EQ(received(watcher->last_frame()), (LifeContent{"2:once", "2:by name"}));
    say(*speaker, "more");
    zone.step_with_late({shards::ShardId{3}});
    EXPECT_EQ(received(watcher->last_frame()), LifeContent{"2:more"});
    zone.step();
    EXPECT_TRUE(watcher->last_frame().events.empty()) << watcher->last_frame();
}

TEST(Event, ThatCannotBeKeptForASlowClientIsToldToBeLost) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    const auto swift = zone.add(3, {46, 50, 0});
    const auto speaker = zone.add(2, {52, 50, 0});
    zone.step();
    watcher->is_open = false;
    const std::string loud(engine::kEventBytesMax, '!');
    for (int i = 0; i < 20; ++i) {
        say(*speaker, loud);
        zone.step();
        EXPECT_EQ(swift->last_frame().events.size(), 1U);
        EXPECT_FALSE(swift->last_frame().events_lost);
    }
    watcher->is_open = true;
    zone.step();
    EXPECT_TRUE(watcher->last_frame().events_lost);
    EXPECT_EQ(watcher->last_frame().events.size(), 15U);  // of 1,088 bytes each, in 16 KiB
    zone.step();
    EXPECT_FALSE(watcher->last_frame().events_lost);
}

TEST(Event, HeardWhileAnotherShardIsLateIsNotToldToBeLost) {
    ZoneByHand zone(4, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    const auto slow = zone.add(2, {46, 50, 0});
    const auto near = zone.add(4, {48, 50, 0});
    const auto across = zone.add(5, {52, 50, 0});
    zone.add(6, {90, 50, 0});
    zone.step();
    slow->is_open = false;
    const std::string loud(engine::kEventBytesMax, '!');
    for (int tick = 0; tick < 40; ++tick) {  // more than is kept of either
        say(*near, loud);
        say(*across, loud);
        zone.step_with_late({shards::ShardId{3}});
        ASSERT_EQ(watcher->last_frame().events.size(), 2U) << tick;
        ASSERT_FALSE(watcher->last_frame().events_lost) << tick;
        slow->is_open = tick >= 20;
        if (tick > 20) {  // its first frame since says so, once
            ASSERT_EQ(slow->last_frame().events.size(), tick == 21 ? 30U : 2U) << tick;
            ASSERT_EQ(slow->last_frame().events_lost, tick == 21) << tick;
        }
    }
    zone.step();
    EXPECT_TRUE(watcher->last_frame().events.empty());
    EXPECT_FALSE(watcher->last_frame().events_lost);
}

TEST(Event, ByNameThatIsLostIsToldToBeOnceThoughAnotherShardIsLate) {
    ZoneByHand zone(4, 1);
    const auto named = zone.add(1, {45, 50, 0});
    const auto writer = zone.add(2, {80, 20, 0});
    zone.step();
    const std::string loud(engine::kEventBytesMax, '!');
    const auto write_too_much = [&] {
        named->is_open = false;
        for (int tick = 0; tick < 17; ++tick) {
            say(*writer, loud, {EntityId{1}});
            zone.step();
        }
        named->is_open = true;
    };
    write_too_much();
    zone.step_with_late({shards::ShardId{0}});
    EXPECT_TRUE(named->last_frame().events_lost);
    zone.step_with_late({shards::ShardId{0}});
    EXPECT_FALSE(named->last_frame().events_lost);
    write_too_much();
    zone.step_with_late({shards::ShardId{0}});
    EXPECT_TRUE(named->last_frame().events_lost) << "these are others";
    zone.step();
    EXPECT_TRUE(named->last_frame().is_empty()) << named->last_frame();
    EXPECT_FALSE(named->last_frame().events_lost);
}

TEST(Event, OfATickWithAsManyAsMayBeIsToldToWhoeverTakesItsFrame) {
    for (const std::vector<EntityId>& to : {std::vector<EntityId>{}, {EntityId{1}}}) {
        ZoneByHand zone(2, 1);
        const auto watcher = zone.add(1, {45, 50, 0});
        const auto near = zone.add(2, {48, 50, 0});
        const auto across = zone.add(3, {52, 50, 0});
        zone.step();
        const std::string loud(engine::kEventBytesMax, '!');
        for (int tick = 0; tick < 3; ++tick) {
            for (std::size_t i = 0; i < engine::kEventsPerTickMax; ++i) {
                say(*near, loud, to);
                say(*across, loud, to);
            }
            zone.step();
            EXPECT_EQ(watcher->last_frame().events.size(), 2 * engine::kEventsPerTickMax);
            EXPECT_FALSE(watcher->last_frame().events_lost);
        }
    }
}

TEST(Event, ByNameThatGaveWayComesToANewShardNeitherWholeNorEmpty) {
    ZoneByHand zone(small_world(), small_layout(2, 1));
    const auto named = zone.add(1, {95, 50, 0});
    const auto right = zone.add(2, {60, 20, 0});
    const auto left = zone.add(3, {5, 5, 0});
    zone.step();
    named->is_open = false;
    say(*right, "gives way", {EntityId{1}});
    zone.step();
    say(*left, "so does this", {EntityId{1}});
    zone.step();
    for (std::size_t i = 0; i < engine::kEventsPerTickMax; ++i) {
        say(*left, std::string(engine::kEventBytesMax, '!'), {EntityId{1}});
    }
    zone.step();
    zone.change_layout(small_layout(4, 1));
    named->is_open = true;
    zone.step_with_late({shards::ShardId{0}});  // which has told all to the shard where 1 is now
    for (const SentEvent& event : named->last_frame().events) {
        EXPECT_EQ(event.source, EntityId{3});
        EXPECT_EQ(event.payload.size(), engine::kEventBytesMax);
    }
    EXPECT_TRUE(named->last_frame().events_lost);
}

TEST(Event, ByNameThatCannotBeKeptIsToldToBeLostUnderEveryLayout) {
    for (const std::uint32_t columns : {1U, 4U}) {
        ZoneByHand zone(columns, 1);
        const auto named = zone.add(1, {90, 50, 0});
        const auto left = zone.add(2, {10, 50, 0});
        const auto right = zone.add(3, {60, 50, 0});
        zone.step();
        named->is_open = false;
        const std::string loud(engine::kEventBytesMax, '!');
        for (int i = 0; i < 10; ++i) {
            say(*left, loud, {EntityId{1}});
            say(*right, loud, {EntityId{1}});
            zone.step();
        }
        named->is_open = true;
        zone.step();
        EXPECT_TRUE(named->last_frame().events_lost);
        ASSERT_EQ(named->last_frame().events.size(), 15U);
        EXPECT_EQ(named->last_frame().events.at(0).source, EntityId{3});
    }
}

}  // namespace
}  // namespace marchland::tests
