// The log never holds up who logs: nobody reads it, everybody writes to it.

#include "tools/server/log.h"
#include "tests/config/test_folder.h"
#include "tests/net/test_client.h"
#include "tests/tools/admin_request.h"
#include "tests/tools/server_process.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <csignal>
#include <future>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

namespace marchland::server {

namespace {

using spdlog::details::log_msg;

/// Hangs in its first line until it is let go, as in a pipe that nobody reads.
class HangingSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
public:
    void wait_until_it_hangs() { hangs_.get_future().wait(); }
    void let_go() { is_free_.set_value(); }
    /// When nobody logs any more.
    [[nodiscard]] const std::string& text() const { return text_; }

protected:
    void sink_it_(const log_msg& line) override {
        if (text_.empty()) {
            hangs_.set_value();
            is_free_.get_future().wait();
        }
        text_.append(line.payload.data(), line.payload.size()) += '\n';
    }
    void flush_() override {}

private:
    std::promise<void> hangs_;
    std::promise<void> is_free_;
    std::string text_;
};

/// Puts back the logger that was there.
class OwnLogger {
public:
    OwnLogger() : before_(spdlog::default_logger()), level_(spdlog::get_level()) {}
    OwnLogger(const OwnLogger&) = delete;
    OwnLogger& operator=(const OwnLogger&) = delete;
    ~OwnLogger() {
        spdlog::set_default_logger(before_);
        spdlog::set_level(level_);
    }

private:
    std::shared_ptr<spdlog::logger> before_;
    spdlog::level::level_enum level_;
};

class Folding : public testing::Test {
protected:
    Folding() { sink_.set_pattern("%v"); }

    void log(const std::string& text, std::chrono::milliseconds after_start) {
        sink_.log(log_msg(start_ + after_start, {}, "", spdlog::level::info, text));
    }
    [[nodiscard]] std::size_t lines() const {
        const std::string text = text_.str();
        return static_cast<std::size_t>(std::ranges::count(text, '\n'));
    }

    const spdlog::log_clock::time_point start_ = spdlog::log_clock::now();
    std::ostringstream text_;
    FoldingSink sink_{std::make_shared<spdlog::sinks::ostream_sink_st>(text_)};
};

std::string broken_layout() {
    std::string text = "[grid]\n";
    for (int i = 0; i < 50; ++i) {
        text += "key" + std::to_string(i) + " = 1\n";
    }
    return text;
}

}  // namespace

TEST(Log, DropsTheOldestLinesAndSaysHowManyOnceItIsRead) {
    const OwnLogger own;
    const auto sink = std::make_shared<HangingSink>();
    Log log({"info", 16}, sink);
    spdlog::info("first");
    sink->wait_until_it_hangs();
    for (int i = 0; i < 100; ++i) {
        spdlog::info("line {}", i);
    }
    EXPECT_EQ(log.dropped_total(), 84U);
    log.tell_counts();  // no room for it
    EXPECT_EQ(log.dropped_total(), 84U);
    sink->let_go();
    EXPECT_TRUE(log.close(std::chrono::minutes(1)));
    EXPECT_EQ(sink->text().find("line 83\n"), std::string::npos);
    EXPECT_NE(sink->text().find("line 99\n"), std::string::npos);
    EXPECT_NE(sink->text().find("84 lines of the log were dropped, 84 since"), std::string::npos)
        << sink->text();
}

TEST(Log, WritesAllThatIsQueuedBeforeItCloses) {
    const OwnLogger own;
    std::ostringstream text;
    Log log({}, std::make_shared<spdlog::sinks::ostream_sink_st>(text));
    for (int i = 0; i < 1'000; ++i) {
        spdlog::info("line {}", i);
    }
    EXPECT_TRUE(log.close(std::chrono::minutes(1)));
    spdlog::info("nobody gets this");
    const std::string all = text.str();
    EXPECT_EQ(std::ranges::count(all, '\n'), 1'000);
    EXPECT_EQ(log.dropped_total(), 0U);
}

TEST(Log, LeavesAThreadThatHangsInAWrite) {
    const OwnLogger own;
    const auto sink = std::make_shared<HangingSink>();
    {
        Log log({"info", 16}, sink);
        spdlog::info("first");
        sink->wait_until_it_hangs();
        EXPECT_FALSE(log.close(std::chrono::milliseconds(1)));
    }
    sink->let_go();  // so that the test leaves no thread
    while (sink.use_count() > 1) {
        std::this_thread::yield();
    }
}

TEST_F(Folding, PassesEachAuditLine) {
    for (int i = 0; i < 10; ++i) {
        log("audit: who=\"ann\" what=backup before=null after=null", std::chrono::milliseconds(i));
    }
    EXPECT_EQ(lines(), 10U);
}

TEST_F(Folding, PassesThreeOfOneLineAndCountsTheOthersAtTheEndOfTheirTime) {
    for (int i = 0; i < 100; ++i) {
        log("flood", std::chrono::milliseconds(i));
        log("other " + std::to_string(i % 50), std::chrono::milliseconds(i));
    }
    EXPECT_EQ(lines(), 3U + 100U);
    log("later", FoldingSink::kWindow + std::chrono::milliseconds(100));
    EXPECT_EQ(lines(), 3U + 100U + 2U);
    EXPECT_NE(text_.str().find("flood (97 more of this line)\n"), std::string::npos);
    log("flood", FoldingSink::kWindow + std::chrono::milliseconds(200));
    EXPECT_EQ(lines(), 3U + 100U + 3U) << "a new time";
}

TEST_F(Folding, RemembersABoundedNumberOfLinesAndLosesNone) {
    for (std::size_t i = 0; i < 2 * FoldingSink::kTextsMax; ++i) {
        log("line " + std::to_string(i), std::chrono::milliseconds(0));
    }
    EXPECT_EQ(lines(), 2 * FoldingSink::kTextsMax);
}

TEST(ServerLog, APipeThatNobodyReadsStopsNeitherTheZoneNorItsEnd) {
    const config::TestFolder folder;
    const std::string config = folder.write("zone.toml",
                                            "[server]\nport = 0\n[admin]\nenabled = true\nport = "
                                            "0\n[log]\nqueue_lines_max = 16\n");
    ServerProcess server({"--config", config}, ServerProcess::Reader::of_a_page);
    const std::uint16_t admin = server.wait_for_admin_port();
    tests::TestClient client(server.wait_for_port());
    client.join();
    // From here on nobody reads: the lines of one refusal are more than pipe and queue have room
    // for.
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(ask_admin(admin, "POST", "/layout", broken_layout()).substr(0, 12),
                  "HTTP/1.1 422");
    }
    const std::string status = ask_admin(admin, "GET", "/status");
    EXPECT_NE(status.find("\"log_lines_dropped_total\": "), std::string::npos) << status;
    EXPECT_EQ(status.find("\"log_lines_dropped_total\": 0,"), std::string::npos) << status;
    client.frames_until_fence();
    server.send_signal(SIGTERM);
    client.close();
    EXPECT_EQ(server.wait_unread(), 0);
}

TEST(ServerLog, AFloodOfRefusedLayoutsIsFolded) {
    const config::TestFolder folder;
    ServerProcess server({"--config", folder.write("zone.toml",
                                                   "[server]\nport = 0\n[admin]\nenabled = "
                                                   "true\nport = 0\n[tick]\nrate_hz = 128\n")});
    const std::uint16_t admin = server.wait_for_admin_port();
    server.wait_for_port();
    for (int i = 0; i < 20; ++i) {
        ask_admin(admin, "POST", "/layout", "[grid]\ncolums = 2\n");
    }
    server.send_signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0);
    const std::string& log = server.log();
    std::size_t lines = 0;
    for (auto at = log.find("unknown key"); at != std::string::npos;
         at = log.find("unknown key", at + 1)) {
        ++lines;
    }
    EXPECT_GE(lines, 1U);
    EXPECT_LE(lines, 10U) << log;
}

}  // namespace marchland::server
