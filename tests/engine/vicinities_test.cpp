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

}  // namespace
}  // namespace marchland::engine
