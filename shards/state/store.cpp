#include "shards/state/store.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>
#include <vector>
#include <sys/file.h>

namespace marchland::shards {

namespace {

namespace fs = std::filesystem;

constexpr const char* kDatabaseName = "state.db";
/// SQLite's own, beside the database.
constexpr std::array<const char*, 3> kCompanions{"-wal", "-shm", "-journal"};
/// SQLite's log is cut to this once nobody keeps it from being taken over.
constexpr std::uint64_t kLogBytesKept = std::uint64_t{16} << 20U;
/// A backup that is to take the database's place is made ready in the second, moved to the first
/// when it is whole, and from there into its place.
constexpr const char* kRestoreFolder = "restore";
constexpr const char* kUnfinishedFolder = "restore.new";
constexpr const char* kAsidePrefix = "aside-";
/// Ids, and owners, that may have been given since a backup was made.
constexpr std::uint64_t kIdsSinceBackup = std::uint64_t{1} << 32U;

/// A new folder for what is put aside: aside-1, or the first that is not there.
fs::path make_aside(const fs::path& directory) {
    fs::path aside;
    for (int number = 1; aside.empty() || fs::exists(aside); ++number) {
        aside = directory / (kAsidePrefix + std::to_string(number));
    }
    fs::create_directory(aside);
    return aside;
}

/// Moves the directory's database to a new folder, where there is one.
fs::path move_aside(const fs::path& directory) {
    const fs::path file = directory / kDatabaseName;
    // The database first: a log that was left alone is noticed, a database without its newest rows
    // is not.
    fs::path aside;
    for (const char* const companion : {"", kCompanions[0], kCompanions[1], kCompanions[2]}) {
        const fs::path path = file.string() + companion;
        if (fs::exists(path)) {
            aside = aside.empty() ? make_aside(directory) : aside;
            fs::rename(path, aside / path.filename());
        }
    }
    return aside;
}

Database open_file(const fs::path& file, int more_flags, const StoreOptions& options) {
    return open_database(file, SQLITE_OPEN_READWRITE | more_flags, options.vfs);
}

/// Leaves the file and its log as they are, also when it is closed.
Database open_to_look(const fs::path& file, const StoreOptions& options) {
    std::error_code error;
    if (fs::file_size(file, error) == 0) {
        throw DatabaseError("is empty");  // SQLite would remove its log
    }
    Database database = open_file(file, 0, options);
    const char* const log = sqlite3_filename_wal(sqlite3_db_filename(database.get(), "main"));
    const auto log_bytes = fs::file_size(log, error);
    // One that is empty goes when it is closed: with it a look would leave one more file.
    sqlite3_db_config(database.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE,
                      !error && log_bytes > 0 ? 1 : 0, nullptr);
    return database;
}

/// Subjects, claims and reasons are nobody else's to read. What SQLite makes beside the database
/// gets its mode; what is of before is given it here.
void make_private(const fs::path& file) {
    for (const char* const companion : {"", kCompanions[0], kCompanions[1], kCompanions[2]}) {
        const fs::path path = file.string() + companion;
        std::error_code error;
        fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write, error);
        if (error && error != std::errc::no_such_file_or_directory) {
            spdlog::warn("state: {} may be read by others: {}", path.string(), error.message());
        }
    }
}

/// A new one, with nothing in it, and its user's alone from the start.
Database make_file(const fs::path& file, const StoreOptions& options) {
    const int made = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (made < 0) {
        throw DatabaseError(std::strerror(errno), false);
    }
    ::close(made);
    return open_file(file, 0, options);
}

/// One file, without a log beside it.
void copy_to_file(sqlite3* from, const fs::path& file, const StoreOptions& options) {
    const Database copy = make_file(file, options);
    copy_database(from, copy.get());
    run(copy.get(), "PRAGMA journal_mode = DELETE");
}

/// What neither a backup nor any state of the directory, put aside or not, has given; nor has one
/// that cannot be read: that began up to kIdsSinceBackup beyond all before it, and has given as
/// many at most.
KeptHead beyond_all_given(const fs::path& directory, const KeptHead& backup) {
    KeptHead beyond = backup;
    std::uint64_t more = kIdsSinceBackup;
    const auto pass_over = [&](const fs::path& folder) {
        try {
            const Database database = open_to_look(folder / kDatabaseName, {});
            const KeptHead given = StateTables::given_in(database.get());
            beyond.next_id = std::max(beyond.next_id, given.next_id);
            beyond.next_owner = std::max(beyond.next_owner, given.next_owner);
        } catch (const DatabaseError&) {
            more += 2 * kIdsSinceBackup;
        }
    };
    if (StateStore::is_there(directory)) {
        pass_over(directory);
    }
    for (const auto& entry : fs::directory_iterator(directory)) {
        if (entry.path().filename().string().starts_with(kAsidePrefix)) {
            pass_over(entry.path());
        }
    }
    beyond.next_id += more;
    beyond.next_owner += more;
    return beyond;
}

/// Calls `act`; what is wrong with the file and, where it is damaged, what to do about it.
template <typename Act>
std::optional<std::string> guarded(
    const fs::path& file, Act&& act,
    const char* advice =
        "the state is damaged: put a backup in its place (--restore FILE), or "
        "begin with nothing (--fresh); either puts it aside") {
    try {
        act();
        return std::nullopt;
    } catch (const DatabaseError& error) {
        return fmt::format("{}: {}{}{}", file.string(), error.what(), error.is_damage ? "; " : "",
                           error.is_damage ? advice : "");
    } catch (const std::exception& error) {
        return fmt::format("{}: {}", file.string(), error.what());
    }
}

/// With the log beside it, where there is one; neither is opened to write.
void copy_with_log(const fs::path& from, const fs::path& folder) {
    const auto written_at = fs::last_write_time(from);
    fs::copy_file(from, folder / kDatabaseName);
    if (const fs::path log = from.string() + kCompanions[0]; fs::exists(log)) {
        fs::copy_file(log, folder / (std::string(kDatabaseName) + kCompanions[0]));
    }
    if (fs::last_write_time(from) != written_at) {  // the log may be of a later one
        throw DatabaseError("is written to: have its server make a backup, or stop it", false);
    }
}

/// A power cut does not undo it.
void rename_for_good(const fs::path& from, const fs::path& to) {
    fs::rename(from, to);
    const int folder = ::open(to.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        static_cast<void>(::fsync(folder));  // some file systems cannot, and need not
        ::close(folder);
    }
}

}  // namespace

StateStore::StateStore(fs::path directory, StoreOptions options)
    : directory_(std::move(directory)),
      options_(std::move(options)),
      file_(directory_ / kDatabaseName) {}

StateStore::~StateStore() {
    database_.reset();  // before another process may open it
    if (lock_ >= 0) {
        ::close(lock_);
    }
}

std::optional<std::string> StateStore::lock() {
    std::error_code error;
    fs::create_directories(directory_, error);
    if (error) {
        return fmt::format("{}: {}", directory_.string(), error.message());
    }
    const fs::path path = directory_ / "lock";
    lock_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock_ < 0) {
        return fmt::format("{}: {}", path.string(), std::strerror(errno));
    }
    if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) {
            return fmt::format("{}: {}", path.string(), std::strerror(errno));
        }
        std::array<char, 32> holder{};
        const auto size = ::read(lock_, holder.data(), holder.size());
        return fmt::format(
            "{}: in use by the server with process id {}; one directory serves "
            "one zone",
            directory_.string(), std::string(holder.data(), size > 0 ? std::size_t(size) : 0));
    }
    const std::string own = std::to_string(::getpid());
    if (::ftruncate(lock_, 0) != 0 ||
        ::pwrite(lock_, own.data(), own.size(), 0) != static_cast<ssize_t>(own.size())) {
        return fmt::format("{}: {}", path.string(), std::strerror(errno));
    }
    return std::nullopt;
}

/// Without a database there is to be nothing of one.
void StateStore::expect_nothing() const {
    if (fs::exists(file_.string() + "-wal")) {
        throw DatabaseError("is missing, and its log is there");
    }
    if (fs::exists(directory_ / kRestoreFolder / kDatabaseName)) {
        throw DatabaseError(
            "is missing: a backup was about to take its place. Ask for that again "
            "(--restore FILE), or begin with nothing (--fresh)",
            false);
    }
}

void StateStore::start() {
    if (!fs::exists(file_)) {
        expect_nothing();
        if (lock_ >= 0) {
            make();
        }
    }
    database_ = open_to_look(file_, options_);
    version_ = version();
    if (version_ < StateTables::kVersion) {
        Database copy = open_database(":memory:", SQLITE_OPEN_READWRITE, "");
        copy_database(database_.get(), copy.get());
        StateTables::migrate(copy.get());
        database_ = std::move(copy);
    }
    tables_.emplace(database_.get(), options_.slots);
}

void StateStore::start_to_write(Older older) {
    if (is_written_to_) return;
    if (version_ < StateTables::kVersion) {
        database_ = open_to_look(file_, options_);
        tables_.emplace(database_.get(), options_.slots);
        migrate(older);
        static_cast<void>(tables_->load());
    } else if (older == Older::put_aside && !left_out().empty()) {
        spdlog::warn("state: something is left out{}", put_copy_aside());
    }
    make_private(file_);
    sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr);
    run(database_.get(), "PRAGMA journal_mode = WAL");
    run(database_.get(), "PRAGMA synchronous = FULL");  // what was written outlives a power cut
    run(database_.get(), fmt::format("PRAGMA journal_size_limit = {}", kLogBytesKept));
    is_written_to_ = true;
}

std::int64_t StateStore::version() const {
    const std::int64_t version = StateTables::version_in(database_.get());
    if (version > StateTables::kVersion) {
        throw DatabaseError(
            fmt::format("version {} of the state, made by a newer server; this one reads {}: start "
                        "the newer one, or begin with nothing (--fresh, which puts it aside)",
                        version, StateTables::kVersion),
            false);
    }
    return version;
}

std::string StateStore::put_copy_aside() {
    const fs::path aside = make_aside(directory_);
    try {
        copy_to_file(database_.get(), aside / kDatabaseName, options_);
    } catch (const DatabaseError&) {  // a full disk: the next try is not to find it fuller
        fs::remove_all(aside);
        throw;
    }
    return "; what it was is in " + (aside / kDatabaseName).string();
}

void StateStore::migrate(Older older) {
    const std::string where = older == Older::put_aside ? put_copy_aside() : "";
    StateTables::migrate(database_.get());
    spdlog::warn("state: {} was of version {} and is of version {} now{}", file_.string(), version_,
                 StateTables::kVersion, where);
    version_ = StateTables::kVersion;
}

/// Whole, or not at all: the file gets its name when everything is in it.
void StateStore::make() {
    const fs::path unfinished = file_.string() + ".new";
    fs::remove(unfinished);
    StateTables::make(make_file(unfinished, options_).get());
    rename_for_good(unfinished, file_);
}

/// A reader that keeps a transaction open keeps SQLite from taking its log over.
void StateStore::expect_room_in_wal() {
    if (wal_bytes() <= options_.wal_bytes_max) {
        return;
    }
    sqlite3_wal_checkpoint_v2(database_.get(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr,
                              nullptr);
    if (const std::uint64_t left = wal_bytes(); left > options_.wal_bytes_max) {
        throw DatabaseError(
            fmt::format("its log has {} bytes, {} is the limit: somebody reads it in one "
                        "transaction that does not end",
                        left, options_.wal_bytes_max),
            false);
    }
}

StateStore::Opened StateStore::open(const fs::path& directory, StoreOptions options) {
    std::unique_ptr<StateStore> store(new StateStore(directory, std::move(options)));
    if (auto flaw = store->lock()) {
        return *std::move(flaw);
    }
    if (auto flaw = guarded(store->file_, [&] { store->start(); })) {
        return *std::move(flaw);
    }
    return store;
}

StateStore::Opened StateStore::open_to_read(const fs::path& directory, StoreOptions options) {
    std::unique_ptr<StateStore> store(new StateStore(directory, std::move(options)));
    if (auto flaw = guarded(store->file_, [&] { store->start(); })) {
        return *std::move(flaw);
    }
    return store;
}

bool StateStore::is_there(const fs::path& directory) {
    const fs::path file = directory / kDatabaseName;
    std::error_code error;
    return fs::exists(file, error) || fs::exists(file.string() + kCompanions[0], error) ||
           fs::exists(directory / kRestoreFolder / kDatabaseName, error);
}

std::variant<fs::path, std::string> StateStore::put_aside(const fs::path& directory) {
    std::error_code error;
    if (!fs::exists(directory, error) && !error) {
        return fs::path();
    }
    StateStore store(directory, {});
    if (auto flaw = store.lock()) {
        return *std::move(flaw);
    }
    fs::path aside;
    const auto flaw = guarded(store.file_, [&] {
        aside = move_aside(directory);
        fs::remove_all(directory / kRestoreFolder);
        fs::remove_all(directory / kUnfinishedFolder);
    });
    if (flaw) {
        return *flaw;
    }
    return aside;
}

std::variant<fs::path, std::string> StateStore::put_back(const fs::path& directory,
                                                         const fs::path& copy) {
    StateStore store(directory, {});
    if (auto flaw = store.lock()) {
        return *std::move(flaw);
    }
    // One that an earlier restore left behind stays until this one is whole: see expect_nothing().
    const fs::path unfinished = directory / kUnfinishedFolder;
    std::error_code error;
    const fs::path from = fs::canonical(copy, error);  // where SQLite has its log
    const auto restore = [&] {
        fs::remove_all(unfinished);
        fs::create_directories(unfinished);
        copy_with_log(from, unfinished);
        StateStore restored(unfinished, {});
        restored.start();
        const KeptZone zone = restored.tables_->load();
        restored.start_to_write(Older::dropped);
        KeptChanges changes;
        static_cast<KeptHead&>(changes.zone) = beyond_all_given(directory, zone);
        restored.tables_->write(changes, changes.zone.next_id);
        run(restored.database_.get(), "PRAGMA journal_mode = DELETE");  // all of it in one file
    };
    if (const auto unreadable =
            guarded(copy, restore,
                    "the backup, or a log beside it (-wal), is damaged or of another: take "
                    "another; the state was left as it is")) {
        fs::remove_all(unfinished, error);
        return *unreadable;
    }
    fs::path aside;
    const auto flaw = guarded(store.file_, [&] {
        const fs::path ready = directory / kRestoreFolder;
        fs::create_directories(ready);
        fs::rename(unfinished / kDatabaseName, ready / kDatabaseName);
        fs::remove_all(unfinished);
        aside = move_aside(directory);
        rename_for_good(ready / kDatabaseName, store.file_);
        fs::remove_all(ready);
    });
    if (flaw) {
        return *flaw;
    }
    return aside;
}

std::variant<KeptZone, std::string> StateStore::load() {
    KeptZone zone;
    if (auto flaw = guarded(file_, [&] { zone = tables_->load(); })) {
        return *std::move(flaw);
    }
    return zone;
}

std::optional<std::string> StateStore::write(const KeptChanges& changes, std::uint64_t next_id) {
    return guarded(file_, [&] {
        start_to_write(Older::put_aside);
        expect_room_in_wal();
        tables_->write(changes, next_id);
    });
}

std::variant<std::shared_ptr<std::FILE>, std::string> StateStore::back_up() {
    const fs::path file = file_.string() + ".backup";
    std::shared_ptr<std::FILE> copy;
    const auto flaw = guarded(file, [&] {
        fs::remove(file);
        copy_to_file(database_.get(), file, options_);
        if (std::FILE* const opened = std::fopen(file.c_str(), "rbe")) {
            copy.reset(opened, std::fclose);
        }
        fs::remove(file);  // whoever has it open may read it
    });
    if (flaw || copy == nullptr) {
        return flaw.value_or(file.string() + ": cannot be read");
    }
    return copy;
}

std::uint64_t StateStore::wal_bytes() const {
    std::error_code none;
    const auto bytes = fs::file_size(file_.string() + "-wal", none);
    return none ? 0 : bytes;
}

std::optional<std::string> StateStore::configure(const std::vector<Region>& layout) {
    return guarded(file_, [&] {
        start_to_write(Older::put_aside);
        tables_->configure(layout);
    });
}

}  // namespace marchland::shards
