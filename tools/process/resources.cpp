#include "tools/process/resources.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <malloc.h>
#include <unistd.h>
#include <sys/resource.h>

namespace marchland::process {
namespace {

constexpr std::chrono::seconds kInterval{2};
constexpr std::uint64_t kWorthwhileBytes = std::uint64_t{4} << 20U;

struct Resident {
    std::uint64_t bytes = 0;
    std::uint64_t of_files_bytes = 0;
};

Resident resident() {
    // proc(5): statm counts pages; the second number is what is resident, the third what of it
    // files hold.
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

std::size_t raise_open_files_max() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return 0;
    }
    if (limit.rlim_cur < limit.rlim_max) {
        const rlimit raised{limit.rlim_max, limit.rlim_max};
        if (setrlimit(RLIMIT_NOFILE, &raised) == 0) {
            limit = raised;
        }
    }
    return static_cast<std::size_t>(
        std::min<rlim_t>(limit.rlim_cur, std::numeric_limits<int>::max()));
}

Consumption consumption() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    // getrusage(2): ru_maxrss is in kilobytes.
    return {seconds(usage.ru_utime) + seconds(usage.ru_stime),
            static_cast<std::uint64_t>(usage.ru_maxrss) * 1'024};
}

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
