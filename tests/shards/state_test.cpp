// What survives a zone: the fold of its ticks, and the store that keeps it. Random histories
// against an oracle that keeps plain lists, and damage of all kinds to the files.

#include "shards/recording/records.h"
#include "shards/state/fold.h"
#include "shards/state/keeper.h"
#include "shards/state/store.h"
#include "tests/properties/dice.h"
#include "tests/sanitizer.h"
#include "tests/shards/faulty_disk.h"
#include "tests/shards/zone_by_hand.h"
#include "tests/tools/trace_scratch_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sqlite3.h>
#include <sstream>
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
    std::string text =
        std::to_string(kept.entity.birth) + ' ' + std::to_string(kept.owner.number) + ' ' +
        std::to_string(kept.owner.ref) + ' ' + std::to_string(kept.port.authority) + ' ' +
        std::to_string(kept.port.speed_percent) + ' ' + std::to_string(kept.port.frames_hz) + ' ' +
        std::to_string(kept.port.message_number);
    for (const std::byte byte : bytes) {
        text += ' ' + std::to_string(std::to_integer<int>(byte));
    }
    return text;
}

std::string text_of(const KeptSession& session) {
    return std::to_string(static_cast<int>(session.key.kind)) + ' ' +
           std::to_string(session.key.number) + ' ' + session.subject + ' ' + session.claims + ' ' +
           std::to_string(session.generation);
}

std::string text_of(const shards::KeptBan& ban) {
    return ban.subject + ' ' + ban.address + ' ' + std::to_string(ban.until_s) + ' ' + ban.reason;
}

engine::StateSlots slots() {
    engine::StateSlots slots(2);
    slots[0].name = "health";
    slots[1].name = "name";
    slots[1].type = engine::StateType::bytes;
    slots[1].bytes_max = 1'024;
    return slots;
}

/// By id and key. Rows come and go in it as they do in a store; it is also the oracle's table.
struct Table {
    std::map<EntityId, KeptEntity> entities;
    std::map<SessionKey, KeptSession> sessions;
    std::vector<shards::KeptBan> bans;

    [[nodiscard]] std::string text() const {
        std::string text;
        for (const auto& [id, kept] : entities) {
            text += text_of(kept) + '\n';
        }
        for (const auto& [key, session] : sessions) {
            text += text_of(session) + '\n';
        }
        for (const shards::KeptBan& ban : bans) {
            text += text_of(ban) + '\n';
        }
        return text;
    }
    [[nodiscard]] std::string text_without_places() const {
        Table table = *this;
        for (auto& [id, kept] : table.entities) {
            kept.entity.position = {};
            kept.entity.facing = {};
        }
        return table.text();
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
        bans = changes.bans.value_or(bans);
    }
};

Table table_of(const KeptZone& zone) {
    Table table;
    KeptChanges all;
    all.zone = zone;
    all.bans = zone.bans;
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
        renew(fold);
        ban(fold);
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
    std::vector<engine::StateWrite> state() {
        const std::size_t size = dice_.below(4) * dice_.below(200);
        engine::StateWrite name{1, engine::Blob{}};
        if (size != 0) {
            name.value = std::make_shared<const std::vector<std::byte>>(
                size, static_cast<std::byte>(dice_.below(256)));
        }
        return {{0, static_cast<std::int64_t>(dice_.below(9)) - 4}, name};
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
            inputs.state = state();
            kept.entity.state = engine::with(kept.entity.state, inputs.state, tick_);
        }
        if (dice_.chance(20)) {
            inputs.port_state =
                kept.port = {static_cast<std::uint8_t>(1 + dice_.below(3)),
                             static_cast<std::uint16_t>(dice_.below(65'536)),
                             static_cast<std::uint16_t>(dice_.below(65'536)),
                             static_cast<std::uint32_t>(dice_.below(std::uint64_t{1} << 32U))};
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
        kept.entity.state = engine::with(nullptr, state(), tick_);
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
            table_.sessions[key] = {key, "subject " + std::to_string(dice_.below(9)), claims(), 1};
            fold.open(table_.sessions.at(key));
        }
    }
    std::string claims() { return dice_.chance(50) ? "" : "{" + std::to_string(dice_.below(9)); }
    void renew(Fold& fold) {
        for (auto& [key, session] : table_.sessions) {
            if (dice_.chance(5)) {
                session.generation += dice_.chance(50) ? 1 : 0;
                session.claims = claims();
                fold.renew(session);
                KeptSession older = session;
                older.claims = "of another connection";
                --older.generation;
                fold.renew(older);
            }
        }
    }

    void ban(Fold& fold) {
        if (dice_.chance(5)) {
            if (dice_.chance(30) && !table_.bans.empty()) {
                table_.bans.pop_back();
            } else {
                table_.bans.push_back({"ann " + std::to_string(dice_.below(9)), "10.0.0.1",
                                       dice_.between(0, 9), "reason"});
            }
            fold.set_bans(table_.bans);
        }
    }

    Dice dice_;
    Table table_;
    engine::Tick tick_ = 0;
    engine::Tick tick_before_ = engine::kNever;
    std::uint64_t next_id_ = 1;
};

std::unique_ptr<StateStore> opened(const fs::path& directory, shards::StoreOptions options = {}) {
    options.slots = slots();
    auto result = StateStore::open(directory, options);
    if (const auto* const flaw = std::get_if<std::string>(&result)) {
        ADD_FAILURE() << *flaw;
        return nullptr;
    }
    return std::get<std::unique_ptr<StateStore>>(std::move(result));
}

/// What the directory holds, or why that is nothing.
std::variant<KeptZone, std::string> loaded(const fs::path& directory) {
    auto result = StateStore::open_to_read(directory, {.slots = slots()});
    if (auto* const flaw = std::get_if<std::string>(&result)) {
        return std::move(*flaw);
    }
    return std::get<std::unique_ptr<StateStore>>(result)->load();
}

/// As servers of version 1 left it.
void make_version_1(const fs::path& directory) {
    fs::create_directories(directory);
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open((directory / "state.db").c_str(), &database), SQLITE_OK);
    std::ifstream file(MARCHLAND_STATE_VERSION_1);
    const std::string sql{std::istreambuf_iterator<char>(file), {}};
    ASSERT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
}

/// Of each row the first column, and a line for each row.
std::string asked(const fs::path& directory, const char* sql) {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open((directory / "state.db").c_str(), &database), SQLITE_OK);
    std::string text;
    const auto add = [](void* to, int, char** values, char**) {
        *static_cast<std::string*>(to) += std::string(values[0]) + '\n';
        return 0;
    };
    EXPECT_EQ(sqlite3_exec(database, sql, add, &text, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
    return text;
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

/// What the database and its log hold.
std::pair<std::string, std::string> files_in(const fs::path& directory) {
    const auto read = [](const fs::path& file) {
        // In blocks: they are megabytes, and a sanitizer looks at each step of an iterator.
        std::ostringstream bytes;
        bytes << std::ifstream(file, std::ios::binary).rdbuf();
        return bytes.str();
    };
    return {read(directory / "state.db"), read(directory / "state.db-wal")};
}

/// Why a server does not start on it: empty if it would. It goes no further.
std::string refusal_of(const fs::path& directory) {
    auto result = StateStore::open(directory, {.slots = slots()});
    if (auto* const flaw = std::get_if<std::string>(&result)) {
        return std::move(*flaw);
    }
    auto zone = std::get<std::unique_ptr<StateStore>>(result)->load();
    return std::holds_alternative<KeptZone>(zone) ? "" : std::get<std::string>(zone);
}

/// It is in the log, and the state is what it was.
constexpr const char* kNoChange = "CREATE TABLE more (x); DROP TABLE more";

class States : public testing::Test {
protected:
    /// What a process leaves in left_ that is killed after this.
    void kill_after(const char* sql) const {
        sqlite3* database = nullptr;
        ASSERT_EQ(sqlite3_open((directory_ / "state.db").c_str(), &database), SQLITE_OK);
        const std::string all = std::string("PRAGMA journal_mode = WAL;") + sql;
        ASSERT_EQ(sqlite3_exec(database, all.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
            << sqlite3_errmsg(database);
        copy_files(directory_, left_);
        sqlite3_close(database);
    }
    /// One of today's, with entities and sessions.
    void make_state() const {
        fs::remove_all(directory_);
        make_version_1(directory_);
        auto store = opened(directory_);
        auto zone = store->load();
        ASSERT_EQ(store->write({}, std::get<KeptZone>(zone).next_id), std::nullopt);
    }

    const trace::ScratchFolder folder_;
    const fs::path directory_ = folder_.file("state");
    const fs::path left_ = folder_.file("left");
};

}  // namespace

TEST(Fold, HoldsAfterEveryTickWhatTheOracleHolds) {
    constexpr std::uint64_t kSeeds = kIsSanitized ? 6 : 30;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        RandomZone zone(seed);
        Fold fold;
        Table kept;
        Dice dice(seed);
        for (int tick = 0; tick < 120; ++tick) {
            zone.tick(fold);
            ASSERT_EQ(table_of(fold.whole()).text(), zone.table().text()) << seed;
            if (dice.chance(30)) {
                kept.take(fold.take_changes(Fold::Which::all_but_moves));
                ASSERT_EQ(kept.text_without_places(), zone.table().text_without_places()) << seed;
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

TEST(Fold, KeepsBirthOwnerAndPortOfWhoIsPutBack) {
    KeptZone before;
    before.tick = 90;
    before.entities.push_back({entity_at(7, {1, 2, 0}), false, {3, 44}});
    before.entities.front().entity.birth = 12;
    before.entities.front().port.speed_percent = 50;
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
    EXPECT_EQ(zone.entities[0].port.speed_percent, 50U);
    EXPECT_EQ(zone.entities[1].entity.birth, 100U);
    EXPECT_EQ(zone.entities[1].owner, shards::Owner());
}

TEST(TakeOrphans, LeavesWhomSomebodyWouldComeBackForAndServicesWithoutEntities) {
    KeptZone zone;
    zone.next_id = 9;
    const auto entity = [](std::uint64_t id, shards::Owner owner) {
        return KeptEntity{entity_at(id, {1, 2, 0}), true, owner};
    };
    using Kind = SessionKey::Kind;
    // 3 has its session, 4 none, 5 its service, 6 none; of 7 only the session came.
    zone.entities = {entity(3, {}), entity(4, {}), entity(5, {1, 50}), entity(6, {2, 60})};
    zone.sessions = {{{Kind::player, 3}, "ann", "", 1},
                     {{Kind::player, 6}, "a player's number is no service's", "", 1},
                     {{Kind::player, 7}, "", "", 1},
                     {{Kind::service, 1}, "", "", 1},
                     {{Kind::service, 8}, "without entities", "", 1}};
    const KeptChanges changes = shards::take_orphans(zone);
    ASSERT_EQ(zone.entities.size(), 2U);
    EXPECT_EQ(zone.entities[0].entity.id, EntityId{3});
    EXPECT_EQ(zone.entities[1].entity.id, EntityId{5});
    ASSERT_EQ(zone.sessions.size(), 3U);
    EXPECT_EQ(zone.sessions[0].key, (SessionKey{Kind::player, 3}));
    EXPECT_EQ(zone.sessions[1].key, (SessionKey{Kind::service, 1}));
    EXPECT_EQ(zone.sessions[2].key, (SessionKey{Kind::service, 8}));
    EXPECT_EQ(changes.gone, (std::vector{EntityId{4}, EntityId{6}}));
    EXPECT_EQ(changes.ended, (std::vector<SessionKey>{{Kind::player, 6}, {Kind::player, 7}}));
    EXPECT_EQ(changes.zone.next_id, 9U);
    EXPECT_TRUE(changes.zone.entities.empty()) << "what stays need not be written";
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
        std::string all_but_places;  // of the tick that was written last
        for (int tick = 0; tick < 60; ++tick) {
            zone.tick(fold);
            if (dice.chance(50)) {
                all_but_places = zone.table().text_without_places();
                const auto changes = fold.take_changes(
                    dice.chance(50) ? Fold::Which::all : Fold::Which::all_but_moves);
                ASSERT_EQ(store->write(changes, changes.zone.next_id + 100), std::nullopt);
                kept.take(changes);
            }
            if (dice.chance(20)) {
                copy_files(directory_, left_);
                const auto back = loaded(left_);
                ASSERT_TRUE(std::holds_alternative<KeptZone>(back)) << std::get<1>(back);
                const Table table = table_of(std::get<KeptZone>(back));
                ASSERT_EQ(table.text(), kept.text()) << seed;
                ASSERT_EQ(table.text_without_places(), all_but_places) << seed;
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
    for (int i = 0; i < 120; ++i) {
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
        const auto files = files_in(left_);
        const auto back = loaded(left_);
        ASSERT_EQ(refusal_of(left_).empty(), std::holds_alternative<KeptZone>(back));
        ASSERT_TRUE(files_in(left_) == files) << file << ' ' << at;
        if (const auto* const there = std::get_if<KeptZone>(&back)) {
            ASSERT_TRUE(written.contains(table_of(*there).text())) << file << ' ' << at;
        } else {
            ++refused;
            ASSERT_NE(std::get<std::string>(back).find("state.db"), std::string::npos);
        }
    }
    EXPECT_GT(refused, 20);
}

TEST_F(States, ThatSomebodyElseChangedAreRefused) {
    for (const char* const change :
         {"UPDATE entity SET x = x + 1 WHERE id = 4", "DELETE FROM entity WHERE id = 4",
          "DELETE FROM session WHERE number = 4", "UPDATE session SET generation = 0",
          "UPDATE region SET max_x = 5 WHERE place = 0", "UPDATE zone SET next_id = 5",
          "DELETE FROM zone"}) {
        fs::remove_all(directory_);
        make_version_1(directory_);
        ASSERT_NE(opened(directory_), nullptr);
        ASSERT_TRUE(std::holds_alternative<KeptZone>(loaded(directory_)));
        asked(directory_, change);
        const auto refused = loaded(directory_);
        ASSERT_TRUE(std::holds_alternative<std::string>(refused)) << change;
        EXPECT_NE(std::get<std::string>(refused).find("damaged"), std::string::npos);
    }
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
    sqlite3_exec(database, "PRAGMA user_version = 1000", nullptr, nullptr, nullptr);
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

TEST_F(States, AreNobodyElsesToRead) {
    const auto expect_private = [this] {
        for (const char* const name : {"state.db", "state.db-wal", "state.db-shm"}) {
            EXPECT_EQ(fs::status(directory_ / name).permissions(),
                      fs::perms::owner_read | fs::perms::owner_write)
                << name;
        }
    };
    for (const bool is_of_before : {false, true}) {
        if (is_of_before) {
            kill_after(kNoChange);  // and what is beside it is read by others, too
            copy_files(left_, directory_);
            for (const char* const name : {"state.db", "state.db-wal"}) {
                fs::permissions(directory_ / name, fs::perms::others_read, fs::perm_options::add);
            }
        }
        const auto store = opened(directory_);
        const auto zone = store->load();
        ASSERT_EQ(store->write({}, std::get<KeptZone>(zone).next_id), std::nullopt);
        expect_private();
    }
    const auto mode_of = [](const fs::path& file) { return fs::status(file).permissions(); };
    fs::remove_all(directory_);
    make_version_1(directory_);
    fs::permissions(directory_ / "state.db", fs::perms::others_read, fs::perm_options::add);
    auto store = opened(directory_);
    const auto zone = store->load();
    ASSERT_EQ(store->write({}, std::get<KeptZone>(zone).next_id), std::nullopt);
    expect_private();
    EXPECT_EQ(mode_of(directory_ / "aside-1" / "state.db"), mode_of(directory_ / "state.db"));
}

TEST_F(States, ThatAreRefusedStayAsTheyAreAndSoDoesTheirLog) {
    constexpr std::uintmax_t kWhole = std::uintmax_t{1} << 40U;
    struct Case {
        const char* sql;
        std::uintmax_t size;
        const char* said;
    };
    for (const Case& one :
         {Case{"DELETE FROM session", kWhole, "damaged"},
          Case{"PRAGMA user_version = 1000", kWhole, "newer"},
          Case{"PRAGMA user_version = 1", kWhole, "tables of another version"},
          Case{kNoChange, 8'192, "damaged"}, Case{kNoChange, 0, "is empty; the state is"}}) {
        make_state();
        kill_after(one.sql);
        const auto size = fs::file_size(left_ / "state.db");
        fs::resize_file(left_ / "state.db", std::min(one.size, size));
        const auto files = files_in(left_);
        ASSERT_FALSE(files.second.empty());
        const auto looked = loaded(left_);
        ASSERT_TRUE(std::holds_alternative<std::string>(looked)) << one.sql;
        EXPECT_NE(std::get<std::string>(looked).find(one.said), std::string::npos)
            << std::get<std::string>(looked);
        EXPECT_TRUE(files_in(left_) == files) << one.sql << " by --check";
        EXPECT_EQ(refusal_of(left_), std::get<std::string>(looked));
        EXPECT_TRUE(files_in(left_) == files) << one.sql << " by a start";
    }
}

TEST_F(States, StayAsTheyAreUntilTheyAreWrittenTo) {
    for (const bool is_older : {true, false}) {
        make_state();
        if (is_older) {
            fs::remove_all(directory_);
            make_version_1(directory_);
        }
        kill_after(kNoChange);
        const auto files = files_in(left_);
        ASSERT_FALSE(files.second.empty());
        EXPECT_EQ(refusal_of(left_), "");
        EXPECT_TRUE(files_in(left_) == files) << "for instance because of its key";
        EXPECT_FALSE(fs::exists(left_ / "aside-1"));
        auto store = opened(left_);
        const auto zone = store->load();
        ASSERT_EQ(store->write({}, std::get<KeptZone>(zone).next_id), std::nullopt);
        store.reset();
        EXPECT_FALSE(fs::exists(left_ / "state.db-wal")) << "its log is taken over at the end";
        EXPECT_EQ(fs::exists(left_ / "aside-1"), is_older);
        const auto after = loaded(left_);
        ASSERT_TRUE(std::holds_alternative<KeptZone>(after)) << std::get<1>(after);
        EXPECT_EQ(table_of(std::get<KeptZone>(after)).text(),
                  table_of(std::get<KeptZone>(zone)).text());
        EXPECT_FALSE(fs::exists(left_ / "state.db-wal")) << "nor does a look leave one";
    }
}

TEST_F(States, FindTheirSlotsByNameAndLeaveOutThoseOfAnotherType) {
    KeptChanges changes;
    KeptEntity kept;
    kept.entity.id = EntityId{4};
    const auto name = std::make_shared<const std::vector<std::byte>>(3, std::byte{7});
    kept.entity.state =
        engine::with(nullptr, std::vector<engine::StateWrite>{{0, std::int64_t{5}}, {1, name}}, 1);
    changes.zone.entities = {kept};
    {
        auto store = opened(directory_);
        ASSERT_TRUE(std::holds_alternative<KeptZone>(store->load()));
        ASSERT_EQ(store->write(changes, 9), std::nullopt);
    }
    engine::StateSlots others = slots();
    std::swap(others[0], others[1]);
    others[1].type = engine::StateType::real;
    auto store = StateStore::open_to_read(directory_, {.slots = others});
    const auto zone = std::get<std::unique_ptr<StateStore>>(store)->load();
    ASSERT_TRUE(std::holds_alternative<KeptZone>(zone)) << std::get<1>(zone);
    EXPECT_EQ(engine::writes_of(std::get<KeptZone>(zone).entities.at(0).entity.state),
              (std::vector<engine::StateWrite>{{0, name}}));
    using LeftOut = shards::StateTables::LeftOut;
    EXPECT_EQ(std::get<std::unique_ptr<StateStore>>(store)->left_out(),
              (LeftOut{{{"health", "has another type"}, 1}}));
    others.pop_back();
    others[0].bytes_max = 2;
    auto written = StateStore::open(directory_, {.slots = others});
    auto& writer = *std::get<std::unique_ptr<StateStore>>(written);
    EXPECT_TRUE(std::holds_alternative<KeptZone>(writer.load()));
    EXPECT_EQ(writer.left_out(), (LeftOut{{{"health", "is none that the zone has"}, 1},
                                          {{"name", "has more bytes than it may have"}, 1}}));
    EXPECT_FALSE(fs::exists(directory_ / "aside-1"));
    ASSERT_EQ(writer.write({}, 9), std::nullopt);
    const auto aside = loaded(directory_ / "aside-1");
    ASSERT_TRUE(std::holds_alternative<KeptZone>(aside)) << std::get<1>(aside);
    EXPECT_EQ(engine::writes_of(std::get<KeptZone>(aside).entities.at(0).entity.state),
              engine::writes_of(kept.entity.state));
}

TEST_F(States, OfAnOlderVersionBecomeThisOnesAndACopyIsKept) {
    make_version_1(directory_);
    const auto before = loaded(directory_);
    ASSERT_TRUE(std::holds_alternative<KeptZone>(before)) << std::get<1>(before);
    EXPECT_EQ(asked(directory_, "PRAGMA user_version"), "1\n") << "who only looks changes nothing";
    auto store = opened(directory_);
    ASSERT_NE(store, nullptr);
    const auto after = store->load();
    ASSERT_TRUE(std::holds_alternative<KeptZone>(after)) << std::get<1>(after);
    const auto& zone = std::get<KeptZone>(after);
    EXPECT_EQ(table_of(zone).text(), table_of(std::get<KeptZone>(before)).text());
    EXPECT_EQ(store->number(), 0x9d2f6a1c0b3e4855U);
    EXPECT_EQ(zone.tick, 4'321U);
    EXPECT_EQ(zone.next_id, 65'545U);
    EXPECT_EQ(zone.layout, store->configured_layout());
    ASSERT_EQ(zone.entities.size(), 4U);
    const KeptEntity& dragon = zone.entities[2];
    EXPECT_EQ(dragon.entity.id, EntityId{7});
    EXPECT_EQ(dragon.owner, (shards::Owner{1, 70}));
    EXPECT_EQ(dragon.entity.position, (engine::Position{1'000, 1'000, 0}));
    EXPECT_EQ(dragon.entity.notify.radius_mm, 300'000);
    EXPECT_EQ(dragon.entity.state, nullptr) << "its blob is no slot's";
    EXPECT_EQ(dragon.port, shards::PortState()) << "nobody has ruled anything";
    ASSERT_EQ(zone.sessions.size(), 3U);
    EXPECT_EQ(zone.sessions[0], (KeptSession{{SessionKey::Kind::player, 3}, "ann", "", 2}));
    KeptChanges changes;
    changes.gone = {EntityId{7}};
    ASSERT_EQ(store->write(changes, zone.next_id), std::nullopt);
    store.reset();
    ASSERT_TRUE(std::holds_alternative<KeptZone>(loaded(directory_)));

    EXPECT_EQ(asked(directory_ / "aside-1", "PRAGMA user_version"), "1\n");
    EXPECT_EQ(asked(directory_ / "aside-1", "SELECT id FROM entity"), "3\n4\n7\n8\n");
    ASSERT_NE(opened(left_), nullptr);
    constexpr const char* kColumns =
        "SELECT t.name || ' ' || c.name || ' ' || c.type || c.pk FROM sqlite_schema t, "
        "pragma_table_info(t.name) c ORDER BY t.name, c.cid";
    EXPECT_EQ(asked(directory_, kColumns), asked(left_, kColumns)) << "as in a new one";
}

TEST_F(States, OfAnOlderVersionStayAsTheyAreOnAFullDiskAndLeaveNoPartOfACopy) {
    make_version_1(directory_);
    FaultyDisk disk;
    auto store = opened(directory_, {.vfs = disk.vfs()});
    const auto zone = store->load();
    const auto write = [&] { return store->write({}, std::get<KeptZone>(zone).next_id); };
    disk.fill_up();
    EXPECT_NE(write(), std::nullopt);
    EXPECT_NE(write(), std::nullopt);
    EXPECT_FALSE(fs::exists(directory_ / "aside-1"));
    EXPECT_EQ(asked(directory_, "PRAGMA user_version"), "1\n");
    disk.heal();
    EXPECT_EQ(write(), std::nullopt);
    EXPECT_EQ(asked(directory_ / "aside-1", "PRAGMA user_version"), "1\n");
    EXPECT_FALSE(fs::exists(directory_ / "aside-2"));
}

TEST_F(States, OfAnOlderVersionThatAreDamagedStayAsTheyAre) {
    for (const char* const damage :
         {"UPDATE entity SET x = x + 1 WHERE id = 4", "DELETE FROM session WHERE number = 4",
          "UPDATE zone SET next_id = 5"}) {
        fs::remove_all(directory_);
        make_version_1(directory_);
        asked(directory_, damage);
        const auto refused = StateStore::open(directory_);
        ASSERT_TRUE(std::holds_alternative<std::string>(refused)) << damage;
        EXPECT_NE(std::get<std::string>(refused).find("damaged"), std::string::npos);
        EXPECT_EQ(asked(directory_, "PRAGMA user_version"), "1\n");
    }
}

TEST_F(States, ComeBackFromABackupAndNothingIsGivenTwice) {
    const fs::path copy = folder_.file("copy");
    Table then;
    std::uint64_t number = 0;
    engine::Tick tick = 0;
    {
        RandomZone zone(9);
        Fold fold;
        auto store = opened(directory_);
        ASSERT_TRUE(std::holds_alternative<KeptZone>(store->load()));
        const auto write = [&] {
            zone.tick(fold);
            const auto changes = fold.take_changes(Fold::Which::all);
            ASSERT_EQ(store->write(changes, changes.zone.next_id), std::nullopt);
        };
        for (int i = 0; i < 40; ++i) {
            write();
        }
        then = zone.table();
        tick = zone.now();
        number = store->number();
        const auto backup = store->back_up();
        ASSERT_TRUE(std::holds_alternative<std::shared_ptr<std::FILE>>(backup));
        for (int i = 0; i < 40; ++i) {
            write();
        }
        std::ofstream out(copy, std::ios::binary);
        std::FILE* const file = std::get<0>(backup).get();
        for (int byte = std::fgetc(file); byte != EOF; byte = std::fgetc(file)) {
            out.put(static_cast<char>(byte));
        }
    }
    EXPECT_FALSE(fs::exists(directory_ / "state.db.backup"));
    const auto aside = StateStore::put_back(directory_, copy);
    ASSERT_TRUE(std::holds_alternative<fs::path>(aside)) << std::get<std::string>(aside);
    EXPECT_TRUE(fs::exists(std::get<fs::path>(aside) / "state.db"));
    auto store = opened(directory_);
    const auto back = store->load();
    ASSERT_TRUE(std::holds_alternative<KeptZone>(back)) << std::get<1>(back);
    const auto& zone = std::get<KeptZone>(back);
    EXPECT_EQ(table_of(zone).text(), then.text());
    EXPECT_EQ(store->number(), number) << "tokens are as good as they were";
    EXPECT_EQ(zone.tick, tick);
    EXPECT_GT(zone.next_id, std::uint64_t{1} << 32U);
    EXPECT_GT(zone.next_owner, std::uint64_t{1} << 32U);
    EXPECT_TRUE(std::holds_alternative<std::string>(StateStore::put_back(directory_, copy)))
        << "in use";
    EXPECT_FALSE(fs::exists(directory_ / "restore"));
}

TEST_F(States, ComeBackFromOneBackupTwiceAndNothingIsGivenTwice) {
    const fs::path copy = folder_.file("copy");
    ASSERT_NE(opened(directory_), nullptr);
    fs::copy_file(directory_ / "state.db", copy);
    std::set<std::uint64_t> begun;  // so that a number is given twice if a range is begun twice
    const auto restore = [&](std::uint64_t may_have_given) {
        const auto aside = StateStore::put_back(directory_, copy);
        ASSERT_TRUE(std::holds_alternative<fs::path>(aside)) << std::get<std::string>(aside);
        auto store = opened(directory_);
        const auto back = store->load();
        ASSERT_TRUE(std::holds_alternative<KeptZone>(back)) << std::get<1>(back);
        const auto& zone = std::get<KeptZone>(back);
        ASSERT_GE(zone.next_id, may_have_given);
        ASSERT_GE(zone.next_owner, may_have_given);
        KeptChanges changes;
        changes.zone.next_owner = zone.next_owner + 1'000;
        ASSERT_EQ(store->write(changes, zone.next_id + 1'000), std::nullopt);
        begun.insert(zone.next_id);
    };
    restore(0);
    restore(*begun.rbegin() + 1'000);
    restore(*begun.rbegin() + 1'000);
    // What was put aside counts as well: another zone began here meanwhile.
    ASSERT_TRUE(std::holds_alternative<fs::path>(StateStore::put_aside(directory_)));
    ASSERT_NE(opened(directory_), nullptr);
    restore(*begun.rbegin() + 1'000);
    EXPECT_EQ(begun.size(), 4U);
}

TEST_F(States, ThatCannotBeReadMayHaveGivenAsManyAsAnyState) {
    const fs::path copy = folder_.file("copy");
    ASSERT_NE(opened(directory_), nullptr);
    fs::copy_file(directory_ / "state.db", copy);
    std::uint64_t given = 0;
    for (const char* const damage :
         {"", "UPDATE zone SET next_id = 5", "DROP TABLE zone", "no database"}) {
        ASSERT_TRUE(std::holds_alternative<fs::path>(StateStore::put_back(directory_, copy)));
        auto store = opened(directory_);
        const auto back = store->load();
        ASSERT_TRUE(std::holds_alternative<KeptZone>(back)) << std::get<1>(back);
        const std::uint64_t begun = std::get<KeptZone>(back).next_id;
        EXPECT_GT(begun, given) << damage;
        given = begun + (std::uint64_t{1} << 31U);
        ASSERT_EQ(store->write({}, given), std::nullopt);
        store.reset();
        if (damage == std::string("no database")) {
            std::ofstream(directory_ / "state.db", std::ios::trunc) << damage;
        } else {
            asked(directory_, damage);
        }
    }
    ASSERT_TRUE(std::holds_alternative<fs::path>(StateStore::put_back(directory_, copy)));
    EXPECT_GT(std::get<KeptZone>(loaded(directory_)).next_id, given);
}

TEST_F(States, ComeBackFromAFileWithTheLogBesideIt) {
    Table then;
    {
        RandomZone zone(11);
        Fold fold;
        auto store = opened(directory_);
        ASSERT_TRUE(std::holds_alternative<KeptZone>(store->load()));
        for (int i = 0; i < 40; ++i) {
            zone.tick(fold);
            const auto changes = fold.take_changes(Fold::Which::all);
            ASSERT_EQ(store->write(changes, changes.zone.next_id), std::nullopt);
        }
        then = zone.table();
        copy_files(directory_, left_);
    }
    const auto files = files_in(left_);
    ASSERT_FALSE(files.second.empty());
    const fs::path link = folder_.file("link");  // SQLite's log is beside what it leads to
    fs::create_symlink(left_ / "state.db", link);
    for (const fs::path& copy : {left_ / "state.db", link}) {
        fs::remove_all(directory_);
        const auto aside = StateStore::put_back(directory_, copy);
        ASSERT_TRUE(std::holds_alternative<fs::path>(aside)) << std::get<std::string>(aside);
        const auto back = loaded(directory_);
        ASSERT_TRUE(std::holds_alternative<KeptZone>(back)) << std::get<1>(back);
        EXPECT_EQ(table_of(std::get<KeptZone>(back)).text(), then.text());
        EXPECT_TRUE(files_in(left_) == files);
        EXPECT_EQ(std::distance(fs::directory_iterator(left_), {}), 2);
    }
    fs::resize_file(left_ / "state.db", 8'192);
    const auto refused = StateStore::put_back(directory_, link);
    ASSERT_TRUE(std::holds_alternative<std::string>(refused));
    EXPECT_NE(std::get<std::string>(refused).find("a log beside it (-wal)"), std::string::npos)
        << std::get<std::string>(refused);
    EXPECT_TRUE(std::holds_alternative<KeptZone>(loaded(directory_))) << "and nothing changed";
}

TEST_F(States, AreNotBegunAnewWhereABackupWasAboutToTakeTheirPlace) {
    ASSERT_NE(opened(directory_), nullptr);
    const fs::path copy = folder_.file("copy");
    fs::copy_file(directory_ / "state.db", copy);
    // As a process leaves it that is killed between the two moves.
    fs::create_directories(directory_ / "restore");
    fs::copy_file(copy, directory_ / "restore" / "state.db");
    fs::remove(directory_ / "state.db");
    EXPECT_TRUE(StateStore::is_there(directory_));
    for (const auto& refused :
         {StateStore::open(directory_), StateStore::open_to_read(directory_)}) {
        ASSERT_TRUE(std::holds_alternative<std::string>(refused));
        EXPECT_NE(std::get<std::string>(refused).find("--restore"), std::string::npos);
    }
    EXPECT_TRUE(std::holds_alternative<std::string>(
        StateStore::put_back(directory_, folder_.file("none"))));
    EXPECT_TRUE(StateStore::is_there(directory_)) << "nor where the next one is mistyped";
    ASSERT_TRUE(std::holds_alternative<fs::path>(StateStore::put_back(directory_, copy)));
    EXPECT_NE(opened(directory_), nullptr);
}

TEST_F(States, StayWhereABackupIsNone) {
    ASSERT_NE(opened(directory_), nullptr);
    const fs::path copy = folder_.file("copy");
    std::ofstream(copy) << "no database";
    const auto refused = StateStore::put_back(directory_, copy);
    ASSERT_TRUE(std::holds_alternative<std::string>(refused));
    EXPECT_NE(std::get<std::string>(refused).find("; the backup, or a log beside it"),
              std::string::npos);
    EXPECT_EQ(std::get<std::string>(refused).find("--fresh"), std::string::npos);
    EXPECT_TRUE(std::holds_alternative<KeptZone>(loaded(directory_)));
    EXPECT_FALSE(fs::exists(directory_ / "aside-1"));
}

TEST_F(States, DoNotGrowWithoutEndWhileSomebodyReadsThem) {
    auto store = opened(directory_, {.wal_bytes_max = std::uint64_t{256} << 10U});
    ASSERT_TRUE(std::holds_alternative<KeptZone>(store->load()));
    ASSERT_EQ(store->write({}, 1), std::nullopt);
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
        shards::Zone zone(small_world(), small_layout(1, 1), outlet, nullptr, start);
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
    shards::Zone zone(options, small_layout(2, 2), outlet, nullptr, start);
    shards::Lockstep lockstep(zone);
    std::vector<std::shared_ptr<RecordingPort>> ports;
    for (std::uint64_t id = 1; id <= 3; ++id) {
        ports.push_back(std::make_shared<RecordingPort>());
        keeper.open({{SessionKey::Kind::player, id}, "", "", 1});
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
