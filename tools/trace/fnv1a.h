#pragma once

#include <cstdint>
#include <string_view>

namespace marchland::trace {

/// FNV-1a, 64 bits: a digest that tells two streams of lines apart, not one against an attacker.
///
/// Cost    About 1.5 ns a byte: each waits for the multiplication of the one before.
/// Source  Fowler, Noll, Vo; draft-eastlake-fnv.
class Fnv1a64 {
public:
    void add(std::string_view bytes) {
        for (const char byte : bytes) {
            value_ ^= static_cast<unsigned char>(byte);
            value_ *= 0x100000001b3U;
        }
    }
    [[nodiscard]] std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace marchland::trace
