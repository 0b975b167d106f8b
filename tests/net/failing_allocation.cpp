#include "tests/net/failing_allocation.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> allocations_left{0};  ///< below 1: none fails
thread_local bool is_spared = false;

}  // namespace

void marchland::tests::fail_allocation(std::int64_t number) {
    is_spared = true;
    allocations_left = number;
}

bool marchland::tests::end_failing_allocation() {
    return allocations_left.exchange(0) <= 0;
}

void* operator new(std::size_t bytes) {
    if (allocations_left.load(std::memory_order_relaxed) > 0 && !is_spared &&
        allocations_left.fetch_sub(1) == 1) {
        throw std::bad_alloc();
    }
    if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) {
        return memory;
    }
    throw std::bad_alloc();
}
// AddressSanitizer has all of these: its own do not call ours.
void* operator new(std::size_t bytes, const std::nothrow_t& /*none*/) noexcept {
    return std::malloc(bytes == 0 ? 1 : bytes);
}
void* operator new[](std::size_t bytes) {
    return operator new(bytes);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
