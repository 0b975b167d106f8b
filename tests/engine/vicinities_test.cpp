// Who is around each cell is right, however it was found out; and what is kept stays in proportion to who is
// there, however far the watchers travel.

#include "engine/vicinities.h"

#include "engine/index_factory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
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

/// Entities of which all look around when the world begins; it is for the tests to say who moves.
class World {
public:
    void stand(EntityId id, Position at) {
        Entity entity;
        entity.id = id;
        entity.position = at;
        slots_.push_back(entities_.insert(entity));
        rows_.insert(slots_.back(), entity);
        index_.insert(slots_.back(), at);
    }
    void begin() {
        vicinities_.reset(kEdgeMm, entities_);
        rows_.begin_tick();
        look_around();
    }
    void look_around() {
        for (const Slot slot : slots_) {
            vicinities_.around(slot, scene());
        }
    }

    /// A tick in which each goes to where `next` says, which is asked in the order in which they came.
    void go(const std::function<Position(std::size_t, Position)>& next) {
        ++now_;
        rows_.begin_tick();
        vicinities_.begin_tick();
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            Position& at = entities_.at(slots_[i]).position;
            const Position to = next(i, at);
            if (to != at) {
                index_.move(slots_[i], at);
                at = to;
                rows_.move(slots_[i], at);
            }
        }
        vicinities_.settle(entities_, rows_, now_);
    }

    /// Around the cell in which this one is.
    [[nodiscard]] std::vector<EntityId> members(std::size_t of) {
        std::vector<EntityId> ids;
        for (const Slot slot : vicinities_.at(vicinities_.around(slots_[of], scene())).members) {
            ids.push_back(entities_.at(slot).id);
        }
        return ids;
    }
    /// The same as their positions say, in ascending id.
    [[nodiscard]] std::vector<EntityId> expected(std::size_t of) const {
        const Cell cell = cell_at(slots_[of]);
        std::vector<EntityId> ids;
        for (const Slot slot : slots_) {
            if (cell.is_beside(cell_at(slot))) {
                ids.push_back(entities_.at(slot).id);
            }
        }
        std::ranges::sort(ids);
        return ids;
    }
    [[nodiscard]] std::size_t vicinity_count() const { return vicinities_.size(); }
    [[nodiscard]] bool is_index_behind() const { return index_.moves_behind() != 0; }

private:
    [[nodiscard]] Cell cell_at(Slot slot) const {
        const Position at = entities_.at(slot).position;
        return cell_of(at.x, at.y, kEdgeMm);
    }
    [[nodiscard]] Scene scene() {
        return {entities_, index_, beacons_, departures_, news_, {}, Dimensions::two, now_};
    }

    EntityStore entities_;
    Rows rows_{Dimensions::two};
    DeferredIndex index_{small_index()};
    Beacons beacons_;
    Departures departures_;
    News news_;
    Vicinities vicinities_;
    std::vector<Slot> slots_;
    Tick now_ = 1;
};

TEST(Vicinities, AreNotManyMoreThanThereAreEntities) {
    constexpr std::size_t kTravellers =
        32;  // a handful: so what is kept is never dropped as a whole
    World world;
    for (std::uint32_t i = 0; i < kTravellers; ++i) {
        world.stand(EntityId{i}, {0, static_cast<std::int32_t>(i) * 2 * kEdgeMm, 0});
    }
    world.begin();
    for (int tick = 0; tick < 200; ++tick) {
        world.go([](std::size_t, Position at) { return Position{at.x + kEdgeMm, at.y, at.z}; });
        world.look_around();
    }
    for (std::size_t i = 0; i < kTravellers; ++i) {
        EXPECT_EQ(world.members(i), world.expected(i));
    }
    EXPECT_LE(world.vicinity_count(), kTravellers + kTravellers / 8 + 64 + kTravellers);
}

/// One after another and all in one go give the same members.
TEST(Vicinities, OfACrowdKnowWhoCameAndWhoWentHoweverManyDid) {
    constexpr std::size_t kCrowd = 600;
    World world;
    for (std::uint32_t i = 0; i < kCrowd; ++i) {
        const std::int32_t column = i < kCrowd / 2 ? 0 : 3;
        world.stand(EntityId{i * 7919 % kCrowd}, {column * kEdgeMm, 0, 0});
    }
    world.begin();
    for (const std::size_t crossing : {1, 12, 30, 34, 60, 140, 2, 70}) {
        // Of either half so many change sides.
        world.go([&](std::size_t i, Position at) {
            const bool crosses = i % (kCrowd / 2) < crossing;
            return crosses ? Position{3 * kEdgeMm - at.x, 0, 0} : at;
        });
        EXPECT_EQ(world.members(0), world.expected(0)) << crossing;
        EXPECT_EQ(world.members(kCrowd - 1), world.expected(kCrowd - 1)) << crossing;
    }
}

/// A few in each of 5 x 5 cells but the middle one, in descending id.
class AroundAHole {
public:
    static constexpr std::size_t kInACell = 4;
    AroundAHole() {
        std::uint64_t id = 200;
        for (std::int32_t row = 0; row < 5; ++row) {
            for (std::int32_t column = 0; column < 5; ++column) {
                const bool is_hole = row == 2 && column == 2;
                for (std::size_t i = 0; i < (is_hole ? 0 : kInACell); ++i) {
                    world.stand(EntityId{--id}, {column * kEdgeMm, row * kEdgeMm, 0});
                }
            }
        }
        world.begin();
    }

    /// All go a step within their cells, and the first one goes there.
    void go(Position to) {
        world.go([&](std::size_t i, Position at) {
            return i == 0 ? to : Position{at.x + 1, at.y, at.z};
        });
    }
    void go_alone(Position to) {
        world.go([&](std::size_t i, Position at) { return i == 0 ? to : at; });
    }

    /// That the first one's vicinity is right, of so many cells and itself.
    void expect_members_of_cells(std::size_t count) {
        EXPECT_EQ(world.members(0), world.expected(0));
        EXPECT_EQ(world.members(0).size(), count * kInACell + 1);
    }

    World world;
};

TEST(Vicinities, AreMadeFromThoseAroundThemWhileTheIndexIsBehind) {
    AroundAHole hole;
    hole.go({2 * kEdgeMm + 3, 2 * kEdgeMm + 3, 0});
    hole.expect_members_of_cells(8);
    EXPECT_TRUE(hole.world.is_index_behind());
}

/// To catch up with a single move costs less.
TEST(Vicinities, AreMadeFromTheIndexWhileItIsHardlyBehind) {
    AroundAHole hole;
    hole.go_alone({2 * kEdgeMm + 3, 2 * kEdgeMm + 3, 0});
    hole.expect_members_of_cells(8);
    EXPECT_FALSE(hole.world.is_index_behind());
}

TEST(Vicinities, AreMadeFromTheIndexWhereNobodyLookedAroundYet) {
    AroundAHole hole;
    hole.go({5 * kEdgeMm + 3, 2 * kEdgeMm + 3, 0});
    hole.expect_members_of_cells(3);
    EXPECT_FALSE(hole.world.is_index_behind());
}

}  // namespace
}  // namespace marchland::engine
