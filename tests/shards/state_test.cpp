// What survives a zone: the fold of its ticks, and the store that keeps it. Random histories against an oracle that
// keeps plain lists, and damage of all kinds to the files.

#include "shards/recording/encode.h"
#include "shards/state/fold.h"
#include "shards/state/keeper.h"
#include "shards/state/store.h"
#include "tests/properties/dice.h"
#include "tests/shards/zone_by_hand.h"
#include "tests/tools/trace_scratch_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sqlite3.h>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace marchland::tests {

namespace {

namespace fs = std::filesystem;
using engine::EntityId;
using shards::Fold;
using shards::KeptChanges;
using shards::KeptEntity;
using shards::KeptSession;
using shards::KeptZone;
using shards::SessionKey;
using shards::StateStore;

/// Everything that is kept, in words: two states are the same when these are.
std::string text_of(const KeptEntity& kept) {
    shards::Bytes bytes;
    shards::encode_join(kept.entity, kept.takes_frames, bytes);
    std::string text = std::to_string(kept.entity.birth) + ' ' + std::to_string(kept.owner.number) +
                       ' ' + std::to_string(kept.owner.ref);
    for (const std::byte byte : bytes) {
        text += ' ' + std::to_string(std::to_integer<int>(byte));
    }
    return text;
}

std::string text_of(const KeptSession& session) {
    return std::to_string(static_cast<int>(session.key.kind)) + ' ' +
           std::to_string(session.key.number) + ' ' + session.subject + ' ' +
           std::to_string(session.generation);
}

/// By id and key. Rows come and go in it as they do in a store; it is also the oracle's table.
struct Table {
    std::map<EntityId, KeptEntity> entities;
    std::map<SessionKey, KeptSession> sessions;

    [[nodiscard]] std::string text() const {
        std::string text;
        for (const auto& [id, kept] : entities) {
            text += text_of(kept) + '\n';
        }
        for (const auto& [key, session] : sessions) {
            text += text_of(session) + '\n';
        }
        return text;
    }
    void take(const KeptChanges& changes) {
        for (const EntityId id : changes.gone) {
            entities.erase(id);
        }
        for (const SessionKey key : changes.ended) {
            sessions.erase(key);
        }
        for (const KeptEntity& kept : changes.zone.entities) {
            entities[kept.entity.id] = kept;
        }
        for (const KeptSession& session : changes.zone.sessions) {
            sessions[session.key] = session;
        }
    }
};

Table table_of(const KeptZone& zone) {
    Table table;
    KeptChanges all;
    all.zone = zone;
    table.take(all);
    return table;
}

/// A zone's ticks, as its shards record them, and what the zone holds after each.
class RandomZone {
public:
    explicit RandomZone(std::uint64_t seed) : dice_(seed) {}

    void tick(Fold& fold) {
        shards::Bytes records;
        tick_ += 1 + dice_.below(3);
        shards::encode_tick_begin({tick_, dice_.chance(10)}, tick_before_, records);
        tick_before_ = tick_;
        std::vector<EntityId> there;
        for (const auto& [id, kept] : table_.entities) {
            there.push_back(id);
        }
        for (const EntityId id : there) {
            if (dice_.chance(40)) {
                ask(id, records);
            }
        }
        for (const EntityId id : there) {
            if (table_.entities.contains(id) && dice_.chance(3)) {
                shards::encode_gone(id, records);
                remove(id);
            }
        }
        for (std::size_t joins = dice_.below(3); joins > 0; --joins) {
            join(fold, records);
        }
        shards::encode_tick_end(0, records);
        confirm(fold);
        EXPECT_EQ(fold.apply(records), std::nullopt);
    }

    [[nodiscard]] const Table& table() const { return table_; }
    [[nodiscard]] engine::Tick now() const { return tick_; }
    [[nodiscard]] std::uint64_t next_id() const { return next_id_; }

private:
    engine::Position place() {
        return {static_cast<std::int32_t>(dice_.between(-1'000'000, 1'000'000)),
                static_cast<std::int32_t>(dice_.between(-1'000'000, 1'000'000)),
                static_cast<std::int32_t>(dice_.between(-50, 50))};
    }
    engine::Blob blob() {
        const std::size_t size = dice_.below(4) * dice_.below(200);
        return size == 0 ? nullptr
                         : std::make_shared<const std::vector<std::byte>>(
                               size, static_cast<std::byte>(dice_.below(256)));
    }
    void ask(EntityId id, shards::Bytes& records) {
        shards::Inputs inputs;
        KeptEntity& kept = table_.entities.at(id);
        if (dice_.chance(70)) {
            inputs.move = kept.entity.position = place();
        }
        if (dice_.chance(20)) {
            inputs.view = kept.entity.view =
                engine::View::sector(100, 200 + static_cast<std::int32_t>(dice_.below(99)), 7, 9);
        }
        if (dice_.chance(20)) {
            inputs.facing = kept.entity.facing = static_cast<engine::Angle>(dice_.below(60'000));
        }
        if (dice_.chance(20)) {
            kept.entity.layers = static_cast<engine::LayerMask>(dice_.below(1'000));
            kept.entity.layers_seen = ~kept.entity.layers;
            inputs.layers = {kept.entity.layers, kept.entity.layers_seen};
        }
        if (dice_.chance(20)) {
            const auto radius_mm = static_cast<std::int32_t>(dice_.below(500));
            inputs.notify = kept.entity.notify = {radius_mm, radius_mm + 1};
        }
        if (dice_.chance(20)) {
            inputs.state = kept.entity.blob = blob();
        }
        inputs.keyframe = dice_.chance(10);
        inputs.leave = dice_.chance(4);
        if (inputs.is_empty()) {
            return;
        }
        shards::encode_inputs(id, inputs, false, records);
        if (inputs.leave) {
            remove(id);
        }
    }
    void remove(EntityId id) {
        table_.entities.erase(id);
        table_.sessions.erase({SessionKey::Kind::player, to_number(id)});
    }
    void join(Fold& fold, shards::Bytes& records) {
        KeptEntity kept;
        kept.entity.id = EntityId{next_id_++};
        kept.entity.birth = tick_;
        kept.entity.position = place();
        kept.entity.view = engine::View::circle(50, 60);
        kept.entity.kind = static_cast<std::uint16_t>(dice_.below(9));
        kept.entity.importance = static_cast<std::uint8_t>(dice_.below(256));
        kept.entity.blob = blob();
        if (dice_.chance(50)) {
            kept.owner = {1 + dice_.below(3), static_cast<std::uint32_t>(dice_.below(1'000))};
            kept.takes_frames = dice_.chance(20);
            open(fold, {SessionKey::Kind::service, kept.owner.number});
            fold.own(kept.entity.id, kept.owner);
        } else {
            open(fold, {SessionKey::Kind::player, to_number(kept.entity.id)});
        }
        shards::encode_join(kept.entity, kept.takes_frames, records);
        table_.entities[kept.entity.id] = kept;
    }
    void open(Fold& fold, SessionKey key) {
        if (!table_.sessions.contains(key)) {
            table_.sessions[key] = {key, "subject " + std::to_string(dice_.below(9)), 1};
            fold.open(table_.sessions.at(key));
        }
    }
    void confirm(Fold& fold) {
        for (auto& [key, session] : table_.sessions) {
            if (dice_.chance(5)) {
                fold.confirm(key, ++session.generation);
            }
        }
    }

    Dice dice_;
    Table table_;
    engine::Tick tick_ = 0;
    engine::Tick tick_before_ = engine::kNever;
    std::uint64_t next_id_ = 1;
};

std::unique_ptr<StateStore> opened(const fs::path& directory, shards::StoreOptions options = {}) {
    auto result = StateStore::open(directory, options);
    if (const auto* const flaw = std::get_if<std::string>(&result)) {
        ADD_FAILURE() << *flaw;
        return nullptr;
    }
    return std::get<std::unique_ptr<StateStore>>(std::move(result));
}

/// What the directory holds, or why that is nothing.
std::variant<KeptZone, std::string> loaded(const fs::path& directory) {
    auto result = StateStore::open_to_read(directory);
    if (auto* const flaw = std::get_if<std::string>(&result)) {
        return std::move(*flaw);
    }
    return std::get<std::unique_ptr<StateStore>>(result)->load();
}

/// What a process that is killed here leaves behind.
void copy_files(const fs::path& from, const fs::path& to) {
    fs::remove_all(to);
    fs::create_directories(to);
    for (const char* const name : {"state.db", "state.db-wal"}) {
        if (fs::exists(from / name)) {
            fs::copy_file(from / name, to / name);
        }
    }
}

class States : public testing::Test {
protected:
    const trace::ScratchFolder folder_;
    const fs::path directory_ = folder_.file("state");
    const fs::path left_ = folder_.file("left");
};

}  // namespace

TEST(Fold, HoldsAfterEveryTickWhatTheOracleHolds) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        RandomZone zone(seed);
        Fold fold;
        Table kept;
        Dice dice(seed);
        for (int tick = 0; tick < 120; ++tick) {
            zone.tick(fold);
            ASSERT_EQ(table_of(fold.whole()).text(), zone.table().text()) << seed;
            if (dice.chance(30)) {
                kept.take(fold.take_changes(Fold::Which::arrivals));
                ASSERT_EQ(kept.sessions, zone.table().sessions) << seed;
                ASSERT_EQ(kept.entities.size(), zone.table().entities.size()) << seed;
                ASSERT_FALSE(fold.has_arrivals());
            }
            if (dice.chance(20)) {
                const KeptChanges changes = fold.take_changes(Fold::Which::all);
                kept.take(changes);
                ASSERT_EQ(kept.text(), zone.table().text()) << seed;
                ASSERT_EQ(changes.zone.tick, zone.now());
                ASSERT_EQ(changes.zone.next_id, zone.next_id());
            }
        }
    }
}

TEST(Fold, KeepsBirthAndOwnerOfWhoIsPutBack) {
    KeptZone before;
    before.tick = 90;
    before.entities.push_back({entity_at(7, {1, 2, 0}), false, {3, 44}});
    before.entities.front().entity.birth = 12;
    Fold fold(before);
    shards::Bytes records;
    shards::encode_tick_begin({100, false}, engine::kNever, records);
    shards::encode_join(entity_at(7, {1, 2, 0}), false, records);
    shards::encode_join(entity_at(8, {1, 2, 0}), false, records);
    shards::encode_tick_end(0, records);
    ASSERT_EQ(fold.apply(records), std::nullopt);
    const KeptZone zone = fold.whole();
    EXPECT_EQ(zone.entities[0].entity.birth, 12U);
    EXPECT_EQ(zone.entities[0].owner, (shards::Owner{3, 44}));
    EXPECT_EQ(zone.entities[1].entity.birth, 100U);
    EXPECT_EQ(zone.entities[1].owner, shards::Owner());
}

TEST(Fold, RefusesWhatIsNoTickOfItsZone) {
    shards::Bytes records;
    shards::encode_tick_begin({5, false}, engine::kNever, records);
    shards::Inputs move;
    move.move = engine::Position{1, 1, 1};
    shards::encode_inputs(EntityId{9}, move, false, records);
    EXPECT_NE(Fold().apply(records), std::nullopt);
    KeptZone later;
    later.tick = 5;
    EXPECT_NE(Fold(later).apply(records), std::nullopt) << "a tick twice";
    records.resize(records.size() - 1);
    EXPECT_NE(Fold().apply(records), std::nullopt) << "cut off";
}

TEST_F(States, ThatWereWrittenComeBackWhereverTheProcessIsKilled) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        fs::remove_all(directory_);
        RandomZone zone(seed);
        Fold fold;
        Table kept;
        Dice dice(seed);
        auto store = opened(directory_);
        ASSERT_TRUE(std::holds_alternative<KeptZone>(store->load()));
        for (int tick = 0; tick < 60; ++tick) {
            zone.tick(fold);
            if (dice.chance(50)) {
                const auto changes =
                    fold.take_changes(dice.chance(50) ? Fold::Which::all : Fold::Which::arrivals);
                ASSERT_EQ(store->write(changes, changes.zone.next_id + 100), std::nullopt);
                kept.take(changes);
            }
            if (dice.chance(20)) {
                copy_files(directory_, left_);
                const auto back = loaded(left_);
                ASSERT_TRUE(std::holds_alternative<KeptZone>(back)) << std::get<1>(back);
                ASSERT_EQ(table_of(std::get<KeptZone>(back)).text(), kept.text()) << seed;
                ASSERT_GE(std::get<KeptZone>(back).next_id, 1U);
            }
            if (dice.chance(10)) {
                store.reset();
                store = opened(directory_);
                auto back = store->load();
                ASSERT_TRUE(std::holds_alternative<KeptZone>(back)) << std::get<1>(back);
                ASSERT_EQ(table_of(std::get<KeptZone>(back)).text(), kept.text()) << seed;
            }
        }
    }
}

TEST_F(States, ThatAreDamagedAreNeverTakenForOthers) {
    RandomZone zone(5);
    Fold fold;
    Table kept;
    std::set<std::string> written{""};
    {
        auto store = opened(directory_);
        ASSERT_TRUE(std::holds_alternative<KeptZone>(store->load()));
        for (int tick = 0; tick < 80; ++tick) {
            zone.tick(fold);
            const auto changes = fold.take_changes(Fold::Which::all);
            ASSERT_EQ(store->write(changes, changes.zone.next_id), std::nullopt);
            kept.take(changes);
            written.insert(kept.text());
        }
        copy_files(directory_, folder_.file("open"));
    }
    copy_files(directory_, folder_.file("closed"));
    Dice dice(77);
    int refused = 0;
    for (int i = 0; i < 300; ++i) {
        copy_files(folder_.file(dice.chance(50) ? "open" : "closed"), left_);
        const bool is_log = dice.chance(50) && fs::exists(left_ / "state.db-wal");
        const fs::path file = left_ / (is_log ? "state.db-wal" : "state.db");
        const auto size = static_cast<std::size_t>(fs::file_size(file));
        const std::size_t at = dice.below(size);
        if (dice.chance(30)) {
            fs::resize_file(file, at);
        } else {
            std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
            stream.seekp(static_cast<std::streamoff>(at));
            const std::string zeros(std::min<std::size_t>(size - at, 1 + dice.below(5'000)), '\0');
            stream << zeros;
        }
        const auto back = loaded(left_);
        if (const auto* const there = std::get_if<KeptZone>(&back)) {
            ASSERT_TRUE(written.contains(table_of(*there).text())) << file << ' ' << at;
        } else {
            ++refused;
            ASSERT_NE(std::get<std::string>(back).find("state.db"), std::string::npos);
        }
    }
    EXPECT_GT(refused, 50);
}

TEST_F(States, AreRefusedWhenTheyAreInUseOrNewerOrNone) {
    {
        const auto store = opened(directory_);
        const auto second = StateStore::open(directory_);
        ASSERT_TRUE(std::holds_alternative<std::string>(second));
        EXPECT_NE(std::get<std::string>(second).find(std::to_string(getpid())), std::string::npos);
    }
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open((directory_ / "state.db").c_str(), &database), SQLITE_OK);
    sqlite3_exec(database, "PRAGMA user_version = 2", nullptr, nullptr, nullptr);
    sqlite3_close(database);
    auto newer = StateStore::open(directory_);
    ASSERT_TRUE(std::holds_alternative<std::string>(newer));
    EXPECT_NE(std::get<std::string>(newer).find("newer"), std::string::npos);
    std::ofstream(directory_ / "state.db", std::ios::trunc) << "";
    auto none = StateStore::open(directory_);
    ASSERT_TRUE(std::holds_alternative<std::string>(none));
    EXPECT_NE(std::get<std::string>(none).find("--fresh"), std::string::npos);

    const auto aside = StateStore::put_aside(directory_);
    ASSERT_TRUE(std::holds_alternative<fs::path>(aside));
    EXPECT_TRUE(fs::exists(std::get<fs::path>(aside) / "state.db"));
    EXPECT_NE(opened(directory_), nullptr);
}

TEST_F(States, DoNotGrowWithoutEndWhileSomebodyReadsThem) {
    auto store = opened(directory_, {std::uint64_t{256} << 10U});
    ASSERT_TRUE(std::holds_alternative<KeptZone>(store->load()));
    sqlite3* reader = nullptr;
    ASSERT_EQ(sqlite3_open((directory_ / "state.db").c_str(), &reader), SQLITE_OK);
    sqlite3_exec(reader, "BEGIN; SELECT * FROM zone", nullptr, nullptr, nullptr);
    RandomZone zone(3);
    Fold fold;
    std::optional<std::string> refused;
    for (int tick = 0; tick < 2'000 && !refused; ++tick) {
        zone.tick(fold);
        refused = store->write(fold.take_changes(Fold::Which::all), 1'000'000);
    }
    ASSERT_TRUE(refused.has_value());
    EXPECT_NE(refused->find("somebody reads it"), std::string::npos) << *refused;
    EXPECT_LT(fs::file_size(directory_ / "state.db-wal"), std::uint64_t{1} << 20U);
    sqlite3_exec(reader, "COMMIT", nullptr, nullptr, nullptr);
    sqlite3_close(reader);
    EXPECT_EQ(store->write(fold.take_changes(Fold::Which::all), 1'000'000), std::nullopt);
}

TEST_F(States, GiveNoIdThatAWriteHasNotReserved) {
    auto store = opened(directory_);
    auto before = store->load();
    {
        shards::StateKeeper keeper(std::move(store), std::get<KeptZone>(before));
        EXPECT_TRUE(keeper.may_use(EntityId{shards::kIdsAhead}));
        EXPECT_FALSE(keeper.may_use(EntityId{shards::kIdsAhead + 1}));
        SilentOutlet outlet;
        shards::ZoneStart start;
        start.next_id = shards::kIdsAhead + 1;
        start.keeper = &keeper;
        shards::Zone zone(
            small_world(), small_layout(1, 1), outlet,
            [](std::unique_ptr<shards::BorderTransport> transport) { return transport; }, nullptr,
            start);
        const auto port = std::make_shared<RecordingPort>();
        EXPECT_FALSE(zone.join({entity_at(to_number(zone.new_id()), {5, 5, 0}), port, true}));
    }
}

TEST_F(States, OfAZoneHoldWhoWasThereInItsLastTickAndNobodyElse) {
    auto store = opened(directory_);
    auto before = store->load();
    shards::StateKeeper keeper(std::move(store), std::get<KeptZone>(before));
    SilentOutlet outlet;
    shards::ZoneOptions options = small_world();
    options.frame_gap_ticks_max = 5;
    shards::ZoneStart start;
    start.tick = 40;
    start.next_id = 1;
    start.keeper = &keeper;
    shards::Zone zone(
        options, small_layout(2, 2), outlet,
        [](std::unique_ptr<shards::BorderTransport> transport) { return transport; }, nullptr,
        start);
    shards::Lockstep lockstep(zone);
    std::vector<std::shared_ptr<RecordingPort>> ports;
    for (std::uint64_t id = 1; id <= 3; ++id) {
        ports.push_back(std::make_shared<RecordingPort>());
        keeper.open({{SessionKey::Kind::player, id}, "", 1});
        ASSERT_TRUE(zone.join({entity_at(id, {5, 5, 0}), ports.back(), true}));
    }
    EXPECT_EQ(lockstep.step(), 41U);
    ports[0]->next.move = engine::Position{90, 90, 0};  // over a border
    ports[1]->is_open = false;                          // and given up for that
    ports[2]->next.leave = true;
    for (int i = 0; i < 10; ++i) {
        lockstep.step();
    }
    ASSERT_TRUE(keeper.finish());
    const auto after = loaded(directory_);
    const auto& kept = std::get<KeptZone>(after);
    ASSERT_EQ(kept.entities.size(), 1U);
    EXPECT_EQ(kept.entities[0].entity.position, (engine::Position{90, 90, 0}));
    EXPECT_EQ(kept.entities[0].entity.birth, 41U);
    ASSERT_EQ(kept.sessions.size(), 1U);
    EXPECT_EQ(kept.tick, 51U);
    EXPECT_EQ(kept.next_id, 4U);
    EXPECT_EQ(kept.layout.size(), 4U);
}

}  // namespace marchland::tests
