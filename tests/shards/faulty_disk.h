#pragma once

#include <memory>
#include <string>

namespace marchland::tests {

/// A disk below SQLite that hangs or is full when a test says so: a VFS over the system's, whose
/// writes and syncs wait or fail. https://www.sqlite.org/vfs.html
///
/// Threads  Any.
class FaultyDisk {
public:
    FaultyDisk();
    /// Nothing hangs any more. No database uses it, but what hung may still come back.
    ~FaultyDisk();
    FaultyDisk(const FaultyDisk&) = delete;
    FaultyDisk& operator=(const FaultyDisk&) = delete;

    /// For StoreOptions.
    [[nodiscard]] const std::string& vfs() const;

    /// Whoever writes from now on waits for heal().
    void hang();
    void fill_up();
    void heal();
    /// Until somebody waits; false: nobody within ten seconds.
    [[nodiscard]] bool wait_until_somebody_hangs();

private:
    struct Disk;
    std::shared_ptr<Disk> disk_;
};

}  // namespace marchland::tests
