#include "shards/state/tables.h"

#include "engine/assert.h"
#include "shards/ids.h"
#include "shards/recording/crc32c.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace marchland::shards {

namespace {

constexpr std::int64_t kApplicationId = 0x4d524348;  // "MRCH"

/// What a new database gets.
constexpr const char* kSchema = R"(
CREATE TABLE zone (
    number INTEGER NOT NULL, tick INTEGER NOT NULL, server_time_us INTEGER NOT NULL,
    written_at_us INTEGER NOT NULL, next_id INTEGER NOT NULL, next_owner INTEGER NOT NULL,
    rows_sum INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT;
CREATE TABLE region (
    is_configured INTEGER NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL,
    min_x INTEGER NOT NULL, min_y INTEGER NOT NULL, max_x INTEGER NOT NULL, max_y INTEGER NOT NULL,
    checksum INTEGER NOT NULL, PRIMARY KEY (is_configured, place)) STRICT, WITHOUT ROWID;
CREATE TABLE entity (
    id INTEGER PRIMARY KEY, birth INTEGER NOT NULL, takes_frames INTEGER NOT NULL,
    owner INTEGER NOT NULL, ref INTEGER NOT NULL,
    authority INTEGER NOT NULL, speed_percent INTEGER NOT NULL, frames_hz INTEGER NOT NULL,
    message_number INTEGER NOT NULL,
    x INTEGER NOT NULL, y INTEGER NOT NULL, z INTEGER NOT NULL, facing INTEGER NOT NULL,
    layers INTEGER NOT NULL, layers_seen INTEGER NOT NULL,
    kind INTEGER NOT NULL, importance INTEGER NOT NULL,
    notify_radius_mm INTEGER NOT NULL, notify_leave_radius_mm INTEGER NOT NULL,
    view_shape INTEGER NOT NULL, view_radius_mm INTEGER NOT NULL, view_leave_radius_mm INTEGER NOT NULL,
    view_half_y_mm INTEGER NOT NULL, view_leave_half_y_mm INTEGER NOT NULL,
    view_half_z_mm INTEGER NOT NULL, view_leave_half_z_mm INTEGER NOT NULL,
    view_half_opening INTEGER NOT NULL, view_leave_half_opening INTEGER NOT NULL,
    state BLOB NOT NULL, checksum INTEGER NOT NULL) STRICT;
CREATE TABLE session (
    kind INTEGER NOT NULL, number INTEGER NOT NULL, generation INTEGER NOT NULL,
    subject BLOB NOT NULL, claims BLOB NOT NULL,
    checksum INTEGER NOT NULL, PRIMARY KEY (kind, number)) STRICT, WITHOUT ROWID;
CREATE TABLE ban (
    place INTEGER PRIMARY KEY, subject BLOB NOT NULL, address TEXT NOT NULL, until_s INTEGER NOT NULL,
    reason BLOB NOT NULL, checksum INTEGER NOT NULL) STRICT;
)";

/// What makes the tables of version N + 1 from those of version N; the first is for version 1.
/// Whoever changes kSchema adds one, which leaves the columns in kSchema's order and has its tables
/// written out: they stay what they are when kSchema changes. All checksums are made anew
/// afterwards.
constexpr std::array kSteps{
    R"(
CREATE TABLE ban (
    place INTEGER PRIMARY KEY, subject BLOB NOT NULL, address TEXT NOT NULL, until_s INTEGER NOT NULL,
    reason BLOB NOT NULL, checksum INTEGER NOT NULL) STRICT;
ALTER TABLE zone RENAME TO zone_1;
CREATE TABLE zone (
    number INTEGER NOT NULL, tick INTEGER NOT NULL, server_time_us INTEGER NOT NULL,
    written_at_us INTEGER NOT NULL, next_id INTEGER NOT NULL, next_owner INTEGER NOT NULL,
    rows_sum INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT;
INSERT INTO zone SELECT number, tick, server_time_us, 1000000 * unixepoch(), next_id, next_owner, 0, 0
    FROM zone_1;
DROP TABLE zone_1;
)",
    // A blob is the value of no slot.
    "ALTER TABLE entity RENAME COLUMN blob TO state; UPDATE entity SET state = x'';",
    // Nobody has ruled anything; 1: whoever the configuration says moves it.
    R"(
ALTER TABLE entity RENAME TO entity_3;
CREATE TABLE entity (
    id INTEGER PRIMARY KEY, birth INTEGER NOT NULL, takes_frames INTEGER NOT NULL,
    owner INTEGER NOT NULL, ref INTEGER NOT NULL,
    authority INTEGER NOT NULL, speed_percent INTEGER NOT NULL, frames_hz INTEGER NOT NULL,
    message_number INTEGER NOT NULL,
    x INTEGER NOT NULL, y INTEGER NOT NULL, z INTEGER NOT NULL, facing INTEGER NOT NULL,
    layers INTEGER NOT NULL, layers_seen INTEGER NOT NULL,
    kind INTEGER NOT NULL, importance INTEGER NOT NULL,
    notify_radius_mm INTEGER NOT NULL, notify_leave_radius_mm INTEGER NOT NULL,
    view_shape INTEGER NOT NULL, view_radius_mm INTEGER NOT NULL, view_leave_radius_mm INTEGER NOT NULL,
    view_half_y_mm INTEGER NOT NULL, view_leave_half_y_mm INTEGER NOT NULL,
    view_half_z_mm INTEGER NOT NULL, view_leave_half_z_mm INTEGER NOT NULL,
    view_half_opening INTEGER NOT NULL, view_leave_half_opening INTEGER NOT NULL,
    state BLOB NOT NULL, checksum INTEGER NOT NULL) STRICT;
INSERT INTO entity SELECT id, birth, takes_frames, owner, ref, 1, 100, 0, 0,
    x, y, z, facing, layers, layers_seen, kind, importance, notify_radius_mm, notify_leave_radius_mm,
    view_shape, view_radius_mm, view_leave_radius_mm, view_half_y_mm, view_leave_half_y_mm,
    view_half_z_mm, view_leave_half_z_mm, view_half_opening, view_leave_half_opening, state, 0
    FROM entity_3;
DROP TABLE entity_3;
ALTER TABLE session RENAME TO session_3;
CREATE TABLE session (
    kind INTEGER NOT NULL, number INTEGER NOT NULL, generation INTEGER NOT NULL,
    subject BLOB NOT NULL, claims BLOB NOT NULL,
    checksum INTEGER NOT NULL, PRIMARY KEY (kind, number)) STRICT, WITHOUT ROWID;
INSERT INTO session SELECT kind, number, generation, subject, x'', 0 FROM session_3;
DROP TABLE session_3;
)",
};

/// A table and a column of it that each version brought, from the second on.
constexpr std::array<std::array<const char*, 2>, kSteps.size()> kBrought{
    {{"ban", "place"}, {"entity", "state"}, {"session", "claims"}}};

// The rows of each table: its name, what they are found by, and their columns, in kSchema's order.

struct ZoneRow {
    static constexpr const char* kTable = "zone";
    static constexpr std::array<const char*, 0> kKey{};
    std::uint64_t number = 0;
    KeptHead zone = {};
    std::uint64_t rows_sum = 0;

    static void visit(auto& row, auto& columns) {
        columns.number(row.number);
        columns.number(row.zone.tick);
        columns.number(row.zone.server_time_us);
        columns.number(row.zone.written_at_us);
        columns.number(row.zone.next_id);
        columns.number(row.zone.next_owner);
        columns.number(row.rows_sum);
    }
};

struct RegionRow {
    static constexpr const char* kTable = "region";
    static constexpr std::array kKey{"is_configured", "place"};
    bool is_configured = false;
    std::size_t place = 0;
    Region region = {};

    static void visit(auto& row, auto& columns) {
        columns.number(row.is_configured);
        columns.number(row.place);
        columns.text(row.region.name);
        columns.number(row.region.area.min_x);
        columns.number(row.region.area.min_y);
        columns.number(row.region.area.max_x);
        columns.number(row.region.area.max_y);
    }
};

struct EntityRow {
    static constexpr const char* kTable = "entity";
    static constexpr std::array kKey{"id"};
    KeptEntity kept = {};
    std::vector<std::byte> state = {};  ///< named_slots

    static void visit(auto& row, auto& columns) {
        auto& entity = row.kept.entity;
        auto& view = entity.view;
        columns.number(entity.id);
        columns.number(entity.birth);
        columns.number(row.kept.takes_frames);
        columns.number(row.kept.owner.number);
        columns.number(row.kept.owner.ref);
        columns.number(row.kept.port.authority);
        columns.number(row.kept.port.speed_percent);
        columns.number(row.kept.port.frames_hz);
        columns.number(row.kept.port.message_number);
        columns.number(entity.position.x);
        columns.number(entity.position.y);
        columns.number(entity.position.z);
        columns.number(entity.facing);
        columns.number(entity.layers);
        columns.number(entity.layers_seen);
        columns.number(entity.kind);
        columns.number(entity.importance);
        columns.number(entity.notify.radius_mm);
        columns.number(entity.notify.leave_radius_mm);
        columns.number(view.shape);
        columns.number(view.radius_mm);
        columns.number(view.leave_radius_mm);
        columns.number(view.half_y_mm);
        columns.number(view.leave_half_y_mm);
        columns.number(view.half_z_mm);
        columns.number(view.leave_half_z_mm);
        columns.number(view.half_opening);
        columns.number(view.leave_half_opening);
        columns.bytes(row.state);
    }
};

struct SessionRow {
    static constexpr const char* kTable = "session";
    static constexpr std::array kKey{"kind", "number"};
    KeptSession session = {};

    static void visit(auto& row, auto& columns) {
        columns.number(row.session.key.kind);
        columns.number(row.session.key.number);
        columns.number(row.session.generation);
        columns.bytes(row.session.subject);
        columns.bytes(row.session.claims);
    }
};

struct BanRow {
    static constexpr const char* kTable = "ban";
    static constexpr std::array kKey{"place"};
    std::size_t place = 0;
    KeptBan ban = {};

    static void visit(auto& row, auto& columns) {
        columns.number(row.place);
        columns.bytes(row.ban.subject);
        columns.text(row.ban.address);
        columns.number(row.ban.until_s);
        columns.bytes(row.ban.reason);
    }
};

/// Of a row's numbers in the order of its columns, and then of its texts and bytes.
class RowChecksum {
public:
    void add(std::int64_t number) {
        std::array<char, sizeof number> bytes{};
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            bytes[i] = static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i));
        }
        numbers_.append(bytes.data(), bytes.data() + bytes.size());
    }
    void add(std::span<const std::byte> bytes) {
        const auto* const data = reinterpret_cast<const char*>(bytes.data());
        others_.append(data, data + bytes.size());
    }
    [[nodiscard]] std::int64_t value() const {
        return crc32c(bytes_of(others_), crc32c(bytes_of(numbers_)));
    }

private:
    using Buffer = fmt::memory_buffer;  // room for a usual row without an allocation

    static std::span<const std::byte> bytes_of(const Buffer& buffer) {
        return std::as_bytes(std::span(buffer.data(), buffer.size()));
    }

    Buffer numbers_;
    Buffer others_;
};

std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text));
}
std::span<const std::byte> bytes_of(const std::vector<std::byte>& bytes) {
    return bytes;
}

std::string text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// For each slot of it: how long its name is, the name, and the slot in the packed form by itself.
std::vector<std::byte> named_slots(const engine::StatePtr& state, const engine::StateSlots& slots) {
    std::vector<std::byte> column;
    for (const engine::StateWrite& write : engine::writes_of(state)) {
        const auto name = bytes_of(slots.at(write.number).name);
        column.push_back(static_cast<std::byte>(name.size()));
        column.insert(column.end(), name.begin(), name.end());
        engine::append_packed(std::span(&write, 1), column);
    }
    return column;
}

engine::StatePtr state_of(std::span<const std::byte> column, const engine::StateSlots& slots,
                          StateTables::LeftOut& left_out) {
    std::vector<engine::StateWrite> writes;
    while (!column.empty()) {
        const auto size = std::to_integer<std::size_t>(column.front());
        if (column.size() <= size) {
            throw DatabaseError("a state that is cut off");
        }
        const auto name = column.subspan(1, size);
        column = column.subspan(1 + size);
        auto named = engine::unpack_state(column);
        if (!named || named->size() != 1) {
            throw DatabaseError("a state that is none");
        }
        const auto slot = std::ranges::find_if(slots, [&](const engine::StateSlot& one) {
            return std::ranges::equal(bytes_of(one.name), name);
        });
        engine::StateWrite& write = named->front();
        write.number = static_cast<std::uint8_t>(slot - slots.begin());
        const char* flaw = engine::flaw_of(write, slots);
        // That is kept as such; whoever wrote that slot before, it says something else.
        if (flaw == nullptr && slot->writer == engine::StateWriter::facing) {
            flaw = "is where an entity faces";
        }
        if (flaw == nullptr) {
            engine::merge(writes, std::move(*named));
        } else {
            ++left_out[{text_of(name), flaw}];
        }
    }
    return engine::with(nullptr, writes, engine::kNever);
}

/// How many values a row has: a table with more or fewer is refused when it is opened.
struct CountColumns {
    void number(const auto&) { ++count; }
    void text(const auto&) { ++count; }
    void bytes(const auto&) { ++count; }
    std::size_t count = 0;
};

class PutColumns {
public:
    explicit PutColumns(Statement& insert) : insert_(insert) {}

    template <typename Value>
    void number(const Value& value) {
        insert_.put(to_column(value));
        checksum.add(to_column(value));
    }
    void text(const std::string& value) {
        insert_.put(value);
        checksum.add(bytes_of(value));
    }
    template <typename Value>
    void bytes(const Value& value) {
        insert_.put(bytes_of(value));
        checksum.add(bytes_of(value));
    }
    RowChecksum checksum;

private:
    Statement& insert_;
};

class TakeColumns {
public:
    explicit TakeColumns(Statement& select) : select_(select) {}

    template <typename Value>
    void number(Value& value) {
        const std::int64_t column = select_.number();
        from_column(column, value);
        checksum.add(column);
    }
    void text(std::string& value) { bytes(value); }
    void bytes(std::string& value) {
        const auto taken = select_.bytes();
        checksum.add(taken);
        value = text_of(taken);
    }
    void bytes(std::vector<std::byte>& value) {
        value = select_.bytes();
        checksum.add(value);
    }
    RowChecksum checksum;

private:
    Statement& select_;
};

/// Calls `use(row)` for each row of the table; the sum of their checksums.
template <typename Row, typename Use>
std::uint64_t for_each_row(sqlite3* database, Use&& use) {
    const std::string order =
        Row::kKey.empty() ? "" : fmt::format(" ORDER BY {}", fmt::join(Row::kKey, ", "));
    Statement select(database, fmt::format("SELECT * FROM {}{}", Row::kTable, order));
    std::uint64_t sum = 0;
    while (select.step()) {
        Row row;
        TakeColumns columns(select);
        Row::visit(row, columns);
        const std::int64_t stored = select.number();
        if (stored != columns.checksum.value()) {
            throw DatabaseError("a row whose checksum is wrong");
        }
        sum += static_cast<std::uint64_t>(stored);
        use(std::move(row));
    }
    return sum;
}

template <typename Row>
std::string sql_to_insert() {
    CountColumns columns;
    const Row row;
    Row::visit(row, columns);
    return fmt::format("INSERT OR REPLACE INTO {} VALUES ({}?)", Row::kTable,
                       fmt::join(std::vector<std::string_view>(columns.count, "?, "), ""));
}

/// Its checksum.
template <typename Row>
std::uint64_t insert_row(Statement& insert, const Row& row) {
    PutColumns columns(insert);
    Row::visit(row, columns);
    const std::int64_t checksum = columns.checksum.value();
    insert.put(checksum);
    insert.run();
    return static_cast<std::uint64_t>(checksum);
}

/// Changes rows of one table, and keeps the sum of all rows' checksums up to date.
template <typename Row>
class RowWriter {
public:
    RowWriter(sqlite3* database, std::uint64_t& sum)
        : sum_(sum),
          find_(database,
                fmt::format("SELECT checksum FROM {} WHERE {}", Row::kTable, condition())),
          erase_(database, fmt::format("DELETE FROM {} WHERE {} RETURNING checksum", Row::kTable,
                                       condition())),
          insert_(database, sql_to_insert<Row>()) {}

    template <typename... Key>
    void put(const Row& row, Key... key) {
        drop_from_sum(find_, key...);
        sum_ += insert_row(insert_, row);
    }
    template <typename... Key>
    void erase(Key... key) {
        drop_from_sum(erase_, key...);
    }

private:
    static std::string condition() {
        return fmt::format("{} = ?", fmt::join(Row::kKey, " = ? AND "));
    }
    template <typename... Key>
    void drop_from_sum(Statement& statement, Key... key) {
        (statement.put(to_column(key)), ...);
        if (statement.step()) {
            sum_ -= static_cast<std::uint64_t>(statement.number());
        }
        statement.reset();
    }

    std::uint64_t& sum_;
    Statement find_;
    Statement erase_;
    Statement insert_;
};

/// Takes all rows of a condition out.
void erase_where(sqlite3* database, const std::string& where, std::uint64_t& sum) {
    Statement erase(database, "DELETE FROM " + where + " RETURNING checksum");
    while (erase.step()) {
        sum -= static_cast<std::uint64_t>(erase.number());
    }
}

// Tables of any version: what all have in common is that checksum is each row's last column.

/// In SQL: row_checksum(column, ...).
void row_checksum(sqlite3_context* context, int count, sqlite3_value** values) {
    RowChecksum sum;
    for (int i = 0; i < count; ++i) {
        if (sqlite3_value_type(values[i]) == SQLITE_INTEGER) {
            sum.add(sqlite3_value_int64(values[i]));
        } else {
            const auto* const data = static_cast<const std::byte*>(sqlite3_value_blob(values[i]));
            sum.add({data, static_cast<std::size_t>(sqlite3_value_bytes(values[i]))});
        }
    }
    sqlite3_result_int64(context, sum.value());
}

std::vector<std::string> texts(sqlite3* database, const std::string& sql) {
    std::vector<std::string> all;
    Statement select(database, sql);
    while (select.step()) {
        all.push_back(text_of(select.bytes()));
    }
    return all;
}

/// What a table's checksums are to be, in SQL.
std::string checksum_in_sql(sqlite3* database, const std::string& table) {
    sqlite3_create_function(database, "row_checksum", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                            nullptr, row_checksum, nullptr, nullptr);
    const auto columns = texts(database, fmt::format("SELECT name FROM pragma_table_info('{}') "
                                                     "WHERE name <> 'checksum' ORDER BY cid",
                                                     table));
    return fmt::format("row_checksum({})", fmt::join(columns, ", "));
}

std::vector<std::string> tables_with_sum(sqlite3* database) {
    return texts(database,
                 "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'zone'");
}

void expect_checksums(sqlite3* database) {
    auto tables = tables_with_sum(database);
    std::int64_t sum = 0;
    for (const std::string& table : tables) {
        sum += ask_number(database, fmt::format("SELECT sum(checksum) FROM {}", table));
    }
    tables.emplace_back("zone");
    for (const std::string& table : tables) {
        if (ask_number(database, fmt::format("SELECT count(*) FROM {} WHERE checksum <> {}", table,
                                             checksum_in_sql(database, table))) != 0) {
            throw DatabaseError("a row whose checksum is wrong");
        }
    }
    if (ask_number(database, "SELECT rows_sum FROM zone") != sum) {
        throw DatabaseError("rows are missing, or are from another time");
    }
}

void renew_checksums(sqlite3* database) {
    const auto renew = [database](const std::string& table) {
        run(database,
            fmt::format("UPDATE {} SET checksum = {}", table, checksum_in_sql(database, table)));
    };
    std::int64_t sum = 0;
    for (const std::string& table : tables_with_sum(database)) {
        renew(table);
        sum += ask_number(database, fmt::format("SELECT sum(checksum) FROM {}", table));
    }
    run(database, fmt::format("UPDATE zone SET rows_sum = {}", sum));
    renew("zone");
}

void expect_sound_pages(sqlite3* database) {
    const auto said = texts(database, "PRAGMA quick_check(1)");
    if (said.size() != 1 || said.front() != "ok") {
        throw DatabaseError("its pages do not fit together");
    }
}

}  // namespace

const std::int64_t StateTables::kVersion = 1 + static_cast<std::int64_t>(kSteps.size());

void StateTables::make(sqlite3* database) {
    Transaction transaction(database);
    run(database, fmt::format("PRAGMA application_id = {}", kApplicationId));
    run(database, fmt::format("PRAGMA user_version = {}", kVersion));
    run(database, kSchema);
    StateTables tables(database);
    tables.number_ = new_random_number();
    tables.put_zone({});
    transaction.commit();
}

std::int64_t StateTables::version_in(sqlite3* database) {
    const std::int64_t version = ask_number(database, "PRAGMA user_version");
    if (ask_number(database, "PRAGMA application_id") != kApplicationId || version < 1) {
        throw DatabaseError("no state of a zone");
    }
    // No checksum is over the version: one that is damaged would have its rows read as those of
    // another.
    for (std::size_t i = 0; version <= kVersion && i < kBrought.size(); ++i) {
        const auto [table, column] = kBrought.at(i);
        const bool has_it =
            ask_number(database,
                       fmt::format("SELECT count(*) FROM pragma_table_info('{}') WHERE name = '{}'",
                                   table, column)) == 1;
        if (has_it != (version >= static_cast<std::int64_t>(i) + 2)) {
            throw DatabaseError(
                fmt::format("of version {}, with tables of another version", version));
        }
    }
    return version;
}

KeptHead StateTables::given_in(sqlite3* database) {
    Statement select(database, "SELECT next_id, next_owner FROM zone WHERE checksum = " +
                                   checksum_in_sql(database, "zone"));
    if (!select.step()) {
        throw DatabaseError("no row for the zone that is whole");
    }
    KeptHead given;
    from_column(select.number(), given.next_id);
    from_column(select.number(), given.next_owner);
    return given;
}

void StateTables::migrate(sqlite3* database) {
    expect_sound_pages(database);
    Transaction transaction(database);
    expect_checksums(database);
    for (auto done = static_cast<std::size_t>(version_in(database)) - 1; done < kSteps.size();
         ++done) {
        run(database, kSteps.at(done));
    }
    renew_checksums(database);
    run(database, fmt::format("PRAGMA user_version = {}", kVersion));
    transaction.commit();
}

KeptZone StateTables::load() {
    expect_sound_pages(database_);
    Transaction one_state(database_, "BEGIN");  // also beside a zone that runs
    std::vector<ZoneRow> zones;
    static_cast<void>(
        for_each_row<ZoneRow>(database_, [&](ZoneRow row) { zones.push_back(std::move(row)); }));
    if (zones.size() != 1) {
        throw DatabaseError("not one row for the zone");
    }
    newest_ = zones.front().zone;
    KeptZone zone;
    static_cast<KeptHead&>(zone) = newest_;
    number_ = zones.front().number;
    configured_.clear();
    left_out_.clear();
    rows_sum_ = for_each_row<RegionRow>(database_, [&](RegionRow row) {
        (row.is_configured ? configured_ : zone.layout).push_back(std::move(row.region));
    });
    rows_sum_ += for_each_row<EntityRow>(database_, [&](EntityRow row) {
        row.kept.entity.state = state_of(row.state, slots_, left_out_);
        zone.entities.push_back(std::move(row.kept));
    });
    rows_sum_ += for_each_row<SessionRow>(
        database_, [&](SessionRow row) { zone.sessions.push_back(std::move(row.session)); });
    rows_sum_ += for_each_row<BanRow>(database_,
                                      [&](BanRow row) { zone.bans.push_back(std::move(row.ban)); });
    one_state.commit();
    if (rows_sum_ != zones.front().rows_sum) {
        throw DatabaseError("rows are missing, or are from another time");
    }
    is_loaded_ = true;
    return zone;
}

template <typename Change>
void StateTables::change(Change&& act) {
    MARCHLAND_ASSERT(is_loaded_);  // else the rows' sum would be another
    const std::uint64_t sum_before = rows_sum_;
    try {
        Transaction transaction(database_);
        act();
        transaction.commit();
    } catch (...) {
        rows_sum_ = sum_before;
        throw;
    }
}

void StateTables::write(const KeptChanges& changes, std::uint64_t next_id) {
    KeptHead zone = changes.zone;
    zone.next_id = next_id;
    change([&] {
        RowWriter<EntityRow> entities(database_, rows_sum_);
        for (const engine::EntityId id : changes.gone) {
            entities.erase(id);
        }
        for (const KeptEntity& kept : changes.zone.entities) {
            entities.put({kept, named_slots(kept.entity.state, slots_)}, kept.entity.id);
        }
        RowWriter<SessionRow> sessions(database_, rows_sum_);
        for (const SessionKey key : changes.ended) {
            sessions.erase(key.kind, key.number);
        }
        for (const KeptSession& session : changes.zone.sessions) {
            sessions.put({session}, session.key.kind, session.key.number);
        }
        if (!changes.zone.layout.empty()) {
            put_regions(false, changes.zone.layout);
        }
        if (changes.bans) {
            erase_where(database_, "ban", rows_sum_);
            RowWriter<BanRow> bans(database_, rows_sum_);
            for (std::size_t place = 0; place < changes.bans->size(); ++place) {
                bans.put({place, changes.bans->at(place)}, place);
            }
        }
        put_zone(zone);
    });
    newest_ = zone;
}

void StateTables::configure(const std::vector<Region>& layout) {
    change([&] {
        put_regions(true, layout);
        put_zone(newest_);
    });
    configured_ = layout;
}

void StateTables::put_regions(bool is_configured, const std::vector<Region>& regions) {
    erase_where(database_, fmt::format("region WHERE is_configured = {}", is_configured ? 1 : 0),
                rows_sum_);
    RowWriter<RegionRow> writer(database_, rows_sum_);
    for (std::size_t place = 0; place < regions.size(); ++place) {
        writer.put({is_configured, place, regions[place]}, is_configured, place);
    }
}

/// The only row, in the place of the one before.
void StateTables::put_zone(const KeptHead& zone) {
    run(database_, "DELETE FROM zone");
    Statement insert(database_, sql_to_insert<ZoneRow>());
    static_cast<void>(insert_row(insert, ZoneRow{number_, zone, rows_sum_}));
}

}  // namespace marchland::shards
