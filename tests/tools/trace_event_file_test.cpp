#include "tools/trace/event_file.h"
#include "tests/tools/trace_scratch_folder.h"

#include <gtest/gtest.h>

namespace marchland::trace {
namespace {

TEST(EventFile, AppearsWhenItIsWhole) {
    const ScratchFolder folder;
    EventFile file;
    ASSERT_EQ(file.open(folder.file("events.csv")), std::nullopt);
    file.write("0,1,E,2\n");
    EXPECT_FALSE(exists(folder.file("events.csv")));
    ASSERT_EQ(file.commit(), std::nullopt);
    EXPECT_EQ(folder.read("events.csv"), "0,1,E,2\n");
    EXPECT_EQ(folder.file_count(), 1U);
}

TEST(EventFile, LeavesTheOldOneAloneUntilThen) {
    const ScratchFolder folder;
    folder.write("events.csv", "old\n");
    {
        EventFile file;
        ASSERT_EQ(file.open(folder.file("events.csv")), std::nullopt);
        file.write("half of the n");
    }
    EXPECT_EQ(folder.read("events.csv"), "old\n");
    EXPECT_EQ(folder.file_count(), 1U);
}

TEST(EventFile, ReplacesWhatASymbolicLinkPointsAt) {
    const ScratchFolder folder;
    folder.write("real.csv", "old\n");
    create_symlink(folder.file("real.csv"), folder.file("link.csv"));
    EventFile file;
    ASSERT_EQ(file.open(folder.file("link.csv")), std::nullopt);
    file.write("new\n");
    ASSERT_EQ(file.commit(), std::nullopt);
    EXPECT_TRUE(is_symlink(folder.file("link.csv")));
    EXPECT_EQ(folder.read("real.csv"), "new\n");
}

TEST(EventFile, WritesToADeviceWithoutReplacingIt) {
    EventFile file;
    ASSERT_EQ(file.open("/dev/null"), std::nullopt);
    file.write("0,1,E,2\n");
    EXPECT_EQ(file.commit(), std::nullopt);
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(EventFile, SaysWhereItCannotBeWritten) {
    const ScratchFolder folder;
    EventFile file;
    const auto error = file.open(folder.file("no") / "such" / "events.csv");
    ASSERT_TRUE(error.has_value());
    EXPECT_NE(error->find("cannot be written: No such file or directory"), std::string::npos)
        << *error;
}

TEST(EventFile, SaysThatTheDiskIsFull) {
    if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
    EventFile file;
    ASSERT_EQ(file.open("/dev/full"), std::nullopt);
    file.write("0,1,E,2\n");
    const auto error = file.commit();
    ASSERT_TRUE(error.has_value());
    EXPECT_NE(error->find("was not written whole"), std::string::npos) << *error;
}

}  // namespace
}  // namespace marchland::trace
