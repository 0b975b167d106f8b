#include "tools/bots/server_watch.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace marchland::bots {
namespace {

TEST(ServerWatch, ReadsMemoryAndProcessorTimeOfAStatus) {
    const auto sample =
        parse_status(200,
                     R"({"tick": {"a": 1}, "resident_bytes": 19111936, "cpu_seconds_total": 1.25,)"
                     R"( "tick_max_seconds": {"a": 0.25, "b": 0.5, "c": 0}})",
                     Instant{});
    ASSERT_TRUE(sample);
    EXPECT_EQ(sample->resident_bytes, 19'111'936U);
    EXPECT_EQ(sample->cpu_seconds, 1.25);
    EXPECT_EQ(sample->tick_max_seconds, 0.5);
}

TEST(ServerWatch, TakesNothingElseForAStatus) {
    for (const std::string body : {"", R"({"resident_bytes": 19111936})", R"({"resident_bytes": )",
                                   R"({"resident_bytes": -1, "cpu_seconds_total": 1})",
                                   R"({"resident_bytes": 1e300, "cpu_seconds_total": 1})"}) {
        EXPECT_FALSE(parse_status(200, body, Instant{})) << body;
    }
    EXPECT_FALSE(parse_status(500, R"({"resident_bytes": 1, "cpu_seconds_total": 1})", Instant{}));
}

// As proc(5) has them; port 7777 is 1E61. A listener, two ends of a server, and a client's end.
constexpr const char* kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
    "   0: 0100007F:1E61 00000000:0000 0A 00000000:00000400 00:00000000 00000000     0\n"
    "   1: 0100007F:1E61 0100007F:C350 01 00001000:00000000 00:00000000 00000000     0\n"
    "   2: 0000000000000000FFFF00000100007F:1E61 0100007F:C351 01 00000010:00000000 00:0 0  0\n"
    "   3: 0100007F:C350 0100007F:1E61 01 00FF0000:00000000 00:00000000 00000000     0\n";

std::size_t unsent_at_7777(const std::string& table) {
    std::istringstream in(table);
    return unsent_bytes_max(in, 7777);
}

TEST(UnsentBytes, AreThoseOfTheServersEnds) {
    EXPECT_EQ(unsent_at_7777(kTable), 0x1000U);
    std::string table = kTable;
    table.replace(table.find("00001000"), 8, "0000000F");
    EXPECT_EQ(unsent_at_7777(table), 0x10U) << "of the other end";
}

TEST(UnsentBytes, PassOverWhatIsNoRow) {
    EXPECT_EQ(unsent_at_7777(""), 0U);
    EXPECT_EQ(unsent_at_7777("\n\n  ::: : 01\n1: :1E61 x 01 zz:0\n1: a:1E61"), 0U);
}

}  // namespace
}  // namespace marchland::bots
