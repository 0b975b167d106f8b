#include "shards/layout/layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace marchland::shards {
namespace {

using engine::Position;
using engine::Rect;
using Kind = LayoutError::Kind;

constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kHighest = std::numeric_limits<std::int32_t>::max();
constexpr Rect kWholeFrame{kLowest, kLowest, kHighest, kHighest};
constexpr Rect kWorld{0, 0, 99, 49};

Layout layout_of(Layout::Result result) {
    return std::get<Layout>(std::move(result));
}

std::vector<LayoutError> errors_of(Layout::Result result) {
    const auto* errors = std::get_if<std::vector<LayoutError>>(&result);
    return errors == nullptr ? std::vector<LayoutError>{} : *errors;
}

/// How many errors say exactly this.
std::ptrdiff_t count_of(const std::vector<LayoutError>& errors, Kind kind, std::size_t region,
                        std::size_t other, const Rect& where) {
    return std::ranges::count_if(errors, [&](const LayoutError& error) {
        const bool names_both = (error.region == region && error.other == other) ||
                                (error.region == other && error.other == region);
        return error.kind == kind && names_both && error.where == where;
    });
}

std::int64_t square_mm_of(const Rect& r) {
    return (r.max_x - r.min_x + 1) * (r.max_y - r.min_y + 1);
}

/// The regions lie in the world, no two share a millimetre, and their areas sum up to the world's.
void expect_tiles_the_world(const Layout& layout) {
    std::int64_t covered = 0;
    for (std::size_t i = 0; i < layout.size(); ++i) {
        const Rect& area = layout.region(static_cast<ShardId>(i)).area;
        covered += square_mm_of(area);
        EXPECT_GE(area.min_x, layout.world().min_x);
        EXPECT_GE(area.min_y, layout.world().min_y);
        EXPECT_LE(area.max_x, layout.world().max_x);
        EXPECT_LE(area.max_y, layout.world().max_y);
        for (std::size_t other = 0; other < i; ++other) {
            EXPECT_FALSE(area.touches(layout.region(static_cast<ShardId>(other)).area))
                << i << " and " << other;
        }
    }
    EXPECT_EQ(covered, square_mm_of(layout.world()));
}

TEST(LayoutGrid, TilesTheWorldToTheMillimetre) {
    for (const auto& [columns, rows] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
             {1, 1}, {2, 2}, {4, 4}, {1, 8}, {7, 3}, {16, 16}, {256, 1}, {100, 2}}) {
        const Rect world{-137, 11, 894, 1003};
        const Layout layout = layout_of(Layout::grid(world, columns, rows));
        EXPECT_EQ(layout.size(), std::size_t{columns} * rows);
        expect_tiles_the_world(layout);
    }
}

TEST(LayoutGrid, RegionsDifferByAtMostOneMillimetreInEachDirection) {
    const Layout layout = layout_of(Layout::grid({0, 0, 1000, 996}, 7, 9));
    for (std::size_t i = 0; i < layout.size(); ++i) {
        const Rect& area = layout.region(static_cast<ShardId>(i)).area;
        EXPECT_NEAR(static_cast<double>(area.max_x - area.min_x + 1), 1001.0 / 7, 1.0);
        EXPECT_NEAR(static_cast<double>(area.max_y - area.min_y + 1), 997.0 / 9, 1.0);
    }
}

TEST(LayoutGrid, IsRowMajorFromTheLowestCornerAndNamesColumnAndRow) {
    const Layout layout = layout_of(Layout::grid(kWorld, 2, 2));
    EXPECT_EQ(layout.region(ShardId{0}), (Region{"c0r0", {0, 0, 49, 24}}));
    EXPECT_EQ(layout.region(ShardId{1}), (Region{"c1r0", {50, 0, 99, 24}}));
    EXPECT_EQ(layout.region(ShardId{2}), (Region{"c0r1", {0, 25, 49, 49}}));
    EXPECT_EQ(layout.region(ShardId{3}), (Region{"c1r1", {50, 25, 99, 49}}));
}

TEST(LayoutGrid, DividesTheWholeFrameOfInt32) {
    const Layout layout = layout_of(Layout::grid(kWholeFrame, 3, 2));
    EXPECT_EQ(layout.region(ShardId{0}).area.min_x, kLowest);
    EXPECT_EQ(layout.region(ShardId{5}).area.max_x, kHighest);
    EXPECT_EQ(layout.region(ShardId{5}).area.max_y, kHighest);
    for (std::size_t i = 1; i < 3; ++i) {
        EXPECT_EQ(layout.region(static_cast<ShardId>(i)).area.min_x,
                  layout.region(static_cast<ShardId>(i - 1)).area.max_x + 1);
    }
}

TEST(LayoutGrid, CutsDownToOneMillimetreAndNoFurther) {
    const Rect world{0, 0, 99, 0};
    EXPECT_EQ(layout_of(Layout::grid(world, 100, 1)).size(), 100U);
    const auto errors = errors_of(Layout::grid(world, 101, 1));
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors.front().kind, Kind::empty_region);
}

TEST(LayoutGrid, RefusesMoreShardsThanAZoneMayHave) {
    const Rect world{0, 0, 9'999, 9'999};
    EXPECT_EQ(layout_of(Layout::grid(world, 16, 16)).size(), kShardsMax);
    for (const auto& [columns, rows] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
             {257, 1}, {16, 17}, {65'536, 65'536}}) {
        const auto errors = errors_of(Layout::grid(world, columns, rows));
        ASSERT_EQ(errors.size(), 1U);
        EXPECT_EQ(errors.front().kind, Kind::too_many_regions);
    }
}

TEST(LayoutGrid, RefusesAGridWithoutColumnsOrRows) {
    EXPECT_EQ(errors_of(Layout::grid(kWorld, 0, 3)).at(0).kind, Kind::no_regions);
    EXPECT_EQ(errors_of(Layout::grid(kWorld, 3, 0)).at(0).kind, Kind::no_regions);
}

TEST(LayoutRegions, AreKeptInTheOrderGiven) {
    const std::vector<Region> regions{{"east", {60, 0, 99, 49}}, {"west", {0, 0, 59, 49}}};
    const Layout layout = layout_of(Layout::from_regions(kWorld, regions));
    EXPECT_EQ(layout.world(), kWorld);
    EXPECT_EQ(layout.region(ShardId{0}), regions[0]);
    EXPECT_EQ(layout.region(ShardId{1}), regions[1]);
}

TEST(LayoutRegions, AreRefusedWhenThereAreNone) {
    const auto errors = errors_of(Layout::from_regions(kWorld, {}));
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors.front().kind, Kind::no_regions);
}

TEST(LayoutRegions, AreRefusedWhenThereAreTooMany) {
    std::vector<Region> regions;
    for (std::int64_t x = 0; x <= static_cast<std::int64_t>(kShardsMax); ++x) {
        regions.push_back({std::to_string(x), {x, 0, x, 0}});
    }
    const Rect world{0, 0, static_cast<std::int64_t>(kShardsMax), 0};
    const auto errors = errors_of(Layout::from_regions(world, regions));
    ASSERT_FALSE(errors.empty());
    EXPECT_EQ(errors.front().kind, Kind::too_many_regions);
}

TEST(LayoutRegions, OverlapIsNamedWithBothRegionsAndItsExactRectangle) {
    const auto errors = errors_of(Layout::from_regions(
        kWorld, {{"a", {0, 0, 60, 49}}, {"b", {61, 0, 99, 30}}, {"c", {59, 30, 99, 49}}}));
    EXPECT_EQ(errors.size(), 2U);
    EXPECT_EQ(count_of(errors, Kind::overlap, 0, 2, {59, 30, 60, 49}), 1);
    EXPECT_EQ(count_of(errors, Kind::overlap, 1, 2, {61, 30, 99, 30}), 1);
}

TEST(LayoutRegions, OverlapOfOneMillimetreIsFound) {
    const auto errors =
        errors_of(Layout::from_regions(kWorld, {{"a", {0, 0, 50, 49}}, {"b", {50, 0, 99, 49}}}));
    EXPECT_EQ(errors.size(), 1U);
    EXPECT_EQ(count_of(errors, Kind::overlap, 0, 1, {50, 0, 50, 49}), 1);
}

TEST(LayoutRegions, GapOfOneMillimetreIsFound) {
    const auto errors =
        errors_of(Layout::from_regions(kWorld, {{"a", {0, 0, 48, 49}}, {"b", {50, 0, 99, 49}}}));
    EXPECT_EQ(errors.size(), 1U);
    EXPECT_EQ(count_of(errors, Kind::gap, LayoutError::kNoRegion, LayoutError::kNoRegion,
                       {49, 0, 49, 49}),
              1);
}

TEST(LayoutRegions, EveryGapIsNamedWithItsExactRectangle) {
    // A hole between the regions, and a bare strip along the right edge of the world.
    const auto errors = errors_of(Layout::from_regions(kWorld, {{"bottom", {0, 0, 89, 19}},
                                                                {"left", {0, 20, 29, 29}},
                                                                {"right", {40, 20, 89, 29}},
                                                                {"top", {0, 30, 89, 49}}}));
    constexpr auto kNone = LayoutError::kNoRegion;
    EXPECT_EQ(errors.size(), 2U);
    EXPECT_EQ(count_of(errors, Kind::gap, kNone, kNone, {30, 20, 39, 29}), 1);
    EXPECT_EQ(count_of(errors, Kind::gap, kNone, kNone, {90, 0, 99, 49}), 1);
}

TEST(LayoutRegions, RegionThatReachesOutOfTheWorldIsNamed) {
    const auto errors = errors_of(
        Layout::from_regions(kWorld, {{"in", {0, 0, 49, 49}}, {"out", {50, 0, 100, 49}}}));
    EXPECT_EQ(errors.size(), 1U);
    EXPECT_EQ(count_of(errors, Kind::outside, 1, 1, {50, 0, 100, 49}), 1);
}

TEST(LayoutRegions, EmptyRegionIsNamed) {
    const auto errors = errors_of(
        Layout::from_regions(kWorld, {{"all", {0, 0, 99, 49}}, {"none", {10, 10, 9, 20}}}));
    EXPECT_EQ(errors.size(), 1U);
    EXPECT_EQ(count_of(errors, Kind::empty_region, 1, 1, {10, 10, 9, 20}), 1);
}

TEST(LayoutRegions, NameThatIsGivenTwiceIsNamed) {
    const auto errors = errors_of(
        Layout::from_regions(kWorld, {{"same", {0, 0, 49, 49}}, {"same", {50, 0, 99, 49}}}));
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors.front().kind, Kind::duplicate_name);
    EXPECT_EQ(errors.front().region, 1U);
    EXPECT_EQ(errors.front().other, 0U);
}

TEST(LayoutRegions, AllErrorsAreReportedAtOnce) {
    const auto errors = errors_of(Layout::from_regions(kWorld, {{"a", {0, 0, 59, 49}},
                                                                {"a", {50, 0, 79, 49}},
                                                                {"far", {95, 0, 120, 49}},
                                                                {"nil", {5, 5, 4, 4}}}));
    for (const Kind kind :
         {Kind::duplicate_name, Kind::overlap, Kind::outside, Kind::empty_region, Kind::gap}) {
        EXPECT_EQ(std::ranges::count(errors, kind, &LayoutError::kind), 1)
            << static_cast<int>(kind);
    }
}

TEST(LayoutRegions, EveryErrorSaysWhatIsWrongWithNamesAndMetres) {
    const auto errors =
        errors_of(Layout::from_regions({0, 0, 9'999, 9'999}, {{"north", {0, 4'000, 9'999, 9'999}},
                                                              {"mid", {0, 2'500, 9'999, 4'999}}}));
    ASSERT_EQ(errors.size(), 2U);
    for (const char* expected : {"'north'", "'mid'", "y 4 to 5"}) {
        EXPECT_NE(errors[0].message.find(expected), std::string::npos) << errors[0].message;
    }
    EXPECT_NE(errors[1].message.find("y 0 to 2.5"), std::string::npos) << errors[1].message;
}

TEST(LayoutOwner, ChangesBetweenTwoNeighbouringMillimetres) {
    const Layout layout = layout_of(Layout::grid(kWorld, 2, 2));
    EXPECT_EQ(layout.owner_of({49, 24, 0}), ShardId{0});
    EXPECT_EQ(layout.owner_of({50, 24, 0}), ShardId{1});
    EXPECT_EQ(layout.owner_of({49, 25, 0}), ShardId{2});
    EXPECT_EQ(layout.owner_of({50, 25, 0}), ShardId{3});
}

TEST(LayoutOwner, IsTheCornersRegionInEveryCornerOfTheWorld) {
    const Layout layout = layout_of(Layout::grid(kWholeFrame, 4, 4));
    EXPECT_EQ(layout.owner_of({kLowest, kLowest, 0}), ShardId{0});
    EXPECT_EQ(layout.owner_of({kHighest, kLowest, 0}), ShardId{3});
    EXPECT_EQ(layout.owner_of({kLowest, kHighest, 0}), ShardId{12});
    EXPECT_EQ(layout.owner_of({kHighest, kHighest, 0}), ShardId{15});
    EXPECT_EQ(layout.owner_of({-1, -1, 0}), ShardId{5});
    EXPECT_EQ(layout.owner_of({0, 0, 0}), ShardId{10});
}

TEST(LayoutOwner, DoesNotDependOnHeight) {
    const Layout layout = layout_of(Layout::grid(kWorld, 2, 2));
    EXPECT_EQ(layout.owner_of({50, 25, kLowest}), ShardId{3});
    EXPECT_EQ(layout.owner_of({50, 25, kHighest}), ShardId{3});
}

/// Strips of equal width in the order of their names.
Layout strips_named(const std::vector<std::string>& names) {
    std::vector<Region> regions;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i) * 10;
        regions.push_back({names[i], {at, 0, at + 9, 99}});
    }
    const auto end = static_cast<std::int64_t>(names.size()) * 10;
    return std::get<Layout>(Layout::from_regions({0, 0, end - 1, 99}, std::move(regions)));
}

std::vector<std::pair<std::string, int>> ids_in(const Layout& layout) {
    std::vector<std::pair<std::string, int>> ids;
    for (const ShardId id : layout.shards()) {
        ids.emplace_back(layout.region(id).name, to_number(id));
    }
    return ids;
}

using NamedIds = std::vector<std::pair<std::string, int>>;

TEST(Layout, ThatIsMadeAnewNumbersItsShardsInOrder) {
    EXPECT_EQ(ids_in(strips_named({"b", "a"})), (NamedIds{{"b", 0}, {"a", 1}}));
}

TEST(Layout, ThatFollowsAnotherKeepsTheIdsOfShardsOfTheSameName) {
    const Layout before = strips_named({"a", "b", "c", "d"});
    const Layout after = strips_named({"d", "a"}).following(before);
    EXPECT_EQ(ids_in(after), (NamedIds{{"a", 0}, {"d", 3}}));
    EXPECT_EQ(after.owner_of({0, 0, 0}), ShardId{3});
    EXPECT_EQ(after.owner_of({10, 0, 0}), ShardId{0});
    EXPECT_FALSE(after.contains(ShardId{1}));
    EXPECT_EQ(after.region(ShardId{3}).area, (Rect{0, 0, 9, 99}));
}

TEST(Layout, ThatFollowsAnotherGivesNewShardsTheLowestIdsThatAreLeft) {
    const Layout before = strips_named({"a", "b", "c"});
    const Layout after = strips_named({"x", "b", "y", "z"}).following(before);
    EXPECT_EQ(ids_in(after), (NamedIds{{"x", 0}, {"b", 1}, {"y", 2}, {"z", 3}}));
}

TEST(Layout, OfTheMostShardsFollowsAnotherOfTheMostWithOtherNames) {
    const Rect world{0, 0, 255, 255};
    const Layout before = std::get<Layout>(Layout::grid(world, 256, 1));
    const Layout after = std::get<Layout>(Layout::grid(world, 1, 256)).following(before);
    EXPECT_EQ(after.size(), kShardsMax);
    EXPECT_EQ(after.region(ShardId{0}).name, "c0r0");
    EXPECT_EQ(after.region(ShardId{255}).name, "c0r255");
}

}  // namespace
}  // namespace marchland::shards
