// Plays files through a fuzz target without a fuzzer: the corpus in the usual tests, a crash under
// a debugger. usage: replay FILE...; exit 2 when a file cannot be read, or none is named.

#include "tests/fuzz/fuzz_target.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

int main(int count, char** arguments) {
    for (int i = 1; i < count; ++i) {
        std::ifstream file(arguments[i], std::ios::binary);
        if (!file) {
            std::fprintf(stderr, "cannot read %s\n", arguments[i]);
            return 2;
        }
        const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
        std::printf("%s: %zu bytes\n", arguments[i], bytes.size());
        std::fflush(stdout);
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    }
    return count > 1 ? 0 : 2;
}
