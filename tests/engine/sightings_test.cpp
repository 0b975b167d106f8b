// What a watcher knows, beside a std::map that knows the same.

#include "engine/sightings.h"

#include "tests/properties/dice.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace marchland::engine::testing {
namespace {

/// Sightings and a map through the same frames. Each frame some go and some come; a share of the frames
/// looks at all afterwards, so that changes wait for long, or not at all.
class SightingsAndMap {
public:
    SightingsAndMap(std::uint64_t seed, std::size_t ids, unsigned percent_looked_at)
        : dice_(seed), ids_(ids), percent_looked_at_(percent_looked_at) {}

    void frame(std::size_t going_max, std::size_t coming_max) {
        for (std::size_t left = dice_.below(going_max + 1); left > 0 && !map_.empty(); --left) {
            const auto gone = map_.lower_bound(any_id());
            if (gone != map_.end()) {
                known_.forget(gone->first);
                map_.erase(gone);
            }
        }
        std::map<EntityId, Sighting> coming;
        for (std::size_t left = dice_.below(coming_max + 1); left > 0; --left) {
            const EntityId id = any_id();
            if (!map_.contains(id)) {
                coming[id] = {{id, ++births_}, Slot{static_cast<std::uint32_t>(births_)}};
            }
        }
        std::vector<Sighting> entered;
        for (const auto& [id, sighting] : coming) {
            entered.push_back(sighting);
            map_[id] = sighting;
        }
        known_.add(entered);
        compare();
    }

    void forget_everybody() {
        for (const auto& [id, sighting] : map_) {
            known_.forget(id);
        }
        map_.clear();
    }

private:
    EntityId any_id() { return EntityId{dice_.below(ids_)}; }

    void compare() {
        ASSERT_EQ(known_.size(), map_.size());
        const EntityId id = any_id();
        const Sighting* const found = known_.find(id, dice_.below(ids_));
        const auto expected = map_.find(id);
        ASSERT_EQ(found != nullptr, expected != map_.end());
        if (found != nullptr) {
            EXPECT_EQ(found->known, expected->second.known);
            EXPECT_EQ(found->slot, expected->second.slot);
        }
        if (dice_.chance(percent_looked_at_)) {
            auto next = map_.begin();
            for (const Sighting& sighting : known_.all()) {
                EXPECT_EQ(sighting.known, next->second.known);
                EXPECT_EQ(sighting.slot, next->second.slot);
                EXPECT_EQ(sighting.held_ticks, 0U);
                ++next;
            }
        }
    }

    tests::Dice dice_;
    const std::size_t ids_;
    const unsigned percent_looked_at_;
    Sightings known_;
    std::map<EntityId, Sighting> map_;
    Tick births_ = 0;
};

TEST(Sightings, KnowWhatAMapKnows) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        for (const std::size_t ids : {4U, 40U, 1'000U}) {
            SightingsAndMap both(seed, ids, seed % 3 == 0 ? 30 : 2);
            for (int frame = 0; frame < 200 && !::testing::Test::HasFatalFailure(); ++frame) {
                both.frame(ids / 20 + 2, ids / 15 + 2);
            }
        }
    }
}

TEST(Sightings, KnowWhatAMapKnowsAfterJumpsFromCrowdToCrowd) {
    SightingsAndMap both(1, 600, 5);
    for (int jump = 0; jump < 200 && !::testing::Test::HasFatalFailure(); ++jump) {
        both.frame(3, 400);
        both.frame(3, 3);
        both.forget_everybody();
    }
}

}  // namespace
}  // namespace marchland::engine::testing
