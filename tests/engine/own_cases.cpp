#include "tests/engine/event_case.h"

#include <limits>

namespace marchland::engine::testing {
namespace {

constexpr View kSees10 = View::circle(10, 10);
constexpr View kSees10To12 = View::circle(10, 12);
constexpr View kSeesAll = View::circle(5'000, 5'000);
constexpr View kBlind{};
constexpr LayerMask kGhosts = 2;

/// Where somebody begins to be seen, and where that ends.
void add_cases_of_range(std::vector<EventCase>& cases) {
    cases.push_back(
        {"TheBoundIsInclusive",
         "Whoever stands at exactly the radius is seen; one millimetre on nobody is.",
         {{{add(1, {0, 0}, kSees10), add(2, {10, 0}), add(3, {0, -11})}, {"1 enter 2"}}}});
    cases.push_back({"AViewIsRound",
                     "Within the square around the view, but not in the circle, is not within it.",
                     {{{add(1, {0, 0}, kSees10), add(2, {6, 8}), add(3, {8, 7}), add(4, {-8, -6})},
                       {"1 enter 2", "1 enter 4"}}}});
    cases.push_back(
        {"OnePointIsNear",
         "Distance 0 is a distance: two on the same point see each other.",
         {{{add(1, {5, 5}, kSees10), add(2, {5, 5}, kSees10)}, {"1 enter 2", "2 enter 1"}}}});
    cases.push_back(
        {"RadiusZeroSeesItsPoint",
         "The smallest view is one point, not nothing.",
         {{{add(1, {7, 7}, View::circle(0, 0)), add(2, {7, 7}), add(3, {7, 8})}, {"1 enter 2"}}}});
    cases.push_back({"NobodySeesItself",
                     "One alone in the world is sent nothing, moving or not.",
                     {{{add(1, {0, 0}, kSees10)}, {}}, {{move(1, {1, 1})}, {}}}});
    cases.push_back({"TheLeaveRangeHolds",
                     "Pacing between the two radii neither ends an episode nor begins one.",
                     {{{add(1, {0, 0}, kSees10To12), add(2, {10, 0})}, {"1 enter 2"}},
                      {{move(2, {12, 0})}, {"1 move 2"}},
                      {{move(2, {13, 0})}, {"1 leave 2 out_of_range"}},
                      {{move(2, {11, 0})}, {}},
                      {{move(2, {10, 0})}, {"1 enter 2"}}}});
    cases.push_back({"TheWatcherWalks",
                     "It does not matter which of the two moves: distance is between them.",
                     {{{add(1, {0, 0}, kSees10), add(2, {15, 0})}, {}},
                      {{move(1, {5, 0})}, {"1 enter 2"}},
                      {{move(1, {4, 0})}, {"1 leave 2 out_of_range"}}}});
    cases.push_back(
        {"BothWalkAlike",
         "Two that walk side by side stay in view, and are sent as moves.",
         {{{add(1, {0, 0}, kSees10), add(2, {8, 0}, kSees10)}, {"1 enter 2", "2 enter 1"}},
          {{move(1, {400, 90}), move(2, {408, 90})}, {"1 move 2", "2 move 1"}}}});
    cases.push_back(
        {"SightIsNotMutual",
         "The wider view sees the narrower, and not the other way round.",
         {{{add(1, {0, 0}, View::circle(20, 20)), add(2, {15, 0}, kSees10)}, {"1 enter 2"}}}});
    cases.push_back({"AViewWiderThanTheWorld",
                     "A radius beyond all edges sees everybody once, also in far corners.",
                     {{{add(1, {-1'000, -1'000}, kSeesAll), add(2, {1'000, 1'000}),
                        add(3, {1'000, -1'000}), add(4, {-1'000, 1'000})},
                       {"1 enter 2", "1 enter 3", "1 enter 4"}}}});
    cases.push_back({"CornersOfTheWorld",
                     "At an edge the view goes on to nothing, and does not wrap to the other side.",
                     {{{add(1, {-1'000, -1'000}, kSees10), add(2, {-1'000, -990}),
                        add(3, {1'000, -1'000}), add(4, {-1'000, 1'000})},
                       {"1 enter 2"}}}});
}

/// Cells, and coordinates at their edges.
void add_cases_of_place(std::vector<EventCase>& cases) {
    cases.push_back({"AllEightNeighbours",
                     "A view that reaches into the eight cells around finds one in each, once.",
                     {{{add(1, {25, 25}, View::circle(60, 60)), add(2, {-15, -15}),
                        add(3, {25, -15}), add(4, {65, -15}), add(5, {-15, 25}), add(6, {65, 25}),
                        add(7, {-15, 65}), add(8, {25, 65}), add(9, {65, 65})},
                       {"1 enter 2", "1 enter 3", "1 enter 4", "1 enter 5", "1 enter 6",
                        "1 enter 7", "1 enter 8", "1 enter 9"}}}});
    cases.push_back({"OverACellsEdge",
                     "A step of a millimetre from one cell into the next is a move like any other.",
                     {{{add(1, {0, 0}, kSees10), add(2, {-1, 0})}, {"1 enter 2"}},
                      {{move(2, {0, 0})}, {"1 move 2"}},
                      {{move(2, {-1, -1})}, {"1 move 2"}}}});
    cases.push_back({"NegativeCoordinates",
                     "Cells below zero are not mirrored: -3 and 3 are six apart.",
                     {{{add(1, {-3, -3}, View::circle(5, 5)), add(2, {3, -3}), add(3, {-8, -3})},
                       {"1 enter 3"}}}});
    cases.push_back(
        {"TheWholePlane",
         "From one end of int32 to the other no difference wraps around to be near.",
         {{{add(1, {std::numeric_limits<std::int32_t>::min(), 0},
                View::circle(std::numeric_limits<std::int32_t>::max(),
                             std::numeric_limits<std::int32_t>::max())),
            add(2, {std::numeric_limits<std::int32_t>::max(), 0}), add(3, {-1, 0}), add(4, {0, 0})},
           {"1 enter 3"}}},
         Dimensions::two,
         {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::min(),
          std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::max()}});
    cases.push_back({"AFlatWorldHasNoHeight",
                     "z is carried along and not looked at; a change of it alone is sent, though.",
                     {{{add(1, {0, 0, 0}, kSees10), add(2, {3, 4, 900})}, {"1 enter 2"}},
                      {{move(2, {3, 4, -900})}, {"1 move 2"}}}});
    cases.push_back(
        {"ASphereInThreeDimensions",
         "(2, 3, 6) is at 7; one more above is not, though it is within the plane's.",
         {{{add(1, {0, 0, 0}, View::circle(7, 7)), add(2, {2, 3, 6}), add(3, {2, 3, 7})},
           {"1 enter 2"}},
          {{move(3, {2, 3, -6})}, {"1 enter 3"}}},
         Dimensions::three});
    cases.push_back(
        {"AWorldOfOnePoint",
         "Bounds may hold a single position; everybody is there.",
         {{{add(1, {4, 4}, kSees10), add(2, {4, 4}, kSees10)}, {"1 enter 2", "2 enter 1"}},
          {{remove(2)}, {"1 leave 2 gone"}}},
         Dimensions::two,
         {4, 4, 4, 4}});
}

/// What a tick is: what counts is how it ends.
void add_cases_of_ticks(std::vector<EventCase>& cases) {
    cases.push_back(
        {"EnterOnceThenSilence",
         "Who stands still is sent once; in a tick in which nothing happens nothing is sent.",
         {{{add(1, {0, 0}, kSees10), add(2, {5, 0})}, {"1 enter 2"}}, {}, {}}});
    cases.push_back({"ThereAndBackIsNoMove",
                     "Only where the tick ends counts, not the way.",
                     {{{add(1, {0, 0}, kSees10), add(2, {5, 0})}, {"1 enter 2"}},
                      {{move(2, {900, 900}), move(2, {5, 0})}, {}}}});
    cases.push_back({"TheLastMoveWins",
                     "Of several moves in one tick one is sent.",
                     {{{add(1, {0, 0}, kSees10), add(2, {5, 0})}, {"1 enter 2"}},
                      {{move(2, {6, 0}), move(2, {7, 0}), move(2, {8, 0})}, {"1 move 2"}}}});
    cases.push_back({"FlyingPast",
                     "Through the view within one tick is not seen: there are no ticks in between.",
                     {{{add(1, {0, 0}, kSees10), add(2, {-100, 0})}, {}},
                      {{move(2, {0, 0}), move(2, {100, 0})}, {}}}});
    cases.push_back({"EnteringTellsNoMove",
                     "An enter has the position; a move in the same tick is not sent beside it.",
                     {{{add(1, {0, 0}, kSees10), add(2, {20, 0})}, {}},
                      {{move(2, {5, 0}), move(2, {4, 0})}, {"1 enter 2"}}}});
    cases.push_back({"ABriefLife",
                     "Who comes and goes within one tick was never there.",
                     {{{add(1, {0, 0}, kSees10)}, {}}, {{add(2, {1, 1}), remove(2)}, {}}}});
    cases.push_back(
        {"TradingPlaces",
         "Two that swap positions in one tick both moved, and nobody left.",
         {{{add(1, {0, 0}, kSees10), add(2, {5, 0}), add(3, {-5, 0})}, {"1 enter 2", "1 enter 3"}},
          {{move(2, {-5, 0}), move(3, {5, 0})}, {"1 move 2", "1 move 3"}}}});
    cases.push_back({"LeavesBeforeEntersBeforeMoves",
                     "The order in which a client applies them, each list in ascending id.",
                     {{{add(5, {0, 0}, kSees10), add(9, {1, 0}), add(3, {2, 0}), add(7, {50, 0}),
                        add(1, {60, 0})},
                       {"5 enter 3", "5 enter 9"}},
                      {{move(3, {3, 0}), move(7, {4, 0}), move(1, {5, 0}), move(9, {70, 0})},
                       {"5 leave 9 out_of_range", "5 enter 1", "5 enter 7", "5 move 3"}}}});
    cases.push_back(
        {"WatchersInAscendingId",
         "The order of joining does not show.",
         {{{add(30, {0, 0}, kSees10), add(4, {0, 0}, kSees10), add(0, {0, 0}, kSees10)},
           {"0 enter 4", "0 enter 30", "4 enter 0", "4 enter 30", "30 enter 0", "30 enter 4"}}}});
}

/// Coming, going, and coming again.
void add_cases_of_lives(std::vector<EventCase>& cases) {
    cases.push_back(
        {"GoneIsGone",
         "A removal is one leave, and only where it was seen.",
         {{{add(1, {0, 0}, kSees10), add(2, {5, 0}), add(3, {500, 0}, kSees10)}, {"1 enter 2"}},
          {{remove(2)}, {"1 leave 2 gone"}},
          {}}});
    cases.push_back(
        {"ARemovedWatcherIsSentNothing",
         "The others are sent that it is gone; nobody is there to receive its own losses.",
         {{{add(1, {0, 0}, kSees10), add(2, {5, 0}, kSees10)}, {"1 enter 2", "2 enter 1"}},
          {{remove(1)}, {"2 leave 1 gone"}}}});
    cases.push_back({"AnIdLivesAgain",
                     "Removed and added in one tick it is another entity: it leaves and enters.",
                     {{{add(1, {0, 0}, kSees10), add(2, {5, 0})}, {"1 enter 2"}},
                      {{remove(2), add(2, {5, 0})}, {"1 leave 2 gone", "1 enter 2"}}}});
    cases.push_back({"AnIdLivesAgainElsewhere",
                     "Of a new life out of sight only the end of the old one is sent.",
                     {{{add(1, {0, 0}, kSees10), add(2, {5, 0})}, {"1 enter 2"}},
                      {{remove(2), add(2, {500, 0})}, {"1 leave 2 gone"}}}});
    cases.push_back({"AnIdComesBackLater",
                     "A later life enters like anybody else.",
                     {{{add(1, {0, 0}, kSees10), add(2, {5, 0})}, {"1 enter 2"}},
                      {{remove(2)}, {"1 leave 2 gone"}},
                      {{add(2, {6, 0})}, {"1 enter 2"}}}});
    cases.push_back({"AWatcherComesBackKnowingNothing",
                     "A watcher's second life is sent everybody again.",
                     {{{add(1, {0, 0}, kSees10), add(2, {5, 0})}, {"1 enter 2"}},
                      {{remove(1), add(1, {0, 0}, kSees10)}, {"1 enter 2"}}}});
    cases.push_back({"WalkingOffAndLoggingOff",
                     "Out of range and gone in one tick: gone is sent, it is true on every map.",
                     {{{add(1, {0, 0}, kSees10), add(2, {5, 0})}, {"1 enter 2"}},
                      {{move(2, {500, 0}), remove(2)}, {"1 leave 2 gone"}}}});
    cases.push_back({"IdZeroIsAnId",
                     "0 and the largest number name entities like any other.",
                     {{{add(0, {0, 0}, kSees10),
                        add(std::numeric_limits<std::uint64_t>::max(), {1, 0}, kSees10)},
                       {"0 enter 18446744073709551615", "18446744073709551615 enter 0"}}}});
    cases.push_back(
        {"MarkersReceiveNothing",
         "Who has no view is seen and sent nothing.",
         {{{add(1, {0, 0}, kSees10), add(2, {1, 0}), add(3, {2, 0})}, {"1 enter 2", "1 enter 3"}},
          {{move(3, {3, 0})}, {"1 move 3"}}}});
}

/// Teleports, views, layers.
void add_cases_of_changes(std::vector<EventCase>& cases) {
    cases.push_back({"AJumpWithinTheView",
                     "A teleport inside the view is a move that says that it jumped.",
                     {{{add(1, {0, 0}, kSees10), add(2, {-10, 0})}, {"1 enter 2"}},
                      {{teleport(2, {10, 0})}, {"1 move 2 jumped"}},
                      {{move(2, {9, 0})}, {"1 move 2"}}}});
    cases.push_back(
        {"AJumpAcrossTheMap",
         "The one that teleports loses all it saw and gains what is there, in one tick.",
         {{{add(1, {0, 0}, kSees10), add(2, {5, 0}, kSees10), add(3, {900, 900}, kSees10)},
           {"1 enter 2", "2 enter 1"}},
          {{teleport(1, {899, 899})},
           {"1 leave 2 out_of_range", "1 enter 3", "2 leave 1 out_of_range", "3 enter 1"}}}});
    cases.push_back({"AJumpIntoTheLeaveRange",
                     "Who is seen and teleports to between the radii stays seen: the place counts.",
                     {{{add(1, {0, 0}, kSees10To12), add(2, {5, 0})}, {"1 enter 2"}},
                      {{teleport(2, {0, 12})}, {"1 move 2 jumped"}}}});
    cases.push_back({"AViewThatGrowsAndShrinks",
                     "A new radius counts from the end of the tick, without anybody moving.",
                     {{{add(1, {0, 0}, kSees10), add(2, {30, 0})}, {}},
                      {{view(1, View::circle(30, 30))}, {"1 enter 2"}},
                      {{view(1, View::circle(10, 30))}, {}},
                      {{view(1, View::circle(10, 29))}, {"1 leave 2 out_of_range"}}}});
    cases.push_back({"ShuttingItsEyes",
                     "Giving up the view ends every episode; opening the eyes begins them anew.",
                     {{{add(1, {0, 0}, kSees10), add(2, {5, 0})}, {"1 enter 2"}},
                      {{view(1, kBlind)}, {"1 leave 2 out_of_range"}},
                      {{move(2, {6, 0})}, {}},
                      {{view(1, kSees10)}, {"1 enter 2"}}}});
    cases.push_back({"BlinkingWithinATick",
                     "A view that is given up and taken again in one tick was never away.",
                     {{{add(1, {0, 0}, kSees10), add(2, {5, 0})}, {"1 enter 2"}},
                      {{view(1, kBlind), view(1, kSees10)}, {}}}});
    cases.push_back({"StealthInSight",
                     "Turning invisible in range is hidden; turning visible again an enter.",
                     {{{add(1, {0, 0}, kSees10), add(2, {5, 0})}, {"1 enter 2"}},
                      {{layers(2, kGhosts, kDefaultLayer)}, {"1 leave 2 hidden"}},
                      {{move(2, {4, 0})}, {}},
                      {{layers(2, kDefaultLayer, kDefaultLayer)}, {"1 enter 2"}}}});
    cases.push_back(
        {"StealthAndWalkingOff",
         "Hidden and out of range in one tick: out of range is sent.",
         {{{add(1, {0, 0}, kSees10), add(2, {5, 0})}, {"1 enter 2"}},
          {{layers(2, kGhosts, kDefaultLayer), move(2, {50, 0})}, {"1 leave 2 out_of_range"}}}});
    cases.push_back(
        {"SeeingGhosts",
         "A watcher sees every layer of its mask, and one in no layer is seen by nobody.",
         {{{add(1, {0, 0}, kSees10), add_in(2, {1, 0}, kGhosts), add_in(3, {2, 0}, kNoLayers)}, {}},
          {{layers(1, kDefaultLayer, ~kNoLayers)}, {"1 enter 2"}},
          {{layers(1, kDefaultLayer, kNoLayers)}, {"1 leave 2 hidden"}}}});
    cases.push_back(
        {"WhatIsRefusedChangesNothing",
         "A step over the edge of the world is refused and the stream goes on.",
         {{{add(1, {0, 0}, kSees10), add(2, {5, 0})}, {"1 enter 2"}},
          {{move(2, {1'001, 0})}, {"refused: id 2: the position is outside the bounds"}},
          {{move(2, {6, 0})}, {"1 move 2"}}}});
}

/// Views of other shapes than a circle, and entities that show themselves from afar.
void add_cases_of_shapes(std::vector<EventCase>& cases) {
    cases.push_back({"ARectangleHasCorners",
                     "What a circle would cut off at the corner is inside, and the edge counts.",
                     {{{add(1, {0, 0}, View::rectangle(10, 4, 10, 4)), add(2, {10, 4}),
                        add(3, {11, 0}), add(4, {0, -5}), add(5, {-10, -4})},
                       {"1 enter 2", "1 enter 5"}}}});
    cases.push_back({"ASectorLooksWhereItFaces",
                     "Turning around loses what was in front and gains what was behind.",
                     {{{add(1, {0, 0}, View::sector(10, 10, kQuarterTurn / 2, kQuarterTurn / 2)),
                        add(2, {5, 5}), add(3, {-5, 0}), add(4, {5, 6})},
                       {"1 enter 2"}},
                      {{facing(1, kHalfTurn)}, {"1 leave 2 out_of_range", "1 enter 3"}}}});
    cases.push_back({"ACylinderHasALid",
                     "Height and ground are bounded each on its own, both inclusive.",
                     {{{add(1, {0, 0, 0}, View::cylinder(10, 10, 3, 3)), add(2, {6, 8, 3}),
                        add(3, {0, 0, 4}), add(4, {6, 8, -3}), add(5, {7, 8, 0})},
                       {"1 enter 2", "1 enter 4"}}},
                     Dimensions::three});
    cases.push_back(
        {"ADragonIsSeenFromAfar",
         "A notification range shows an entity beyond the view, up to its leave radius.",
         {{{add(1, {0, 0}, kSees10), add(2, {50, 0}), add(3, {51, 0}), notify(2, {50, 60})},
           {"1 enter 2"}},
          {{move(2, {60, 0})}, {"1 move 2"}},
          {{move(2, {61, 0})}, {"1 leave 2 out_of_range"}},
          {{move(2, {60, 0})}, {}},
          {{notify(2, {0, 0}), move(2, {10, 0})}, {"1 enter 2"}}}});
}

/// What an entity tells of itself beside where it is.
void add_cases_of_states(std::vector<EventCase>& cases) {
    cases.push_back({"AStateComesWithTheEnter",
                     "Whoever begins to see an entity is sent its state, also of this very tick.",
                     {{{add(1, {0, 0}, kSees10), add(2, {50, 0}), state(2, "shut")}, {}},
                      {{move(2, {5, 0})}, {"1 enter 2 shut"}},
                      {{move(2, {50, 0})}, {"1 leave 2 out_of_range"}},
                      {{move(2, {5, 0}), state(2, "open")}, {"1 enter 2 open"}}}});
    cases.push_back(
        {"AStateThatChanges",
         "Whoever sees it is sent it, after its move, and nobody who does not see it.",
         {{{add(1, {0, 0}, kSees10), add(2, {5, 0}), add(3, {50, 0}, kSees10)}, {"1 enter 2"}},
          {{state(2, "shut")}, {"1 state 2 shut"}},
          {{state(2, "open"), move(2, {6, 0})}, {"1 move 2", "1 state 2 open"}},
          {{state(2, "")}, {"1 state 2"}}}});
    cases.push_back(
        {"AStateThatDoesNotChange",
         "The bytes that it has already are no change; of several in a tick the last is sent.",
         {{{add(1, {0, 0}, kSees10), add(2, {5, 0}), state(2, "shut")}, {"1 enter 2 shut"}},
          {{state(2, "shut")}, {}},
          {{}, {}},
          {{state(2, "ajar"), state(2, "open")}, {"1 state 2 open"}}}});
    cases.push_back(
        {"NobodyIsSentItsOwnState",
         "An entity does not see itself, whatever it tells others.",
         {{{add(1, {0, 0}, kSees10), state(1, "asleep")}, {}}, {{state(1, "awake")}, {}}}});
    cases.push_back(
        {"AStateEndsWithItsLife",
         "The same id again begins with no state, however the one before it ended.",
         {{{add(1, {0, 0}, kSees10), add(2, {5, 0}), state(2, "old")}, {"1 enter 2 old"}},
          {{state(2, "dying"), remove(2), add(2, {5, 0})}, {"1 leave 2 gone", "1 enter 2"}},
          {{state(2, "young")}, {"1 state 2 young"}}}});
}

std::vector<EventCase> all_cases() {
    std::vector<EventCase> cases;
    add_cases_of_range(cases);
    add_cases_of_place(cases);
    add_cases_of_ticks(cases);
    add_cases_of_lives(cases);
    add_cases_of_changes(cases);
    add_cases_of_shapes(cases);
    add_cases_of_states(cases);
    return cases;
}

}  // namespace

const std::vector<EventCase>& own_cases() {
    static const std::vector<EventCase> cases = all_cases();
    return cases;
}

}  // namespace marchland::engine::testing
