// Three programs together: a server that records, players, and the replay.

#include "tests/tools/program_process.h"
#include "tests/tools/server_process.h"
#include "tests/tools/trace_scratch_folder.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>
#include <sys/stat.h>

namespace marchland::tests {
namespace {

const std::string kConfigs = MARCHLAND_CONFIG_DIR;

class Recording : public testing::Test {
protected:
    [[nodiscard]] std::vector<std::string> serve(const std::string& file) const {
        return {"--config", kConfigs + "/demo.toml", "--layout", layout_, "--port", "0", "--record",
                file};
    }
    static ProgramProcess play(server::ServerProcess& server, const std::string& seconds) {
        return ProgramProcess({MARCHLAND_BOTS_PROGRAM, "--connect",
                               "127.0.0.1:" + std::to_string(server.wait_for_port()), "--players",
                               "60", "--seconds", seconds});
    }

    const trace::ScratchFolder folder_;
    const std::string file_ = folder_.file("zone.rec");
    const std::string layout_ =
        folder_.write("layout.toml", "[grid]\ncolumns = 2\nrows = 2\n").string();
};

struct Replayed {
    int exit_code = 0;
    std::string output;
    std::string errors;

    /// The text behind a key of the report.
    [[nodiscard]] std::string value(const std::string& key) const {
        const std::string name = "\"" + key + "\":";
        const auto at = output.find(name);
        const auto begin = at + name.size();
        return at == std::string::npos
                   ? ""
                   : output.substr(begin, output.find_first_of(",}", begin) - begin);
    }
};

Replayed replay(const std::string& file, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {MARCHLAND_TRACE_PROGRAM, "--replay", file, "--json"});
    ProgramProcess program(more);
    const int exit_code = program.wait();
    return {exit_code, program.output(), program.errors()};
}

}  // namespace

TEST_F(Recording, OfALiveServerHasOneDigestUnderEveryLayoutAndIsWhatWasSent) {
    server::ServerProcess server(serve(file_));
    ProgramProcess players = play(server, "3");
    EXPECT_NE(server.wait_for_line(" players=60 "), "");
    folder_.write("layout.toml", "[grid]\ncolumns = 3\nrows = 1\n");
    server.send_signal(SIGHUP);
    EXPECT_EQ(players.wait(), 0) << players.output();
    server.send_signal(SIGINT);
    EXPECT_EQ(server.wait(), 0) << server.log();
    EXPECT_NE(server.log().find("recording: ticks="), std::string::npos) << server.log();

    const Replayed as_it_was = replay(file_);
    EXPECT_EQ(as_it_was.exit_code, 0) << as_it_was.errors;
    EXPECT_EQ(as_it_was.value("shards"), "3") << "the layout is changed again, too";
    EXPECT_EQ(as_it_was.value("entities"), "61") << "60 players and the one that looks first";
    EXPECT_EQ(as_it_was.value("is_cut"), "false");
    EXPECT_GT(std::stoul(as_it_was.value("move")), 0U);
    if (as_it_was.value("stale_ticks") == "0") {  // or the machine was too busy to know
        EXPECT_EQ(as_it_was.value("differing_ticks"), "0");
    }
    const std::vector<std::vector<std::string>> others = {
        {"--shards", "1x1"},
        {"--shards", "2x2"},
        {"--layout", kConfigs + "/layouts/irregular.toml"},
        {"--shards", "5x1", "--index", "quadtree"}};
    for (const auto& other : others) {
        const Replayed again = replay(file_, other);
        EXPECT_EQ(again.exit_code, 0) << again.errors;
        EXPECT_EQ(again.value("digest"), as_it_was.value("digest")) << other[1];
        EXPECT_EQ(again.value("differing_ticks"), as_it_was.value("differing_ticks")) << other[1];
    }
}

TEST_F(Recording, OfAServerThatWasKilledIsGoodAsFarAsItGoes) {
    server::ServerProcess server(serve(file_));
    ProgramProcess players = play(server, "60");
    EXPECT_NE(server.wait_for_line(" players=60 "), "");
    server.send_signal(SIGKILL);
    EXPECT_EQ(server.wait(), -SIGKILL);
    const Replayed replayed = replay(file_);
    EXPECT_EQ(replayed.exit_code, 0) << replayed.errors;
    EXPECT_EQ(replayed.value("is_cut"), "true");
    EXPECT_GT(std::stoul(replayed.value("ticks")), 5U);
    EXPECT_NE(replayed.errors.find("warning: " + file_ + ": byte "), std::string::npos)
        << replayed.errors;
}

TEST_F(Recording, ThatCannotBeBegunIsRefusedBeforeTheServerStarts) {
    ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
    const server::Ended refused = server::run_server(serve(file_));
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.log.find("cannot record: " + file_ + ": cannot be made: File exists"),
              std::string::npos)
        << refused.log;
}

TEST_F(Recording, NeverTakesTheNameOfAFileThatIsThere) {
    folder_.write("zone.rec", "precious");
    const server::Ended refused = server::run_server(serve(file_));
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_NE(refused.log.find("zone.rec: cannot be made: File exists"), std::string::npos)
        << refused.log;
    EXPECT_EQ(folder_.read("zone.rec"), "precious");
}

TEST_F(Recording, ThatIsFullEndsInTheLogAndInTheExitCode) {
    std::vector<std::string> arguments = serve(file_);
    arguments.insert(arguments.end(), {"--record-part-mib", "1", "--record-parts", "1"});
    server::ServerProcess server(arguments);
    ProgramProcess players({MARCHLAND_BOTS_PROGRAM, "--connect",
                            "127.0.0.1:" + std::to_string(server.wait_for_port()), "--players",
                            "1500", "--seconds", "600"});
    EXPECT_NE(server.wait_for_line("the game goes on: " + file_ + ": 1 parts are full"), "");
    EXPECT_NE(server.wait_for_line("tick="), "") << "it goes on";
    server.send_signal(SIGINT);
    EXPECT_EQ(server.wait(), 1) << server.log();
    EXPECT_LE(std::filesystem::file_size(file_), 1U << 20U);
    const Replayed replayed = replay(file_);
    EXPECT_EQ(replayed.exit_code, 0);
    const std::string received = "the recording ends after " + replayed.value("ticks") + " ticks, ";
    EXPECT_NE(server.log().find(received), std::string::npos) << received << '\n' << server.log();
}

}  // namespace marchland::tests
