#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

/// What libFuzzer calls, and what the replay program calls with the bytes of a file. Returns 0, or
/// ends the program with a message.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace marchland::tests {

/// Ends the program, unless it holds: the fuzzer keeps the input.
inline void demand(bool holds, const std::string& what) {
    if (!holds) {
        std::fprintf(stderr, "%s\n", what.c_str());
        std::abort();
    }
}

}  // namespace marchland::tests
