#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace marchland::tests {

/// Random choices from one seed. The same on every platform: no std distribution is used, whose
/// results are the library's own business. A slight bias of the modulo is of no account here.
class Dice {
public:
    explicit Dice(std::uint64_t seed) : engine_(seed) {}

    /// 0 to count - 1.
    std::size_t below(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }

    /// Both ends inclusive.
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return low +
               static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
    }

    bool chance(unsigned percent) { return engine_() % 100 < percent; }

    template <typename T>
    const T& pick(const std::vector<T>& from) {
        return from[below(from.size())];
    }

private:
    std::mt19937_64 engine_;
};

}  // namespace marchland::tests
