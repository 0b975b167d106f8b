// Random histories of one index, beside the brute force one.

#include "tests/engine/brute_force_index.h"
#include "tests/engine/found_in.h"
#include "tests/engine/ground.h"
#include "tests/engine/property.h"

#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <tuple>
#include <vector>

namespace marchland::engine::testing {
namespace {

struct Change {
    std::uint32_t slot = 0;
    Position to;
    bool is_erase = false;
};

std::ostream& operator<<(std::ostream& out, const Change& change) {
    return out << (change.is_erase ? "erase " : "put ") << change.slot << " at " << change.to;
}

/// Filling, staying full, emptying: so that a cell becomes crowded and stops being so.
rc::Gen<std::vector<Change>> changes_on(const Ground& ground) {
    const auto change = [&](int erases) {
        return rc::gen::build<Change>(
            rc::gen::set(&Change::slot, rc::gen::inRange(0U, 250U)),
            rc::gen::set(&Change::to, position_on(ground)),
            rc::gen::set(&Change::is_erase,
                         rc::gen::map(rc::gen::inRange(0, 10),
                                      [erases](int roll) { return roll < erases; })));
    };
    return rc::gen::apply(
        [](std::vector<Change> fills, const std::vector<Change>& moves,
           const std::vector<Change>& empties) {
            fills.insert(fills.end(), moves.begin(), moves.end());
            fills.insert(fills.end(), empties.begin(), empties.end());
            return fills;
        },
        rc::gen::container<std::vector<Change>>(180, change(0)),
        rc::gen::container<std::vector<Change>>(change(4)),
        rc::gen::container<std::vector<Change>>(180, change(8)));
}

void apply(const Change& change, Index& index, const std::map<std::uint32_t, Position>& where) {
    const auto at = where.find(change.slot);
    if (at == where.end()) {
        if (!change.is_erase) {
            index.insert(Slot{change.slot}, change.to);
        }
    } else if (change.is_erase) {
        index.erase(Slot{change.slot}, at->second);
    } else {
        index.move(Slot{change.slot}, at->second, change.to);
    }
}

void check_same_answers(const Index& index, const Index& brute_force, const Rect& area) {
    RC_ASSERT(index.size() == brute_force.size());
    RC_ASSERT(found_in(index, area) == found_in(brute_force, area));
}

std::vector<IndexKind> indexes_under_test() {
    std::vector<IndexKind> kinds = index_kinds();
    std::erase_if(kinds, [](const IndexKind& kind) { return kind.name == "brute_force"; });
    return kinds;
}

/// Long histories, so tried less often.
class RandomIndexHistory : public ::testing::TestWithParam<std::tuple<IndexKind, Ground>> {};

TEST_P(RandomIndexHistory, FindsWhatBruteForceFinds) {
    const auto& [kind, ground] = GetParam();
    check_property(
        [&, &kind = kind, &ground = ground] {
            const std::vector<Change> changes = *changes_on(ground);
            const std::vector<Position> centers =
                *rc::gen::container<std::vector<Position>>(8, position_on(ground));
            const std::vector<std::int32_t> radii =
                *rc::gen::container<std::vector<std::int32_t>>(8, radius_on(ground));
            const auto index = kind.make(ground);
            BruteForceIndex brute_force(ground.bounds);
            std::map<std::uint32_t, Position> where;
            for (std::size_t i = 0; i < changes.size(); ++i) {
                apply(changes[i], *index, where);
                apply(changes[i], brute_force, where);
                if (changes[i].is_erase) {
                    where.erase(changes[i].slot);
                } else {
                    where[changes[i].slot] = changes[i].to;
                }
                if (i % 16 == 0) {
                    check_same_answers(*index, brute_force,
                                       square_around(centers[i / 16 % 8], radii[i / 16 % 8]));
                }
            }
            check_same_answers(*index, brute_force, kEverything);
        },
        property_cases() / 6);
}

INSTANTIATE_TEST_SUITE_P(On, RandomIndexHistory,
                         ::testing::Combine(::testing::ValuesIn(indexes_under_test()),
                                            ::testing::ValuesIn(grounds())),
                         [](const auto& both) {
                             return std::get<0>(both.param).name + std::get<1>(both.param).name;
                         });

}  // namespace
}  // namespace marchland::engine::testing
