#include "tools/bots/options.h"
#include "tools/bots/program.h"
#include "tools/bots/report.h"
#include "tests/tools/trace_scratch_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <variant>
#include <vector>

namespace marchland::bots {
namespace {

class Plans : public testing::Test {
protected:
    [[nodiscard]] std::string errors_of(const std::string& text) const {
        const auto plan = load_plan(folder_.write("plan.toml", text));
        std::string all;
        for (const auto& flaw : std::get<config::Diagnostics>(plan)) {
            all += fmt::format("{}:{}: {}: {}\n", flaw.line, flaw.column, flaw.key, flaw.reason);
        }
        return all;
    }
    const trace::ScratchFolder folder_;
};

TEST_F(Plans, SayWhoComesWhenAndDoesWhat) {
    const auto read = load_plan(folder_.write("plan.toml", R"(seconds = 60
[[group]]
name = "market"
scenario = "crowd"
players = 300
speed_m_s = 2.5
joins_at_s = 5
joins_over_s = 10
leaves_at_s = 40
leaves_over_s = 20
[[group]]
players = 7
)"));
    const auto& plan = std::get<PlanFile>(read);
    EXPECT_EQ(plan.length.count(), 60);
    ASSERT_EQ(plan.groups.size(), 2U);
    const Group& market = plan.groups[0];
    EXPECT_EQ(market.name, "market");
    EXPECT_EQ(market.scenario, Scenario::crowd);
    EXPECT_EQ(market.players, 300U);
    EXPECT_EQ(market.speed_mm_per_s, 2'500);
    EXPECT_EQ(market.joins_at.count(), 5);
    EXPECT_EQ(market.joins_over.count(), 10);
    EXPECT_EQ(market.leaves_at.value().count(), 40);
    EXPECT_EQ(market.leaves_over.count(), 20);
    EXPECT_EQ(plan.groups[1].name, "roam");
    EXPECT_FALSE(plan.groups[1].leaves_at);
}

TEST_F(Plans, AreRefusedWithEveryErrorAtItsLine) {
    EXPECT_EQ(
        errors_of(R"(seconds = -1
[[group]]
scenario = "soak"
players = 0
[[group]]
player = 3
[[group]]
players = 3
leaves_at_s = 1
joins_over_s = 5
[[group]]
players = 1
leaves_over_s = 1
)"),
        "1:11: seconds: -1 is not between 0 and 604800\n"
        "3:12: group.scenario: \"soak\" is none of roam, crowd, market, border, teleport, resume\n"
        "4:11: group.players: 0 is not between 1 and 1000000\n"
        "5:1: group.players: is missing\n"
        "6:1: group.player: unknown key\n"
        "7:1: group: the players of 'roam' leave from 1 s on, and join until 5 s\n"
        "11:1: group: a second group is called 'roam'\n"
        "11:1: group: leaves_over_s says nothing without leaves_at_s\n");
    EXPECT_EQ(errors_of("[[group]]\nplayers = 1\n"), "1:1: seconds: is missing\n");
}

TEST(BotsReport, LongRunHasNoMorePointsThanAShortOne) {
    Report report;
    for (int second = 1; second <= 10'000; ++second) {
        Report::Point point;
        point.at_s = second;
        point.seconds = 1;
        point.traffic.frames = 3;
        point.latency.add_us(static_cast<std::uint64_t>(second));
        report.add(std::move(point));
    }
    EXPECT_LT(report.points.size(), Report::kPointsMax);
    EXPECT_GE(report.points.size(), Report::kPointsMax / 2 - 1);
    double seconds = 0;
    std::uint64_t frames = 0;
    std::uint64_t measured = 0;
    for (const Report::Point& point : report.points) {
        seconds += point.seconds;
        EXPECT_EQ(point.at_s, seconds);
        frames += point.traffic.frames;
        measured += point.latency.count();
    }
    EXPECT_EQ(seconds, 10'000);
    EXPECT_EQ(frames, 30'000U);
    EXPECT_EQ(measured, 10'000U);
}

TEST(BotsReport, PageIsWholeWhateverAFileIsCalled) {
    Report report;
    report.play = "</script><script>alert(1)</script>";
    const std::string page = to_page(report);
    EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
    EXPECT_EQ(page.find("@REPORT@"), std::string::npos);
    EXPECT_EQ(page.find("http"), page.find("http://www.w3.org/2000/svg"));
}

struct Compared {
    int exit_code = 0;
    std::string out;
    std::string err;
};

Compared compare(const std::string& a, const std::string& b) {
    const std::vector<const char*> arguments = {"marchland-bots", "compare", a.c_str(), b.c_str()};
    std::ostringstream out;
    std::ostringstream err;
    const int exit_code = run_program(4, arguments.data(), "", out, err);
    return {exit_code, out.str(), err.str()};
}

TEST(BotsCompare, ShowsWhatChangedByGroupToo) {
    const trace::ScratchFolder folder;
    Report report;
    report.players = 100;
    report.traffic.frames = 1'000;
    report.groups = {{"market", "crowd", 100}};
    const std::string a = folder.write("a.json", "some text before\n" + to_json(report) + "\n");
    report.players = 150;
    report.traffic.frames = 1'500;
    report.groups[0].violations = 2;
    const Compared compared = compare(a, folder.write("b.json", to_json(report)));
    EXPECT_EQ(compared.exit_code, 0) << compared.err;
    const auto has_row = [&](const std::string& name, const std::string& values) {
        std::istringstream lines(compared.out);
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with(name) && line.ends_with(values)) return true;
        }
        return false;
    };
    EXPECT_TRUE(has_row("frames", "1500     +50.0 %")) << compared.out;
    EXPECT_TRUE(has_row("violations", "0                 2")) << compared.out;
    EXPECT_TRUE(has_row("not two runs of the same: players", "")) << compared.out;
}

TEST(BotsCompare, RefusesWhatNoRunPrinted) {
    const trace::ScratchFolder folder;
    const std::string good = folder.write("good.json", to_json(Report{}));
    EXPECT_EQ(compare(good, good).exit_code, 0);
    EXPECT_EQ(compare(good, folder.write("bad.json", "{}")).exit_code, 2);
    EXPECT_EQ(compare("no_such_file", good).err,
              "marchland-bots compare: no_such_file: cannot be read: No such file or directory\n");
    const std::string path = folder.file("").string();
    const Compared of_a_folder = compare(good, path);
    EXPECT_EQ(of_a_folder.exit_code, 2);
    EXPECT_EQ(of_a_folder.err,
              "marchland-bots compare: " + path + ": cannot be read: Is a directory\n");
}

}  // namespace
}  // namespace marchland::bots
