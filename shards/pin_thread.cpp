#include "shards/pin_thread.h"

#include "engine/assert.h"

#include <algorithm>
#include <cerrno>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

namespace marchland::shards {
namespace {

/// Nobody set here where this thread runs: its cores are those of the thread that started it. Not 0
/// at the start, on purpose: mold 1.10 cuts a program that cannot be loaded where all that is local
/// to a thread is one byte of zeros.
thread_local bool is_inherited = true;
thread_local bool is_named = false;

std::error_code last_error() {
    return {errno, std::system_category()};
}

/// The cores that the process may run on. Asked of its first thread: others may be pinned by now.
std::error_code get_allowed(cpu_set_t& allowed) {
    return sched_getaffinity(getpid(), sizeof allowed, &allowed) == 0 ? std::error_code()
                                                                      : last_error();
}

std::error_code set_allowed(const cpu_set_t& allowed) {
    return sched_setaffinity(0, sizeof allowed, &allowed) == 0 ? std::error_code() : last_error();
}

}  // namespace

std::error_code pin_this_thread(std::uint32_t turn, std::uint32_t cores) {
    MARCHLAND_ASSERT(cores > 0);
    cpu_set_t allowed;
    if (const auto error = get_allowed(allowed)) {
        return error;
    }
    const auto count = std::min(cores, static_cast<std::uint32_t>(CPU_COUNT(&allowed)));
    std::uint32_t before = turn % count;
    int core = 0;
    while (!CPU_ISSET(core, &allowed) || before-- > 0) {
        ++core;
    }
    cpu_set_t wanted;
    CPU_ZERO(&wanted);
    CPU_SET(core, &wanted);
    is_inherited = false;
    return set_allowed(wanted);
}

std::uint32_t allowed_cores() {
    cpu_set_t allowed;
    return get_allowed(allowed) ? 1 : static_cast<std::uint32_t>(CPU_COUNT(&allowed));
}

void unpin_if_inherited() {
    if (!is_inherited) {
        return;
    }
    is_inherited = false;
    // Else it is called as the shard's that started it; the first one's name is the process's.
    if (!is_named && gettid() != getpid()) {
        name_this_thread("executor");
    }
    cpu_set_t allowed;
    if (!get_allowed(allowed)) {
        // One that stays pinned works all the same.
        static_cast<void>(set_allowed(allowed));
    }
}

void name_this_thread(const std::string& name) {
    is_named = true;
    pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
}

}  // namespace marchland::shards
