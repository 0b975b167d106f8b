// What is kept of events by name follows from what was said, and is bounded.

#include "engine/frame/events.h"
#include "tests/engine/between.h"
#include "tests/engine/property.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace marchland::engine::testing {
namespace {

Blob bytes(std::size_t count) {
    return std::make_shared<const std::vector<std::byte>>(count);
}

NamedEvent event(Tick tick, std::uint64_t source, std::uint32_t number, std::size_t size,
                 std::vector<EntityId> to) {
    return {EntityId{source},
            1,
            {tick, number, bytes(size)},
            std::make_shared<const std::vector<EntityId>>(std::move(to))};
}

/// What is told to one, as source and number; and up to which tick something was lost.
using Told = std::pair<std::vector<std::tuple<Tick, EntityId, std::uint32_t, std::size_t>>, Tick>;

/// Asked by one that was told all before `after`, as frames ask.
Told sent(const NamedEvents& events, EntityId target, Tick after) {
    Told result;
    Tick lost = events.lost_tick();
    if (const NamedEvents::Mailbag* const mail = events.find(target)) {
        for (const NamedEvents::Kept& kept : mail->events) {
            if (kept.event.tick > after) {
                result.first.emplace_back(kept.event.tick, kept.source, kept.event.number,
                                          kept.event.bytes().size());
            }
        }
        lost = std::max(lost, mail->lost_tick);
    }
    result.second = lost > after ? lost : kNever;
    return result;
}

/// By the definition: `all` in order, once each.
Told sent_by_definition(const std::vector<NamedEvent>& all, std::size_t namings_max,
                        EntityId target, Tick after) {
    std::size_t namings = 0;
    std::size_t first = all.size();
    while (first > 0 && (all[first - 1].event.tick == all.back().event.tick ||
                         namings + all[first - 1].to->size() <= namings_max)) {
        namings += all[--first].to->size();
    }
    Told result;
    result.second = first > 0 ? all[first - 1].event.tick : kNever;
    std::size_t cost = 0;
    Tick newest = kNever;  // in which it was named
    for (std::size_t at = all.size(); at > first; --at) {
        const NamedEvent& named = all[at - 1];
        if (std::find(named.to->begin(), named.to->end(), target) == named.to->end()) {
            continue;
        }
        newest = std::max(newest, named.event.tick);
        cost += named.event.bytes().size() + 64;
        if (cost > 16'384 && named.event.tick < newest) {
            result.second = std::max(result.second, named.event.tick);
            break;
        }
        if (named.event.tick > after) {
            result.first.emplace_back(named.event.tick, named.source, named.event.number,
                                      named.event.bytes().size());
        }
    }
    std::reverse(result.first.begin(), result.first.end());
    result.second = result.second > after ? result.second : kNever;
    return result;
}

std::vector<NamedEvent> any_events(std::size_t count) {
    std::map<std::tuple<Tick, std::uint64_t, std::uint32_t>, NamedEvent> all;
    for (std::size_t i = 0; i < count; ++i) {
        const auto tick = between<Tick>(1, 40);
        const auto source = between<std::uint64_t>(0, 3);
        const auto number = between<std::uint32_t>(0, tick % 10 == 0 ? 40 : 4);
        const auto named = between<std::uint64_t>(0, 4);
        std::vector<EntityId> to{EntityId{0}};
        for (std::uint64_t target = 0; target < 2; ++target) {
            if ((named >> target) % 2 == 1) {
                to.push_back(EntityId{target + 1});
            }
        }
        all.insert_or_assign({tick, source, number},
                             event(tick, source, number, *rc::gen::element(0U, 900U, 1024U), to));
    }
    std::vector<NamedEvent> list;
    for (const auto& [key, named] : all) {
        list.push_back(named);
    }
    return list;
}

TEST(NamedEvents, KeepsByDefinitionInWhateverOrderTheyAreHeard) {
    check_property([] {
        const std::vector<NamedEvent> all = any_events(between<std::size_t>(1, 250));
        const auto namings_max = between<std::size_t>(1, 400);
        std::vector<NamedEvent> sent_events = all;
        for (std::size_t i = sent_events.size(); i > 1; --i) {
            std::swap(sent_events[i - 1], sent_events[between<std::size_t>(0, i)]);
        }
        NamedEvents events(namings_max);
        NamedEvents newcomer(namings_max);
        NamedEvents forgetful(namings_max);
        const auto window_begins = between<Tick>(1, 40);
        const auto forgets_at = between<std::size_t>(0, sent_events.size());
        const auto half = sent_events.size() / 2;
        for (std::size_t i = 0; i < sent_events.size(); ++i) {
            events.add(sent_events[i]);
            forgetful.add(sent_events[i]);
            if (i == forgets_at) {
                forgetful.forget_before(window_begins);
            }
            if (i == half) {  // it knows what was said before from the other alone, and hears twice
                for (const NamedEvent& named : events.remembered()) {
                    newcomer.add(named);
                }
            }
            if (i + 3 >= half) {
                newcomer.add(sent_events[i]);
            }
            for (const EntityId target : {EntityId{0}, EntityId{1}, EntityId{2}}) {
                RC_ASSERT(i < half || sent(newcomer, target, 0) == sent(events, target, 0));
            }
        }
        for (std::uint64_t target = 0; target < 3; ++target) {
            for (const Tick after : {Tick{0}, Tick{5}, Tick{18}}) {
                const Told expected = sent_by_definition(all, namings_max, EntityId{target}, after);
                RC_ASSERT(sent(events, EntityId{target}, after) == expected);
                RC_ASSERT(sent(newcomer, EntityId{target}, after) == expected);
            }
            for (const Tick after : {window_begins - 1, window_begins + 9}) {
                RC_ASSERT(sent(forgetful, EntityId{target}, after) ==
                          sent_by_definition(all, namings_max, EntityId{target}, after));
            }
        }
    });
}

TEST(NamedEvents, TellsNobodyWhoIsUpToDateThatSomethingWasLost) {
    NamedEvents events(4);
    for (std::uint32_t number = 0; number < 10; ++number) {
        events.add(event(7, 1, number, 10, {EntityId{5}}));
    }
    EXPECT_EQ(events.lost_tick(), kNever);
    EXPECT_EQ(events.find(EntityId{5})->events.size(), 10U);
    events.add(event(8, 1, 0, 10, {EntityId{6}}));
    EXPECT_EQ(events.lost_tick(), 7U);
    EXPECT_EQ(events.find(EntityId{5})->events.size(), 3U);
}

TEST(NamedEvents, ForgetsAllOfWhatNobodyWillAskFor) {
    NamedEvents events(3);
    events.add(event(1, 1, 0, 10, {EntityId{5}}));
    events.add(event(2, 1, 0, 10, {EntityId{5}, EntityId{6}}));
    events.forget_before(2);
    EXPECT_EQ(events.find(EntityId{5})->events.size(), 1U);
    events.forget_before(3);
    EXPECT_EQ(events.find(EntityId{5}), nullptr);
    EXPECT_EQ(events.find(EntityId{6}), nullptr);
    EXPECT_TRUE(events.remembered().empty());
    events.add(event(2, 1, 0, 10, {EntityId{5}, EntityId{6}}));
    EXPECT_TRUE(events.remembered().empty()) << "it comes late";
    events.add(event(4, 1, 0, 10, {EntityId{7}}));
    EXPECT_EQ(events.lost_tick(), kNever);
}

TEST(NamedEvents, ForgetsAfterAWhileWhoseEventsGaveWayElsewhere) {
    NamedEvents events;
    for (const Tick tick : {6, 7}) {
        for (std::uint32_t number = 0; number < 17; ++number) {
            events.add(event(tick, 1, number, 1'024, {EntityId{5}}));
        }
    }
    NamedEvents newcomer;
    for (const NamedEvent& named :
         events.remembered([](EntityId source, Tick) { return source == EntityId{2}; })) {
        newcomer.add(named);
    }
    ASSERT_NE(newcomer.find(EntityId{5}), nullptr);
    EXPECT_EQ(newcomer.find(EntityId{5})->lost_tick, 6U);
    EXPECT_TRUE(newcomer.find(EntityId{5})->events.empty());
    newcomer.forget_before(6);
    EXPECT_NE(newcomer.find(EntityId{5}), nullptr);
    newcomer.forget_before(7);
    EXPECT_EQ(newcomer.find(EntityId{5}), nullptr);
}

TEST(NamedEvents, NothingOfTheNewestTickGivesWayToOthersThatNameTheSame) {
    NamedEvents events;
    events.add(event(6, 1, 0, 10, {EntityId{5}}));
    for (std::uint32_t number = 0; number < 100; ++number) {
        events.add(event(7, 1, number, 1'024, {EntityId{5}}));
    }
    EXPECT_EQ(events.find(EntityId{5})->events.size(), 100U);
    EXPECT_EQ(events.find(EntityId{5})->lost_tick, 6U);
    events.add(event(8, 1, 0, 1'024, {EntityId{5}}));
    EXPECT_EQ(events.find(EntityId{5})->events.size(), 15U);
    EXPECT_EQ(events.find(EntityId{5})->lost_tick, 7U);
}

/// As shards pass on what their own entities said: each a part, in any order, and one of them all.
TEST(NamedEvents, ComesWholeToANewcomerInPartsWhicheverIsFirst) {
    check_property([] {
        const std::vector<NamedEvent> all = any_events(between<std::size_t>(1, 250));
        const auto namings_max = between<std::size_t>(1, 400);
        NamedEvents events(namings_max);
        for (const NamedEvent& named : all) {
            events.add(named);
        }
        NamedEvents newcomer(namings_max);
        const auto part_first = between<std::uint64_t>(0, 3);
        for (std::uint64_t i = 0; i < 3; ++i) {
            const EntityId source{(part_first + i) % 3};
            const auto said_by_it = [source](EntityId by, Tick) { return by == source; };
            for (const NamedEvent& named : events.remembered(said_by_it)) {
                newcomer.add(named);
            }
            // Until all have come it knows a part of that, and of each event what it says.
            for (std::uint64_t target = 0; target < 3; ++target) {
                const auto known = sent(newcomer, EntityId{target}, 0).first;
                const auto expected =
                    sent_by_definition(all, namings_max, EntityId{target}, 0).first;
                RC_ASSERT(
                    std::includes(expected.begin(), expected.end(), known.begin(), known.end()));
            }
        }
        for (std::uint64_t target = 0; target < 3; ++target) {
            RC_ASSERT(sent(newcomer, EntityId{target}, 0) ==
                      sent_by_definition(all, namings_max, EntityId{target}, 0));
        }
    });
}

TEST(NamedEvents, KeepsNoPayloadThatGaveWay) {
    NamedEvents events;
    const Blob payload = bytes(1'024);
    const auto to = std::make_shared<const std::vector<EntityId>>(1, EntityId{7});
    for (Tick tick = 1; tick <= 600; ++tick) {
        events.add({EntityId{1}, 1, {tick, 0, payload}, to});
    }
    EXPECT_EQ(events.find(EntityId{7})->events.size(), 15U);
    EXPECT_EQ(payload.use_count(), 1 + 15);
}

}  // namespace
}  // namespace marchland::engine::testing
