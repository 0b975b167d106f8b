#include "shards/recording/records.h"
#include "shards/recording/tick_merge.h"
#include "tests/shards/zone_by_hand.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace marchland::tests {

namespace {

using shards::ShardId;

shards::ShardTick tick_of(int shard, engine::Tick tick, bool is_stale = false) {
    shards::ShardTick made;
    made.shard = static_cast<ShardId>(shard);
    made.tick = tick;
    made.is_stale = is_stale;
    made.frames_check = 1;
    return made;
}

/// What is whole by now: "L" and the first tick of a layout; or "+" and how far a tick is from the
/// one before it, "!" when it is stale, "x" and its check.
std::string taken(shards::TickMerge& merge) {
    shards::Bytes bytes;
    while (merge.take_whole(bytes)) {
    }
    std::string text;
    shards::RecordDecoder decoder(bytes);
    while (!decoder.is_at_end()) {
        const auto record = std::get<shards::Record>(decoder.next(engine::kNever));
        if (const auto* layout = std::get_if<shards::LayoutRecord>(&record)) {
            text += "L" + std::to_string(layout->from) + " ";
        } else if (const auto* begin = std::get_if<shards::TickBegin>(&record)) {
            text += "+" + std::to_string(begin->tick) + (begin->is_stale ? "!" : "");
        } else if (const auto* end = std::get_if<shards::TickEnd>(&record)) {
            text += "x" + std::to_string(end->frames_check) + " ";
        }
    }
    return text;
}

}  // namespace

TEST(TickMerge, ATickIsWholeWhenEveryShardHasRecordedIt) {
    shards::TickMerge merge;
    merge.add(shards::ShardCame{ShardId{0}, 1});
    merge.add(shards::ShardCame{ShardId{1}, 1});
    merge.add(tick_of(0, 1));
    merge.add(tick_of(0, 2));
    EXPECT_EQ(taken(merge), "");
    merge.add(tick_of(1, 1));
    EXPECT_EQ(taken(merge), "+1x2 ");
    merge.add(tick_of(1, 2));
    EXPECT_EQ(taken(merge), "+1x2 ");
    EXPECT_EQ(merge.tick_count(), 2U);
    EXPECT_EQ(merge.stale_tick_count(), 0U);
}

TEST(TickMerge, TicksThatAllShardsSkippedAreNotThereAndNotStale) {
    shards::TickMerge merge;
    merge.add(shards::ShardCame{ShardId{0}, 1});
    merge.add(shards::ShardCame{ShardId{1}, 1});
    for (const int shard : {0, 1}) {
        merge.add(tick_of(shard, 1));
        merge.add(tick_of(shard, 4));
    }
    EXPECT_EQ(taken(merge), "+1x2 +3x2 ");
}

TEST(TickMerge, ATickThatSomeShardSkippedOrRanWithoutABorderIsStale) {
    shards::TickMerge merge;
    merge.add(shards::ShardCame{ShardId{0}, 1});
    merge.add(shards::ShardCame{ShardId{1}, 1});
    merge.add(tick_of(0, 1));
    merge.add(tick_of(0, 2));
    merge.add(tick_of(0, 3));
    merge.add(tick_of(1, 1, true));
    merge.add(tick_of(1, 3));
    EXPECT_EQ(taken(merge), "+1!x2 +1!x1 +1x2 ");
    EXPECT_EQ(merge.stale_tick_count(), 2U);
}

TEST(TickMerge, ShardsComeAndGoWithoutMakingATickStale) {
    shards::TickMerge merge;
    merge.add(shards::LayoutFrom{engine::kNever, small_layout(1, 1)});
    merge.add(shards::ShardCame{ShardId{0}, 1});
    EXPECT_EQ(taken(merge), "L0 ");
    merge.add(tick_of(0, 1));
    merge.add(shards::LayoutFrom{3, small_layout(2, 1)});
    merge.add(shards::ShardCame{ShardId{1}, 3});
    merge.add(tick_of(0, 2));
    merge.add(tick_of(0, 3));
    merge.add(shards::ShardWent{ShardId{0}});
    EXPECT_EQ(taken(merge), "+1x1 +1x1 ") << "shard 1 has not run tick 3";
    merge.add(tick_of(1, 3));
    merge.add(tick_of(1, 4));
    EXPECT_EQ(taken(merge), "L3 +1x2 +1x1 ");
    merge.add(shards::ShardCame{ShardId{0}, 6});
    merge.add(tick_of(1, 5));
    merge.add(tick_of(1, 6));
    merge.add(tick_of(0, 6));
    EXPECT_EQ(taken(merge), "+1x1 +1x2 ") << "an id that serves again";
    EXPECT_EQ(merge.stale_tick_count(), 0U);
}

TEST(TickMerge, CountsWhatWaits) {
    shards::TickMerge merge;
    merge.add(shards::ShardCame{ShardId{0}, 1});
    merge.add(shards::ShardCame{ShardId{1}, 1});
    shards::ShardTick tick = tick_of(0, 1);
    shards::encode_unframed(engine::EntityId{1}, tick.unframed);
    merge.add(tick);
    EXPECT_EQ(merge.waiting_bytes(), 2U);
    merge.add(tick_of(1, 1));
    taken(merge);
    EXPECT_EQ(merge.waiting_bytes(), 0U);
}

}  // namespace marchland::tests
