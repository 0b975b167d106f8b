// Messages reach whoever sees their source, once and in order.

#include "tests/properties/dice.h"
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

void say(RecordingPort& port, std::string_view words) {
    port.next.messages.push_back({7, text(words)});
}

/// `source:words` of each.
LifeContent received(const SentFrame& frame) {
    LifeContent all;
    for (const SentMessage& message : frame.messages) {
        std::string words = std::to_string(to_number(message.source)) + ":";
        for (const std::byte byte : message.payload) {
            words.push_back(static_cast<char>(byte));
        }
        all.push_back(words);
    }
    return all;
}

TEST(Message, ReachesWhoSeesItsSourceInItsTick) {
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
    EXPECT_EQ(near->last_frame().messages.at(0).tick, tick);
    EXPECT_EQ(received(across->last_frame()), (LifeContent{"4:one", "4:two"}));
    EXPECT_TRUE(far->last_frame().is_empty());
    EXPECT_TRUE(speaker->last_frame().is_empty());
    zone.step();
    EXPECT_TRUE(near->last_frame().is_empty());
}

TEST(Message, OfOneThatEntersInItsTickIsSentAndAnEarlierOneIsNot) {
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

TEST(Message, IsSentInTheOrderOfTicksThenOfSources) {
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

TEST(Message, OfOneThatLeavesTheZoneIsReceivedByWhoSawIt) {
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

TEST(Message, OfAnIdsEarlierLifeReachesANewShardsWatcher) {
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

TEST(Message, OfALateShardIsSentOnceWhereverTheWatcherIsByThen) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {48, 50, 0});
    const auto speaker = zone.add(2, {54, 50, 0});
    const auto witness = zone.add(3, {55, 50, 0});
    zone.step();
    say(*speaker, "late");
    zone.step_with_late({shards::ShardId{1}});
    EXPECT_TRUE(watcher->last_frame().messages.empty());
    EXPECT_EQ(received(witness->last_frame()), LifeContent{"2:late"});
    zone.step_to(*witness, {45, 50, 0});  // to where the message has not been received yet
    EXPECT_EQ(received(watcher->last_frame()), LifeContent{"2:late"});
    EXPECT_TRUE(witness->last_frame().messages.empty());
    zone.step();
    EXPECT_TRUE(watcher->last_frame().is_empty()) << watcher->last_frame();
}

TEST(Message, ReceivedWhileAnotherShardIsLateIsNotSentAgain) {
    ZoneByHand zone(4, 1);
    const auto watcher = zone.add(1, {40, 50, 0});
    const auto speaker = zone.add(2, {45, 50, 0});
    zone.add(3, {90, 50, 0});
    zone.step();
    say(*speaker, "once");
    zone.step_with_late({shards::ShardId{3}});
    EXPECT_EQ(received(watcher->last_frame()), LifeContent{"2:once"});
    say(*speaker, "more");
    zone.step_with_late({shards::ShardId{3}});
    EXPECT_EQ(received(watcher->last_frame()), LifeContent{"2:more"});
    zone.step();
    EXPECT_TRUE(watcher->last_frame().messages.empty()) << watcher->last_frame();
}

TEST(Message, ThatCannotBeKeptForASlowClientIsReportedLost) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    const auto swift = zone.add(3, {46, 50, 0});
    const auto speaker = zone.add(2, {52, 50, 0});
    zone.step();
    watcher->is_open = false;
    const std::string loud(engine::kMessageBytesMax, '!');
    for (int i = 0; i < 20; ++i) {
        say(*speaker, loud);
        zone.step();
        EXPECT_EQ(swift->last_frame().messages.size(), 1U);
        EXPECT_FALSE(swift->last_frame().messages_lost);
    }
    watcher->is_open = true;
    zone.step();
    EXPECT_TRUE(watcher->last_frame().messages_lost);
    EXPECT_EQ(watcher->last_frame().messages.size(), 15U);  // of 1,088 bytes each, in 16 KiB
    zone.step();
    EXPECT_FALSE(watcher->last_frame().messages_lost);
}

TEST(Message, ReceivedWhileAnotherShardIsLateIsNotReportedLost) {
    ZoneByHand zone(4, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    const auto slow = zone.add(2, {46, 50, 0});
    const auto near = zone.add(4, {48, 50, 0});
    const auto across = zone.add(5, {52, 50, 0});
    zone.add(6, {90, 50, 0});
    zone.step();
    slow->is_open = false;
    const std::string loud(engine::kMessageBytesMax, '!');
    for (int tick = 0; tick < 40; ++tick) {  // more than is kept of either
        say(*near, loud);
        say(*across, loud);
        zone.step_with_late({shards::ShardId{3}});
        ASSERT_EQ(watcher->last_frame().messages.size(), 2U) << tick;
        ASSERT_FALSE(watcher->last_frame().messages_lost) << tick;
        slow->is_open = tick >= 20;
        if (tick > 20) {  // its first frame since says so, once
            ASSERT_EQ(slow->last_frame().messages.size(), tick == 21 ? 30U : 2U) << tick;
            ASSERT_EQ(slow->last_frame().messages_lost, tick == 21) << tick;
        }
    }
    zone.step();
    EXPECT_TRUE(watcher->last_frame().messages.empty());
    EXPECT_FALSE(watcher->last_frame().messages_lost);
}

TEST(Message, OfATickWithAsManyAsMayBeIsSentToWhoeverTakesItsFrame) {
    ZoneByHand zone(2, 1);
    const auto watcher = zone.add(1, {45, 50, 0});
    const auto near = zone.add(2, {48, 50, 0});
    const auto across = zone.add(3, {52, 50, 0});
    zone.step();
    const std::string loud(engine::kMessageBytesMax, '!');
    for (int tick = 0; tick < 3; ++tick) {
        for (std::size_t i = 0; i < engine::kMessagesPerTickMax; ++i) {
            say(*near, loud);
            say(*across, loud);
        }
        zone.step();
        EXPECT_EQ(watcher->last_frame().messages.size(), 2 * engine::kMessagesPerTickMax);
        EXPECT_FALSE(watcher->last_frame().messages_lost);
    }
}

std::string number_text(std::size_t number) {
    return std::to_string(number);
}

/// What each client was given, one line for each message: found out without any shard.
TEST(ZoneMessages, GoToWhomTheyAreForUnderEveryLayoutAndWhileItChanges) {
    for (const std::uint32_t columns : {1U, 4U}) {
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            Dice dice(seed);
            ZoneByHand zone(columns, columns);
            const auto anywhere = [&] {
                return engine::Position{static_cast<std::int32_t>(dice.below(100)),
                                        static_cast<std::int32_t>(dice.below(100)), 0};
            };
            std::vector<engine::Entity> entities;
            std::vector<std::shared_ptr<RecordingPort>> ports;
            for (std::uint64_t id = 1; id <= 12; ++id) {
                entities.push_back(entity_at(id, anywhere()));
                entities.back().layers_seen = static_cast<engine::LayerMask>(dice.below(4));
                ports.push_back(zone.add(entities.back()));
                ports.back()->is_of_player = true;
            }
            std::vector<std::vector<std::size_t>> expected(entities.size());
            std::size_t number = 0;
            for (int tick = 0; tick < 30; ++tick) {
                if (dice.chance(15)) {
                    const auto side = static_cast<std::uint32_t>(1 + dice.below(4));
                    zone.change_layout(small_layout(columns == 1 ? 1 : side, columns));
                }
                for (std::size_t i = 0; i < entities.size(); ++i) {
                    if (dice.chance(40)) {
                        entities[i].position = anywhere();
                        ports[i]->next.move = entities[i].position;
                    }
                    ports[i]->is_open = dice.chance(70);
                }
                for (std::size_t count = dice.below(4); count > 0; --count) {
                    shards::Audience audience;
                    const std::size_t one = dice.below(entities.size());
                    const bool is_to_one = dice.chance(40);
                    if (is_to_one) {
                        audience.to = {entities[one].id};
                    } else if (dice.chance(60)) {
                        audience.within = {anywhere(), static_cast<std::int32_t>(dice.below(80))};
                    }
                    if (!is_to_one && dice.chance(40)) {
                        audience.layers = static_cast<engine::LayerMask>(1 + dice.below(3));
                    }
                    for (std::size_t i = 0; i < entities.size(); ++i) {
                        const std::int64_t x = entities[i].position.x;
                        const std::int64_t y = entities[i].position.y;
                        bool is_for = !is_to_one || i == one;
                        if (audience.within) {
                            const std::int64_t dx = x - audience.within->centre.x;
                            const std::int64_t dy = y - audience.within->centre.y;
                            const std::int64_t radius = audience.within->radius_mm;
                            is_for = is_for && dx * dx + dy * dy <= radius * radius;
                        }
                        is_for = is_for && (!audience.layers ||
                                            (*audience.layers & entities[i].layers_seen) != 0);
                        if (is_for) {
                            expected[i].push_back(number);
                        }
                    }
                    zone.zone().say({{1, text(number_text(number++))}, std::move(audience)});
                }
                zone.step();
            }
            for (std::size_t i = 0; i < entities.size(); ++i) {
                std::vector<std::string> given;
                std::vector<std::string> wanted;
                for (const engine::GameMessage& letter : ports[i]->letters) {
                    const auto bytes = engine::bytes_of(letter.payload);
                    given.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
                }
                for (const std::size_t each : expected[i]) {
                    wanted.push_back(number_text(each));
                }
                EXPECT_EQ(given, wanted) << "entity " << i + 1 << ", seed " << seed;
                EXPECT_EQ(ports[i]->lost_count, 0U);
            }
        }
    }
}

TEST(ZoneMessages, ThatGaveWayBeforeALateShardCameToThemAreSaidToBeLost) {
    ZoneByHand zone(2, 1);
    const auto west = zone.add(1, {20, 50, 0});
    const auto east = zone.add(2, {80, 50, 0});
    west->is_of_player = east->is_of_player = true;
    engine::Tick tick = zone.step();
    for (engine::Tick i = 0; i <= shards::ZoneMessages::kTicksMax + 1; ++i) {
        zone.zone().say({{1, nullptr}, {}});
        zone.begin(kWest, ++tick);
        zone.finish(kWest, tick);
    }
    EXPECT_EQ(west->letters.size(), shards::ZoneMessages::kTicksMax + 2);
    zone.begin(kEast, tick);
    zone.finish(kEast, tick);
    EXPECT_EQ(east->letters.size(), shards::ZoneMessages::kTicksMax + 1);
    EXPECT_EQ(east->lost_count, 1U);
    EXPECT_EQ(west->lost_count, 0U);
}

TEST(ZoneMessages, TakeNoMoreMemoryThanTheyMay) {
    const auto large = [] {
        return shards::ZoneMessage{{1, text(std::string(engine::kMessageBytesMax, '!'))}, {}};
    };
    shards::ZoneMessages messages(3 * large().bytes());
    for (engine::Tick tick = 1; tick <= 5; ++tick) {
        messages.add(tick, large());
    }
    std::vector<shards::ZoneMessages::Kept> kept;
    EXPECT_EQ(messages.collect(0, 5, kept), 2U);
    ASSERT_EQ(kept.size(), 3U);
    EXPECT_EQ(kept[0].tick, 3U);
    kept.clear();
    messages.collect(3, 4, kept);
    ASSERT_EQ(kept.size(), 1U);
    EXPECT_EQ(kept[0].tick, 4U);
}

}  // namespace
}  // namespace marchland::tests
