#include "config/document.h"
#include "config/reading.h"
#include "tests/config/test_folder.h"

#include <gtest/gtest.h>

namespace marchland::config {

namespace {

using Errors = std::vector<std::string>;

Errors errors_of_file(const std::filesystem::path& file) {
    Errors errors;
    const auto result = load_server_config(file, std::nullopt);
    for (const Diagnostic& diagnostic : std::get<Diagnostics>(result)) {
        errors.push_back(to_text(diagnostic));
    }
    return errors;
}

std::string repeated(std::string_view text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) {
        all += text;
    }
    return all;
}

}  // namespace

TEST(FileLimits, AMissingFileIsAnError) {
    EXPECT_EQ(errors_of_file("/nowhere/zone.toml"),
              Errors{"/nowhere/zone.toml: cannot be read: No such file or directory"});
}

TEST(FileLimits, AFolderIsAnError) {
    EXPECT_EQ(errors_of_file("/"), Errors{"/: is a folder, not a regular file"});
}

TEST(FileLimits, ADeviceIsAnError) {
    EXPECT_EQ(errors_of_file("/dev/zero"), Errors{"/dev/zero: is a device, not a regular file"});
}

TEST(FileLimits, AFileOfExactlyTheLimitIsRead) {
    const TestFolder folder;
    EXPECT_EQ(folder.errors_of(repeated("# 34567\n", kFileBytesMax / 8)), Errors{});
    EXPECT_EQ(folder.errors_of(repeated("# 34567\n", kFileBytesMax / 8) + '\n'),
              Errors{"zone.toml: is larger than the limit of 262144 bytes"});
}

TEST(FileLimits, ALineOverTheLimitIsAnErrorAtThatLine) {
    const TestFolder folder;
    EXPECT_EQ(folder.errors_of("\n#" + repeated("x", kLineBytesMax - 1) + "\n"), Errors{});
    EXPECT_EQ(folder.errors_of("\n#" + repeated("x", kLineBytesMax)),
              Errors{"zone.toml:2:1: the line has 241 bytes, the limit is 240\n"
                     "  hint: break it up: a long comment over several lines"});
}

/// The deepest that the limits let through, in dots and brackets: neither the parser nor the
/// conversion may run out of stack.
TEST(FileLimits, ADeeplyNestedFileIsAnErrorAndNothingWorse) {
    const TestFolder folder;
    const std::string key = repeated("a.", 110) + "a";
    std::string text = "x = ";
    for (int i = 0; i < 127; ++i) {
        text += "[\n{" + key + "=";
    }
    text += "1" + repeated("}\n]", 127);
    const auto errors = folder.errors_of(text);
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_TRUE(errors[0].starts_with("zone.toml:1:1: x: unknown key")) << errors[0];
}

TEST(FileLimits, ErrorsOverTheLimitAreCountedAndNotShown) {
    const TestFolder folder;
    std::string text = "[server]\n";
    for (std::size_t i = 0; i < kDiagnosticsMax + 7; ++i) {
        text += "wrong_" + std::to_string(i) + " = 1\n";
    }
    const auto errors = folder.errors_of(text);
    ASSERT_EQ(errors.size(), kDiagnosticsMax + 1);
    EXPECT_TRUE(errors.front().starts_with("zone.toml:2:1: server.wrong_0: unknown key"));
    EXPECT_EQ(errors.back(), "zone.toml: 7 more errors not shown");
}

}  // namespace marchland::config
