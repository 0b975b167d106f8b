#include "shards/state/store.h"

#include "engine/assert.h"
#include "shards/recording/crc32c.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <sqlite3.h>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <unistd.h>
#include <utility>
#include <vector>
#include <sys/file.h>

namespace marchland::shards {

namespace {

namespace fs = std::filesystem;

constexpr int kSchemaVersion = 1;
constexpr std::int64_t kApplicationId = 0x4d524348;  // "MRCH"
constexpr const char* kDatabaseName = "state.db";
/// SQLite's own, beside the database.
constexpr std::array<const char*, 2> kCompanions{"-wal", "-shm"};
/// Others may hold the database's lock for a moment, such as while a backup is made.
constexpr int kBusyMs = 500;

/// docs/state.md explains them.
constexpr const char* kSchema = R"(
CREATE TABLE zone (
    number INTEGER NOT NULL, tick INTEGER NOT NULL, server_time_us INTEGER NOT NULL,
    next_id INTEGER NOT NULL, next_owner INTEGER NOT NULL,
    rows_sum INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT;
CREATE TABLE region (
    is_configured INTEGER NOT NULL, place INTEGER NOT NULL, name TEXT NOT NULL,
    min_x INTEGER NOT NULL, min_y INTEGER NOT NULL, max_x INTEGER NOT NULL, max_y INTEGER NOT NULL,
    checksum INTEGER NOT NULL, PRIMARY KEY (is_configured, place)) STRICT, WITHOUT ROWID;
CREATE TABLE entity (
    id INTEGER PRIMARY KEY, birth INTEGER NOT NULL, takes_frames INTEGER NOT NULL,
    owner INTEGER NOT NULL, ref INTEGER NOT NULL,
    x INTEGER NOT NULL, y INTEGER NOT NULL, z INTEGER NOT NULL, facing INTEGER NOT NULL,
    layers INTEGER NOT NULL, layers_seen INTEGER NOT NULL,
    kind INTEGER NOT NULL, importance INTEGER NOT NULL,
    notify_radius_mm INTEGER NOT NULL, notify_leave_radius_mm INTEGER NOT NULL,
    view_shape INTEGER NOT NULL, view_radius_mm INTEGER NOT NULL, view_leave_radius_mm INTEGER NOT NULL,
    view_half_y_mm INTEGER NOT NULL, view_leave_half_y_mm INTEGER NOT NULL,
    view_half_z_mm INTEGER NOT NULL, view_leave_half_z_mm INTEGER NOT NULL,
    view_half_opening INTEGER NOT NULL, view_leave_half_opening INTEGER NOT NULL,
    blob BLOB NOT NULL, checksum INTEGER NOT NULL) STRICT;
CREATE TABLE session (
    kind INTEGER NOT NULL, number INTEGER NOT NULL, generation INTEGER NOT NULL,
    subject BLOB NOT NULL, checksum INTEGER NOT NULL, PRIMARY KEY (kind, number)) STRICT, WITHOUT ROWID;
)";

/// The numbers of each table's rows, in the order of its columns.
template <typename Zone, typename Do>
void for_each_number(Zone& zone, std::uint64_t& number, Do&& take) {
    take(number);
    take(zone.tick);
    take(zone.server_time_us);
    take(zone.next_id);
    take(zone.next_owner);
}

template <typename Kept, typename Do>
void for_each_number(Kept& kept, Do&& take) {
    auto& entity = kept.entity;
    auto& view = entity.view;
    take(entity.id);
    take(entity.birth);
    take(kept.takes_frames);
    take(kept.owner.number);
    take(kept.owner.ref);
    take(entity.position.x);
    take(entity.position.y);
    take(entity.position.z);
    take(entity.facing);
    take(entity.layers);
    take(entity.layers_seen);
    take(entity.kind);
    take(entity.importance);
    take(entity.notify.radius_mm);
    take(entity.notify.leave_radius_mm);
    take(view.shape);
    take(view.radius_mm);
    take(view.leave_radius_mm);
    take(view.half_y_mm);
    take(view.leave_half_y_mm);
    take(view.half_z_mm);
    take(view.leave_half_z_mm);
    take(view.half_opening);
    take(view.leave_half_opening);
}

constexpr int kEntityNumbers = 24;

/// Of a row's numbers, and what else it has.
class RowChecksum {
public:
    void add(std::int64_t number) {
        for (unsigned shift = 0; shift < 64; shift += 8) {
            bytes_.push_back(static_cast<char>(static_cast<std::uint64_t>(number) >> shift));
        }
    }
    void add(std::span<const std::byte> bytes) {
        bytes_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    [[nodiscard]] std::int64_t value() const { return crc32c(std::as_bytes(std::span(bytes_))); }

private:
    std::string bytes_;
};

std::span<const std::byte> bytes_of_text(const std::string& text) {
    return std::as_bytes(std::span(text));
}

/// SQLite said no; what it says.
class DatabaseError : public std::runtime_error {
public:
    explicit DatabaseError(const std::string& what, bool damaged = true)
        : std::runtime_error(what), is_damage(damaged) {}

    bool is_damage;  ///< of what is in the file; else it cannot be had now
};

struct CloseDatabase {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

void check(int result, sqlite3* database) {
    if (result != SQLITE_OK && result != SQLITE_DONE && result != SQLITE_ROW) {
        const int kind = result & 0xff;
        const bool is_damage =
            kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB || kind == SQLITE_ERROR;
        throw DatabaseError(sqlite3_errmsg(database), is_damage);
    }
}

Database open_database(const fs::path& file, int flags) {
    sqlite3* opened = nullptr;
    const int result = sqlite3_open_v2(file.c_str(), &opened, flags, nullptr);
    Database database(opened);
    check(result, opened);
    sqlite3_extended_result_codes(opened, 1);
    sqlite3_busy_timeout(opened, kBusyMs);
    // Its own functions in a foreign schema are not to run.
    check(sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr), opened);
    check(sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr), opened);
    return database;
}

void run(sqlite3* database, const std::string& sql) {
    check(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), database);
}

/// A prepared statement: values in, then rows out.
class Statement {
public:
    Statement(sqlite3* database, const std::string& sql) : database_(database) {
        check(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement_, nullptr), database);
    }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    ~Statement() { sqlite3_finalize(statement_); }

    void put(std::int64_t number) {
        check(sqlite3_bind_int64(statement_, ++place_, number), database_);
    }
    void put(std::span<const std::byte> bytes) {
        check(sqlite3_bind_blob64(statement_, ++place_,
                                  bytes.empty() ? static_cast<const void*>("") : bytes.data(),
                                  bytes.size(), SQLITE_STATIC),
              database_);
    }
    void put(const std::string& text) {
        check(sqlite3_bind_text64(statement_, ++place_, text.data(), text.size(), SQLITE_STATIC,
                                  SQLITE_UTF8),
              database_);
    }
    /// False after the last row.
    [[nodiscard]] bool step() {
        const int result = sqlite3_step(statement_);
        check(result, database_);
        place_ = -1;
        return result == SQLITE_ROW;
    }
    void run() {
        static_cast<void>(step());
        reset();
    }
    void reset() {
        check(sqlite3_reset(statement_), database_);
        place_ = 0;
    }
    std::int64_t number() { return sqlite3_column_int64(statement_, ++place_); }
    std::vector<std::byte> bytes() {
        ++place_;
        const auto* const data = sqlite3_column_blob(statement_, place_);
        std::vector<std::byte> taken(
            static_cast<std::size_t>(sqlite3_column_bytes(statement_, place_)));
        if (!taken.empty()) {
            std::memcpy(taken.data(), data, taken.size());
        }
        return taken;
    }
    std::string text() {
        const auto taken = bytes();
        return {reinterpret_cast<const char*>(taken.data()), taken.size()};
    }

private:
    sqlite3* database_;
    sqlite3_stmt* statement_ = nullptr;
    int place_ = 0;  ///< of the value that was put or taken last
};

std::int64_t ask_number(sqlite3* database, const std::string& sql) {
    Statement statement(database, sql);
    return statement.step() ? statement.number() : 0;
}

/// A number as wide as SQLite's. What is larger than its largest comes back as it was.
template <typename Value>
std::int64_t to_column(Value value) {
    return static_cast<std::int64_t>(value);
}

template <typename Value>
void from_column(std::int64_t column, Value& value) {
    value = static_cast<Value>(column);
    if (to_column(value) != column) {
        throw DatabaseError("a number that is out of range");
    }
}

std::int64_t checksum_of(const KeptEntity& kept) {
    RowChecksum sum;
    for_each_number(kept, [&sum](const auto& number) { sum.add(to_column(number)); });
    sum.add(engine::bytes_of(kept.entity.blob));
    return sum.value();
}

std::int64_t checksum_of(const KeptSession& session) {
    RowChecksum sum;
    sum.add(to_column(session.key.kind));
    sum.add(to_column(session.key.number));
    sum.add(to_column(session.generation));
    sum.add(bytes_of_text(session.subject));
    return sum.value();
}

std::int64_t checksum_of(const Region& region, bool is_configured, std::size_t place) {
    RowChecksum sum;
    sum.add(is_configured ? 1 : 0);
    sum.add(to_column(place));
    for (const std::int64_t edge :
         {region.area.min_x, region.area.min_y, region.area.max_x, region.area.max_y}) {
        sum.add(edge);
    }
    sum.add(bytes_of_text(region.name));
    return sum.value();
}

void expect_checksum(std::int64_t stored, std::int64_t computed) {
    if (stored != computed) {
        throw DatabaseError("a row whose checksum is wrong");
    }
}

std::uint64_t random_number() {
    std::random_device random;
    return (std::uint64_t{random()} << 32U) | random();
}

/// One write at a time, in a transaction that is rolled back unless it is committed.
class Transaction {
public:
    explicit Transaction(sqlite3* database) : database_(database) {
        run(database_, "BEGIN IMMEDIATE");
    }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction() {
        if (!is_committed_) {
            sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
        }
    }
    void commit() {
        run(database_, "COMMIT");
        is_committed_ = true;
    }

private:
    sqlite3* database_;
    bool is_committed_ = false;
};

/// A file's lock, for as long as the process lives or this does.
class DirectoryLock {
public:
    DirectoryLock() = default;
    DirectoryLock(const DirectoryLock&) = delete;
    DirectoryLock& operator=(const DirectoryLock&) = delete;
    ~DirectoryLock() {
        if (file_ >= 0) {
            ::close(file_);
        }
    }

    std::optional<std::string> take(const fs::path& directory) {
        const fs::path path = directory / "lock";
        file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (file_ < 0) {
            return fmt::format("{}: {}", path.string(), std::strerror(errno));
        }
        if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
            if (errno != EWOULDBLOCK) {
                return fmt::format("{}: {}", path.string(), std::strerror(errno));
            }
            std::array<char, 32> holder{};
            const auto size = ::read(file_, holder.data(), holder.size());
            return fmt::format(
                "{}: in use by the server with process id {}; one directory serves "
                "one zone",
                directory.string(), std::string(holder.data(), size > 0 ? std::size_t(size) : 0));
        }
        const std::string own = std::to_string(::getpid());
        if (::ftruncate(file_, 0) != 0 ||
            ::pwrite(file_, own.data(), own.size(), 0) != static_cast<ssize_t>(own.size())) {
            return fmt::format("{}: {}", path.string(), std::strerror(errno));
        }
        return std::nullopt;
    }

private:
    int file_ = -1;
};

}  // namespace

class StateStore::Impl {
public:
    Impl(fs::path directory, StoreOptions options)
        : options_(options), file_(std::move(directory) / kDatabaseName) {}

    std::optional<std::string> open(bool is_to_write);
    KeptZone load();
    void write(const KeptChanges& changes, std::uint64_t next_id);
    void configure(const std::vector<Region>& layout);
    /// Calls `act`; what SQLite has to say about it.
    template <typename Act>
    std::optional<std::string> guarded(Act&& act) {
        try {
            act();
            return std::nullopt;
        } catch (const std::exception& error) {
            return fmt::format("{}: {}", file_.string(), error.what());
        }
    }
    [[nodiscard]] std::string damaged(const std::string& flaw) const {
        return fmt::format(
            "{}; the state is damaged: put a backup of it in its place, or begin with nothing "
            "(--fresh, which puts it aside)",
            flaw);
    }

    DirectoryLock lock_;
    std::uint64_t number_ = 0;
    std::vector<Region> configured_;
    const StoreOptions options_;
    const fs::path file_;

private:
    void make();
    void expect_schema(std::int64_t version);
    std::vector<Region> load_regions(bool is_configured);
    void load_entities(KeptZone& zone);
    void load_sessions(KeptZone& zone);
    void put_regions(bool is_configured, const std::vector<Region>& regions);
    void put(const KeptSession& session);
    void erase(engine::EntityId id);
    void erase(SessionKey key);
    void put_zone(KeptZone zone);
    void expect_room_in_wal();
    /// What the row's checksum was, if there was one.
    [[nodiscard]] std::uint64_t sum_of(Statement& select);

    Database database_;
    KeptZone newest_;             ///< without entities, sessions and layout
    std::uint64_t rows_sum_ = 0;  ///< of all rows' checksums but the zone's own
};

std::optional<std::string> StateStore::Impl::open(bool is_to_write) {
    std::error_code error;
    const bool is_there = fs::exists(file_, error);
    if (!is_there && is_to_write) {
        if (fs::exists(file_.string() + "-wal", error)) {
            return damaged(fmt::format("{}: is missing, and its log is there", file_.string()));
        }
        if (auto flaw = guarded([this] { make(); })) {
            return flaw;
        }
    } else if (!is_there) {
        return fmt::format("{}: is not there", file_.string());
    }
    std::int64_t version = 0;
    try {
        database_ = open_database(file_, SQLITE_OPEN_READWRITE);
        version = ask_number(database_.get(), "PRAGMA user_version");
        expect_schema(version);
        run(database_.get(), "PRAGMA journal_mode = WAL");
        run(database_.get(), "PRAGMA synchronous = NORMAL");
        run(database_.get(), fmt::format("PRAGMA journal_size_limit = {}", options_.wal_bytes_max));
    } catch (const DatabaseError& failure) {
        const std::string flaw = fmt::format("{}: {}", file_.string(), failure.what());
        return failure.is_damage ? damaged(flaw) : flaw;
    }
    if (version > kSchemaVersion) {
        return fmt::format(
            "{}: version {} of the state, made by a newer server; this one reads {}: start the "
            "newer one, or begin with nothing (--fresh, which puts it aside)",
            file_.string(), version, kSchemaVersion);
    }
    return std::nullopt;
}

void StateStore::Impl::expect_schema(std::int64_t version) {
    if (ask_number(database_.get(), "PRAGMA application_id") != kApplicationId ||
        version < kSchemaVersion) {
        throw DatabaseError("no state of a zone");
    }
}

/// Whole, or not at all: the file gets its name when everything is in it.
void StateStore::Impl::make() {
    const fs::path unfinished = file_.string() + ".new";
    std::error_code error;
    fs::remove(unfinished, error);
    {
        const Database database =
            open_database(unfinished, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
        run(database.get(), fmt::format("PRAGMA application_id = {}", kApplicationId));
        run(database.get(), fmt::format("PRAGMA user_version = {}", kSchemaVersion));
        run(database.get(), kSchema);
        number_ = random_number();
        Statement insert(database.get(), "INSERT INTO zone VALUES (?, ?, ?, ?, ?, ?, ?)");
        RowChecksum sum;
        for_each_number(newest_, number_, [&](const auto& number) {
            insert.put(to_column(number));
            sum.add(to_column(number));
        });
        sum.add(0);
        insert.put(0);
        insert.put(sum.value());
        insert.run();
    }
    fs::rename(unfinished, file_, error);
    if (error) {
        throw DatabaseError(error.message());
    }
}

KeptZone StateStore::Impl::load() {
    sqlite3* const database = database_.get();
    {
        Statement integrity(database, "PRAGMA quick_check(1)");
        if (!integrity.step() || integrity.text() != "ok") {
            throw DatabaseError("its pages do not fit together");
        }
    }
    run(database, "BEGIN");  // one state, also beside a zone that runs
    KeptZone zone;
    std::uint64_t stored_sum = 0;
    {
        Statement select(database, "SELECT * FROM zone");
        if (!select.step()) {
            throw DatabaseError("no row for the zone");
        }
        RowChecksum sum;
        for_each_number(zone, number_, [&](auto& number) {
            from_column(select.number(), number);
            sum.add(to_column(number));
        });
        from_column(select.number(), stored_sum);
        sum.add(to_column(stored_sum));
        expect_checksum(select.number(), sum.value());
    }
    rows_sum_ = 0;
    newest_ = zone;
    zone.layout = load_regions(false);
    configured_ = load_regions(true);
    load_entities(zone);
    load_sessions(zone);
    run(database, "COMMIT");
    if (rows_sum_ != stored_sum) {
        throw DatabaseError("rows are missing, or are from another time");
    }
    return zone;
}

std::vector<Region> StateStore::Impl::load_regions(bool is_configured) {
    std::vector<Region> regions;
    Statement select(database_.get(),
                     "SELECT min_x, min_y, max_x, max_y, name, checksum FROM region "
                     "WHERE is_configured = ? ORDER BY place");
    select.put(is_configured ? 1 : 0);
    while (select.step()) {
        Region region;
        for (auto* const edge :
             {&region.area.min_x, &region.area.min_y, &region.area.max_x, &region.area.max_y}) {
            from_column(select.number(), *edge);
        }
        region.name = select.text();
        const std::int64_t checksum = select.number();
        expect_checksum(checksum, checksum_of(region, is_configured, regions.size()));
        rows_sum_ += static_cast<std::uint64_t>(checksum);
        regions.push_back(std::move(region));
    }
    return regions;
}

void StateStore::Impl::load_entities(KeptZone& zone) {
    Statement select(database_.get(), "SELECT * FROM entity ORDER BY id");
    while (select.step()) {
        KeptEntity kept;
        for_each_number(kept, [&](auto& number) { from_column(select.number(), number); });
        if (auto blob = select.bytes(); !blob.empty()) {
            if (blob.size() > engine::kBlobBytesMax) {
                throw DatabaseError("a blob that is too large");
            }
            kept.entity.blob = std::make_shared<const std::vector<std::byte>>(std::move(blob));
        }
        const std::int64_t checksum = select.number();
        expect_checksum(checksum, checksum_of(kept));
        rows_sum_ += static_cast<std::uint64_t>(checksum);
        zone.entities.push_back(std::move(kept));
    }
}

void StateStore::Impl::load_sessions(KeptZone& zone) {
    Statement select(database_.get(),
                     "SELECT kind, number, generation, subject, checksum FROM session "
                     "ORDER BY kind, number");
    while (select.step()) {
        KeptSession session;
        from_column(select.number(), session.key.kind);
        from_column(select.number(), session.key.number);
        from_column(select.number(), session.generation);
        session.subject = select.text();
        const std::int64_t checksum = select.number();
        expect_checksum(checksum, checksum_of(session));
        rows_sum_ += static_cast<std::uint64_t>(checksum);
        zone.sessions.push_back(std::move(session));
    }
}

std::uint64_t StateStore::Impl::sum_of(Statement& select) {
    const auto sum = select.step() ? static_cast<std::uint64_t>(select.number()) : 0;
    select.reset();
    return sum;
}

void StateStore::Impl::write(const KeptChanges& changes, std::uint64_t next_id) {
    expect_room_in_wal();
    const std::uint64_t sum_before = rows_sum_;
    try {
        Transaction transaction(database_.get());
        for (const engine::EntityId id : changes.gone) {
            erase(id);
        }
        for (const SessionKey key : changes.ended) {
            erase(key);
        }
        Statement select(database_.get(), "SELECT checksum FROM entity WHERE id = ?");
        std::string places;
        for (int i = 0; i < kEntityNumbers; ++i) {
            places += "?, ";
        }
        Statement insert(database_.get(),
                         "INSERT OR REPLACE INTO entity VALUES (" + places + "?, ?)");
        for (const KeptEntity& kept : changes.zone.entities) {
            select.put(to_column(kept.entity.id));
            rows_sum_ -= sum_of(select);
            const std::int64_t checksum = checksum_of(kept);
            rows_sum_ += static_cast<std::uint64_t>(checksum);
            for_each_number(kept, [&](const auto& number) { insert.put(to_column(number)); });
            insert.put(engine::bytes_of(kept.entity.blob));
            insert.put(checksum);
            insert.run();
        }
        for (const KeptSession& session : changes.zone.sessions) {
            erase(session.key);
            put(session);
        }
        if (!changes.zone.layout.empty()) {
            put_regions(false, changes.zone.layout);
        }
        KeptZone zone;
        zone.tick = changes.zone.tick;
        zone.server_time_us = changes.zone.server_time_us;
        zone.next_id = next_id;
        zone.next_owner = changes.zone.next_owner;
        put_zone(zone);
        transaction.commit();
        newest_ = std::move(zone);
    } catch (...) {
        rows_sum_ = sum_before;
        throw;
    }
}

void StateStore::Impl::configure(const std::vector<Region>& layout) {
    const std::uint64_t sum_before = rows_sum_;
    try {
        Transaction transaction(database_.get());
        put_regions(true, layout);
        put_zone(newest_);
        transaction.commit();
        configured_ = layout;
    } catch (...) {
        rows_sum_ = sum_before;
        throw;
    }
}

void StateStore::Impl::put_regions(bool is_configured, const std::vector<Region>& regions) {
    const int configured = is_configured ? 1 : 0;
    {
        Statement select(database_.get(), "SELECT checksum FROM region WHERE is_configured = ?");
        select.put(configured);
        while (select.step()) {
            rows_sum_ -= static_cast<std::uint64_t>(select.number());
        }
    }
    run(database_.get(), fmt::format("DELETE FROM region WHERE is_configured = {}", configured));
    Statement insert(database_.get(), "INSERT INTO region VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    for (std::size_t place = 0; place < regions.size(); ++place) {
        const Region& region = regions[place];
        insert.put(configured);
        insert.put(to_column(place));
        insert.put(region.name);
        for (const std::int64_t edge :
             {region.area.min_x, region.area.min_y, region.area.max_x, region.area.max_y}) {
            insert.put(edge);
        }
        const std::int64_t checksum = checksum_of(region, is_configured, place);
        insert.put(checksum);
        insert.run();
        rows_sum_ += static_cast<std::uint64_t>(checksum);
    }
}

void StateStore::Impl::put(const KeptSession& session) {
    Statement insert(database_.get(), "INSERT INTO session VALUES (?, ?, ?, ?, ?)");
    insert.put(to_column(session.key.kind));
    insert.put(to_column(session.key.number));
    insert.put(to_column(session.generation));
    insert.put(bytes_of_text(session.subject));
    const std::int64_t checksum = checksum_of(session);
    insert.put(checksum);
    insert.run();
    rows_sum_ += static_cast<std::uint64_t>(checksum);
}

void StateStore::Impl::erase(engine::EntityId id) {
    Statement remove(database_.get(), "DELETE FROM entity WHERE id = ? RETURNING checksum");
    remove.put(to_column(id));
    rows_sum_ -= sum_of(remove);
}

void StateStore::Impl::erase(SessionKey key) {
    Statement remove(database_.get(),
                     "DELETE FROM session WHERE kind = ? AND number = ? RETURNING checksum");
    remove.put(to_column(key.kind));
    remove.put(to_column(key.number));
    rows_sum_ -= sum_of(remove);
}

void StateStore::Impl::put_zone(KeptZone zone) {
    Statement update(database_.get(),
                     "UPDATE zone SET number = ?, tick = ?, server_time_us = ?, next_id = ?, "
                     "next_owner = ?, rows_sum = ?, checksum = ?");
    RowChecksum sum;
    for_each_number(zone, number_, [&](const auto& number) {
        update.put(to_column(number));
        sum.add(to_column(number));
    });
    sum.add(to_column(rows_sum_));
    update.put(to_column(rows_sum_));
    update.put(sum.value());
    update.run();
}

/// A reader that keeps a transaction open keeps SQLite from taking its log over.
void StateStore::Impl::expect_room_in_wal() {
    std::error_code error;
    const fs::path wal = file_.string() + "-wal";
    const auto size = fs::file_size(wal, error);
    if (error || size <= options_.wal_bytes_max) {
        return;
    }
    sqlite3_wal_checkpoint_v2(database_.get(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr,
                              nullptr);
    const auto left = fs::file_size(wal, error);
    if (!error && left > options_.wal_bytes_max) {
        throw DatabaseError(fmt::format(
            "its log has {} bytes, {} is the limit: somebody reads it in one transaction that does "
            "not end",
            left, options_.wal_bytes_max));
    }
}

StateStore::StateStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

StateStore::~StateStore() = default;

StateStore::Opened StateStore::open(const fs::path& directory, StoreOptions options) {
    std::error_code error;
    fs::create_directories(directory, error);
    if (error) {
        return fmt::format("{}: {}", directory.string(), error.message());
    }
    auto impl = std::make_unique<Impl>(directory, options);
    if (auto flaw = impl->lock_.take(directory)) {
        return *std::move(flaw);
    }
    if (auto flaw = impl->open(true)) {
        return *std::move(flaw);
    }
    return std::unique_ptr<StateStore>(new StateStore(std::move(impl)));
}

StateStore::Opened StateStore::open_to_read(const fs::path& directory) {
    auto impl = std::make_unique<Impl>(directory, StoreOptions());
    if (auto flaw = impl->open(false)) {
        return *std::move(flaw);
    }
    return std::unique_ptr<StateStore>(new StateStore(std::move(impl)));
}

std::variant<fs::path, std::string> StateStore::put_aside(const fs::path& directory) {
    const fs::path file = directory / kDatabaseName;
    std::error_code error;
    if (!fs::exists(directory, error)) {
        return fs::path();
    }
    DirectoryLock lock;
    if (auto flaw = lock.take(directory)) {
        return *std::move(flaw);
    }
    std::vector<fs::path> there;
    for (const char* const companion : {"", kCompanions[0], kCompanions[1]}) {
        if (fs::exists(file.string() + companion, error)) {
            there.emplace_back(file.string() + companion);
        }
    }
    fs::path aside;
    if (there.empty()) {
        return aside;
    }
    for (int number = 1; aside.empty() || fs::exists(aside, error); ++number) {
        aside = directory / fmt::format("aside-{}", number);
    }
    fs::create_directory(aside, error);
    for (const fs::path& path : there) {
        if (!error) {
            fs::rename(path, aside / path.filename(), error);
        }
    }
    if (error) {
        return fmt::format("{}: {}", aside.string(), error.message());
    }
    return aside;
}

std::variant<KeptZone, std::string> StateStore::load() {
    KeptZone zone;
    if (auto flaw = impl_->guarded([&] { zone = impl_->load(); })) {
        return impl_->damaged(*flaw);
    }
    return zone;
}

std::optional<std::string> StateStore::write(const KeptChanges& changes, std::uint64_t next_id) {
    return impl_->guarded([&] { impl_->write(changes, next_id); });
}

std::uint64_t StateStore::number() const {
    return impl_->number_;
}

const std::vector<Region>& StateStore::configured_layout() const {
    return impl_->configured_;
}

std::optional<std::string> StateStore::configure(const std::vector<Region>& layout) {
    return impl_->guarded([&] { impl_->configure(layout); });
}

const fs::path& StateStore::file() const {
    return impl_->file_;
}

}  // namespace marchland::shards
