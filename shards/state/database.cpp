#include "shards/state/database.h"

#include <cstring>

namespace marchland::shards {

namespace {

/// Others may hold the database's lock for a moment.
constexpr int kBusyMs = 500;

void check(int result, sqlite3* database) {
    if (result != SQLITE_OK && result != SQLITE_DONE && result != SQLITE_ROW) {
        const int kind = result & 0xff;
        const bool is_damage =
            kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB || kind == SQLITE_ERROR;
        throw DatabaseError(sqlite3_errmsg(database), is_damage);
    }
}

}  // namespace

Database open_database(const std::filesystem::path& file, int flags, const std::string& vfs) {
    sqlite3* opened = nullptr;
    // One thread at a time.
    const int result = sqlite3_open_v2(file.c_str(), &opened, flags | SQLITE_OPEN_NOMUTEX,
                                       vfs.empty() ? nullptr : vfs.c_str());
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

std::int64_t ask_number(sqlite3* database, const std::string& sql) {
    Statement statement(database, sql);
    return statement.step() ? statement.number() : 0;
}

void copy_database(sqlite3* from, sqlite3* to) {
    sqlite3_backup* const backup = sqlite3_backup_init(to, "main", from, "main");
    if (backup == nullptr) {
        throw DatabaseError(sqlite3_errmsg(to), false);
    }
    // That somebody held a lock finishing does not count as an error.
    const int result = sqlite3_backup_step(backup, -1);
    check(sqlite3_backup_finish(backup), to);
    if (result != SQLITE_DONE) {
        throw DatabaseError(sqlite3_errstr(result), false);
    }
}

Statement::Statement(sqlite3* database, const std::string& sql) : database_(database) {
    check(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement_, nullptr), database);
}

void Statement::put(std::int64_t number) {
    check(sqlite3_bind_int64(statement_, ++place_, number), database_);
}

void Statement::put(std::span<const std::byte> bytes) {
    const void* const data = bytes.empty() ? static_cast<const void*>("") : bytes.data();
    check(sqlite3_bind_blob64(statement_, ++place_, data, bytes.size(), SQLITE_STATIC), database_);
}

void Statement::put(const std::string& text) {
    check(sqlite3_bind_text64(statement_, ++place_, text.data(), text.size(), SQLITE_STATIC,
                              SQLITE_UTF8),
          database_);
}

bool Statement::step() {
    const int result = sqlite3_step(statement_);
    check(result, database_);
    place_ = -1;
    return result == SQLITE_ROW;
}

void Statement::reset() {
    check(sqlite3_reset(statement_), database_);
    place_ = 0;
}

std::vector<std::byte> Statement::bytes() {
    ++place_;
    const auto* const data = sqlite3_column_blob(statement_, place_);
    std::vector<std::byte> taken(
        static_cast<std::size_t>(sqlite3_column_bytes(statement_, place_)));
    if (!taken.empty()) {
        std::memcpy(taken.data(), data, taken.size());
    }
    return taken;
}

}  // namespace marchland::shards
