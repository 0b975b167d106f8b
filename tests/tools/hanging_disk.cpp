// A disk that hangs, below a whole server: as long as the file is there that MARCHLAND_HANGS_WHILE
// names, no sync comes back. For LD_PRELOAD; see restart_loop.py.

#include <cstdlib>
#include <unistd.h>
#include <sys/syscall.h>

namespace {

void wait_while_it_hangs() {
    const char* const file = std::getenv("MARCHLAND_HANGS_WHILE");
    while (file != nullptr && access(file, F_OK) == 0) {
        usleep(10'000);
    }
}

}  // namespace

extern "C" int fsync(int file) {
    wait_while_it_hangs();
    return static_cast<int>(syscall(SYS_fsync, file));
}

extern "C" int fdatasync(int file) {
    wait_while_it_hangs();
    return static_cast<int>(syscall(SYS_fdatasync, file));
}
