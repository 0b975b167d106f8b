#include "tools/trace/trace_program.h"

#include "shards/recording/recording_file.h"
#include "shards/recording/records.h"
#include "tests/tools/trace_oracle.h"
#include "tests/tools/trace_scratch_folder.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

namespace marchland::trace {
namespace {

constexpr const char* kWalk = "t,id,x,y\n0,1,0,0\n0,2,3,4\n1,2,3,5\n2,2,3,4\n3,2,4,3\n";
constexpr const char* kWalkLines =
    "0,1,E,2\n0,2,E,1\n1,1,L,2\n1,2,L,1\n2,1,E,2\n2,2,E,1\n3,1,M,2\n";

struct Ended {
    int exit_code = 0;
    std::string out;
    std::string err;
};

Ended run(std::vector<std::string> arguments) {
    std::vector<const char*> argv{"marchland-trace"};
    for (const std::string& argument : arguments) {
        argv.push_back(argument.c_str());
    }
    std::ostringstream out;
    std::ostringstream err;
    const int exit_code =
        run_program(static_cast<int>(argv.size()), argv.data(), "version 1", out, err, false);
    return {exit_code, out.str(), err.str()};
}

/// Exit code 2, and `part` among what is said on standard error.
void expect_refused(const Ended& ended, std::string_view part) {
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_NE(ended.err.find(part), std::string::npos) << ended.err;
    EXPECT_EQ(ended.out, "");
}

class TraceProgram : public testing::Test {
protected:
    const ScratchFolder folder_;
    const std::string walk_ = folder_.write("walk.csv", kWalk);
};

TEST_F(TraceProgram, ReportsOneJsonObject) {
    const Ended ended = run({"--trace", walk_, "--radius", "5", "--shards", "2x2", "--json"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    const std::string expected =
        fmt::format(R"({{"ticks":4,"enter":4,"leave":2,"move":1,"digest":"{:016x}","seconds":)",
                    digest_by_hand(kWalkLines));
    EXPECT_EQ(ended.out.substr(0, expected.size()), expected);
    EXPECT_NE(ended.out.find(R"(,"entities":2,"samples":5,"shards":4,)"), std::string::npos);
    EXPECT_EQ(ended.out.back(), '\n');
    EXPECT_EQ(ended.err, "");
}

TEST_F(TraceProgram, ReportsForPeopleWithoutJson) {
    const Ended ended = run({"--trace", walk_, "--radius", "5"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_NE(ended.out.find("5 samples of 2 entities in 4 ticks, 1 shards"), std::string::npos)
        << ended.out;
    EXPECT_NE(ended.out.find(fmt::format("{:016x}", digest_by_hand(kWalkLines))),
              std::string::npos);
}

TEST_F(TraceProgram, WritesTheLinesThatItDigests) {
    const Ended ended =
        run({"--trace", walk_, "--radius", "5", "--events", folder_.file("events.csv")});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(folder_.read("events.csv"), kWalkLines);
}

TEST_F(TraceProgram, TakesALayoutFromAFile) {
    const std::string layout = folder_.write(
        "layout.toml",
        "[[shard]]\nname = \"w\"\nrect_m = { min_x = -5, min_y = 0, max_x = 2, max_y = 9 }\n"
        "[[shard]]\nname = \"e\"\nrect_m = { min_x = 2, min_y = 0, max_x = 9, max_y = 9 }\n");
    const Ended ended = run({"--trace", walk_, "--radius", "5", "--layout", layout, "--json"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_NE(ended.out.find(fmt::format("{:016x}", digest_by_hand(kWalkLines))),
              std::string::npos);
    EXPECT_NE(ended.out.find("\"shards\":2"), std::string::npos);
}

TEST_F(TraceProgram, LayoutThatChangesInMidRunChangesNothingThatIsSeen) {
    const auto one_layout = run({"--trace", walk_, "--radius", "5", "--json"});
    const std::string layout = folder_.write("two.toml", "[grid]\ncolumns = 2\n");
    const auto changed = run({"--trace", walk_, "--radius", "5", "--shards", "2x2", "--change",
                              "1:1x1", "--change", "2:" + layout, "--json"});
    EXPECT_EQ(changed.exit_code, 0) << changed.err;
    const auto digest = [](const Ended& ended) {
        return ended.out.substr(ended.out.find("\"digest\""), 27);
    };
    EXPECT_EQ(digest(changed), digest(one_layout));
    EXPECT_NE(changed.out.find(R"("shards":2,)"), std::string::npos) << changed.out;
}

TEST_F(TraceProgram, RefusesChangesThatCannotBe) {
    const auto change = [&](const std::vector<std::string>& changes) {
        std::vector<std::string> arguments{"--trace", walk_, "--radius", "5"};
        for (const std::string& it : changes) {
            arguments.insert(arguments.end(), {"--change", it});
        }
        return run(arguments);
    };
    expect_refused(change({"x:2x2"}), "'x:2x2' is not TICK:LAYOUT");
    expect_refused(change({"2:2x2", "2:1x1"}), "tick 2 does not come after");
    expect_refused(change({"4:2x2"}), "tick 4 of a trace that has 4");
    expect_refused(change({"1:no_such_file.toml"}), "no_such_file.toml");
    expect_refused(change({"1:0x1"}), "--change: '0x1' is not columns x rows");
    expect_refused(change({"1:17x17"}), "--change 1:17x17: the first layout's world");
}

TEST_F(TraceProgram, NamesBothExtentsWhereTheLayoutIsTooSmall) {
    const std::string layout = folder_.write(
        "layout.toml",
        "[[shard]]\nname = \"w\"\nrect_m = { min_x = 0, min_y = 0, max_x = 4, max_y = 4.5 }\n");
    const Ended ended = run({"--trace", walk_, "--radius", "5", "--layout", layout});
    expect_refused(ended, "positions of the trace are outside the layout");
    expect_refused(ended, "the trace:  x 0 to 4, y 0 to 5");
    expect_refused(ended, "the layout: x 0 to 4, y 0 to 4.5");
}

TEST_F(TraceProgram, RefusesWrongFilesWithTheirPlace) {
    const std::string wrong = folder_.write("wrong.csv", "t,id,x,y\n0,1,zero,0\n");
    expect_refused(run({"--trace", wrong, "--radius", "5"}),
                   "wrong.csv:2:5: x: 'zero' is not a decimal number");
    expect_refused(run({"--trace", folder_.file("no.csv"), "--radius", "5"}), "cannot be opened");
    const std::string layout = folder_.write("layout.toml", "[[shard]]\nnmae = \"w\"\n");
    expect_refused(run({"--trace", walk_, "--radius", "5", "--layout", layout}), "layout.toml:2");
}

TEST_F(TraceProgram, WritesItsEventsOverNothingThatItReads) {
    constexpr const char* kTwo = "[grid]\ncolumns = 2\n";
    const std::string layout = folder_.write("two.toml", kTwo);
    const std::vector<std::string> arguments{"--trace", walk_, "--radius", "5"};
    const auto refused = [&](std::vector<std::string> more, std::string_view part) {
        more.insert(more.begin(), arguments.begin(), arguments.end());
        expect_refused(run(more), part);
    };
    refused({"--events", walk_}, "would be overwritten, and it is read");
    refused({"--layout", layout, "--events", layout}, "would be overwritten, and it is read");
    refused({"--change", "1:" + layout, "--events", layout},
            "would be overwritten, and it is read");
    EXPECT_EQ(folder_.read("walk.csv"), kWalk);
    EXPECT_EQ(folder_.read("two.toml"), kTwo);
}

TEST_F(TraceProgram, RefusesWrongArguments) {
    expect_refused(run({"--trace", walk_}), "--radius is required");
    expect_refused(run({"--trace", walk_, "--radius", "-1"}), "--radius: -1 is out of range");
    expect_refused(run({"--trace", walk_, "--radius", "five"}),
                   "--radius: 'five' is not a decimal");
    expect_refused(run({"--trace", walk_, "--radius", "1.0001"}), "more than 3 decimals");
    expect_refused(run({"--trace", walk_, "--radius", "2147483.648"}), "out of range");
    expect_refused(run({"--trace", walk_, "--radius", "5", "--hold", "-1"}), "--hold: -1 is out");
    expect_refused(run({"--trace", walk_, "--radius", "5", "--dims", "4"}), "--dims");
    expect_refused(run({"--trace", walk_, "--radius", "5", "--dims", "3"}), "needs a column z");
    expect_refused(run({"--trace", walk_, "--radius", "5", "--index", "btree"}),
                   "--index: 'btree' is unknown; known: grid_cross_list");
    for (const char* const option : {"--events", "--index", "--layout", "--hold", "--change"}) {
        expect_refused(run({"--trace", walk_, "--radius", "5", option, ""}), "is empty");
    }
    expect_refused(run({"--trace", walk_, "--radius", "5", "--colour"}), "--colour");
    for (const char* shards : {"0x2", "2x0", "2", "x", "2x2x2", "-1x2", "2X2", ""}) {
        expect_refused(run({"--trace", walk_, "--radius", "5", "--shards", shards}), "--shards");
    }
    expect_refused(run({"--trace", walk_, "--radius", "5", "--shards", "400x400"}),
                   "--shards 400x400");
    expect_refused(
        run({"--trace", walk_, "--radius", "5", "--shards", "1x1", "--layout", "layout.toml"}),
        "excludes");
}

TEST_F(TraceProgram, TellsThatTheEventsCouldNotBeWritten) {
    const Ended nowhere =
        run({"--trace", walk_, "--radius", "5", "--events", "no/such/folder/e.csv"});
    EXPECT_EQ(nowhere.exit_code, 1);
    EXPECT_EQ(nowhere.err, "no/such/folder/e.csv: cannot be written: No such file or directory\n");
    EXPECT_EQ(nowhere.out, "");
    if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
    const Ended ended = run({"--trace", walk_, "--radius", "5", "--events", "/dev/full"});
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_NE(ended.err.find("was not written whole"), std::string::npos) << ended.err;
    EXPECT_EQ(ended.out, "");
}

TEST_F(TraceProgram, HelpsAndTellsItsVersion) {
    const Ended help = run({"--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_NE(help.out.find("--hold"), std::string::npos);
    const Ended version = run({"--version"});
    EXPECT_EQ(version.exit_code, 0);
    EXPECT_EQ(version.out, "version 1\n");
}

class ReplayProgram : public testing::Test {
protected:
    /// One tick of an empty zone, with this check.
    void record(const std::filesystem::path& file, std::uint64_t check) const {
        shards::ZoneOptions options;
        shards::RecordingFile recording;
        EXPECT_EQ(recording.open(file, options, {}), std::nullopt);
        shards::Bytes payload;
        const auto layout = shards::Layout::grid(options.world, 1, 1);
        shards::encode_layout(engine::kNever, std::get<shards::Layout>(layout), payload);
        shards::encode_tick_begin({1}, 0, payload);
        shards::encode_tick_end(check, payload);
        EXPECT_EQ(recording.append(payload), std::nullopt);
        EXPECT_EQ(recording.close(), std::nullopt);
    }

    const ScratchFolder folder_;
    const std::string file_ = folder_.file("zone.rec");
};

TEST_F(ReplayProgram, ReportsTheSameKeysAndHowTrueItIs) {
    record(file_, 0);
    const Ended ended = run({"--replay", file_, "--shards", "3x2", "--json"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    const std::string begin =
        R"({"ticks":1,"enter":0,"leave":0,"move":0,"digest":"cbf29ce484222325","seconds":)";
    EXPECT_EQ(ended.out.substr(0, begin.size()), begin);
    EXPECT_NE(ended.out.find(R"("shards":6,)"), std::string::npos) << ended.out;
    EXPECT_NE(ended.out.find(R"(,"stale_ticks":0,"first_stale_tick":null,"differing_ticks":0,)"
                             R"("first_differing_tick":null,"is_cut":false})"),
              std::string::npos)
        << ended.out;
    EXPECT_EQ(ended.err, "");
    const Ended text = run({"--replay", file_});
    EXPECT_NE(text.out.find("recorded  the same frames in every tick"), std::string::npos);
}

TEST_F(ReplayProgram, EndsWithOneWhereATickDiffers) {
    record(file_, 12);
    const Ended ended = run({"--replay", file_, "--json"});
    EXPECT_EQ(ended.exit_code, 1);
    EXPECT_EQ(ended.err, "tick 1: the frames are not those that were recorded\n");
    EXPECT_NE(ended.out.find(R"("differing_ticks":1,"first_differing_tick":1)"), std::string::npos);
}

TEST_F(ReplayProgram, WarnsOfATornTailAndRefusesADamagedFile) {
    record(file_, 0);
    const std::string whole = folder_.read("zone.rec");
    const Ended torn =
        run({"--replay", folder_.write("torn.rec", whole.substr(0, whole.size() - 5))});
    EXPECT_EQ(torn.exit_code, 0);
    EXPECT_NE(torn.err.find("torn.rec: byte " + std::to_string(whole.size() - 13)),
              std::string::npos)
        << torn.err;
    std::string damaged = whole;
    damaged[damaged.size() - 20] ^= 1;
    expect_refused(run({"--replay", folder_.write("damaged.rec", damaged)}), "damaged.rec: byte ");
    expect_refused(run({"--replay", folder_.write("walk.csv", kWalk)}), "no recording");
    expect_refused(run({"--replay", folder_.file("no.rec")}),
                   "cannot be opened: No such file or directory");
    expect_refused(run({"--replay", folder_.file("")}), "cannot be read; is it a file?");
}

TEST_F(ReplayProgram, RefusesWrongArguments) {
    record(file_, 0);
    expect_refused(run({}), "--trace or --replay is required");
    expect_refused(run({"--replay", file_, "--radius", "5"}), "excludes");
    expect_refused(run({"--replay", file_, "--trace", file_}), "excludes");
    expect_refused(run({"--replay", file_, "--shards", "400x400"}), "the recording's world");
    expect_refused(run({"--replay", file_, "--events", file_}),
                   "would be overwritten, and it is read");
    const std::string layout = folder_.write(
        "layout.toml",
        "[[shard]]\nname = \"w\"\nrect_m = { min_x = 0, min_y = 0, max_x = 4, max_y = 4 }\n");
    expect_refused(run({"--replay", file_, "--layout", layout}), "no shard owns");
    const std::string grid = folder_.write("grid.toml", "[grid]\n");
    expect_refused(run({"--replay", file_, "--layout", grid, "--events", grid}),
                   "would be overwritten, and it is read");
}

}  // namespace
}  // namespace marchland::trace
