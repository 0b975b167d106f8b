#include "tests/engine/allocation_count.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::size_t allocations = 0;
std::size_t releases = 0;

void* counted(std::size_t bytes, std::size_t alignment) {
    ++allocations;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* const memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

void release(void* memory) {
    releases += memory != nullptr ? 1U : 0U;
    std::free(memory);
}

}  // namespace

std::size_t marchland::engine::testing::allocation_count() {
    return allocations;
}

std::size_t marchland::engine::testing::live_allocation_count() {
    return allocations - releases;
}

void* operator new(std::size_t bytes) {
    return counted(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return counted(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
    release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    release(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    release(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    release(memory);
}
