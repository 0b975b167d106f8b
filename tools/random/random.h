#pragma once

#include "engine/assert.h"

#include <cstdint>

namespace marchland::tools {

/// A small generator of reproducible numbers: the same seed gives the same walk on every machine,
/// which std::uniform_int_distribution does not promise.
///
/// Source   splitmix64, Sebastiano Vigna, https://prng.di.unimi.it/splitmix64.c
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31U);
    }

    /// A number in [low, high], both ends inclusive. The bias of the remainder is below 2^-30 for
    /// the spans of a map, and nobody here minds.
    std::int64_t between(std::int64_t low, std::int64_t high) {
        MARCHLAND_ASSERT(low <= high);
        const auto span = static_cast<std::uint64_t>(high - low) + 1;
        return low + static_cast<std::int64_t>(next() % span);
    }

    /// True once in `n` on average.
    bool one_in(std::uint64_t n) { return next() % n == 0; }

private:
    std::uint64_t state_;
};

}  // namespace marchland::tools
