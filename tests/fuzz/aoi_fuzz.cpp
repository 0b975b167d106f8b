// Histories of the library's facade beside brute force: see tests/engine/aoi_script.h.

#include "tests/engine/aoi_script.h"
#include "tests/fuzz/fuzz_target.h"

#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    marchland::engine::testing::AoiScript script({data, size});
    if (const auto disagreement = script.play()) {
        std::fprintf(stderr, "%s\n", disagreement->c_str());
        std::abort();
    }
    return 0;
}
