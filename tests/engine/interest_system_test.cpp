// What an InterestSystem keeps of moves, and what of watchers: trajectories, KnownSet.

#include "tests/engine/small_zone.h"
#include "tests/engine/workers_backwards.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace marchland::engine::testing {
namespace {

constexpr View kView = View::circle(10, 12);

Entity entity_at(std::uint64_t id, Position at) {
    Entity entity;
    entity.id = EntityId{id};
    entity.position = at;
    entity.shown = at;
    entity.birth = 1;
    return entity;
}

/// What the frame of entity 1 says of messages.
struct SentOfMessages {
    std::size_t messages = 0;
    bool are_lost = false;

    friend bool operator==(const SentOfMessages&, const SentOfMessages&) = default;
};

SentOfMessages sent_of_messages(SmallZone& zone, bool complete) {
    SentOfMessages sent;
    const Slot watcher = zone.slot(1);
    zone.interest().build_frames({&watcher, 1}, complete, [&sent](const Frame& frame) {
        sent = {frame.messages.size(), frame.messages_lost};
    });
    zone.interest().begin_tick(zone.interest().now() + 1);
    return sent;
}

TEST(InterestSystem, ShowsAnEntityWhereItsLastMoveOfTheTickLeads) {
    SmallZone zone;
    zone.add(1, {1, 1});
    zone.tick();
    zone.move(1, {2, 2});
    zone.move(1, {3, 5});
    zone.tick();
    EXPECT_EQ(zone.entity(1).shown, (Position{3, 5}));
    EXPECT_EQ(zone.entity(1).renewed_by, (Step{2, 4, 0}));
    EXPECT_EQ(zone.entity(1).velocity, Step{}) << "where every move is sent";
    EXPECT_EQ(zone.entity(1).moved_tick, 2U);
}

/// Were each looked for among all others, this would take minutes, and the test's time limit would
/// end it.
TEST(InterestSystem, ACrowdThatIsSeenFromAfarCrossesAndLeavesInOneTick) {
    constexpr std::uint64_t kCrowd = 100'000;
    constexpr std::uint64_t kOthers = 400'000;  // where most move, all cells are built anew
    SmallZone zone;
    zone.add(1, {1, 1}, kView);
    for (std::uint64_t id = kCrowd + 1; id <= kCrowd + kOthers; ++id) {
        zone.add(id, {301, 301});
    }
    for (std::uint64_t id = 2; id <= kCrowd; ++id) {
        zone.add(id, {301, 301});
        zone.set_notify(id, {1'000, 1'000});
    }
    EXPECT_EQ(zone.tick().size(), kCrowd - 1);
    for (std::uint64_t id = 2; id <= kCrowd; ++id) {
        zone.move(id, {701, 701});
    }
    EXPECT_EQ(zone.tick().size(), kCrowd - 1);
    for (std::uint64_t id = 2; id <= kCrowd; ++id) {
        zone.remove(id);
    }
    EXPECT_EQ(zone.tick().size(), kCrowd - 1);
}

TEST(InterestSystem, SharesACrowdInOneCellAmongAllWorkersAndEachWatcherHasOneFrame) {
    constexpr std::uint64_t kCrowd = 200;
    SmallZone zone;
    for (std::uint64_t id = 1; id <= kCrowd; ++id) {
        zone.add(id, {1, 1}, kView);
    }
    std::vector<Slot> watchers;
    for (std::uint64_t id = 1; id <= kCrowd; ++id) {
        watchers.push_back(zone.slot(id));
    }
    WorkersBackwards executor(4);
    std::array<std::size_t, 4> frames{};
    std::vector<FrameSink> sinks;
    for (std::size_t& count : frames) {
        sinks.emplace_back([&count](const Frame& frame) {
            EXPECT_EQ(frame.enters.size(), kCrowd - 1);
            ++count;
        });
    }
    EXPECT_TRUE(zone.interest().build_frames(watchers, true, &executor, sinks));
    EXPECT_EQ(std::accumulate(frames.begin(), frames.end(), std::size_t{0}), kCrowd);
    EXPECT_GE(*std::min_element(frames.begin(), frames.end()), kCrowd / 8);
}

TEST(InterestSystem, AMoveBackToWhereTheTickBeganIsNone) {
    SmallZone zone;
    zone.add(1, {1, 1});
    zone.tick();
    zone.move(1, {2, 2});
    zone.tick();
    zone.move(1, {3, 3});
    zone.move(1, {2, 2});
    zone.tick();
    EXPECT_EQ(zone.entity(1).moved_tick, 2U);
}

TEST(InterestSystem, AMoveToTheSamePlaceIsNone) {
    SmallZone zone;
    zone.add(1, {1, 1});
    zone.tick();
    zone.move(1, {1, 1});
    EXPECT_EQ(zone.entity(1).moved_tick, kNever);
}

TEST(InterestSystem, AChangeOfHeightAloneIsAMove) {
    SmallZone zone;
    zone.add(1, {0, 0, 0}, kView);
    zone.add(2, {1, 1, 1});
    zone.tick();
    zone.move(2, {1, 1, 2});
    EXPECT_EQ(zone.tick(), Lines{"1 move 2"});
}

TEST(InterestSystem, ALateMoveIsSentWholeAndTheNextOneNot) {
    SmallZone zone;
    zone.add(1, {1, 1});
    zone.tick();
    zone.move_late(1, {2, 2});
    EXPECT_EQ(zone.entity(1).renewed_by, Entity::kNotSent);
    zone.interest().follow(zone.slot(1), {3, 3}, InterestSystem::Renewal{{3, 3}, {}}, 2);
    EXPECT_EQ(zone.entity(1).renewed_by, Entity::kNotSent) << "in the same tick";
    zone.tick();
    zone.interest().follow(zone.slot(1), {4, 4}, InterestSystem::Renewal{{4, 4}, {}}, 3);
    EXPECT_EQ(zone.entity(1).renewed_by, (Step{1, 1, 0}));
}

TEST(InterestSystem, LateChangeOfATrajectoryIsBroughtUpToNow) {
    SmallZone zone;
    zone.add(1, {1, 1});
    zone.tick();
    zone.interest().follow(zone.slot(1), {5, 1}, InterestSystem::Renewal{{5, 1}, {4, 0, 0}}, 1);
    EXPECT_EQ(zone.entity(1).shown, (Position{9, 1}));
    EXPECT_EQ(zone.entity(1).moved_tick, 2U);
}

TEST(InterestSystem, KeepsTheTrajectoryOfAnEntityThatArrives) {
    SmallZone zone;
    zone.tick();
    zone.tick();
    Entity arriving = entity_at(1, {5, 5});
    arriving.shown = {4, 4};
    arriving.moved_tick = 2;
    arriving.velocity = {1, 1, 0};
    zone.interest().insert(arriving);
    EXPECT_EQ(shown_at(zone.entity(1), 3), (Position{5, 5}));
}

/// Of a zone where entities may be shown 50 mm off: number 1 at the origin sees number 2, which
/// walks.
struct Predicted {
    Predicted() {
        zone.add(1, {0, 0}, View::circle(900, 900));
        zone.add(2, {0, 0});
        zone.tick();
    }
    Lines walk_to(std::int32_t x) {
        zone.move(2, {x, 0});
        return zone.tick();
    }
    /// After tick().
    [[nodiscard]] Position shown() { return shown_at(zone.entity(2), zone.interest().now() - 1); }

    SmallZone zone{Dimensions::two, {}, true, 50};
};

/// The example of docs/visibility.md.
TEST(Trajectories, AreRenewedWhenGoingOnWouldBeWrongByMoreThanTheBound) {
    Predicted it;
    EXPECT_EQ(it.walk_to(70), Lines{"1 move 2"});
    EXPECT_EQ(it.zone.entity(2).velocity, (Step{70, 0, 0}));
    EXPECT_EQ(it.walk_to(140), Lines{});
    EXPECT_EQ(it.shown(), (Position{140, 0}));
    EXPECT_EQ(it.zone.tick(), Lines{"1 move 2"}) << "it stopped";
    EXPECT_EQ(it.shown(), (Position{140, 0}));
    EXPECT_EQ(it.zone.entity(2).renewed_by, (Step{-70, 0, 0}));
    EXPECT_EQ(it.zone.tick(), Lines{});
    EXPECT_EQ(it.shown(), (Position{140, 0}));
}

TEST(Trajectories, AreNotRenewedOnTheBound) {
    Predicted it;
    EXPECT_EQ(it.walk_to(50), Lines{});
    EXPECT_EQ(it.shown(), (Position{0, 0}));
    EXPECT_EQ(it.walk_to(51), Lines{"1 move 2"});
}

TEST(Trajectories, CountHeightInAFlatZoneToo) {
    Predicted it;
    it.zone.move(2, {0, 0, 50});
    EXPECT_EQ(it.zone.tick(), Lines{});
    it.zone.move(2, {1, 0, 50});
    EXPECT_EQ(it.zone.tick(), Lines{"1 move 2"});
}

TEST(Trajectories, DoNotDecideWhoIsSeen) {
    SmallZone zone(Dimensions::two, {}, true, 50);
    zone.add(1, {0, 0}, View::circle(100, 100));
    zone.add(2, {95, 0});
    zone.tick();
    zone.move(2, {101, 0});
    EXPECT_EQ(zone.tick(), Lines{"1 leave 2 out_of_range"});
    EXPECT_EQ(zone.entity(2).shown, (Position{95, 0}));
}

TEST(Trajectories, AreRenewedWhereTheyAreLed) {
    Predicted it;
    it.walk_to(70);
    it.zone.interest().stop_leading(it.zone.slot(2));
    EXPECT_EQ(it.zone.tick(), Lines{}) << "its owner elsewhere says when it stops";
    EXPECT_EQ(it.shown(), (Position{140, 0}));
    it.zone.interest().lead(it.zone.slot(2));
    EXPECT_EQ(it.zone.tick(), Lines{"1 move 2"});
    EXPECT_EQ(it.shown(), (Position{70, 0}));
}

TEST(Trajectories, AreSentWholeToWhoeverSkippedTheFrameBefore) {
    Predicted it;
    it.zone.move(2, {70, 0});
    it.zone.tick_without_frames_for({1});
    it.zone.move(2, {140, 0});
    EXPECT_EQ(it.zone.tick(), Lines{"1 move 2"});
    EXPECT_FALSE(it.zone.last_frame_follows());
}

TEST(Turns, AreSoManyOfEverySoManyTicksAndEvenlySpread) {
    for (const TurnRate rate :
         {TurnRate{1, 4}, TurnRate{10, 20}, TurnRate{7, 20}, TurnRate{20, 20}, TurnRate{7, 40}}) {
        for (const std::uint64_t id : {std::uint64_t{0}, std::uint64_t{5}, ~std::uint64_t{0}}) {
            Tick last = 0;
            std::uint32_t turns = 0;
            for (Tick tick = 1; tick <= 10 * rate.ticks; ++tick) {
                const bool is_turn = had_turn(tick, EntityId{id}, rate, 1);
                EXPECT_EQ(had_turn(tick, EntityId{id}, rate, tick - last), is_turn) << "a window";
                if (is_turn) {
                    EXPECT_LE(tick - last, (rate.ticks + rate.turns - 1) / rate.turns);
                    last = tick;
                    ++turns;
                }
            }
            EXPECT_EQ(turns, 10 * rate.turns);
        }
    }
}

TEST(InterestSystem, GivesBackWhatAWatcherKnows) {
    SmallZone zone;
    zone.add(1, {0, 0}, kView);
    zone.add(3, {2, 0});
    zone.add(2, {1, 0});
    zone.tick();
    const KnownSet known = zone.interest().unwatch(zone.slot(1));
    EXPECT_EQ(known.members, (std::vector<Known>{{EntityId{2}, 1}, {EntityId{3}, 1}}));
    EXPECT_EQ(known.synced_tick, 1U);
    EXPECT_FALSE(zone.interest().is_watched(zone.slot(1)));
}

TEST(InterestSystem, GoesOnFromWhatAWatcherBrings) {
    SmallZone there;
    there.add(1, {0, 0}, kView);
    there.add(2, {1, 0});
    there.add(3, {11, 0});
    there.move(3, {10, 0});
    there.tick();
    const KnownSet known = there.interest().unwatch(there.slot(1));

    SmallZone here;
    here.add(9, {50, 50});
    here.add(3, {12, 0});
    here.add(2, {1, 0});
    here.add(1, {0, 0});
    here.set_view(1, kView);
    here.tick();
    here.move(2, {2, 0});
    here.interest().watch(here.slot(1), known);
    EXPECT_EQ(here.tick(), Lines{"1 move 2"});
}

/// Number 1, who was sent number 2 in tick 1, as it comes to an InterestSystem where tick 5 runs.
struct LateComer {
    LateComer() {
        zone.add(1, {0, 0}, kView);
        zone.add(2, {1, 0});
        zone.tick();
        known = zone.interest().unwatch(zone.slot(1));
        for (int i = 0; i < 3; ++i) {
            zone.tick();
        }
    }
    void comes() { zone.interest().watch(zone.slot(1), known); }

    SmallZone zone;
    KnownSet known;
};

TEST(InterestSystem, TellsAllAnewToWhoeverComesAndMissedWhatIsForgotten) {
    LateComer one;
    one.zone.interest().forget_before(3);
    one.comes();
    EXPECT_EQ(one.zone.tick(), (Lines{"1 keyframe", "1 enter 2", "1 lost messages"}));
    EXPECT_EQ(one.zone.tick(), Lines{});
}

TEST(InterestSystem, TellsTheDifferenceToWhoeverComesAndMissedNothingThatIsForgotten) {
    LateComer one;
    one.zone.interest().forget_before(2);
    one.comes();
    EXPECT_EQ(one.zone.tick(), Lines{});
}

TEST(InterestSystem,
     ThatIsNewTellsAllAnewToWhoeverMissedWhatItLearnsIsForgottenWhileChangesWereMissing) {
    const LateComer one;
    SmallZone zone;
    zone.add(1, {0, 0}, kView);
    zone.add(2, {1, 0});
    zone.interest().unwatch(zone.slot(1));
    zone.interest().watch(zone.slot(1), one.known);
    EXPECT_EQ(zone.incomplete_tick(), Lines{});
    zone.interest().note_forgotten_before(3);
    EXPECT_EQ(zone.incomplete_tick(), (Lines{"1 keyframe", "1 enter 2", "1 lost messages"}));
    EXPECT_EQ(zone.incomplete_tick(), Lines{}) << "once";
    EXPECT_EQ(zone.tick(), Lines{});
}

TEST(InterestSystem, TellsNobodyAnewWhoTookAFrameInEachTickHoweverLongChangesAreMissing) {
    SmallZone zone;
    zone.add(1, {0, 0}, kView);
    zone.add(2, {1, 0});
    EXPECT_EQ(zone.incomplete_tick(), Lines{"1 enter 2"});
    for (const bool sees_more : {false, true, false}) {
        for (int i = 0; i < 5; ++i) {
            zone.interest().forget_before(zone.interest().now() - 1);
            EXPECT_EQ(zone.incomplete_tick(), Lines{});
        }
        zone.set_view(1, sees_more ? View::circle(20, 20) : kView);
        const KnownSet known = zone.interest().unwatch(zone.slot(1));
        zone.interest().watch(zone.slot(1), known);
    }
}

TEST(InterestSystem, FindsAKnownEntityThatCameBackAtAnotherSlot) {
    SmallZone zone;
    zone.add(1, {0, 0}, kView);
    zone.add(2, {1, 0});
    zone.tick();
    const Slot slot_before = zone.slot(2);
    const Entity taken = zone.interest().erase(slot_before);
    zone.add(3, {2, 0});
    zone.interest().insert(taken);
    ASSERT_NE(zone.slot(2), slot_before);
    EXPECT_EQ(zone.tick(), Lines{"1 enter 3"});
}

TEST(InterestSystem, BuildsOneFrameForEachThatIsAskedFor) {
    SmallZone zone;
    for (const std::uint64_t id : {1U, 2U, 3U, 4U}) {
        zone.add(id, {0, 0}, kView);
    }
    const std::vector<Slot> asked{zone.slot(3), zone.slot(1), zone.slot(2)};
    std::vector<Slot> built;
    zone.interest().build_frames(asked, true,
                                 [&](const Frame& frame) { built.push_back(frame.watcher); });
    EXPECT_TRUE(std::is_permutation(built.begin(), built.end(), asked.begin(), asked.end()));
}

TEST(InterestSystem, EmptyFramesReachTheSinkToo) {
    SmallZone zone;
    zone.add(1, {0, 0}, kView);
    const std::vector<Slot> asked{zone.slot(1)};
    std::vector<bool> empty;
    zone.interest().build_frames(asked, true,
                                 [&](const Frame& frame) { empty.push_back(frame.is_empty()); });
    EXPECT_EQ(empty, std::vector<bool>{true});
}

TEST(InterestSystemDeathTest, RefusesBrokenPromises) {
    SmallZone zone;
    zone.add(1, {0, 0}, kView);
    zone.add(2, {1, 0});
    InterestSystem& interest = zone.interest();
    const Slot watcher = zone.slot(1);
    const Slot marker = zone.slot(2);
    const std::vector<Slot> twice{watcher, watcher};
    const std::vector<Slot> not_watched{marker};
    const auto ignore = [](const Frame&) {};
    EXPECT_DEATH(interest.begin_tick(1), "now > now_");
    EXPECT_DEATH(interest.insert(entity_at(2, {0, 0})), "broken promise");
    EXPECT_DEATH(interest.insert(entity_at(3, {1'001, 0})), "broken promise");
    EXPECT_DEATH((interest.move(marker, {0, -1'001}), interest.index()), "broken promise");
    EXPECT_DEATH(interest.move(Slot{77}, {0, 0}), "is_live");
    EXPECT_DEATH(interest.set_view(watcher, View::circle(-1, 5)), "flaw_of");
    EXPECT_DEATH(interest.set_view(watcher, View::circle(6, 5)), "flaw_of");
    EXPECT_DEATH(interest.set_view(watcher, View::cylinder(1, 1, 1, 1)), "flaw_of");
    EXPECT_DEATH(interest.set_notify(marker, {2, 1}), "is_sound");
    EXPECT_DEATH(interest.watch(watcher, {}), "is_watched");
    EXPECT_DEATH(interest.unwatch(marker), "is_watched");
    EXPECT_DEATH(interest.watch(marker, {{{EntityId{9}, 1}, {EntityId{9}, 2}}, 0}), "is_in_order");
    EXPECT_DEATH(interest.watch(marker, {{{EntityId{2}, 1}}, 0}), "holds");
    EXPECT_DEATH(interest.build_frames(twice, true, ignore), "framed_tick");
    EXPECT_DEATH(interest.build_frames(not_watched, true, ignore), "is_watched");
}

TEST(InterestSystem, KeepsInMindAsManySourcesAsMayBeHoweverLongAShardIsLate) {
    constexpr std::uint64_t kSources = 4'500;
    SmallZone zone;
    zone.add(1, {0, 0}, kView);
    for (std::uint64_t id = 2; id < 2 + kSources; ++id) {
        zone.add(id, {1, 1});
    }
    EXPECT_EQ(sent_of_messages(zone, true), (SentOfMessages{0, false}));

    const auto say = [&zone](std::uint64_t first, std::uint64_t end) {
        for (std::uint64_t id = first; id < end; ++id) {
            zone.say(id);
        }
    };
    say(2, 3'002);
    EXPECT_EQ(sent_of_messages(zone, false), (SentOfMessages{3'000, false}));
    say(3'002, 2 + kSources);
    EXPECT_EQ(sent_of_messages(zone, false), (SentOfMessages{1'500, true}))
        << "the first are forgotten";
    say(7, 9);
    say(3'007, 3'009);
    EXPECT_EQ(sent_of_messages(zone, false), (SentOfMessages{4, false})) << "nothing is sent again";

    const KnownSet known = zone.interest().unwatch(zone.slot(1));
    EXPECT_LE(known.sent_messages.size(), 4'096U);
    zone.interest().watch(zone.slot(1), known);
    EXPECT_EQ(sent_of_messages(zone, true), (SentOfMessages{0, false}));
    EXPECT_TRUE(zone.interest().unwatch(zone.slot(1)).sent_messages.empty());
}

}  // namespace
}  // namespace marchland::engine::testing
