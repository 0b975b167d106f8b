#include "tools/layout/layout_program.h"

#include "tests/tools/trace_scratch_folder.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace marchland::layout {
namespace {

constexpr const char* kTwo =
    "[[shard]]\nname = \"west\"\nrect_m = { min_x = 0, min_y = 0, max_x = 50, max_y = 100 }\n"
    "[[shard]]\nname = \"east\"\nrect_m = { min_x = 50, min_y = 0, max_x = 100, max_y = 100 }\n";
constexpr const char* kThree =
    "[[shard]]\nname = \"west\"\nrect_m = { min_x = 0, min_y = 0, max_x = 40, max_y = 100 }\n"
    "[[shard]]\nname = \"gate\"\nrect_m = { min_x = 40, min_y = 0, max_x = 50, max_y = 100 }\n"
    "[[shard]]\nname = \"east\"\nrect_m = { min_x = 50, min_y = 0, max_x = 100, max_y = 100 }\n";
constexpr const char* kGap =
    "[[shard]]\nname = \"west\"\nrect_m = { min_x = 0, min_y = 0, max_x = 40, max_y = 100 }\n"
    "[[shard]]\nname = \"west\"\nrect_m = { min_x = 50, min_y = 0, max_x = 100, max_y = 100 }\n";
constexpr const char* kWalk = "t,id,x,y\n0,1,10,10\n0,2,45,5\n0,3,90,90\n1,2,46,6\n1,3,20,90\n";

struct Ended {
    int exit_code = 0;
    std::string out;
    std::string err;
};

Ended run(const std::vector<std::string>& arguments) {
    std::vector<const char*> argv{"marchland-layout"};
    for (const std::string& argument : arguments) {
        argv.push_back(argument.c_str());
    }
    std::ostringstream out;
    std::ostringstream err;
    const int exit_code =
        run_program(static_cast<int>(argv.size()), argv.data(), "version 1", out, err);
    return {exit_code, out.str(), err.str()};
}

void expect_refused(const Ended& ended, std::string_view part) {
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_NE(ended.err.find(part), std::string::npos) << ended.err;
}

class LayoutProgram : public testing::Test {
protected:
    const trace::ScratchFolder folder_;
    const std::string two_ = folder_.write("two.toml", kTwo);
    const std::string three_ = folder_.write("three.toml", kThree);
    const std::string walk_ = folder_.write("walk.csv", kWalk);
};

TEST_F(LayoutProgram, CheckAcceptsALayoutAndSaysWhatItIs) {
    const Ended ended = run({"check", two_});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.out,
              two_ + ": 2 shards tile x 0 to 100, y 0 to 100; the shortest side is 50 m\n");
    EXPECT_EQ(run({"check", two_, "--json"}).out,
              "{\"valid\":true,\"shards\":2,\"world_m\":{\"min_x\":0,\"min_y\":0,\"max_x\":100,"
              "\"max_y\":100},\"shortest_side_m\":50}\n");
}

TEST_F(LayoutProgram, CheckRefusesWithEveryErrorAtItsPlace) {
    const std::string gap = folder_.write("gap.toml", kGap);
    const Ended ended = run({"check", gap, "--json"});
    expect_refused(ended, gap + ":5:8: shard.name: is also the name of");
    expect_refused(ended, "no shard owns x 40 to 50");
    EXPECT_EQ(ended.out.rfind("{\"valid\":false,\"errors\":[{\"file\":", 0), 0U) << ended.out;
    expect_refused(run({"check", folder_.file("no.toml")}), "no.toml");
}

TEST_F(LayoutProgram, WorldIsThatOfAConfiguration) {
    const std::string config =
        folder_.write("zone.toml",
                      "[world]\nbounds_m = { min_x = 0, min_y = 0, max_x = 100, max_y = 120 }\n"
                      "[spawn]\nat_m = { x = 1, y = 1 }\n");
    expect_refused(run({"check", two_, "--config", config}),
                   "no shard owns x 0 to 100, y 100 to 120");
    const std::string grid = folder_.write("grid.toml", "[grid]\ncolumns = 4\nrows = 3\n");
    EXPECT_EQ(run({"check", grid, "--config", config}).exit_code, 0);
    expect_refused(run({"check", grid}), "a grid has no size of its own");
    expect_refused(run({"check", two_, "--config", folder_.file("no.toml")}), "no.toml");
}

TEST_F(LayoutProgram, ShowCountsEachEntityWhereItWasLast) {
    const Ended ended = run({"show", two_, "--positions", walk_, "--json"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_NE(ended.out.find(R"("name":"west",)"), std::string::npos) << ended.out;
    EXPECT_NE(ended.out.find(R"(,"positions":3},)"), std::string::npos) << ended.out;
    EXPECT_NE(ended.out.find(R"(,"positions":0}],"imbalance":2.0000})"), std::string::npos);
    EXPECT_NE(run({"show", two_}).out.find("x 50 to 100, y 0 to 100"), std::string::npos);
}

TEST_F(LayoutProgram, ShowDrawsEveryShardAndEscapesNames) {
    const std::string odd = folder_.write(
        "odd.toml",
        "[[shard]]\nname = \"<a> & b\"\nrect_m = { min_x = 0, min_y = 0, max_x = 9, max_y = 9 }\n");
    const std::string picture = folder_.file("odd.svg");
    EXPECT_EQ(run({"show", odd, "--out", picture}).exit_code, 0);
    const std::string svg = folder_.read("odd.svg");
    EXPECT_EQ(svg.rfind("<svg xmlns=", 0), 0U);
    EXPECT_NE(svg.find("&lt;a> &amp; b</text>"), std::string::npos) << svg;
    EXPECT_EQ(svg.find("<a>"), std::string::npos);
    EXPECT_NE(svg.find(">9 m</text>"), std::string::npos) << "edges as the file has them";
}

TEST_F(LayoutProgram, DiffNamesTheGroundAndTheEntitiesThatChangeOwner) {
    const Ended ended = run({"diff", two_, three_, "--positions", walk_});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(ended.out,
              "starts   gate\n"
              "changes  west -> gate: 1000 m2\n"
              "10.00 % of the world changes owner; 1 of 3 entities are there\n");
    EXPECT_EQ(run({"diff", three_, two_, "--json"}).out,
              "{\"starts\":[],\"ends\":[\"gate\"],\"changes\":[{\"from\":\"gate\",\"to\":\"west\","
              "\"rect_m\":{\"min_x\":40,\"min_y\":0,\"max_x\":50,\"max_y\":100},\"area_m2\":"
              "1000.010}],\"changed_share\":0.1000}\n");
    EXPECT_EQ(run({"diff", two_, two_}).out, "0.00 % of the world changes owner\n");
}

TEST_F(LayoutProgram, DiffHatchesWhatChanges) {
    const std::string picture = folder_.file("change.svg");
    EXPECT_EQ(run({"diff", two_, three_, "--out", picture}).exit_code, 0);
    EXPECT_NE(folder_.read("change.svg").find("<title>from west to gate</title>"),
              std::string::npos);
}

TEST_F(LayoutProgram, DiffRefusesLayoutsOfDifferentWorlds) {
    const std::string small = folder_.write(
        "small.toml",
        "[[shard]]\nname = \"a\"\nrect_m = { min_x = 0, min_y = 0, max_x = 9, max_y = 9 }\n");
    expect_refused(run({"diff", two_, small}), "no shard owns");
}

TEST_F(LayoutProgram, BalanceWritesALayoutThatCheckAccepts) {
    const std::string out = folder_.file("balanced.toml");
    const Ended ended = run({"balance", "--positions", walk_, "--shards", "3", "--min-shard-size",
                             "12.5", "--out", out, "--json"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_NE(ended.out.find("\"imbalance\":"), std::string::npos);
    const Ended check = run({"check", out});
    EXPECT_EQ(check.exit_code, 0) << check.err;
    EXPECT_NE(check.out.find("3 shards tile x 10 to 90, y 5 to 90"), std::string::npos)
        << check.out;
}

TEST_F(LayoutProgram, BalanceTilesTheWorldOfAConfiguration) {
    const std::string config = folder_.write(
        "zone.toml",
        "[world]\nbounds_m = { min_x = -10, min_y = -10, max_x = 110, max_y = 110 }\n");
    const std::string out = folder_.file("balanced.toml");
    ASSERT_EQ(
        run({"balance", "--positions", walk_, "--shards", "4", "--config", config, "--out", out})
            .exit_code,
        0);
    EXPECT_EQ(run({"check", out, "--config", config}).exit_code, 0);
}

TEST_F(LayoutProgram, ShowSaysHowManyGhostsThereWouldBe) {
    const std::string config =
        folder_.write("zone.toml",
                      "[world]\nbounds_m = { min_x = 0, min_y = 0, max_x = 100, max_y = 100 }\n"
                      "[view]\nleave_radius_max_m = 20\nradius_m = 10\nleave_radius_m = 12\n");
    const std::string near =
        folder_.write("near.csv", "t,id,x,y\n0,1,45,10\n0,2,55,10\n0,3,90,90\n");
    const Ended text = run({"show", two_, "--positions", near, "--config", config});
    EXPECT_EQ(text.exit_code, 0) << text.err;
    EXPECT_NE(text.out.find("; 2 ghosts, each about as much work as an entity"), std::string::npos)
        << text.out;
    const Ended json = run({"show", two_, "--positions", near, "--config", config, "--json"});
    EXPECT_NE(json.out.find(R"(,"ghosts":2})"), std::string::npos) << json.out;
}

/// Of entities, where they are last: not of all places where they have been.
TEST_F(LayoutProgram, BalanceCountsTheGhostsThatShowCounts) {
    const std::string config =
        folder_.write("zone.toml",
                      "[world]\nbounds_m = { min_x = 0, min_y = 0, max_x = 100, max_y = 100 }\n"
                      "[view]\nleave_radius_max_m = 20\nradius_m = 10\nleave_radius_m = 12\n");
    const std::string near = folder_.write(
        "near.csv", "t,id,x,y\n0,1,45,10\n0,2,55,10\n0,3,50,10\n1,1,46,10\n1,2,54,10\n1,3,51,10\n");
    const std::string out = folder_.file("balanced.toml");
    const Ended balanced = run({"balance", "--positions", near, "--shards", "2", "--config", config,
                                "--out", out, "--json"});
    ASSERT_EQ(balanced.exit_code, 0) << balanced.err;
    const Ended shown = run({"show", out, "--positions", near, "--config", config, "--json"});
    const auto ghosts = [](const std::string& json) {
        return json.substr(json.find("\"ghosts\":"));
    };
    EXPECT_EQ(ghosts(balanced.out), ghosts(shown.out));
    EXPECT_EQ(ghosts(shown.out), "\"ghosts\":3}\n");
}

TEST_F(LayoutProgram, BalanceRefusesWhatDoesNotFit) {
    const std::string out = folder_.file("balanced.toml");
    expect_refused(run({"balance", "--positions", walk_, "--shards", "9", "--min-shard-size", "40",
                        "--out", out}),
                   "9 shards of at least 40 m each way do not fit");
    expect_refused(run({"balance", "--positions", walk_, "--shards", "257", "--out", out}),
                   "--shards");
    expect_refused(run({"balance", "--positions", walk_, "--shards", "2", "--min-shard-size", "0",
                        "--out", out}),
                   "--min-shard-size");
    expect_refused(run({"balance", "--shards", "2", "--out", out}), "--positions is required");
    EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(LayoutProgram, RefusesPositionsOutsideTheWorld) {
    const std::string far = folder_.write("far.csv", "t,id,x,y\n0,1,101,5\n");
    expect_refused(run({"show", two_, "--positions", far}), "lie outside the world");
    const std::string broken = folder_.write("broken.csv", "t,id,x,y\n0,1,one,5\n");
    expect_refused(run({"show", two_, "--positions", broken}), "broken.csv:2:5");
}

TEST_F(LayoutProgram, TellsThatAFileCouldNotBeWritten) {
    const Ended ended = run({"show", two_, "--out", "no/such/folder/a.svg"});
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_EQ(ended.err, "no/such/folder/a.svg: cannot be written: No such file or directory\n");
}

TEST_F(LayoutProgram, WritesOverNothingThatItReads) {
    const auto expect_kept = [](const std::vector<std::string>& arguments) {
        expect_refused(run(arguments), "would be overwritten, and it is read: name another file");
    };
    expect_kept({"show", two_, "--out", two_});
    expect_kept({"show", two_, "--positions", walk_, "--out", walk_});
    expect_kept({"diff", two_, three_, "--out", three_});
    expect_kept({"balance", "--positions", walk_, "--shards", "2", "--out", walk_});
    EXPECT_EQ(run({"check", two_}).exit_code, 0);
}

TEST_F(LayoutProgram, HelpsAndRefusesWrongArguments) {
    EXPECT_EQ(run({"--help"}).exit_code, 0);
    EXPECT_EQ(run({"--version"}).out, "version 1\n");
    EXPECT_EQ(run({"balance", "--help"}).exit_code, 0);
    EXPECT_EQ(run({}).exit_code, 2);
    EXPECT_EQ(run({"check"}).exit_code, 2);
    EXPECT_EQ(run({"turn", two_}).exit_code, 2);
    EXPECT_NE(run({"turn", two_}).err.find("turn"), std::string::npos);
    EXPECT_EQ(run({"check", two_, "--colour"}).exit_code, 2);
    EXPECT_EQ(run({"show", two_, "--out", ""}).exit_code, 2);
    EXPECT_EQ(run({"balance", "--positions", walk_, "--shards", "2", "--out", ""}).exit_code, 2);
}

}  // namespace
}  // namespace marchland::layout
