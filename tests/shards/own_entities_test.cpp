#include "shards/own_entities.h"

#include "tests/shards/recording_port.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

namespace marchland::shards {
namespace {

using engine::Slot;

OwnRecord record_of(std::uint32_t io_thread) {
    return {std::make_shared<tests::RecordingPort>(io_thread), engine::kNever, {}, true, false};
}

std::set<Slot> slots_of(const OwnEntities& own) {
    return {own.slots().begin(), own.slots().end()};
}

TEST(OwnEntities, OwnsWhatWasAddedAndNothingElse) {
    OwnEntities own;
    own.add(Slot{7}, record_of(1));
    EXPECT_TRUE(own.owns(Slot{7}));
    EXPECT_FALSE(own.owns(Slot{6}));
    EXPECT_FALSE(own.owns(Slot{1'000}));
    EXPECT_EQ(own.size(), 1U);
}

TEST(OwnEntities, EachSlotKeepsItsRecordWhenOthersGo) {
    for (const std::uint32_t removed : {0U, 3U, 5U}) {
        OwnEntities own;
        for (const std::uint32_t slot : {0U, 3U, 5U}) {
            own.add(Slot{slot}, record_of(slot));
        }
        EXPECT_EQ(own.remove(Slot{removed}).port->io_thread(), removed);
        EXPECT_FALSE(own.owns(Slot{removed}));
        EXPECT_EQ(own.size(), 2U);
        EXPECT_EQ(slots_of(own).size(), 2U);
        for (const Slot slot : own.slots()) {
            EXPECT_EQ(own.at(slot).port->io_thread(), to_number(slot));
        }
    }
}

TEST(OwnEntities, SlotMayBeOwnedAgain) {
    OwnEntities own;
    own.add(Slot{2}, record_of(1));
    own.remove(Slot{2});
    own.add(Slot{2}, record_of(9));
    EXPECT_EQ(own.at(Slot{2}).port->io_thread(), 9U);
}

TEST(OwnEntitiesDeathTest, SlotThatIsNotOwnIsABrokenPromise) {
    OwnEntities own;
    own.add(Slot{2}, record_of(1));
    EXPECT_DEATH(own.add(Slot{2}, record_of(1)), "owns");
    EXPECT_DEATH(own.remove(Slot{3}), "owns");
    EXPECT_DEATH(static_cast<void>(own.at(Slot{0})), "owns");
}

}  // namespace
}  // namespace marchland::shards
