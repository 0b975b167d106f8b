// Contract point 4: every entity has one owner in every tick, and pacing on a border does not
// bounce it.

#include "tests/properties/ownership.h"

#include "tests/properties/contract.h"
#include "tests/properties/lockstep_player.h"
#include "tests/properties/property_case.h"

#include <gtest/gtest.h>

#include <map>

namespace marchland::tests {
namespace {

using Owners = std::map<engine::EntityId, shards::ShardId>;

class Ownership : public ::testing::TestWithParam<LayoutKind> {};

TEST_P(Ownership, EveryEntityHasExactlyOneOwnerInEveryTick) {
    check_cases(30, any_changing_case(GetParam()), [](const Case& played) {
        LockstepPlayer player(played.stage, played.history, played.changes);
        while (!player.is_finished()) {
            const engine::Tick tick = player.step();
            const Owners owners = expect_one_owner_at_most(player.zone());
            const auto states = states_at(player.lives(), tick);
            RC_ASSERT(owners.size() == states.size());
            for (const auto& [id, state] : states) {
                RC_ASSERT(owners.contains(id));
            }
        }
    });
}

/// The owner stays while the entity is within the hysteresis of the region that it has in this
/// tick, and else is whoever owns the place. Who was not there in the tick before begins where it
/// joined.
void expect_hysteresis(const shards::Layout& layout, std::int32_t hysteresis_mm,
                       const std::vector<Life>& lives, engine::Tick tick, const Owners& before,
                       const Owners& after) {
    for (const Life& life : lives) {
        if (!life.is_there(tick)) {
            continue;
        }
        const engine::Position at = state_at(life, tick).at;
        const shards::ShardId old_owner =
            life.joined == tick ? layout.owner_of(life.join.at) : before.at(life.id());
        const bool is_kept = layout.contains(old_owner) &&
                             layout.region(old_owner).area.grown_by(hysteresis_mm).contains(at);
        RC_ASSERT(after.at(life.id()) == (is_kept ? old_owner : layout.owner_of(at)));
    }
}

TEST_P(Ownership, ChangesOnlyBeyondTheHysteresis) {
    check_cases(30, any_changing_case(GetParam()), [](const Case& played) {
        LockstepPlayer player(played.stage, played.history, played.changes);
        Owners before;
        while (!player.is_finished()) {
            const engine::Tick tick = player.step();
            const Owners after = expect_one_owner_at_most(player.zone());
            expect_hysteresis(player.zone().layout(), played.stage.options.border_hysteresis_mm,
                              player.lives(), tick, before, after);
            before = after;
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Layouts, Ownership, ::testing::ValuesIn(kAllLayoutKinds),
                         [](const auto& layout) { return name_of(layout.param); });

}  // namespace
}  // namespace marchland::tests
