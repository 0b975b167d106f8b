#include "tools/bench/allocation_counter.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

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

namespace marchland::bench {

std::uint64_t allocation_count() {
    return allocations.load(std::memory_order_relaxed);
}

}  // namespace marchland::bench

// The array and nothrow forms of the standard library call these.

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
