#include "tools/trace/event_log.h"

#include <gtest/gtest.h>

#include <string>

namespace marchland::trace {
namespace {

engine::EntityId id(std::uint64_t number) {
    return static_cast<engine::EntityId>(number);
}

TEST(Digest, IsFnv1a64) {
    // The published vectors of the algorithm's authors.
    Fnv1a64 digest;
    EXPECT_EQ(digest.value(), 0xcbf29ce484222325U);
    digest.add("a");
    EXPECT_EQ(digest.value(), 0xaf63dc4c8601ec8cU);
    Fnv1a64 word;
    word.add("foo");
    word.add("bar");
    EXPECT_EQ(word.value(), 0x85944171f73967e8U);
}

TEST(EventLog, WritesEntersBeforeLeavesBeforeMoves) {
    std::string lines;
    EventLog log([&lines](std::string_view more) { lines += more; });
    log.add(0, id(7), {.enters = {id(1), id(20)}, .leaves = {}, .moves = {}});
    log.add(12, id(18'446'744'073'709'551'615U),
            {.enters = {id(3)}, .leaves = {id(4)}, .moves = {id(0), id(5)}});
    EXPECT_EQ(lines,
              "0,7,E,1\n0,7,E,20\n"
              "12,18446744073709551615,E,3\n12,18446744073709551615,L,4\n"
              "12,18446744073709551615,M,0\n12,18446744073709551615,M,5\n");
    EXPECT_EQ(log.enter_count(), 3U);
    EXPECT_EQ(log.leave_count(), 1U);
    EXPECT_EQ(log.move_count(), 2U);
}

TEST(EventLog, DigestsExactlyTheLines) {
    std::string lines;
    EventLog log([&lines](std::string_view more) { lines += more; });
    EventLog silent;
    for (EventLog* each : {&log, &silent}) {
        each->add(0, id(1), {.enters = {id(2)}, .leaves = {}, .moves = {}});
        each->add(1, id(1), {});
        each->add(2, id(1), {.enters = {}, .leaves = {id(2)}, .moves = {}});
    }
    Fnv1a64 expected;
    expected.add(lines);
    EXPECT_EQ(log.digest(), expected.value());
    EXPECT_EQ(silent.digest(), expected.value());
}

}  // namespace
}  // namespace marchland::trace
