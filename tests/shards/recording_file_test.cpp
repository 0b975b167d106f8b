#include "shards/recording/recording_file.h"

#include "shards/recording/recording_reader.h"
#include "tests/shards/zone_by_hand.h"
#include "tests/tools/trace_scratch_folder.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <variant>
#include <vector>
#include <sys/resource.h>
#include <sys/stat.h>

namespace marchland::tests {

namespace {

using shards::EndOfRecording;
using shards::RecordingError;

constexpr shards::RecordingLimits kSmallParts{.part_bytes_max = 650, .parts_max = 64};

std::string contents(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Tick `tick` of a zone in which nothing happens, as a block of its own.
shards::Bytes idle_tick(engine::Tick tick) {
    shards::Bytes payload;
    shards::encode_tick_begin({tick}, tick - 1, payload);
    shards::encode_tick_end(0, payload);
    return payload;
}

/// Writes ticks 1 to `ticks`; what went wrong.
std::optional<std::string> write(const std::filesystem::path& file, engine::Tick ticks,
                                 const shards::RecordingLimits& limits = {}) {
    shards::RecordingFile recording;
    shards::ZoneOptions zone = small_world();
    zone.slots.clear();
    auto error = recording.open(file, zone, limits);
    for (engine::Tick tick = 1; tick <= ticks && !error; ++tick) {
        error = recording.append(idle_tick(tick));
    }
    return error ? error : recording.close();
}

/// No file grows beyond it meanwhile, as if the disk was full.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) {
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;
    ~FileSizeLimit() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

private:
    void (*handler_)(int) = std::signal(SIGXFSZ, SIG_IGN);
    rlimit before_{};
};

struct Read {
    std::size_t ticks = 0;
    std::optional<RecordingError> cut;
    std::optional<RecordingError> error;
};

Read read(shards::RecordingReader reader) {
    Read read;
    read.error = reader.open();
    while (!read.error) {
        auto next = reader.next();
        if (auto* error = std::get_if<RecordingError>(&next)) {
            read.error = *error;
        } else if (auto* end = std::get_if<EndOfRecording>(&next)) {
            read.cut = end->cut;
            return read;
        } else {
            read.ticks += std::holds_alternative<shards::TickEnd>(std::get<shards::Record>(next));
        }
    }
    return read;
}

/// Of a recording of one part, with these bytes.
Read read_bytes(const std::string& bytes) {
    return read(shards::RecordingReader("bytes", [&](std::uint32_t part) {
        return part == 0 ? std::make_unique<std::istringstream>(bytes) : nullptr;
    }));
}

class RecordingFiles : public testing::Test {
protected:
    const trace::ScratchFolder folder_;
    const std::filesystem::path file_ = folder_.file("zone.rec");
};

}  // namespace

TEST_F(RecordingFiles, AreReadAsTheyWereWritten) {
    ASSERT_EQ(write(file_, 5), std::nullopt);
    const Read back = read(shards::RecordingReader(file_));
    EXPECT_FALSE(back.error || back.cut);
    EXPECT_EQ(back.ticks, 5U);
    shards::RecordingReader reader(file_);
    ASSERT_FALSE(reader.open());
    EXPECT_EQ(reader.options().world, small_world().world);
}

TEST_F(RecordingFiles, ATailThatIsTornAnywhereIsCutOffAtTheLastWholeBlock) {
    ASSERT_EQ(write(file_, 3), std::nullopt);
    const std::string whole = contents(file_);
    // The options' size stands at 24; the checksum of the head is the last of it.
    const std::size_t head = 28 + static_cast<unsigned char>(whole[24]) +
                             256U * static_cast<unsigned char>(whole[25]) + 4;
    const std::size_t block = 12 + idle_tick(1).size();
    ASSERT_EQ(whole.size(), head + 3 * block + 13);
    for (std::size_t size = 0; size < head; ++size) {
        EXPECT_TRUE(read_bytes(whole.substr(0, size)).error) << "no recording without a head";
    }
    for (std::size_t size = head; size < whole.size(); ++size) {
        const Read back = read_bytes(whole.substr(0, size));
        const std::size_t blocks = (size - head) / block;
        ASSERT_FALSE(back.error) << to_text(*back.error);
        ASSERT_TRUE(back.cut) << size;
        EXPECT_EQ(back.ticks, blocks);
        EXPECT_EQ(back.cut->offset, head + blocks * block);
    }
}

TEST_F(RecordingFiles, AFlippedBitAnywhereIsAnErrorWithItsPlace) {
    ASSERT_EQ(write(file_, 2), std::nullopt);
    const std::string whole = contents(file_);
    for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
        std::string bytes = whole;
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
        const Read back = read_bytes(bytes);
        ASSERT_TRUE(back.error) << "bit " << bit;
        EXPECT_LE(back.error->offset, bit / 8) << to_text(*back.error);
    }
}

TEST_F(RecordingFiles, ATailOfZerosThatNoDiskHasWrittenIsCutOffLikeOneThatIsMissing) {
    ASSERT_EQ(write(file_, 60), std::nullopt);
    const std::string whole = contents(file_);
    const std::size_t block = 12 + idle_tick(1).size();
    const std::size_t head = whole.size() - 13 - 60 * block;
    const auto zeros_from = [&](std::size_t from, std::size_t size) {
        return read_bytes(whole.substr(0, from) + std::string(size - from, '\0'));
    };
    const std::size_t between = head + 7 * block;
    for (const std::size_t size : {between + 1, between + 12, whole.size(), whole.size() + 9'000}) {
        const Read back = zeros_from(between, size);
        ASSERT_TRUE(back.cut && !back.error) << size;
        EXPECT_EQ(back.ticks, 7U);
        EXPECT_EQ(back.cut->offset, between);
    }
    const std::size_t sector = 1'024;
    ASSERT_NE((sector - head) % block, 0U) << "it begins inside a block";
    const Read torn = zeros_from(sector, whole.size());
    ASSERT_TRUE(torn.cut && !torn.error);
    EXPECT_EQ(torn.ticks, (sector - head) / block);
    EXPECT_TRUE(read_bytes(whole.substr(0, sector) + std::string(600, '\0') + "x").error)
        << "something follows that was written";
}

TEST_F(RecordingFiles, WhatFollowsTheEndIsAnError) {
    ASSERT_EQ(write(file_, 2), std::nullopt);
    const Read back = read_bytes(contents(file_) + "x");
    ASSERT_TRUE(back.error);
    EXPECT_EQ(back.error->reason, "something follows the end of the file's records");
}

TEST_F(RecordingFiles, AreNotReadInAnotherVersionOrKind) {
    ASSERT_EQ(write(file_, 1), std::nullopt);
    std::string bytes = contents(file_);
    bytes[8] = 1;
    EXPECT_EQ(to_text(*read_bytes(bytes).error),
              "bytes: byte 8: version 1 of the format; this program reads version 5");
    EXPECT_EQ(to_text(*read_bytes("t,id,x,y\n0,1,0,0,0,0,0,0,0,0,0,0,0").error),
              "bytes: byte 0: no recording of marchland-server");
    EXPECT_EQ(read(shards::RecordingReader(folder_.file("no.rec"))).error->reason,
              "cannot be opened: No such file or directory");
}

TEST_F(RecordingFiles, GoOnInAnotherPartWhenOneIsFull) {
    ASSERT_EQ(write(file_, 50, kSmallParts), std::nullopt);
    ASSERT_TRUE(std::filesystem::exists(shards::part_path(file_, 2)));
    EXPECT_LE(std::filesystem::file_size(file_), 650U + 13);
    const Read back = read(shards::RecordingReader(file_));
    EXPECT_FALSE(back.error || back.cut);
    EXPECT_EQ(back.ticks, 50U);
}

TEST_F(RecordingFiles, BreakOffWhereAPartIsMissing) {
    ASSERT_EQ(write(file_, 50, kSmallParts), std::nullopt);
    std::filesystem::remove(shards::part_path(file_, 1));
    const Read back = read(shards::RecordingReader(file_));
    ASSERT_TRUE(back.cut && !back.error);
    EXPECT_LT(back.ticks, 50U);
    EXPECT_EQ(to_text(*back.cut),
              file_.string() + ".1: byte 0: cannot be opened, and the recording goes on there");
}

TEST_F(RecordingFiles, DoNotTakeAPartOfAnotherRecording) {
    const auto other = folder_.file("other.rec");
    for (const std::filesystem::path& file : {file_, other}) {
        ASSERT_EQ(write(file, 50, kSmallParts), std::nullopt);
    }
    std::filesystem::rename(shards::part_path(other, 1), shards::part_path(file_, 1));
    const Read back = read(shards::RecordingReader(file_));
    ASSERT_TRUE(back.error);
    EXPECT_EQ(back.error->reason, "not part 1 of this recording");
}

TEST_F(RecordingFiles, NeverOverwriteAFile) {
    ASSERT_EQ(write(file_, 1), std::nullopt);
    const std::string before = contents(file_);
    EXPECT_EQ(write(file_, 2), file_.string() + ": cannot be made: File exists");
    EXPECT_EQ(contents(file_), before);
    for (const std::uint32_t part : {1U, 2U, 63U}) {
        std::filesystem::rename(part == 1 ? file_ : shards::part_path(file_, part == 2 ? 1 : 2),
                                shards::part_path(file_, part));
        EXPECT_EQ(write(file_, 2), shards::part_path(file_, part).string() +
                                       ": exists, and would be taken for part " +
                                       std::to_string(part) + " or end the recording there");
        EXPECT_FALSE(std::filesystem::exists(file_)) << "refused before anything is made";
    }
}

TEST_F(RecordingFiles, EndAtTheLimitOfTheirParts) {
    EXPECT_EQ(write(file_, 500, {.part_bytes_max = 600, .parts_max = 2}),
              file_.string() + ": 2 parts are full, which is the limit");
}

TEST_F(RecordingFiles, AreNeitherDevicesNorPipes) {
    EXPECT_EQ(write("/dev/null", 1), "/dev/null: cannot be made: File exists");
    ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
    EXPECT_EQ(write(file_, 1), file_.string() + ": cannot be made: File exists");
}

TEST_F(RecordingFiles, TellThatTheyCannotBeWritten) {
    const auto error = [this] {
        const FileSizeLimit limit(100);
        return write(file_, 1);
    }();
    EXPECT_EQ(error, file_.string() + ": cannot be written: File too large");
}

}  // namespace marchland::tests
