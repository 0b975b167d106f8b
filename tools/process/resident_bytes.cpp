#include "tools/process/resident_bytes.h"

#include <algorithm>
#include <fstream>
#include <malloc.h>
#include <unistd.h>

namespace marchland::process {
namespace {

constexpr std::chrono::seconds kInterval{2};
constexpr std::uint64_t kWorthwhileBytes = std::uint64_t{4} << 20U;

struct Resident {
    std::uint64_t bytes = 0;
    std::uint64_t of_files_bytes = 0;
};

Resident resident() {
    // proc(5): statm counts pages; the second number is what is resident, the third what of it files hold.
    std::uint64_t size_pages = 0;
    std::uint64_t resident_pages = 0;
    std::uint64_t file_pages = 0;
    std::ifstream("/proc/self/statm") >> size_pages >> resident_pages >> file_pages;
    const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return {resident_pages * page_bytes, file_pages * page_bytes};
}

/// Memory of the process's own that is resident, and that nobody in it uses.
std::uint64_t free_bytes() {
    const Resident now = resident();
    const struct mallinfo2 heap = mallinfo2();
    const std::uint64_t used = now.of_files_bytes + heap.uordblks + heap.hblkhd;
    return now.bytes - std::min(now.bytes, used);
}

}  // namespace

std::uint64_t resident_bytes() {
    return resident().bytes;
}

void FreedMemory::look(TimePoint now) {
    if (now < next_) {
        return;
    }
    next_ = now + kInterval;
    const std::uint64_t free = free_bytes();
    left_bytes_ = std::min(left_bytes_, free);
    if (free > left_bytes_ + kWorthwhileBytes) {
        malloc_trim(0);
        left_bytes_ = free_bytes();
    }
}

}  // namespace marchland::process
