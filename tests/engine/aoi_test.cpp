// The library's facade: what it refuses, what a callback may do, queries. What is sent when is in
// own_cases.cpp; long random histories are in aoi_property_test.cpp.

#include "engine/aoi.h"

#include "tests/engine/event_case.h"
#include "tests/engine/ground.h"
#include "tests/engine/sent_events.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace marchland::engine::testing {
namespace {

constexpr View kSees10 = View::circle(10, 10);

AoiOptions small_world() {
    AoiOptions options;
    options.index.bounds = {-100, -100, 100, 100};
    options.index.cell_mm = 20;
    return options;
}

std::unique_ptr<Aoi> make_small_world(const AoiOptions& options = small_world()) {
    auto [aoi, status] = Aoi::make(options);
    EXPECT_TRUE(status) << status.text();
    return std::move(aoi);
}

using Ids = std::vector<EntityId>;
Ids ids(std::initializer_list<std::uint64_t> numbers) {
    Ids ids;
    for (const std::uint64_t number : numbers) {
        ids.push_back(EntityId{number});
    }
    return ids;
}

class AoiOfTwo : public ::testing::Test {
protected:
    /// 1 watches, 2 stands beside it; the first tick is over.
    void SetUp() override {
        ASSERT_TRUE(add(1, {0, 0}, kSees10)(*aoi_));
        ASSERT_TRUE(add(2, {5, 0})(*aoi_));
        ASSERT_TRUE(aoi_->tick());
    }

    /// Refused with this, and afterwards as if nothing had been asked.
    void expect_refused(const Change& change, AoiError error, const std::string& text) {
        const AoiStatus status = change(*aoi_);
        EXPECT_FALSE(status);
        EXPECT_EQ(status.error, error);
        EXPECT_EQ(status.text(), text);
        expect_untouched();
    }
    void expect_untouched() {
        EXPECT_EQ(aoi_->size(), 2U);
        EXPECT_EQ(aoi_->position_of(EntityId{1}), (Position{0, 0}));
        EXPECT_EQ(aoi_->position_of(EntityId{2}), (Position{5, 0}));
        ASSERT_TRUE(aoi_->tick());
        EXPECT_TRUE(aoi_->events().empty());
    }

    std::unique_ptr<Aoi> aoi_ = make_small_world();
};

TEST_F(AoiOfTwo, RefusesAnIdThatIsHere) {
    expect_refused(add(2, {1, 1}), AoiError::id_in_use, "id 2 is here already");
}

TEST_F(AoiOfTwo, RefusesAnUnknownIdInEveryChange) {
    const std::string text = "id 9 is not here";
    expect_refused(remove(9), AoiError::unknown_id, text);
    expect_refused(move(9, {0, 0}), AoiError::unknown_id, text);
    expect_refused(teleport(9, {0, 0}), AoiError::unknown_id, text);
    expect_refused(view(9, kSees10), AoiError::unknown_id, text);
    expect_refused(layers(9, 1, 1), AoiError::unknown_id, text);
    expect_refused(facing(9, 1), AoiError::unknown_id, text);
    expect_refused(notify(9, {1, 1}), AoiError::unknown_id, text);
    expect_refused(state(9, "here"), AoiError::unknown_id, text);
}

TEST_F(AoiOfTwo, RefusesPositionsOutsideTheBounds) {
    const auto text = [](int id) {
        return "id " + std::to_string(id) + ": the position is outside the bounds";
    };
    expect_refused(add(3, {101, 0}), AoiError::outside_bounds, text(3));
    expect_refused(move(2, {0, -101}), AoiError::outside_bounds, text(2));
    expect_refused(teleport(2, {-101, 0}), AoiError::outside_bounds, text(2));
}

TEST_F(AoiOfTwo, RefusesViewsThatAreNone) {
    const auto text = [](int id) {
        return "id " + std::to_string(id) + ": the view needs 0 <= radius <= leave radius";
    };
    expect_refused(add(3, {0, 0}, View::circle(-1, 5)), AoiError::bad_view, text(3));
    expect_refused(view(1, View::circle(6, 5)), AoiError::bad_view, text(1));
    View unknown = kSees10;
    unknown.shape = static_cast<Shape>(200);
    expect_refused(view(1, unknown), AoiError::bad_view, "id 1: the view is of no known shape");
    expect_refused(view(1, View::cylinder(1, 1, 1, 1)), AoiError::bad_view,
                   "id 1: the view is a cylinder, in a zone without height");
}

TEST_F(AoiOfTwo, RefusesNotificationRangesThatAreNone) {
    const auto text = [](int id) {
        return "id " + std::to_string(id) +
               ": a notification range has 0 <= radius_mm <= leave_radius_mm";
    };
    expect_refused(notify(2, {2, 1}), AoiError::bad_notify, text(2));
    expect_refused(notify(2, {-1, 1}), AoiError::bad_notify, text(2));
    expect_refused(
        [](Aoi& aoi) {
            return aoi.add({.id = EntityId{3}, .notify = {5, 4}});
        },
        AoiError::bad_notify, text(3));
}

TEST_F(AoiOfTwo, RefusesStatesThatAreTooLong) {
    const std::string longest(kBlobBytesMax, 'x');
    const auto text = [](int id) {
        return "id " + std::to_string(id) + ": a state has 1024 bytes at most";
    };
    expect_refused(state(2, longest + "x"), AoiError::bad_state, text(2));
    expect_refused(
        [&](Aoi& aoi) { return aoi.add({.id = EntityId{3}, .state = state_of(longest + "x")}); },
        AoiError::bad_state, text(3));
    EXPECT_TRUE(state(2, longest)(*aoi_));
    EXPECT_EQ(aoi_->state_of(EntityId{2})->size(), kBlobBytesMax);
    EXPECT_EQ(aoi_->state_of(EntityId{9}), nullptr);
}

TEST_F(AoiOfTwo, RefusesALoadAsAWholeAndNamesThePlace) {
    const auto load = [](std::vector<AoiEntity> entities) {
        return [entities](Aoi& aoi) { return aoi.load(entities); };
    };
    const AoiEntity fine{.id = EntityId{7}, .position = {1, 1}};
    const AoiEntity outside{.id = EntityId{8}, .position = {0, 500}};
    const AoiEntity here{.id = EntityId{1}, .position = {0, 0}};
    expect_refused(load({fine, outside}), AoiError::outside_bounds,
                   "id 8: the position is outside the bounds");
    expect_refused(load({fine, here}), AoiError::id_in_use, "id 1 is here already");
    expect_refused(load({fine, {.id = EntityId{8}}, fine}), AoiError::id_in_use,
                   "id 7 is twice in the load");
    const AoiStatus status = aoi_->load(std::vector<AoiEntity>{fine, {.id = EntityId{8}}, fine});
    EXPECT_EQ(status.place, 2U);
}

/// What each of them would do if it were allowed shows in the tick after.
TEST_F(AoiOfTwo, RefusesEveryChangeFromInsideACallback) {
    const std::vector<Change> changes{
        add(3, {1, 1}),
        [](Aoi& aoi) { return aoi.load(std::vector<AoiEntity>{{.id = EntityId{3}}}); },
        remove(2),
        move(2, {6, 0}),
        teleport(2, {6, 0}),
        view(1, View::circle(1, 1)),
        layers(2, kNoLayers, kNoLayers),
        facing(1, kHalfTurn),
        notify(2, {90, 90}),
        state(2, "open"),
        [](Aoi& aoi) { return aoi.tick(); },
        [](Aoi& aoi) { return aoi.tick([](const AoiEvent&) {}); }};
    for (std::size_t which = 0; which < changes.size(); ++which) {
        SCOPED_TRACE(which);
        ASSERT_TRUE(aoi_->move(EntityId{2}, {5, 1}));
        std::vector<AoiStatus> refusals;
        ASSERT_TRUE(
            aoi_->tick([&](const AoiEvent&) { refusals.push_back(changes[which](*aoi_)); }));
        ASSERT_EQ(refusals.size(), 1U);
        EXPECT_EQ(refusals[0].error, AoiError::inside_callback);
        EXPECT_EQ(refusals[0].text(),
                  "a callback of tick() may ask, but not change: note the change, and make it when "
                  "tick() has returned");
        EXPECT_EQ(sent(aoi_->events()), std::vector<std::string>{"1 move 2"});
        ASSERT_TRUE(aoi_->move(EntityId{2}, {5, 0}));
        ASSERT_TRUE(aoi_->tick());
        expect_untouched();
    }
}

TEST_F(AoiOfTwo, AnswersQuestionsFromInsideACallbackAsOfTheEndOfTheTick) {
    ASSERT_TRUE(aoi_->move(EntityId{2}, {6, 0}));
    int calls = 0;
    ASSERT_TRUE(aoi_->tick([&](const AoiEvent& event) {
        ++calls;
        Ids found;
        EXPECT_TRUE(aoi_->query(Circle{event.position, 0}, found));
        EXPECT_EQ(found, ids({2}));
        EXPECT_TRUE(aoi_->query(Rect{6, 0, 6, 0}, found));
        EXPECT_EQ(found, ids({2}));
        aoi_->nearest({0, 0}, 1, found);
        EXPECT_EQ(found, ids({1}));
        EXPECT_EQ(aoi_->position_of(event.target), event.position);
        EXPECT_TRUE(aoi_->contains(event.watcher));
        EXPECT_EQ(aoi_->events().size(), 1U);
    }));
    EXPECT_EQ(calls, 1);
}

TEST_F(AoiOfTwo, ChangesAgainAfterTheCallbacks) {
    std::vector<EntityId> to_remove;
    ASSERT_TRUE(aoi_->move(EntityId{2}, {6, 0}));
    ASSERT_TRUE(aoi_->tick([&](const AoiEvent& event) { to_remove.push_back(event.target); }));
    for (const EntityId id : to_remove) {
        EXPECT_TRUE(aoi_->remove(id));
    }
    ASSERT_TRUE(aoi_->tick());
    EXPECT_EQ(sent(aoi_->events()), std::vector<std::string>{"1 leave 2 gone"});
}

TEST_F(AoiOfTwo, GoesOnAfterACallbackThatThrows) {
    ASSERT_TRUE(aoi_->move(EntityId{2}, {6, 0}));
    const auto throws = [](const AoiEvent&) { throw std::runtime_error("the game's own"); };
    EXPECT_THROW((void)aoi_->tick(throws), std::runtime_error);
    EXPECT_EQ(sent(aoi_->events()), std::vector<std::string>{"1 move 2"});
    ASSERT_TRUE(aoi_->move(EntityId{2}, {7, 0}));
    ASSERT_TRUE(aoi_->tick());
    EXPECT_EQ(sent(aoi_->events()), std::vector<std::string>{"1 move 2"});
}

TEST_F(AoiOfTwo, DiesWhenItIsDestroyedInsideACallback) {
    ASSERT_TRUE(aoi_->move(EntityId{2}, {6, 0}));
    EXPECT_DEATH((void)aoi_->tick([&](const AoiEvent&) { aoi_.reset(); }), "is_in_callback_");
}

TEST_F(AoiOfTwo, TellsPositionsOfEntersAndMovesAndNoneOfLeaves) {
    ASSERT_TRUE(aoi_->add({.id = EntityId{3}, .position = {0, 3, 9}}));
    ASSERT_TRUE(aoi_->move(EntityId{2}, {5, 1}));
    ASSERT_TRUE(aoi_->tick());
    ASSERT_EQ(sent(aoi_->events()), (std::vector<std::string>{"1 enter 3", "1 move 2"}));
    EXPECT_EQ(aoi_->events()[0].position, (Position{0, 3, 9}));
    EXPECT_EQ(aoi_->events()[1].position, (Position{5, 1}));
    ASSERT_TRUE(aoi_->move(EntityId{2}, {50, 1}));
    ASSERT_TRUE(aoi_->tick());
    ASSERT_EQ(aoi_->events().size(), 1U);
    EXPECT_EQ(aoi_->events()[0].position, Position{});
}

/// However the entity loses it.
TEST(Aoi, KeepsAStateForAsLongAsTheEventsThatTellOfIt) {
    for (const Change& change : {state(2, "open"), state(2, ""), remove(2)}) {
        const auto aoi = make_small_world();
        ASSERT_TRUE(add(1, {0, 0}, kSees10)(*aoi));
        Blob shut = state_of("shut");
        const std::weak_ptr<const std::vector<std::byte>> kept = shut;
        ASSERT_TRUE(aoi->add({.id = EntityId{2}, .position = {5, 0}, .state = std::move(shut)}));
        ASSERT_TRUE(aoi->tick());
        ASSERT_TRUE(change(*aoi));
        EXPECT_FALSE(kept.expired());
        EXPECT_EQ(sent(aoi->events()), std::vector<std::string>{"1 enter 2 shut"});
        ASSERT_TRUE(aoi->tick());
        EXPECT_TRUE(kept.expired());
    }
}

/// Or a caller who sets it often, and ticks now and then, would need memory for each of them.
TEST_F(AoiOfTwo, KeepsNoStateThatNoTickSent) {
    Blob passing = state_of("passing");
    const std::weak_ptr<const std::vector<std::byte>> kept = passing;
    ASSERT_TRUE(aoi_->set_state(EntityId{2}, passing));
    ASSERT_TRUE(state(2, "open")(*aoi_));
    ASSERT_TRUE(aoi_->add({.id = EntityId{3}, .state = std::move(passing)}));
    ASSERT_TRUE(remove(3)(*aoi_));
    EXPECT_TRUE(kept.expired());
}

TEST(Aoi, CallsBackOnceForEachEventInTheirOrder) {
    const auto aoi = make_small_world();
    for (const std::uint64_t id : {3U, 1U, 2U}) {
        ASSERT_TRUE(add(id, {0, 0}, kSees10)(*aoi));
    }
    std::vector<AoiEvent> called;
    ASSERT_TRUE(aoi->tick([&](const AoiEvent& event) { called.push_back(event); }));
    EXPECT_EQ(called, std::vector<AoiEvent>(aoi->events().begin(), aoi->events().end()));
    EXPECT_EQ(called.size(), 6U);
}

TEST(Aoi, LoadsWhatAddWouldHaveAdded) {
    const auto one_by_one = make_small_world();
    const auto at_once = make_small_world();
    std::vector<AoiEntity> entities;
    for (std::uint64_t number = 0; number < 300; ++number) {
        const auto at = static_cast<std::int32_t>(number % 101);
        const View view = number % 7 == 0 ? kSees10 : View{};
        entities.push_back({.id = EntityId{number}, .position = {at, -at}, .view = view});
        ASSERT_TRUE(one_by_one->add(entities.back()));
    }
    ASSERT_TRUE(at_once->load(entities));
    ASSERT_TRUE(one_by_one->tick());
    ASSERT_TRUE(at_once->tick());
    EXPECT_GT(at_once->events().size(), 300U);
    EXPECT_EQ(sent(at_once->events()), sent(one_by_one->events()));
}

/// Anything quadratic in their number takes minutes here.
TEST(Aoi, LoadsACrowdAtOnePointOverEachIndex) {
    for (const IndexChoice& index : index_choices()) {
        AoiOptions options = small_world();
        options.index_name = index.name;
        options.index.quadtree_is_loose = index.is_loose;
        const auto aoi = make_small_world(options);
        std::vector<AoiEntity> crowd(200'000);
        for (std::uint64_t number = 0; number < crowd.size(); ++number) {
            crowd[number].id = EntityId{number};
        }
        ASSERT_TRUE(aoi->load(crowd));
        Ids found;
        EXPECT_TRUE(aoi->query(Circle{{0, 0}, 0}, found));
        EXPECT_EQ(found.size(), crowd.size()) << index.name;
    }
}

TEST(Aoi, IsFullAtEntitiesMax) {
    AoiOptions options = small_world();
    options.entities_max = 2;
    const auto aoi = make_small_world(options);
    const std::vector<AoiEntity> three{
        {.id = EntityId{1}}, {.id = EntityId{2}}, {.id = EntityId{3}}};
    const AoiStatus loaded = aoi->load(three);
    EXPECT_EQ(loaded.error, AoiError::full);
    EXPECT_EQ(loaded.place, 2U);
    EXPECT_EQ(aoi->size(), 0U);
    ASSERT_TRUE(aoi->load(std::span(three).first(2)));
    const AoiStatus added = aoi->add(three[2]);
    EXPECT_EQ(added.text(), "id 3: there are as many entities as entities_max allows");
    ASSERT_TRUE(aoi->remove(EntityId{1}));
    EXPECT_TRUE(aoi->add(three[2]));
}

TEST(Aoi, QueriesAreInclusiveAndInAscendingId) {
    const auto aoi = make_small_world();
    ASSERT_TRUE(add(9, {0, 0})(*aoi));
    ASSERT_TRUE(add(4, {3, 4})(*aoi));
    ASSERT_TRUE(add(6, {4, 4})(*aoi));
    ASSERT_TRUE(add_in(1, {0, 0}, kNoLayers)(*aoi));
    ASSERT_TRUE(add_in(2, {0, 0}, 2)(*aoi));
    Ids found = ids({77});
    EXPECT_TRUE(aoi->query(Circle{{0, 0}, 5}, found));
    EXPECT_EQ(found, ids({2, 4, 9}));
    EXPECT_TRUE(aoi->query(Rect{3, -10, 4, 4}, found));
    EXPECT_EQ(found, ids({4, 6}));
    EXPECT_TRUE(aoi->query(Circle{{0, 0}, 5}, found, 2));
    EXPECT_EQ(found, ids({2}));
    EXPECT_TRUE(aoi->query(Circle{{90, 90}, 0}, found));
    EXPECT_EQ(found, ids({}));
}

TEST(Aoi, LooksWithAnyShapeOfView) {
    AoiOptions options = small_world();
    options.index.dimensions = Dimensions::three;
    const auto aoi = make_small_world(options);
    ASSERT_TRUE(add(1, {10, 0, 0})(*aoi));
    ASSERT_TRUE(add(2, {10, 10, 0})(*aoi));
    ASSERT_TRUE(add(3, {0, 10, 7})(*aoi));
    ASSERT_TRUE(add(4, {-10, 0, 0})(*aoi));
    const auto seen = [&](const View& view, Angle facing = 0) {
        Ids found;
        EXPECT_TRUE(aoi->query(Look{{0, 0, 0}, view, facing}, found));
        return found;
    };
    EXPECT_EQ(seen(View::circle(10, 10)), ids({1, 4}));
    EXPECT_EQ(seen(View::box({10, 10, 0}, {10, 10, 0})), ids({1, 2, 4}));
    EXPECT_EQ(seen(View::cylinder(10, 10, 7, 7)), ids({1, 3, 4}));
    EXPECT_EQ(seen(View::sector(20, 20, kQuarterTurn / 2, kQuarterTurn / 2)), ids({1, 2}));
    EXPECT_EQ(seen(View::sector(20, 20, 1, 1), kHalfTurn), ids({4}));
    EXPECT_EQ(seen(View{}), ids({}));
}

TEST(Aoi, ReachesBeyondTheWorldWithoutWrapping) {
    const auto aoi = make_small_world();
    ASSERT_TRUE(add(1, {100, 100})(*aoi));
    Ids found;
    EXPECT_TRUE(aoi->query(Circle{{kMax, 100}, kMax}, found));
    EXPECT_EQ(found, ids({1}));
    EXPECT_TRUE(aoi->query(Circle{{kMax, kMax}, kMax - 200}, found));
    EXPECT_EQ(found, ids({}));
    aoi->nearest({-kMax - 1, -kMax - 1}, 3, found);
    EXPECT_EQ(found, ids({1}));
}

TEST(Aoi, RefusesAreasThatAreNone) {
    const auto aoi = make_small_world();
    ASSERT_TRUE(add(1, {0, 0})(*aoi));
    Ids found = ids({1});
    const AoiStatus circle = aoi->query(Circle{{0, 0}, -1}, found);
    EXPECT_EQ(circle.error, AoiError::bad_area);
    EXPECT_EQ(circle.text(), "the area has a radius below 0");
    EXPECT_EQ(found, ids({}));
    EXPECT_EQ(aoi->query(Rect{1, 0, 0, 0}, found).text(), "the area has a min above its max");
    EXPECT_EQ(aoi->query(Look{{0, 0}, View::circle(2, 1)}, found).text(),
              "the area needs 0 <= radius <= leave radius");
    EXPECT_EQ(aoi->query(Rect{0, 1, 0, 0}, found).error, AoiError::bad_area);
}

TEST(Aoi, FindsTheNearestByDistanceThenById) {
    const auto aoi = make_small_world();
    ASSERT_TRUE(add(8, {3, 0})(*aoi));
    ASSERT_TRUE(add(2, {0, -3})(*aoi));
    ASSERT_TRUE(add(5, {1, 0})(*aoi));
    ASSERT_TRUE(add(1, {100, 100})(*aoi));
    Ids found = ids({77});
    aoi->nearest({0, 0}, 3, found);
    EXPECT_EQ(found, ids({5, 2, 8}));
    aoi->nearest({0, 0}, 2, found);
    EXPECT_EQ(found, ids({5, 2}));
    aoi->nearest({0, 0}, 100, found);
    EXPECT_EQ(found, ids({5, 2, 8, 1}));
    aoi->nearest({0, 0}, 0, found);
    EXPECT_EQ(found, ids({}));
}

/// A watcher, 1 at (0, 0), that sees 10 far, under these limits.
std::unique_ptr<Aoi> make_crowded_world(const CrowdLimits& limits) {
    AoiOptions options = small_world();
    options.crowd = limits;
    auto aoi = make_small_world(options);
    EXPECT_TRUE(add(1, {0, 0}, kSees10)(*aoi));
    return aoi;
}

std::vector<std::string> sent_by_tick(Aoi& aoi) {
    EXPECT_TRUE(aoi.tick());
    return sent(aoi.events());
}

using Lines = std::vector<std::string>;

TEST(Aoi, TellsOfTheNearestWhereACapIsSet) {
    const auto aoi = make_crowded_world({.visible_max = 2, .sticky_percent = 0});
    for (const std::uint64_t id : {2, 3, 4}) {
        EXPECT_TRUE(add(id, {static_cast<std::int32_t>(2 * id), 0})(*aoi));
    }
    EXPECT_EQ(sent_by_tick(*aoi), (Lines{"1 enter 2", "1 enter 3"}));
    EXPECT_TRUE(move(4, {1, 0})(*aoi));
    EXPECT_EQ(sent_by_tick(*aoi), (Lines{"1 leave 3 capped", "1 enter 4"}));
    EXPECT_TRUE(remove(2)(*aoi));
    EXPECT_EQ(sent_by_tick(*aoi), (Lines{"1 leave 2 gone", "1 enter 3"}));
    EXPECT_TRUE(view(1, {})(*aoi));
    EXPECT_EQ(sent_by_tick(*aoi), (Lines{"1 leave 3 out_of_range", "1 leave 4 out_of_range"}));
}

TEST(Aoi, SaysThatAMoveWhichARingHeldBackWasAJump) {
    const auto aoi = make_crowded_world({.rings = {{{.beyond_mm = 5, .every_ticks = 4}}}});
    EXPECT_TRUE(add(4, {8, 0})(*aoi));
    EXPECT_TRUE(add(5, {2, 0})(*aoi));
    EXPECT_EQ(sent_by_tick(*aoi), (Lines{"1 enter 4", "1 enter 5"}));
    EXPECT_TRUE(teleport(4, {7, 0})(*aoi));
    EXPECT_TRUE(move(5, {3, 0})(*aoi));
    EXPECT_EQ(sent_by_tick(*aoi), (Lines{"1 move 5"}));
    EXPECT_TRUE(move(4, {8, 0})(*aoi));
    EXPECT_EQ(sent_by_tick(*aoi), Lines{});
    EXPECT_EQ(sent_by_tick(*aoi), (Lines{"1 move 4 jumped"}));  // tick 4 is a slot of 4
    EXPECT_TRUE(move(4, {7, 0})(*aoi));
    for (int tick = 5; tick < 8; ++tick) {
        EXPECT_EQ(sent_by_tick(*aoi), Lines{});
    }
    EXPECT_EQ(sent_by_tick(*aoi), (Lines{"1 move 4"}));
}

TEST(Aoi, TellsAMoveBeforeAnEnterWhenItIsStale) {
    const auto aoi = make_crowded_world({.frame_bytes_max = 65, .stale_ticks_max = 3});
    EXPECT_TRUE(add(2, {5, 0})(*aoi));
    EXPECT_EQ(sent_by_tick(*aoi), (Lines{"1 enter 2"}));
    EXPECT_TRUE(move(2, {6, 0})(*aoi));
    for (std::uint64_t id = 3; id < 8; ++id) {
        EXPECT_TRUE(add(id, {7, 0})(*aoi));
    }
    EXPECT_EQ(sent_by_tick(*aoi), Lines{"1 enter 3"});
    EXPECT_EQ(sent_by_tick(*aoi), Lines{"1 enter 4"});
    EXPECT_EQ(sent_by_tick(*aoi), Lines{"1 move 2"});
    EXPECT_EQ(sent_by_tick(*aoi), Lines{"1 enter 5"});
}

/// It is no event, so it takes no room of what is.
TEST(Aoi, AWatchersOwnStateIsNotSentToIt) {
    const auto aoi = make_crowded_world({.frame_bytes_max = 65, .stale_ticks_max = 3});
    EXPECT_TRUE(state(1, "mine")(*aoi));
    EXPECT_TRUE(add(2, {5, 0})(*aoi));
    EXPECT_EQ(sent_by_tick(*aoi), (Lines{"1 enter 2"}));
    EXPECT_TRUE(state(1, "more")(*aoi));
    EXPECT_TRUE(move(2, {6, 0})(*aoi));
    EXPECT_EQ(sent_by_tick(*aoi), (Lines{"1 move 2"}));
}

TEST(Aoi, TellsTheMoveOfWhoeverIsOfMoreImportanceFirst) {
    const auto aoi = make_crowded_world({.frame_bytes_max = 64 + 8, .stale_ticks_max = 9});
    ASSERT_TRUE(aoi->add({.id = EntityId{2}, .position = {5, 0}}));
    ASSERT_TRUE(aoi->add({.id = EntityId{3}, .position = {6, 0}, .importance = 2}));
    EXPECT_EQ(sent_by_tick(*aoi), (Lines{"1 enter 2"}));
    EXPECT_EQ(sent_by_tick(*aoi), (Lines{"1 enter 3"}));
    EXPECT_TRUE(move(2, {5, 1})(*aoi));
    EXPECT_TRUE(move(3, {6, 1})(*aoi));
    EXPECT_EQ(sent_by_tick(*aoi), (Lines{"1 move 3"}));
}

TEST(Aoi, NamesTheOptionThatIsWrong) {
    const auto complaint = [](auto change) {
        AoiOptions options = small_world();
        change(options);
        const auto [aoi, status] = Aoi::make(options);
        EXPECT_EQ(aoi, nullptr);
        EXPECT_EQ(status.error, AoiError::bad_options);
        return status.text();
    };
    EXPECT_EQ(complaint([](AoiOptions& o) { o.index_name = "grit"; }),
              "options: index_name is none of index_names()");
    EXPECT_EQ(complaint([](AoiOptions& o) { o.index.bounds.max_x = -101; }),
              "options: index.bounds have min <= max, and are within int32");
    EXPECT_EQ(complaint([](AoiOptions& o) { o.index.bounds.max_y = std::int64_t{1} << 31; }),
              "options: index.bounds have min <= max, and are within int32");
    EXPECT_EQ(complaint([](AoiOptions& o) { o.index.dimensions = Dimensions{4}; }),
              "options: index.dimensions is two or three");
    EXPECT_EQ(complaint([](AoiOptions& o) { o.index.cell_mm = 0; }),
              "options: index.cell_mm is at least 1");
    EXPECT_EQ(complaint([](AoiOptions& o) { o.index.cells_max = 0; }),
              "options: index.cells_max is from 1 to 2^24");
    EXPECT_EQ(complaint([](AoiOptions& o) { o.index.quadtree_node_capacity = 0; }),
              "options: index.quadtree_node_capacity is at least 1");
    EXPECT_EQ(complaint([](AoiOptions& o) { o.index.quadtree_depth_max = 17; }),
              "options: index.quadtree_depth_max is at most 16");
    EXPECT_EQ(complaint([](AoiOptions& o) { o.entities_max = 0; }),
              "options: entities_max is from 1 to 2^27");
    EXPECT_EQ(complaint([](AoiOptions& o) { o.entities_max = (std::size_t{1} << 27U) + 1; }),
              "options: entities_max is from 1 to 2^27");
    EXPECT_EQ(complaint([](AoiOptions& o) { o.crowd.sticky_percent = 91; }),
              "options: one that is seen may count as at most 90 percent nearer");
}

}  // namespace
}  // namespace marchland::engine::testing
