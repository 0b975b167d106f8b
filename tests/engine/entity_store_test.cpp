#include "engine/entity_store.h"

#include <gtest/gtest.h>

#include <memory>

namespace marchland::engine {
namespace {

Entity entity_with(std::uint64_t id, Tick birth = 1) {
    Entity entity;
    entity.id = EntityId{id};
    entity.birth = birth;
    return entity;
}

TEST(EntityStore, FindsBySlotAndById) {
    EntityStore store;
    const Slot slot = store.insert(entity_with(0, 9));
    EXPECT_EQ(store.find(EntityId{0}), slot);
    EXPECT_EQ(store.at(slot).birth, 9U);
    EXPECT_TRUE(store.is_live(slot));
    EXPECT_EQ(store.find(EntityId{0}, slot), slot);
    EXPECT_EQ(store.find(EntityId{0}, Slot{0xFFFF'FFFF}), slot);
    EXPECT_EQ(store.find(EntityId{1}, slot), std::nullopt);
    EXPECT_EQ(store.size(), 1U);
}

TEST(EntityStore, GivesAnErasedRecordBack) {
    EntityStore store;
    Entity entity = entity_with(4);
    entity.kind = 77;
    const Slot slot = store.insert(entity);
    EXPECT_EQ(store.erase(slot).kind, 77U);
    EXPECT_FALSE(store.is_live(slot));
    EXPECT_EQ(store.find(EntityId{4}), std::nullopt);
    EXPECT_EQ(store.size(), 0U);
}

TEST(EntityStore, UsesSlotsAgainOnceTheyAreFreed) {
    EntityStore store;
    store.insert(entity_with(1));
    const Slot freed = store.insert(entity_with(2));
    store.insert(entity_with(3));
    const Tick birth = store.at(freed).birth;
    store.erase(freed);
    EXPECT_EQ(store.birth_at(freed), birth);
    const Slot other = store.insert(entity_with(4));
    EXPECT_NE(other, freed);
    store.free_erased();
    EXPECT_EQ(store.insert(entity_with(5)), freed);
    EXPECT_EQ(store.slot_count(), 4U);
}

TEST(EntityStore, LetsGoOfTheStateOfAnErasedEntity) {
    EntityStore store;
    Entity entity = entity_with(1);
    auto bytes = std::make_shared<const std::vector<std::byte>>(1);
    const std::weak_ptr<const std::vector<std::byte>> held = bytes;
    entity.state = with(nullptr, std::vector<StateWrite>{{0, std::move(bytes)}}, 1);
    EXPECT_FALSE(held.expired());
    const Slot slot = store.insert(std::move(entity));
    store.erase(slot);
    EXPECT_TRUE(held.expired());
}

TEST(EntityStoreDeathTest, RefusesBrokenPromises) {
    EntityStore store;
    const Slot slot = store.insert(entity_with(1));
    EXPECT_DEATH(store.insert(entity_with(1)), "broken promise");
    EXPECT_DEATH(static_cast<void>(store.at(Slot{5})), "is_live");
    store.erase(slot);
    EXPECT_DEATH(static_cast<void>(store.at(slot)), "is_live");
    EXPECT_DEATH(store.erase(slot), "is_live");
}

}  // namespace
}  // namespace marchland::engine
