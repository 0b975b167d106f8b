// What is kept around cells stays in proportion to who is there, however far the watchers travel.

#include "engine/vicinities.h"

#include "engine/index_factory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace marchland::engine {
namespace {

constexpr std::int32_t kEdgeMm = 10;

std::unique_ptr<Index> small_index() {
    IndexOptions options;
    options.bounds = {-1'000'000, -1'000'000, 1'000'000, 1'000'000};
    options.cell_mm = 1'000;
    return make_index("grid", options);
}

/// Watchers in a row, each in a cell of its own, all of which look around in each tick.
class Travellers {
public:
    explicit Travellers(std::uint32_t count) : index_(small_index()) {
        for (std::uint32_t i = 0; i < count; ++i) {
            Entity entity;
            entity.id = EntityId{i};
            entity.position = {0, static_cast<std::int32_t>(i) * 2 * kEdgeMm, 0};
            slots_.push_back(entities_.insert(entity));
            rows_.insert(slots_.back(), entity);
            index_.insert(slots_.back(), entity.position);
        }
        vicinities_.reset(kEdgeMm, entities_);
        rows_.begin_tick();
    }

    /// All go one cell on.
    void travel() {
        ++now_;
        vicinities_.begin_tick();
        for (const Slot slot : slots_) {
            Position& at = entities_.at(slot).position;
            index_.move(slot, at);
            at.x += kEdgeMm;
            rows_.move(slot, at);
        }
        vicinities_.settle(entities_, rows_, now_);
        rows_.begin_tick();
        const Scene scene{entities_, index_, beacons_,        departures_,
                          news_,     {},     Dimensions::two, now_};
        for (const Slot slot : slots_) {
            vicinities_.around(slot, scene);
        }
    }

    [[nodiscard]] const Vicinities& vicinities() const { return vicinities_; }
    /// Each is a member where it is.
    [[nodiscard]] bool are_all_at_home() {
        const Scene scene{entities_, index_, beacons_,        departures_,
                          news_,     {},     Dimensions::two, now_};
        return std::ranges::all_of(slots_, [&](Slot slot) {
            const auto& members = vicinities_.at(vicinities_.around(slot, scene)).members;
            return std::ranges::count(members, slot) == 1;
        });
    }

private:
    EntityStore entities_;
    Rows rows_{Dimensions::two};
    DeferredIndex index_;
    Beacons beacons_;
    Departures departures_;
    News news_;
    Vicinities vicinities_;
    std::vector<Slot> slots_;
    Tick now_ = 1;
};

TEST(Vicinities, AreNotManyMoreThanThereAreEntities) {
    Travellers travellers(
        32);  // few enough to be a handful: so what is kept is never dropped as a whole
    for (int tick = 0; tick < 200; ++tick) {
        travellers.travel();
    }
    EXPECT_TRUE(travellers.are_all_at_home());
    EXPECT_LE(travellers.vicinities().size(), 32U + 32 / 8 + 64 + 32);
}

/// One in each of 5 x 5 cells but the middle one, in descending id; all look around.
class AroundAHole {
public:
    AroundAHole() : index_(small_index()) {
        std::uint64_t id = 100;
        for (std::int32_t row = 0; row < 5; ++row) {
            for (std::int32_t column = 0; column < 5; ++column) {
                if (row != 2 || column != 2) {
                    stand(EntityId{--id}, {column * kEdgeMm, row * kEdgeMm, 0});
                }
            }
        }
        vicinities_.reset(kEdgeMm, entities_);
        rows_.begin_tick();
        for (const Slot slot : slots_) {
            vicinities_.around(slot, scene());
        }
    }

    /// All go a step within their cells, and the first one goes there.
    void go(Position to) {
        ++now_;
        vicinities_.begin_tick();
        for (const Slot slot : slots_) {
            Position& at = entities_.at(slot).position;
            index_.move(slot, at);
            at = slot == slots_.front() ? to : Position{at.x + 1, at.y, at.z};
            rows_.move(slot, at);
        }
        vicinities_.settle(entities_, rows_, now_);
    }

    /// Of the cell in which the first one is.
    [[nodiscard]] std::vector<EntityId> members() {
        const auto number = vicinities_.around(slots_.front(), scene());
        std::vector<EntityId> ids;
        for (const Slot slot : vicinities_.at(number).members) {
            ids.push_back(entities_.at(slot).id);
        }
        return ids;
    }
    /// In the cells around, in ascending id.
    [[nodiscard]] std::vector<EntityId> expected() const {
        const Position middle = entities_.at(slots_.front()).position;
        const Cell cell = cell_of(middle.x, middle.y, kEdgeMm);
        std::vector<EntityId> ids;
        for (const Slot slot : slots_) {
            const Position at = entities_.at(slot).position;
            if (cell.is_beside(cell_of(at.x, at.y, kEdgeMm))) {
                ids.push_back(entities_.at(slot).id);
            }
        }
        std::ranges::sort(ids);
        return ids;
    }
    [[nodiscard]] bool is_index_behind() const { return index_.is_behind(); }

private:
    void stand(EntityId id, Position at) {
        Entity entity;
        entity.id = id;
        entity.position = at;
        slots_.push_back(entities_.insert(entity));
        rows_.insert(slots_.back(), entity);
        index_.insert(slots_.back(), at);
    }
    [[nodiscard]] Scene scene() {
        return {entities_, index_, beacons_, departures_, news_, {}, Dimensions::two, now_};
    }

    EntityStore entities_;
    Rows rows_{Dimensions::two};
    DeferredIndex index_;
    Beacons beacons_;
    Departures departures_;
    News news_;
    Vicinities vicinities_;
    std::vector<Slot> slots_;
    Tick now_ = 1;
};

TEST(Vicinities, AreMadeFromThoseAroundThemWhileTheIndexIsBehind) {
    AroundAHole world;
    world.go({2 * kEdgeMm + 3, 2 * kEdgeMm + 3, 0});
    EXPECT_EQ(world.members(), world.expected());
    EXPECT_EQ(world.members().size(), 9U);
    EXPECT_TRUE(world.is_index_behind());
}

TEST(Vicinities, AreMadeFromTheIndexWhereNobodyLookedAroundYet) {
    AroundAHole world;
    world.go({5 * kEdgeMm + 3, 2 * kEdgeMm + 3, 0});
    EXPECT_EQ(world.members(), world.expected());
    EXPECT_EQ(world.members().size(), 4U);
    EXPECT_FALSE(world.is_index_behind());
}

}  // namespace
}  // namespace marchland::engine
