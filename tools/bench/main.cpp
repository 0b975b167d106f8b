#include "tools/bench/benchmark.h"
#include "tools/command_line/run_main.h"
#include "tools/progress/progress_line.h"
#include "marchland_version.h"

#include <spdlog/spdlog.h>

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <ostream>

namespace {

volatile std::sig_atomic_t interrupted = 0;

void on_interrupt(int) {
    interrupted = 1;
    std::signal(SIGINT, SIG_DFL);  // who presses Ctrl-C twice does not want a report
}

std::atomic<std::uint64_t> allocations{0};

void* allocate(std::size_t bytes) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    // operator new gives a pointer of its own even for nothing; malloc need not.
    void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

void* allocate_aligned(std::size_t bytes, std::align_val_t alignment) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    const auto boundary = static_cast<std::size_t>(alignment);
    // aligned_alloc wants a multiple of the alignment.
    const std::size_t rounded = (bytes / boundary + 1) * boundary;
    void* const memory = std::aligned_alloc(boundary, rounded);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

// The program counts its heap allocations. The array and nothrow forms of the standard library call
// these.

void* operator new(std::size_t bytes) {
    return allocate(bytes);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return allocate_aligned(bytes, alignment);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}

int main(int argc, char** argv) {
    std::signal(SIGINT, on_interrupt);
    const auto run = [](int count, char** arguments, const std::string&, std::ostream& out,
                        std::ostream& err) {
        // Of what runs in a benchmark only what goes wrong is of interest, and not in the report.
        spdlog::set_level(spdlog::level::err);
        return marchland::bench::run_program(
            count, arguments,
            {.version = marchland::version,
             .commit = marchland::version_commit,
             .out = out,
             .err = err,
             .is_err_terminal = marchland::tools::stderr_is_terminal(),
             .allocation_count = [] { return allocations.load(std::memory_order_relaxed); },
             .is_interrupted = [] { return interrupted != 0; }});
    };
    return marchland::tools::run_main("marchland-bench", argc, argv, run);
}
