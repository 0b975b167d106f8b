#include "tests/config/test_folder.h"

#include <gtest/gtest.h>

namespace marchland::config {

namespace {

using Errors = std::vector<std::string>;

constexpr engine::Rect kWorld{0, 0, 200'000, 100'000};

std::string shard(std::string_view name, std::string_view rect) {
    return "[[shard]]\nname = \"" + std::string(name) + "\"\nrect_m = { " + std::string(rect) +
           " }\n";
}

const std::string kWest = shard("west", "min_x = 0, min_y = 0, max_x = 100, max_y = 100");
const std::string kEast = shard("east", "min_x = 100, min_y = 0, max_x = 200, max_y = 100");

}  // namespace

TEST(LayoutFile, RectanglesThatShareAnEdgeTileTheWorld) {
    const TestFolder folder;
    const auto layout = folder.load_layout_file(kWest + kEast, kWorld);
    ASSERT_TRUE(layout);
    ASSERT_EQ(layout->size(), 2U);
    EXPECT_EQ(layout->region(shards::ShardId{0}),
              (shards::Region{"west", {0, 0, 99'999, 100'000}}));
    EXPECT_EQ(layout->region(shards::ShardId{1}),
              (shards::Region{"east", {100'000, 0, 200'000, 100'000}}));
}

TEST(LayoutFile, WithoutAWorldTilesTheRectangleAroundItsShards) {
    const TestFolder folder;
    const auto layout = folder.load_layout_file(kWest + kEast, std::nullopt);
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->world(), kWorld);
}

TEST(LayoutFile, WithAGridDividesAnyWorld) {
    const TestFolder folder;
    const auto layout = folder.load_layout_file("[grid]\ncolumns = 4\nrows = 2\n", kWorld);
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->size(), 8U);
    EXPECT_EQ(layout->world(), kWorld);
}

TEST(LayoutFile, AGapIsNamedByItsCoordinatesBesideAShard) {
    const TestFolder folder;
    EXPECT_EQ(folder.layout_errors_of(
                  shard("west", "min_x = 0, min_y = 0, max_x = 90.5, max_y = 100") + kEast, kWorld),
              Errors{"layout.toml:3:10: shard: no shard owns x 90.5 to 100, y 0 to 100 (metres), "
                     "beside 'west'\n"
                     "  hint: neighbours share an edge: max of one is min of the next"});
}

TEST(LayoutFile, AnOverlapIsNamedByItsCoordinatesAndBothShards) {
    const TestFolder folder;
    EXPECT_EQ(
        folder.layout_errors_of(
            shard("west", "min_x = 0, min_y = 0, max_x = 100.001, max_y = 100") + kEast, kWorld),
        Errors{"layout.toml:6:10: shard.rect_m: overlaps 'west' (line 3) in x 100 to 100.001, y "
               "0 to 100 (metres)"});
}

TEST(LayoutFile, AShardOutsideTheWorldIsNamedWithBoth) {
    const TestFolder folder;
    EXPECT_EQ(
        folder.layout_errors_of(
            kWest + shard("east", "min_x = 100, min_y = 0, max_x = 200.001, max_y = 100"), kWorld),
        Errors{"layout.toml:6:10: shard.rect_m: x 100 to 200.001, y 0 to 100 reaches outside "
               "the world, x 0 to 200, y 0 to 100 (metres)"});
}

TEST(LayoutFile, TwoShardsOfOneNameAreAnError) {
    const TestFolder folder;
    EXPECT_EQ(
        folder.layout_errors_of(
            kWest + shard("west", "min_x = 100, min_y = 0, max_x = 200, max_y = 100"), kWorld),
        Errors{"layout.toml:5:8: shard.name: is also the name of 'west' (line 3)"});
}

TEST(LayoutFile, EveryShardsOwnErrorsComeAtOnce) {
    const TestFolder folder;
    EXPECT_EQ(folder.layout_errors_of(R"([[shard]]
name = ""
rect_m = { min_x = 1, min_y = 0, max_x = 1, max_y = 0 }
[[shard]]
rect_m = { min_x = 0, min_y = 0, max_x = 1, max_y = 1, max_z = 1 }
)",
                                      kWorld),
              (Errors{
                  "layout.toml:2:8: shard.name: \"\" is no name: 1 to 64 bytes, no control "
                  "characters",
                  "layout.toml:3:10: shard.rect_m: max_x (1) must be greater than min_x (1)",
                  "layout.toml:3:10: shard.rect_m: max_y (0) must be greater than min_y (0)",
                  "layout.toml:4:1: shard.name: is missing\n  hint: needed here: name, rect_m",
                  "layout.toml:5:56: shard.rect_m.max_z: unknown key\n"
                  "  hint: did you mean 'max_x'? Known keys: min_x, min_y, max_x, max_y",
              }));
}

TEST(LayoutFile, HoldsExactlyOneOfTheTwoForms) {
    const TestFolder folder;
    EXPECT_EQ(folder.layout_errors_of("# nothing\n", kWorld),
              Errors{"layout.toml: holds no layout\n"
                     "  hint: write [grid] or [[shard]]; see docs/layouts.md"});
    EXPECT_EQ(folder.layout_errors_of(kWest + kEast + "[grid]\n", kWorld),
              Errors{"layout.toml:7:1: [grid] and [[shard]] exclude each other\n"
                     "  hint: keep the one that says how the world is divided"});
}

TEST(LayoutFile, MoreShardsThanTheLimitAreAnErrorAtTheFirstTooMany) {
    const TestFolder folder;
    std::string text;
    for (int i = 0; i < 257; ++i) {
        text += shard(std::to_string(i), "min_x = 0, min_y = 0, max_x = 1, max_y = 1");
    }
    EXPECT_EQ(folder.layout_errors_of(text, kWorld),
              Errors{"layout.toml:769:1: shard: 257 shards, the limit is 256"});
}

TEST(LayoutFile, AGridOverTheLimitIsAnErrorAtItsColumns) {
    const TestFolder folder;
    const auto errors = folder.layout_errors_of("[grid]\nrows = 20\ncolumns = 20\n", kWorld);
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_TRUE(errors[0].starts_with("layout.toml:3:11: grid.columns: ")) << errors[0];
}

TEST(LayoutFile, ThatAServersFileNamesIsFoundInItsFolder) {
    const TestFolder folder;
    folder.write("layouts/two.toml", kWest + kEast);
    const auto config = folder.load(folder.write("zone.toml", R"([world]
bounds_m = { min_x = 0, min_y = 0, max_x = 200, max_y = 100 }
[shards]
layout = "layouts/two.toml"
)"));
    ASSERT_TRUE(config);
    EXPECT_EQ(config->layout.region(shards::ShardId{1}).name, "east");
}

TEST(LayoutFile, ErrorsOfAServersFileAndOfItsLayoutComeTogether) {
    const TestFolder folder;
    folder.write("two.toml", kWest + "[[shard]]\nnam = \"east\"\n");
    const auto errors = folder.errors_of("[tick]\nrate = 3\n[shards]\nlayout = \"two.toml\"\n");
    ASSERT_EQ(errors.size(), 4U);
    EXPECT_TRUE(errors[0].starts_with("zone.toml:2:1: tick.rate: unknown key")) << errors[0];
    EXPECT_TRUE(errors[1].starts_with("two.toml:4:1: shard.name: is missing")) << errors[1];
    EXPECT_TRUE(errors[2].starts_with("two.toml:4:1: shard.rect_m: is missing")) << errors[2];
    EXPECT_TRUE(errors[3].starts_with("two.toml:5:1: shard.nam: unknown key")) << errors[3];
}

TEST(LayoutFile, FromTheCommandLineTakesThePlaceOfTheNamedOne) {
    const TestFolder folder;
    const auto single = folder.write("single.toml", "[grid]\n");
    EXPECT_EQ(folder.errors_of("[shards]\nlayout = \"missing.toml\"\n", single), Errors{});
    EXPECT_EQ(folder.errors_of("", folder.write("gone/x.toml", "").parent_path() / "y.toml"),
              Errors{"gone/y.toml: cannot be read: No such file or directory"});
}

TEST(LayoutFile, IsNotHeldAgainstAWorldThatIsWrongItself) {
    const TestFolder folder;
    folder.write("two.toml", kWest + kEast);
    EXPECT_EQ(folder.errors_of("[world]\nbounds_m = 5\n[shards]\nlayout = \"two.toml\"\n"),
              Errors{"zone.toml:2:12: world.bounds_m: must be a table, not a whole number"});
    folder.write("overlap.toml", kWest + kWest);
    const auto both =
        folder.errors_of("[world]\nbounds_m = 5\n[shards]\nlayout = \"overlap.toml\"\n");
    EXPECT_GE(both.size(), 2U) << "what is wrong in every world is said, too";
}

}  // namespace marchland::config
