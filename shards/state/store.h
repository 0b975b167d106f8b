#pragma once

#include "shards/state/tables.h"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace marchland::shards {

/// Ids that a store keeps free beyond those that were given: so many may be given before the next
/// write is done.
inline constexpr std::uint64_t kIdsAhead = 65'536;

struct StoreOptions {
    /// How large SQLite's log may become while somebody else's transaction keeps it from being
    /// taken over. Nothing is written beyond it.
    std::uint64_t wal_bytes_max = std::uint64_t{256} << 20U;
    /// SQLite's name of what it reads and writes files by; empty: the system's. Tests have a disk
    /// of their own.
    std::string vfs = {};
    /// Of the zone; see StateTables.
    engine::StateSlots slots = {};
};

/// What survives a zone, in a directory: `state.db`, an SQLite database that others may read while
/// the zone runs (docs/state.md has its tables), and `lock`. One process at a time has it open to
/// write.
///
/// What is read is what one write() left, whole, or an error. Each row has a checksum, and all of
/// them a sum: so a damaged file is not taken for another state. Nothing changes before the first
/// write, SQLite's log included: what is refused stays as it is. With that write one of an older
/// version becomes one of this, and a copy of what it was is put aside.
///
/// Threads  One at a time.
/// Errors   Text that names the file and what to do.
class StateStore {
public:
    using Opened = std::variant<std::unique_ptr<StateStore>, std::string>;

    /// Opens the directory's store, or makes an empty one. Refused when another process has it.
    [[nodiscard]] static Opened open(const std::filesystem::path& directory,
                                     StoreOptions options = {});
    /// To look at one that is there, beside a server that may run.
    [[nodiscard]] static Opened open_to_read(const std::filesystem::path& directory,
                                             StoreOptions options = {});
    /// Is there one, or part of one?
    [[nodiscard]] static bool is_there(const std::filesystem::path& directory);
    /// Puts the directory's database aside, where there is one: the new folder, empty if there was
    /// none.
    [[nodiscard]] static std::variant<std::filesystem::path, std::string> put_aside(
        const std::filesystem::path& directory);

    /// Puts the directory's database aside, and a backup of it in its place, after a look at all of
    /// it. As put_aside(). Ids that may have been given since are passed over, also by states that
    /// were put aside and are still there.
    [[nodiscard]] static std::variant<std::filesystem::path, std::string> put_back(
        const std::filesystem::path& directory, const std::filesystem::path& copy);

    StateStore(const StateStore&) = delete;
    StateStore& operator=(const StateStore&) = delete;
    ~StateStore();

    [[nodiscard]] std::variant<KeptZone, std::string> load();

    /// All of it or nothing, in one transaction.
    [[nodiscard]] std::optional<std::string> write(const KeptChanges& changes,
                                                   std::uint64_t next_id);

    /// A copy of all that is written, in a file without a name: it is gone when nobody has it open.
    [[nodiscard]] std::variant<std::shared_ptr<std::FILE>, std::string> back_up();
    /// SQLite's log, and its limit.
    [[nodiscard]] std::uint64_t wal_bytes() const;
    [[nodiscard]] std::uint64_t wal_bytes_max() const { return options_.wal_bytes_max; }

    /// A random number that the store was made with. Tokens of another store's sessions are none of
    /// this one's.
    [[nodiscard]] std::uint64_t number() const { return tables_->number(); }
    /// The layout of the zone's files when it was started last, and what they say now.
    [[nodiscard]] const std::vector<Region>& configured_layout() const {
        return tables_->configured();
    }
    [[nodiscard]] std::optional<std::string> configure(const std::vector<Region>& layout);
    /// By load(), of slots. With the first write a copy of what it was is put aside.
    [[nodiscard]] const StateTables::LeftOut& left_out() const { return tables_->left_out(); }

    /// Where it is, for logs.
    [[nodiscard]] const std::filesystem::path& file() const { return file_; }

private:
    /// What is of an older version is migrated, and put aside if nobody else has a copy; so is one
    /// of which something is left out.
    enum class Older : std::uint8_t { put_aside, dropped };

    StateStore(std::filesystem::path directory, StoreOptions options);
    /// For as long as the process lives or this does. Makes the directory, too.
    [[nodiscard]] std::optional<std::string> lock();

    // What follows throws.
    void start();
    /// Before the first write; nothing later.
    void start_to_write(Older older);
    void expect_nothing() const;
    void make();
    /// Not of a newer one.
    [[nodiscard]] std::int64_t version() const;
    void migrate(Older older);
    /// A copy of what it is; says where.
    [[nodiscard]] std::string put_copy_aside();
    void expect_room_in_wal();

    const std::filesystem::path directory_;
    const StoreOptions options_;
    const std::filesystem::path file_;
    int lock_ = -1;             ///< its file; -1: not locked
    Database database_;         ///< of an older version: a copy in memory, until it is written to
    std::int64_t version_ = 0;  ///< of what is in the file
    bool is_written_to_ = false;
    std::optional<StateTables> tables_;
};

}  // namespace marchland::shards
