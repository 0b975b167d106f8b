#include "engine/assert.h"

#include <cstdio>
#include <cstdlib>

namespace marchland::engine {

void report_broken_promise(const char* promise, const char* file, int line) noexcept {
    std::fprintf(stderr, "%s:%d: broken promise: %s\n", file, line, promise);
    std::abort();
}

}  // namespace marchland::engine
