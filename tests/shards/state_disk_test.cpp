// A disk that hangs, that is full, and that somebody reads without end: what is kept is behind, and
// no tick waits.

#include "shards/state/keeper.h"
#include "tests/shards/faulty_disk.h"
#include "tests/shards/zone_by_hand.h"
#include "tests/tools/trace_scratch_folder.h"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <sqlite3.h>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <variant>

namespace marchland::tests {

namespace {

using engine::EntityId;
using shards::KeptZone;
using shards::SessionKey;
using shards::StateKeeper;
using shards::StateStore;
using namespace std::chrono_literals;

/// A zone with one player, whose state is on a disk that fails when the test says so.
class StateDisk : public testing::Test {
protected:
    static shards::KeeperOptions options() {
        shards::KeeperOptions options;
        options.checkpoint = 20ms;
        options.arrivals = 5ms;
        options.retry = 5ms;
        options.last_write_max = 50ms;
        return options;
    }

    void start(const shards::KeeperOptions& options,
               std::uint64_t wal_bytes_max = shards::StoreOptions().wal_bytes_max) {
        auto store =
            StateStore::open(directory_, {.wal_bytes_max = wal_bytes_max, .vfs = disk_.vfs()});
        ASSERT_TRUE(std::holds_alternative<std::unique_ptr<StateStore>>(store));
        auto opened = std::get<std::unique_ptr<StateStore>>(std::move(store));
        auto before = std::get<KeptZone>(opened->load());
        keeper_ = std::make_unique<StateKeeper>(std::move(opened), std::move(before), options);
        shards::ZoneStart start;
        start.next_id = 1;
        start.keeper = keeper_.get();
        zone_ = std::make_unique<shards::Zone>(small_world(), small_layout(1, 1), outlet_, nullptr,
                                               start);
        lockstep_ = std::make_unique<shards::Lockstep>(*zone_);
        keeper_->open({{SessionKey::Kind::player, 1}, "", "", 1});
        ASSERT_TRUE(zone_->join({entity_at(1, {5, 5, 0}), port_, true}));
        lockstep_->step();
    }
    engine::Tick move_to(std::int32_t x) {
        port_->next.move = engine::Position{x, 5, 0};
        return lockstep_->step();
    }
    /// What is waited for comes by the writer's thread, and has no other sign.
    template <typename Condition>
    static bool comes(Condition&& condition) {
        for (int i = 0; i < 2'000; ++i) {
            if (condition()) {
                return true;
            }
            std::this_thread::sleep_for(5ms);
        }
        return false;
    }
    static shards::ShardTick tick_of(shards::ShardId shard, engine::Tick tick) {
        shards::ShardTick made;
        made.shard = shard;
        made.tick = tick;
        return made;
    }
    [[nodiscard]] KeptZone kept() const {
        auto opened = StateStore::open_to_read(directory_);
        return std::get<KeptZone>(std::get<0>(opened)->load());
    }

    const trace::ScratchFolder folder_;
    const std::filesystem::path directory_ = folder_.file("state");
    FaultyDisk disk_;
    SilentOutlet outlet_;
    std::shared_ptr<RecordingPort> port_ = std::make_shared<RecordingPort>();
    std::unique_ptr<StateKeeper> keeper_;
    std::unique_ptr<shards::Zone> zone_;
    std::unique_ptr<shards::Lockstep> lockstep_;
};

}  // namespace

TEST_F(StateDisk, ThatHangsHoldsUpNoTickAndAllIsWrittenWhenItIsBack) {
    start(options());
    ASSERT_TRUE(comes([&] { return keeper_->status().written_tick == zone_->tick(); }));
    disk_.hang();
    move_to(6);
    ASSERT_TRUE(disk_.wait_until_somebody_hangs());
    const auto before = keeper_->status();
    engine::Tick newest = 0;
    for (std::int32_t x = 7; x < 300; ++x) {
        newest = move_to(x % 90);
    }
    EXPECT_EQ(keeper_->status().written_tick, before.written_tick);
    EXPECT_TRUE(keeper_->is_keeping());
    EXPECT_TRUE(comes([&] { return keeper_->status().age >= 100ms; })) << "and it says so";
    disk_.heal();
    EXPECT_TRUE(comes([&] { return keeper_->status().written_tick == newest; }));
    ASSERT_TRUE(keeper_->finish());
    EXPECT_EQ(kept().entities.front().entity.position.x, 299 % 90);
}

TEST_F(StateDisk, HasWhoComesAndGoesSoonAndMovesWithTheCheckpoint) {
    shards::KeeperOptions rare = options();
    rare.checkpoint = rare.ticks_together = 1h;
    start(rare);
    ASSERT_TRUE(comes([&] { return kept().entities.size() == 1; }));
    move_to(6);
    const auto other = std::make_shared<RecordingPort>();
    ASSERT_TRUE(zone_->join({entity_at(2, {5, 5, 0}), other, false}));
    lockstep_->step();
    ASSERT_TRUE(comes([&] { return kept().entities.size() == 2; }))
        << "without a session of its own";
    EXPECT_EQ(kept().entities.front().entity.position.x, 5);
    other->next.leave = true;
    lockstep_->step();
    ASSERT_TRUE(comes([&] { return kept().entities.size() == 1; }));
    ASSERT_TRUE(keeper_->finish());
    EXPECT_EQ(kept().entities.front().entity.position.x, 6);
}

TEST_F(StateDisk, HasWhoCameInATickThatAShardWasLateFor) {
    shards::KeeperOptions rare = options();
    rare.checkpoint = rare.ticks_together = 1h;
    start(rare);
    ASSERT_TRUE(comes([&] { return kept().entities.size() == 1; }));
    const engine::Tick tick = zone_->tick() + 1;
    const shards::ShardId late{1};
    keeper_->add(shards::ShardCame{late, tick});
    shards::ShardTick arrival = tick_of(shards::ShardId{0}, tick);
    arrival.has_arrivals = true;
    shards::encode_join(entity_at(2, {5, 5, 0}), false, arrival.joins);
    keeper_->add(std::move(arrival));
    // A session that is written says that the arrival was looked at.
    keeper_->open({{SessionKey::Kind::service, 7}, "", "", 1});
    ASSERT_TRUE(comes([&] { return kept().sessions.size() == 2; }));
    EXPECT_EQ(kept().entities.size(), 1U);
    EXPECT_EQ(kept().tick, tick) << "the next start goes on beyond it";
    keeper_->add(tick_of(late, tick));
    EXPECT_TRUE(comes([&] { return kept().entities.size() == 2; }));
}

TEST_F(StateDisk, HasALayoutAsSoonAsWhoComes) {
    shards::KeeperOptions rare = options();
    rare.checkpoint = rare.ticks_together = 1h;
    start(rare);
    ASSERT_TRUE(comes([&] { return kept().entities.size() == 1; }));
    lockstep_->change_layout(small_layout(2, 1));
    // A session that is written says that the layout was looked at, before the tick it is for.
    keeper_->open({{SessionKey::Kind::service, 7}, "", "", 1});
    ASSERT_TRUE(comes([&] { return kept().sessions.size() == 2; }));
    EXPECT_EQ(kept().layout.size(), 1U);
    lockstep_->step();
    EXPECT_TRUE(comes([&] { return kept().layout.size() == 2; }));
}

TEST_F(StateDisk, HasAllThatAnyShardHasRunWhoeverIsLateAtTheEnd) {
    start(options());
    keeper_->add(shards::ShardCame{shards::ShardId{1}, zone_->tick() + 1});
    const engine::Tick newest = move_to(6);
    EXPECT_TRUE(comes([&] { return keeper_->status().age >= 100ms; })) << "and it says so";
    ASSERT_TRUE(keeper_->finish());
    EXPECT_EQ(kept().entities.front().entity.position.x, 6);
    EXPECT_EQ(keeper_->status().written_tick, newest);
}

/// Entity 2 joined in the half of a tick that nobody knows of, and was handed over; so did 3, which
/// is gone again.
TEST_F(StateDisk, HasWhatTheOthersRanWhereAShardHangsThatHandedOverWhoJoined) {
    for (const auto end : {StateKeeper::End::while_a_shard_hangs, StateKeeper::End::in_order}) {
        start(options());
        const engine::Tick tick = move_to(6) + 1;
        ASSERT_TRUE(comes([&] { return keeper_->status().written_tick == tick - 1; }));
        keeper_->add(shards::ShardCame{shards::ShardId{1}, tick});
        shards::ShardTick of_the_other = tick_of(shards::ShardId{0}, tick);
        const auto ask = [&](std::uint64_t id) {
            shards::Inputs inputs;
            inputs.move = engine::Position{7, 5, 0};
            shards::encode_inputs(EntityId{id}, inputs, false, of_the_other.inputs);
        };
        ask(2);
        shards::encode_gone(EntityId{3}, of_the_other.gone);
        ask(1);
        keeper_->add(std::move(of_the_other));
        const bool hangs = end == StateKeeper::End::while_a_shard_hangs;
        EXPECT_EQ(keeper_->finish(end), hangs) << "in order it would be our own mistake";
        const KeptZone then = kept();
        ASSERT_EQ(then.entities.size(), 1U);
        EXPECT_EQ(then.entities.front().entity.position.x == 7, hangs);
        EXPECT_GE(then.next_id, hangs ? shards::kIdsAhead : 2);
        lockstep_.reset();
        zone_.reset();
        keeper_.reset();
        std::filesystem::remove_all(directory_);
    }
}

TEST_F(StateDisk, ThatHangsAtTheEndIsLeftBehind) {
    start(options());
    ASSERT_TRUE(comes([&] { return keeper_->status().written_tick == zone_->tick(); }));
    disk_.hang();
    move_to(6);
    ASSERT_TRUE(disk_.wait_until_somebody_hangs());
    EXPECT_FALSE(keeper_->finish());
    EXPECT_FALSE(keeper_->is_whole());
    lockstep_.reset();
    zone_.reset();
    keeper_.reset();  // and this comes back
}

TEST_F(StateDisk, ThatIsFullCostsFreshnessAndNothingElse) {
    start(options());
    ASSERT_TRUE(comes([&] { return keeper_->status().written_tick == zone_->tick(); }));
    disk_.fill_up();
    const engine::Tick newest = move_to(6);
    ASSERT_TRUE(comes([&] { return keeper_->status().failed_total >= 3; }));
    EXPECT_LT(keeper_->status().written_tick, newest);
    EXPECT_EQ(kept().entities.front().entity.position.x, 5);
    disk_.heal();
    ASSERT_TRUE(comes([&] { return keeper_->status().written_tick == newest; }));
    ASSERT_TRUE(keeper_->finish());
    EXPECT_EQ(kept().entities.front().entity.position.x, 6);
}

TEST_F(StateDisk, ThatIsFullForLongGivesNoIdTwice) {
    start(options());
    ASSERT_TRUE(comes([&] { return keeper_->status().written_tick == zone_->tick(); }));
    disk_.fill_up();
    for (std::uint64_t id = 2; id < shards::kIdsAhead; id += 1'000) {
        EXPECT_TRUE(keeper_->may_use(EntityId{id}));
    }
    EXPECT_FALSE(keeper_->may_use(EntityId{2 * shards::kIdsAhead}));
    disk_.heal();
    EXPECT_TRUE(comes([&] { return keeper_->may_use(EntityId{2 * shards::kIdsAhead}); }));
}

TEST_F(StateDisk, IsAskedForABackupAndTicksGoOn) {
    start(options());
    ASSERT_TRUE(comes([&] { return keeper_->status().written_tick == zone_->tick(); }));
    using Writer = shards::StoreWriter;
    EXPECT_TRUE(std::holds_alternative<Writer::NoBackup>(keeper_->writer().take_backup()));
    disk_.hang();
    const auto before = keeper_->status().written_tick;
    ASSERT_TRUE(keeper_->writer().ask_backup());
    ASSERT_TRUE(disk_.wait_until_somebody_hangs());
    EXPECT_FALSE(keeper_->writer().ask_backup()) << "one at a time";
    move_to(6);
    EXPECT_TRUE(std::holds_alternative<Writer::BackupPending>(keeper_->writer().take_backup()));
    disk_.heal();
    Writer::Backup made;
    ASSERT_TRUE(comes([&] {
        made = keeper_->writer().take_backup();
        return !std::holds_alternative<Writer::BackupPending>(made);
    }));
    ASSERT_TRUE(std::holds_alternative<Writer::BackupMade>(made))
        << (std::holds_alternative<std::string>(made) ? std::get<std::string>(made) : "none");
    EXPECT_EQ(std::get<Writer::BackupMade>(made).tick, before) << "it was copied before the move";
    EXPECT_TRUE(std::holds_alternative<Writer::NoBackup>(keeper_->writer().take_backup()));
}

TEST_F(StateDisk, WarnsOfWhoReadsItWithoutEndBeforeNothingIsWrittenAnyMore) {
    std::ostringstream text;
    const std::shared_ptr<void> put_back(nullptr, [before = spdlog::default_logger()](void*) {
        spdlog::set_default_logger(before);
    });
    spdlog::set_default_logger(std::make_shared<spdlog::logger>(
        "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text)));
    constexpr std::uint64_t kLimit = std::uint64_t{512} << 10U;
    start(options(), kLimit);
    ASSERT_TRUE(comes([&] { return keeper_->status().written_tick == zone_->tick(); }));
    sqlite3* reader = nullptr;
    ASSERT_EQ(sqlite3_open((directory_ / "state.db").c_str(), &reader), SQLITE_OK);
    sqlite3_exec(reader, "BEGIN; SELECT * FROM zone", nullptr, nullptr, nullptr);
    std::int32_t x = 7;
    while (keeper_->status().log_bytes <= kLimit / 2) {
        const engine::Tick tick = move_to(x++ % 90);
        ASSERT_TRUE(comes([&] { return keeper_->status().written_tick == tick; }));
    }
    sqlite3_exec(reader, "COMMIT", nullptr, nullptr, nullptr);
    sqlite3_close(reader);
    EXPECT_TRUE(keeper_->finish());
    constexpr const char* kWarning = "somebody reads it in one transaction";
    const std::size_t warned = text.str().find(kWarning);
    EXPECT_NE(warned, std::string::npos) << text.str();
    EXPECT_EQ(text.str().find(kWarning, warned + 1), std::string::npos) << "once";
}

TEST_F(StateDisk, IsGivenUpWhenTooMuchWaitsForIt) {
    auto little = options();
    little.waiting_bytes_max = 4'096;
    start(little);
    ASSERT_TRUE(comes([&] { return keeper_->status().written_tick == zone_->tick(); }));
    keeper_->set_bans({{std::string(5'000, 'a'), "", 0, ""}});
    EXPECT_TRUE(comes([&] { return !keeper_->is_whole(); }));
    EXPECT_FALSE(keeper_->is_keeping());
    move_to(6);  // the game goes on
    EXPECT_TRUE(comes([&] {
        return keeper_->writer().is_reserved(EntityId{1'000 * shards::kIdsAhead});
    })) << "and whoever wants to may come in";
    EXPECT_EQ(kept().entities.front().entity.position.x, 5);
}

}  // namespace marchland::tests
