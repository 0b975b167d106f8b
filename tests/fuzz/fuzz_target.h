#pragma once

#include <cstddef>
#include <cstdint>

/// What libFuzzer calls, and what the replay program calls with the bytes of a file. Returns 0, or
/// ends the program with a message.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
