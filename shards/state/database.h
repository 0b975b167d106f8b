#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <sqlite3.h>
#include <stdexcept>
#include <string>
#include <vector>

// SQLite, as far as a zone's state needs it: what it refuses is thrown, and what is opened is
// closed.

namespace marchland::shards {

/// SQLite refused; the reason that it gives.
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

/// `vfs`: what SQLite reads and writes files by; empty: the system's.
Database open_database(const std::filesystem::path& file, int flags, const std::string& vfs);
void run(sqlite3* database, const std::string& sql);
/// The first number of the first row; 0 where there is none.
std::int64_t ask_number(sqlite3* database, const std::string& sql);
/// All of it as it is now, with what is in the log; others may use `from` meanwhile.
void copy_database(sqlite3* from, sqlite3* to);

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

/// A prepared statement: values in, then rows out.
class Statement {
public:
    Statement(sqlite3* database, const std::string& sql);
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    ~Statement() { sqlite3_finalize(statement_); }

    void put(std::int64_t number);
    // These stay where they are until reset().
    void put(std::span<const std::byte> bytes);
    void put(const std::string& text);
    /// False after the last row.
    [[nodiscard]] bool step();
    /// To the first row, and ready for other values.
    void run() {
        static_cast<void>(step());
        reset();
    }
    void reset();
    // The next column of the row.
    std::int64_t number() { return sqlite3_column_int64(statement_, ++place_); }
    std::vector<std::byte> bytes();  ///< a text's, too

private:
    sqlite3* database_;
    sqlite3_stmt* statement_ = nullptr;
    int place_ = 0;  ///< of the value that was put or taken last
};

/// One write at a time, in a transaction that is rolled back unless it is committed.
class Transaction {
public:
    /// `begin`: "BEGIN" for one that only reads.
    explicit Transaction(sqlite3* database, const char* begin = "BEGIN IMMEDIATE")
        : database_(database) {
        run(database_, begin);
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

}  // namespace marchland::shards
