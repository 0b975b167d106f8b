#include "tools/process/resident_bytes.h"

#include <fstream>
#include <unistd.h>

namespace marchland::process {

std::uint64_t resident_bytes() {
    // proc(5): statm counts pages; the second number is what is resident.
    std::uint64_t size_pages = 0;
    std::uint64_t resident_pages = 0;
    std::ifstream("/proc/self/statm") >> size_pages >> resident_pages;
    return resident_pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace marchland::process
