#include "shards/recording/recorder.h"

#include "shards/recording/recording_reader.h"
#include "tests/shards/zone_by_hand.h"
#include "tests/tools/trace_scratch_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <utility>
#include <variant>

namespace marchland::tests {

namespace {

/// Ticks of a recording, and whether it breaks off.
std::pair<std::size_t, bool> ticks_of(const std::filesystem::path& file) {
    shards::RecordingReader reader(file);
    EXPECT_FALSE(reader.open());
    std::size_t ticks = 0;
    while (true) {
        const auto next = reader.next();
        if (const auto* end = std::get_if<shards::EndOfRecording>(&next)) {
            return {ticks, end->cut.has_value()};
        }
        const auto* record = std::get_if<shards::Record>(&next);
        if (record == nullptr) {
            ADD_FAILURE() << to_text(std::get<shards::RecordingError>(next));
            return {ticks, true};
        }
        ticks += std::holds_alternative<shards::TickEnd>(*record);
    }
}

class Recorders : public testing::Test {
protected:
    const trace::ScratchFolder folder_;
    const std::filesystem::path file_ = folder_.file("zone.rec");
    SilentOutlet outlet_;
};

}  // namespace

TEST_F(Recorders, WriteEveryTickThatAllShardsRanBeforeTheyFinish) {
    shards::Recorder recorder;
    ASSERT_EQ(recorder.start(file_, small_world()), std::nullopt);
    shards::Zone zone(small_world(), small_layout(2, 2), outlet_, &recorder);
    shards::Lockstep lockstep(zone);
    for (int i = 0; i < 50; ++i) {
        lockstep.step();
    }
    EXPECT_TRUE(recorder.finish());
    lockstep.step();
    EXPECT_EQ(ticks_of(file_), std::pair(std::size_t{50}, false));
}

TEST_F(Recorders, TakeNothingMoreAfterAnErrorAndWhatWasWrittenIsGood) {
    // A block has some 64 KiB of ticks, when as many wait: the file has room for one, however late
    // it comes.
    shards::Recorder recorder({.limits = {.part_bytes_max = 150'000, .parts_max = 1}});
    ASSERT_EQ(recorder.start(file_, small_world()), std::nullopt);
    shards::Zone zone(small_world(), small_layout(2, 1), outlet_, &recorder);
    shards::Lockstep lockstep(zone);
    while (recorder.is_recording()) {
        lockstep.step();
    }
    lockstep.step();
    EXPECT_FALSE(recorder.finish());
    const auto [ticks, is_cut] = ticks_of(file_);
    EXPECT_TRUE(is_cut);
    EXPECT_GT(ticks, 0U);
}

TEST_F(Recorders, StopAtTheirLimitWhenTheDiskIsTooSlow) {
    shards::Recorder recorder({.limits = {}, .waiting_bytes_max = 1});
    ASSERT_EQ(recorder.start(file_, small_world()), std::nullopt);
    recorder.add(shards::ShardCame{shards::ShardId{0}, 1});
    shards::ShardTick tick;
    tick.tick = 1;
    shards::encode_unframed(engine::EntityId{1}, tick.unframed);
    recorder.add(tick);
    EXPECT_FALSE(recorder.is_recording());
    EXPECT_FALSE(recorder.finish());
}

}  // namespace marchland::tests
