#include "engine/entity_store.h"
#include "tests/engine/property.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <vector>

namespace marchland::engine::testing {
namespace {

constexpr EntityId kLargest{std::numeric_limits<std::uint64_t>::max()};

TEST(IdTable, FindsWhatWasInserted) {
    IdTable table;
    EXPECT_EQ(table.find(EntityId{0}), std::nullopt);
    table.insert(EntityId{0}, Slot{3});
    table.insert(kLargest, Slot{0});
    EXPECT_EQ(table.find(EntityId{0}), Slot{3});
    EXPECT_EQ(table.find(kLargest), Slot{0});
    EXPECT_EQ(table.find(EntityId{1}), std::nullopt);
    EXPECT_EQ(table.size(), 2U);
}

TEST(IdTable, KeepsAllWhenItGrows) {
    IdTable table;
    for (std::uint32_t number = 0; number < 1'000; ++number) {
        table.insert(EntityId{std::uint64_t{number} << 32U}, Slot{number});
    }
    for (std::uint32_t number = 0; number < 1'000; ++number) {
        ASSERT_EQ(table.find(EntityId{std::uint64_t{number} << 32U}), Slot{number});
    }
}

/// Few ids, often erased: chains of collisions with gaps in them, over the end of the table too.
TEST(IdTable, IsAMapUnderAnyHistory) {
    check_property([] {
        const auto ids = *rc::gen::container<std::vector<std::uint64_t>>(
            400, rc::gen::inRange<std::uint64_t>(0, 40));
        IdTable table;
        std::map<std::uint64_t, Slot> expected;
        std::uint32_t next = 0;
        for (const std::uint64_t id : ids) {
            if (expected.erase(id) != 0) {
                table.erase(EntityId{id});
            } else {
                table.insert(EntityId{id}, Slot{next});
                expected[id] = Slot{next++};
            }
            RC_ASSERT(table.size() == expected.size());
        }
        for (std::uint64_t id = 0; id < 40; ++id) {
            const auto found = expected.find(id);
            RC_ASSERT(table.find(EntityId{id}) ==
                      (found == expected.end() ? std::nullopt : std::optional(found->second)));
        }
    });
}

TEST(IdTableDeathTest, RefusesBrokenPromises) {
    IdTable table;
    EXPECT_DEATH(table.erase(EntityId{1}), "broken promise");
    table.insert(EntityId{1}, Slot{1});
    EXPECT_DEATH(table.insert(EntityId{1}, Slot{2}), "broken promise");
    EXPECT_DEATH(table.erase(EntityId{2}), "broken promise");
}

}  // namespace
}  // namespace marchland::engine::testing
