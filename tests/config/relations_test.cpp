#include "tests/config/test_folder.h"

#include <gtest/gtest.h>

namespace marchland::config {

namespace {

using Errors = std::vector<std::string>;

}  // namespace

TEST(Relations, ALeaveRadiusBelowTheRadiusIsReportedWithBoth) {
    const TestFolder folder;
    EXPECT_EQ(
        folder.errors_of("[view]\nradius_m = 60.5\nleave_radius_m = 60\n"),
        Errors{"zone.toml:2:12: view.radius_m: 60.5 must be at most view.leave_radius_m (60)\n"
               "  hint: between the two, an entity that is seen stays seen"});
}

TEST(Relations, ADefaultThatDisagreesIsNamedAsOne) {
    const TestFolder folder;
    EXPECT_EQ(
        folder.errors_of("[view]\nradius_m = 60\n"),
        Errors{"zone.toml:2:12: view.radius_m: 60 must be at most view.leave_radius_m (55, the "
               "default)\n"
               "  hint: between the two, an entity that is seen stays seen"});
    EXPECT_EQ(folder.errors_of("[view]\nleave_radius_max_m = 10\n"),
              Errors{"zone.toml:2:22: view.leave_radius_max_m: 10 must be at least "
                     "view.leave_radius_m (55, the default)\n"
                     "  hint: the default view is a view like any other"});
}

TEST(Relations, OfARefusedKeyAreNotChecked) {
    const TestFolder folder;
    EXPECT_EQ(folder.errors_of("[view]\nradius_m = 60\nleave_radius_m = \"far\"\n"),
              Errors{"zone.toml:3:18: view.leave_radius_m: must be a distance in metres, not a "
                     "string"});
}

TEST(Relations, OfARefusedSectionAreNotChecked) {
    const TestFolder folder;
    EXPECT_EQ(folder.errors_of(R"(world = 1
[spawn]
at_m = { x = 5000, y = 0 }
[[shard]]
name = "all"
rect_m = { min_x = 0, min_y = 0, max_x = 9000, max_y = 9000 }
)"),
              Errors{"zone.toml:1:9: world: must be a table, not a whole number"});
}

TEST(Relations, ASpawnOutsideTheWorldIsReportedWithBoth) {
    const TestFolder folder;
    EXPECT_EQ(
        folder.errors_of(R"([world]
bounds_m = { min_x = 0, min_y = 0, max_x = 100, max_y = 100 }
[spawn]
at_m = { x = 50, y = 100.001 }
)"),
        Errors{"zone.toml:4:8: spawn.at_m: x 50, y 100.001, lies outside world.bounds_m (x 0 to "
               "100, y 0 to 100)\n"
               "  hint: [spawn] at_m = { x = ..., y = ... } is where a client without a wish "
               "begins"});
}

TEST(Relations, ADefaultSpawnOutsideTheWorldIsReportedAtTheWorld) {
    const TestFolder folder;
    const auto errors = folder.errors_of(
        "[world]\nbounds_m = { min_x = 10, min_y = 10, max_x = 100, max_y = 100 }\n");
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_TRUE(
        errors[0].starts_with("zone.toml:2:12: spawn.at_m: x 0, y 0, the default, lies "
                              "outside world.bounds_m"))
        << errors[0];
}

TEST(Relations, OneSlotMaySayWhereEntitiesFaceAndIsAnInteger) {
    const TestFolder folder;
    const std::string facing = "[[entities.slots]]\nname = \"facing\"\nwriter = \"facing\"\n";
    const std::string more =
        "[[entities.slots]]\nname = \"more\"\nwriter = \"facing\"\ntype = \"integer\"\n";
    EXPECT_EQ(folder.errors_of(facing + "type = \"integer\"\nfacing_step_deg = 180\n"), Errors{});
    EXPECT_EQ(folder.errors_of(facing + "type = \"float\"\n").size(), 1U);
    EXPECT_EQ(folder.errors_of(facing + "type = \"integer\"\n" + more).size(), 1U);
    EXPECT_EQ(folder.errors_of(facing + "type = \"integer\"\nfacing_step_deg = 181\n").size(), 1U);
}

TEST(Relations, AMessageThatNoSecondLetsThroughIsAnError) {
    const TestFolder folder;
    const auto errors = folder.errors_of("[limits]\nbytes_per_second_max = 1000\n");
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_TRUE(errors[0].starts_with(
        "zone.toml:2:24: limits.bytes_per_second_max: 1000 must be at "
        "least limits.message_bytes_max (2048 and a prefix of 4, the default)"))
        << errors[0];
    EXPECT_EQ(folder.errors_of("[limits]\nbytes_per_second_max = 2051\n").size(), 1U);
    EXPECT_EQ(folder.errors_of("[limits]\nbytes_per_second_max = 2052\n"), Errors{});
}

TEST(Relations, ASlowTimeoutWithinTwoTicksIsAnError) {
    const TestFolder folder;
    EXPECT_EQ(
        folder.errors_of("[limits]\nslow_timeout_ms = 1999\n[tick]\nrate_hz = 1\n"),
        Errors{"zone.toml:2:19: limits.slow_timeout_ms: 1999 is shorter than two ticks (2000 ms "
               "at tick.rate_hz 1)"});
    EXPECT_EQ(folder.errors_of("[limits]\nslow_timeout_ms = 2000\n[tick]\nrate_hz = 1\n"),
              Errors{});
}

TEST(Relations, UpdateRingsThatDoNotGrowOrOutlastTheLongestWaitAreAnError) {
    const TestFolder folder;
    const std::string hint = "\n  hint: { beyond_m = 0, every_ticks = 0 } is no ring";
    EXPECT_EQ(folder.errors_of("[crowd]\nring_1 = { beyond_m = 20, every_ticks = 4 }\n"
                               "ring_2 = { beyond_m = 30, every_ticks = 4 }\n"),
              Errors{"zone.toml:3:10: crowd.ring_2: each update ring is wider and slower than the "
                     "one before" +
                     hint});
    EXPECT_EQ(
        folder.errors_of("[crowd]\nring_1 = { beyond_m = 20, every_ticks = 1 }\n"
                         "ring_2 = { beyond_m = 30, every_ticks = 4 }\n"),
        Errors{"zone.toml:2:10: crowd.ring_1.every_ticks: 1 is not between 2 and 256\n  hint: "
               "everything is sent in every tick where there is no ring"});
    const std::string slow = "[crowd]\nring_1 = { beyond_m = 20, every_ticks = 50 }\n";
    EXPECT_EQ(folder.errors_of(slow + "frame_bytes_max = 0\n"), Errors{});
    EXPECT_EQ(
        folder.errors_of(slow),
        Errors{"zone.toml:2:10: crowd.ring_1: stale_ticks_max is as long as the slowest update "
               "ring waits, or longer" +
               hint});
}

TEST(Relations, BudgetInWhichNoMessageFitsIsAnError) {
    const TestFolder folder;
    const std::string hint = "\n  hint: 0: no such limit";
    EXPECT_EQ(folder.errors_of("[crowd]\nframe_bytes_max = 2047\n"),
              Errors{"zone.toml:2:19: crowd.frame_bytes_max: 2047 is less than 2048, in which any "
                     "message fits" +
                     hint});
    EXPECT_EQ(folder.errors_of("[crowd]\nclient_bytes_per_second_max = 5119\n"),
              Errors{"zone.toml:2:31: crowd.client_bytes_per_second_max: 5119 is less than 5120, "
                     "256 in each tick" +
                     hint});
    EXPECT_EQ(folder.errors_of("[crowd]\nclient_bytes_per_second_max = 1\nframe_bytes_max = 0\n"),
              Errors{});
}

TEST(Relations, AFrameWithoutRoomForAnEntityWithAllItsSlotsIsAnError) {
    const TestFolder folder;
    const std::string slots =
        "[entities]\nslots = [\n"
        "{ name = \"a\", type = \"bytes\", bytes_max = 1000 },\n"
        "{ name = \"b\", type = \"bytes\", bytes_max = 1000 },\n"
        "{ name = \"c\", type = \"bytes\", bytes_max = 1000 }]\n";
    EXPECT_EQ(folder.errors_of("[crowd]\nframe_bytes_max = 3121\n" + slots),
              Errors{"zone.toml:2:19: crowd.frame_bytes_max: 3121 is less than 3122, in which "
                     "whoever comes into view fits with all of entities.slots\n"
                     "  hint: 0: no such limit"});
    EXPECT_EQ(folder.errors_of("[crowd]\nframe_bytes_max = 3122\n" + slots), Errors{});
}

TEST(Relations, TwoWaysToDivideTheWorldAreAnError) {
    const TestFolder folder;
    const std::string hint =
        "\n  hint: the world is divided by columns and rows, or by a layout file, or by [[shard]]";
    EXPECT_EQ(folder.errors_of("[shards]\nrows = 2\nlayout = \"none.toml\"\n"),
              (Errors{"zone.toml:3:10: shards.layout: excludes shards.rows (line 2)" + hint,
                      "zone.toml:3:10: shards.layout: none.toml cannot be read: No such file or "
                      "directory\n  hint: the path is relative to the folder of this file"}));
    EXPECT_EQ(folder.errors_of("[shards]\ncolumns = 2\nrows = 2\n[[shard]]\nname = \"a\"\n"
                               "rect_m = { min_x = 0, min_y = 0, max_x = 1, max_y = 1 }\n"),
              Errors{"zone.toml:4:1: shard: excludes shards.columns (line 2)" + hint});
}

}  // namespace marchland::config
