#include "tests/shards/faulty_disk.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <sqlite3.h>
#include <vector>

namespace marchland::tests {

/// One for each FaultyDisk, and never taken apart: a thread that hung may come back at any time.
struct FaultyDisk::Disk {
    enum class State { sound, hangs, is_full };

    explicit Disk(int number) : name("faulty " + std::to_string(number)) {
        below = sqlite3_vfs_find(nullptr);
        vfs = *below;
        vfs.zName = name.c_str();
        vfs.pNext = nullptr;
        vfs.pAppData = this;
        vfs.szOsFile = static_cast<int>(sizeof(File)) + below->szOsFile;
        vfs.xOpen = open;
        sqlite3_vfs_register(&vfs, 0);
    }

    /// What comes before each write and each sync.
    int admit() {
        std::unique_lock lock(mutex);
        if (state == State::hangs) {
            ++hanging;
            changed.notify_all();
            changed.wait(lock, [this] { return state != State::hangs; });
            --hanging;
        }
        return state == State::is_full ? SQLITE_FULL : SQLITE_OK;
    }
    void set(State to) {
        const std::lock_guard lock(mutex);
        state = to;
        changed.notify_all();
    }

    /// In SQLite's memory, with the file of the system's behind it.
    struct File {
        sqlite3_file base;
        Disk* disk;

        sqlite3_file* below() { return reinterpret_cast<sqlite3_file*>(this + 1); }
    };
    static File& file_of(sqlite3_file* file) { return *reinterpret_cast<File*>(file); }
    /// The system's function of this name.
    template <auto Function, typename... Arguments>
    static auto pass(sqlite3_file* file, Arguments... arguments) {
        sqlite3_file* const below = file_of(file).below();
        return (below->pMethods->*Function)(below, arguments...);
    }
    template <auto Function, typename... Arguments>
    static int pass_if_sound(sqlite3_file* file, Arguments... arguments) {
        const int refused = file_of(file).disk->admit();
        return refused != SQLITE_OK ? refused : pass<Function>(file, arguments...);
    }

    static int open(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags,
                    int* out_flags) {
        using M = sqlite3_io_methods;
        static const M methods{
            3,
            [](sqlite3_file* f) { return pass<&M::xClose>(f); },
            [](sqlite3_file* f, void* to, int size, sqlite3_int64 at) {
                return pass<&M::xRead>(f, to, size, at);
            },
            [](sqlite3_file* f, const void* from, int size, sqlite3_int64 at) {
                return pass_if_sound<&M::xWrite>(f, from, size, at);
            },
            [](sqlite3_file* f, sqlite3_int64 size) { return pass<&M::xTruncate>(f, size); },
            [](sqlite3_file* f, int how) { return pass_if_sound<&M::xSync>(f, how); },
            [](sqlite3_file* f, sqlite3_int64* size) { return pass<&M::xFileSize>(f, size); },
            [](sqlite3_file* f, int level) { return pass<&M::xLock>(f, level); },
            [](sqlite3_file* f, int level) { return pass<&M::xUnlock>(f, level); },
            [](sqlite3_file* f, int* is) { return pass<&M::xCheckReservedLock>(f, is); },
            [](sqlite3_file* f, int what, void* with) {
                return pass<&M::xFileControl>(f, what, with);
            },
            [](sqlite3_file* f) { return pass<&M::xSectorSize>(f); },
            [](sqlite3_file* f) { return pass<&M::xDeviceCharacteristics>(f); },
            [](sqlite3_file* f, int page, int size, int is_to_extend, void volatile** at) {
                return pass<&M::xShmMap>(f, page, size, is_to_extend, at);
            },
            [](sqlite3_file* f, int from, int count, int how) {
                return pass<&M::xShmLock>(f, from, count, how);
            },
            [](sqlite3_file* f) { return pass<&M::xShmBarrier>(f); },
            [](sqlite3_file* f, int is_to_delete) { return pass<&M::xShmUnmap>(f, is_to_delete); },
            [](sqlite3_file* f, sqlite3_int64 at, int size, void** page) {
                return pass<&M::xFetch>(f, at, size, page);
            },
            [](sqlite3_file* f, sqlite3_int64 at, void* page) {
                return pass<&M::xUnfetch>(f, at, page);
            }};
        auto* const disk = static_cast<Disk*>(vfs->pAppData);
        File& it = file_of(file);
        it.disk = disk;
        const int result = disk->below->xOpen(disk->below, name, it.below(), flags, out_flags);
        it.base.pMethods = it.below()->pMethods == nullptr ? nullptr : &methods;
        return result;
    }

    const std::string name;
    sqlite3_vfs* below;
    sqlite3_vfs vfs;
    std::mutex mutex;
    std::condition_variable changed;
    State state = State::sound;
    int hanging = 0;
};

FaultyDisk::FaultyDisk() {
    static std::atomic<int> number{0};
    // SQLite, and threads that hung, may use it for as long as the process lives.
    static auto* const all = new std::vector<std::shared_ptr<Disk>>();
    disk_ = std::make_shared<Disk>(++number);
    all->push_back(disk_);
}

FaultyDisk::~FaultyDisk() {
    heal();
}

const std::string& FaultyDisk::vfs() const {
    return disk_->name;
}

void FaultyDisk::hang() {
    disk_->set(Disk::State::hangs);
}

void FaultyDisk::fill_up() {
    disk_->set(Disk::State::is_full);
}

void FaultyDisk::heal() {
    disk_->set(Disk::State::sound);
}

bool FaultyDisk::wait_until_somebody_hangs() {
    std::unique_lock lock(disk_->mutex);
    return disk_->changed.wait_for(lock, std::chrono::seconds(10),
                                   [this] { return disk_->hanging > 0; });
}

}  // namespace marchland::tests
