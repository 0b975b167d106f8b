// A state comes from a file, which anybody may have written: what no zone comes to is refused, and
// never an assert.

#include "net/restore.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>

namespace marchland::net::testing {
namespace {

shards::ZoneOptions small_zone() {
    shards::ZoneOptions zone;
    zone.world = {-1'000, -1'000, 1'000, 1'000};
    return zone;
}

shards::KeptZone zone_with_one() {
    shards::KeptZone kept;
    kept.tick = 100;
    kept.next_id = 8;
    kept.next_owner = 3;
    shards::KeptEntity one;
    one.entity.id = engine::EntityId{7};
    one.entity.birth = 100;
    one.owner = {2, 0};
    kept.entities.push_back(one);
    return kept;
}

TEST(Restore, OfAZoneThatMayBeIsNotRefused) {
    EXPECT_EQ(flaw_of(zone_with_one(), small_zone()), std::nullopt);
}

TEST(Restore, OfWhatNoZoneComesToIsRefused) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    struct Case {
        const char* what;
        std::function<void(shards::KeptZone&)> spoil;
    };
    using Zone = shards::KeptZone;
    const Case cases[] = {
        {"an id that was not given yet", [](Zone& zone) { zone.next_id = 7; }},
        {"no id", [](Zone& zone) { zone.entities[0].entity.id = engine::EntityId{0}; }},
        {"a birth to come", [](Zone& zone) { zone.entities[0].entity.birth = 101; }},
        {"a birth of 2^63",
         [](Zone& zone) {
             zone.entities[0].entity.birth = std::uint64_t{1} << 63U;
             zone.tick = kMost;
         }},
        {"an owner that was not given yet", [](Zone& zone) { zone.next_owner = 2; }},
        {"nobody's owner", [](Zone& zone) { zone.next_owner = 0; }},
        {"ids beyond what frames can name",
         [](Zone& zone) {
             zone.next_id = std::uint64_t{1} << 61U;
             zone.entities[0].entity.id = engine::EntityId{zone.next_id - 1};
         }},
        {"a service without a number",
         [](Zone& zone) {
             zone.sessions.push_back({{shards::SessionKey::Kind::service, 0}, "", "", 0});
         }},
        {"a service that has not come yet",
         [](Zone& zone) {
             zone.sessions.push_back({{shards::SessionKey::Kind::service, 3}, "", "", 0});
         }},
        {"owners at their end", [](Zone& zone) { zone.next_owner = kMost; }},
        {"a tick at their end", [](Zone& zone) { zone.tick = kMost; }},
        {"a time at its end", [](Zone& zone) { zone.server_time_us = kMost; }},
        {"written before there were computers",
         [](Zone& zone) { zone.written_at_us = std::numeric_limits<std::int64_t>::min(); }},
    };
    for (const Case& one : cases) {
        shards::KeptZone kept = zone_with_one();
        one.spoil(kept);
        EXPECT_NE(flaw_of(kept, small_zone()), std::nullopt) << one.what;
    }
}

}  // namespace
}  // namespace marchland::net::testing
